// What any trade can do, by trying all of them: a second opinion on the search, which shares nothing with it but the
// pools' exact quotes.
import type { Address } from '@slipway/wire';
import type { Side } from '../../venue.js';
import type { StockPool } from './stock.js';

/** Equal parts that an amount is split into, the most pools that share them, and the most steps of a route. */
const GRID = 25;
const MOST_SHARES = 3;
const MOST_STEPS = 3;
/** At most one part in so many of an amount is left over. */
const LEAST_USE = 10_000n;
/** An account of a transaction that no table lists takes so much of its bytes. */
const KEY_SIZE = 32;
/** A signature, a blockhash, and the keys of the trader, of both token accounts, of the router and of the budget's program. */
const LEAST_BYTES = 64 + 6 * KEY_SIZE;
/** The key of an account between two steps, which its instruction names again with its mint, and the seed's owner. */
const LEAST_BETWEEN = 4 * KEY_SIZE;

interface Share {
  pool: StockPool;
  from: Side;
  /** Of GRID. */
  part: number;
}

export interface OracleStep {
  input: Address;
  output: Address;
  /** Smallest first; the last one takes what is left over. */
  shares: readonly Share[];
}

interface Question {
  pools: readonly StockPool[];
  input: Address;
  output: Address;
  amount: bigint;
  maxPools: number;
  listed: ReadonlySet<Address>;
  maxBytes: number;
  /** Whether a trade of these steps fits into a transaction, as it is really built. */
  fits(steps: readonly OracleStep[]): boolean;
}

/** A trade that fits and gives more than `than`; undefined if none does. */
export function findBetter(question: Question, than: bigint): { steps: OracleStep[]; out: bigint } | undefined {
  for (const mints of pathsOf(question)) {
    const found = continued(question, mints, [], question.amount, than);
    if (found) return found;
  }
  return undefined;
}

function pathsOf({ pools, input, output }: Question): Address[][] {
  const paths: Address[][] = [];
  const extend = (path: Address[]): void => {
    const at = path.at(-1)!;
    const next = new Set(
      pools
        .flatMap(({ mints: [a, b] }) => (a === at ? [b] : b === at ? [a] : []))
        .filter((mint) => !path.includes(mint)),
    );
    for (const mint of next) {
      if (mint === output) paths.push([...path, mint]);
      else if (path.length < MOST_STEPS) extend([...path, mint]);
    }
  };
  extend([input]);
  return paths;
}

function continued(
  question: Question,
  mints: readonly Address[],
  steps: readonly OracleStep[],
  amount: bigint,
  than: bigint,
): { steps: OracleStep[]; out: bigint } | undefined {
  const left = mints.length - 1 - steps.length;
  if (left === 0) return amount > than && question.fits(steps) ? { steps: [...steps], out: amount } : undefined;
  const [input, output] = [mints[steps.length]!, mints[steps.length + 1]!];
  const used = steps.reduce((sum, { shares }) => sum + shares.length, 0);
  const legs = legsOf(question.pools, input, output);
  const later = mints.slice(steps.length + 1);
  const rate = later.slice(1).reduce((product, mint, i) => product * bestPrice(question.pools, later[i]!, mint), 1);
  // No pool pays more than its price before the trade.
  const isEnough = (out: number) => out * rate * (1 + 1e-9) > Number(than);
  if (!isEnough(Number(amount) * bestPrice(question.pools, input, output))) return undefined;
  const most = Math.min(MOST_SHARES, question.maxPools - used - (left - 1));
  for (const { shares, out } of splitsOf(legs, amount, most)) {
    if (!isEnough(out)) break;
    const extended = [...steps, { input, output, shares }];
    if (bytesOf(question, extended, mints.length - 2) > question.maxBytes) continue;
    const received = traded(shares, amount);
    const found = received && continued(question, mints, extended, received, than);
    if (found) return found;
  }
  return undefined;
}

type OracleLeg = Omit<Share, 'part'>;

function legsOf(pools: readonly StockPool[], input: Address, output: Address): OracleLeg[] {
  return pools.flatMap((pool): OracleLeg[] => {
    if (pool.mints[0] === input && pool.mints[1] === output) return [{ pool, from: 0 }];
    return pool.mints[1] === input && pool.mints[0] === output ? [{ pool, from: 1 }] : [];
  });
}

function bestPrice(pools: readonly StockPool[], input: Address, output: Address): number {
  return Math.max(
    0,
    ...legsOf(pools, input, output).map(({ pool, from }) => pool.now.price(from) * (1 - pool.now.feeShare)),
  );
}

/** For each few pools the best split between them, best first. */
function splitsOf(legs: readonly OracleLeg[], amount: bigint, most: number): { shares: Share[]; out: number }[] {
  const known = legs.map(() => new Map<number, number>());
  const outOf = (i: number, part: number): number => {
    let out = known[i]!.get(part);
    if (out === undefined) {
      const offered = (amount * BigInt(part)) / BigInt(GRID);
      const trade = offered > 0n ? legs[i]!.pool.now.quote(legs[i]!.from, offered) : undefined;
      // A pool that takes only a part of what it is offered has come to its end.
      out = trade && (offered - trade.paid) * LEAST_USE <= offered ? Number(trade.received) : 0;
      known[i]!.set(part, out);
    }
    return out;
  };
  const splits: { shares: Share[]; out: number }[] = [];
  for (const chosen of subsets(legs.length, most)) {
    const best = bestParts(chosen, GRID, outOf);
    if (!best) continue;
    const shares = chosen.map((i, j) => ({ ...legs[i]!, part: best.parts[j]! })).sort((a, b) => a.part - b.part);
    splits.push({ shares, out: best.out });
  }
  return splits.sort((a, b) => b.out - a.out);
}

function subsets(count: number, most: number): number[][] {
  const sets: number[][] = [];
  const extend = (set: number[], from: number) => {
    if (set.length > 0) sets.push(set);
    if (set.length < most) for (let i = from; i < count; i++) extend([...set, i], i + 1);
  };
  extend([], 0);
  return sets;
}

type OutOf = (leg: number, part: number) => number;

/** Every division of `whole` among these pools is tried. */
function bestParts(legs: readonly number[], whole: number, outOf: OutOf): { parts: number[]; out: number } | undefined {
  const [first, ...others] = legs;
  if (others.length === 0) {
    const out = outOf(first!, whole);
    return out > 0 ? { parts: [whole], out } : undefined;
  }
  let best: { parts: number[]; out: number } | undefined;
  for (let part = 1; part <= whole - others.length; part++) {
    const out = outOf(first!, part);
    const rest = out > 0 ? bestParts(others, whole - part, outOf) : undefined;
    if (rest && (!best || out + rest.out > best.out)) best = { parts: [part, ...rest.parts], out: out + rest.out };
  }
  return best;
}

/** Exactly what the shares give; undefined if a pool refuses, or leaves more than there may be. */
function traded(shares: readonly Share[], amount: bigint): bigint | undefined {
  let [left, received] = [amount, 0n];
  for (const [i, { pool, from, part }] of shares.entries()) {
    const offered = i === shares.length - 1 ? left : (amount * BigInt(part)) / BigInt(GRID);
    const trade = pool.now.quote(from, offered);
    if (!trade) return undefined;
    left -= trade.paid;
    received += trade.received;
  }
  return left * LEAST_USE <= amount ? received : undefined;
}

/** Bytes that a route over these steps takes at least, with so many accounts between its steps. */
function bytesOf({ listed }: Question, steps: readonly OracleStep[], between: number): number {
  const named = new Set<Address>();
  let bytes = LEAST_BYTES + LEAST_BETWEEN * between;
  for (const { shares } of steps) {
    for (const { pool, from } of shares) {
      const at = pool.address;
      const swap = pool.now.swap(from, { owner: at, source: at, destination: at, amountIn: 1n, minOut: 1n });
      bytes += swap.accounts.length;
      for (const { address } of swap.accounts) if (!listed.has(address)) named.add(address);
    }
  }
  return bytes + KEY_SIZE * named.size;
}
