import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROUTER_PROGRAM, TOKEN_SWAP_PROGRAM } from '@slipway/programs';
import { newAddress, programUnderTest, type Random, randomNumbers } from '@slipway/programs/testing';
import {
  type Address,
  createAssociatedTokenIdempotent,
  type LookupTable,
  MAX_TRANSACTION_SIZE,
  setComputeUnitLimit,
} from '@slipway/wire';
import { craftTransaction, TransactionTooLarge } from '../../crafting/transaction.js';
import type { QuoteRequest, Surroundings, Token } from '../router.js';
import { buildPlan } from './build.js';
import type { Found } from './found.js';
import { tablesFor } from './lookup-tables.js';
import { createMarket } from './market.js';
import { type Outcome, type Plan, run } from './plan.js';
import { search } from './search.js';
import { createSizing } from './size.js';
import { Lab } from './venues/testing/lab.js';
import { fundedTaker } from './venues/testing/made-pools.js';
import { findBetter, type OracleStep } from './venues/testing/oracle.js';
import { ROW_PROGRAMS } from './venues/testing/row.js';
import { type StockPool, writeStock, writeTokens } from './venues/testing/stock.js';

const SEED = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31)) || 1;
const WORLDS = 2_000;
/** The search does not try everything: in less than one world of twenty thousand it misses a better route. */
const MOST_MISSED = 2;
const MOST_LOST = 0.3;
/** To look at one of them again. */
const ONLY = process.env.TEST_WORLD === undefined ? undefined : Number(process.env.TEST_WORLD);
const [FIRST, LAST] = ONLY === undefined ? [0, WORLDS] : [ONLY, ONLY + 1];
/** Worlds that take their pools from one stock. */
const WORLDS_A_STOCK = 100;
const STOCK = 90;
const MAX_POOLS = 5;
/** The order may give so much less than the best that there is: one part in a thousand. */
const WITHIN = 1_000n;
/** One of so many trades is executed, where its programs are there. */
const EXECUTED = 4;
const BLOCKHASH = newAddress();

const folder = process.env.SLIPWAY_PROGRAMS_DIR;
const others = ROW_PROGRAMS.filter((program) => folder !== undefined && existsSync(join(folder, `${program}.so`)));

/** Worlds in which the order once missed the best route, or lost most of it. */
const LOST_ONCE = [
  // A pool of the second step ends just beyond what dealing out in chunks brings to it.
  { seed: 613_987_864, world: 216 },
  // Its last pool leaves no dust, so that it takes less of a transaction than those by which the path was measured.
  { seed: 1_869_003_786, world: 1_912 },
  // Its pools end, so that it seems to give little, behind paths that seem to give much and cannot be planned.
  { seed: 1_046_650_326, world: 1_629 },
];

/** Numbers of their own for each world and each stock, so that every one can be made again alone. */
const randomOf = (seed: number, i: number, kind: number): Random =>
  randomNumbers(Math.imul(seed + kind * 7_919 + i, 2_654_435_761) >>> 0 || 1);

interface Stock {
  lab: Lab;
  tokens: Token[];
  pools: StockPool[];
}

function openStock(random: Random): Stock {
  const lab = new Lab(...others);
  lab.vm.addProgram(ROUTER_PROGRAM, programUnderTest('router'));
  lab.vm.addProgram(TOKEN_SWAP_PROGRAM, programUnderTest('pool'));
  const tokens = writeTokens(lab, 4 + random(4));
  return { lab, tokens, pools: writeStock(lab, random, tokens, { count: STOCK }) };
}

const stockOf = (seed: number, world: number): Stock =>
  openStock(randomOf(seed, Math.floor(world / WORLDS_A_STOCK), 1));

interface World {
  pools: StockPool[];
  /** Quoted as if all was well, but every trade with them fails. */
  broken: ReadonlySet<Address>;
  tables: LookupTable[];
  request: QuoteRequest;
  parties: Surroundings & { source: Address; destination: Address };
}

function worldOf({ lab, tokens, pools: stock }: Stock, random: Random): World {
  const count = 2 + random(random(2) === 0 ? 39 : 10);
  const own = random(3) === 0 ? stock.filter(({ venue }) => venue.program === TOKEN_SWAP_PROGRAM) : stock;
  const pools = shuffled(own, random).slice(0, count);
  const from = random(tokens.length);
  const [input, output] = [tokens[from]!, tokens[(from + 1 + random(tokens.length - 1)) % tokens.length]!];
  const owner = lab.taker;
  const [source, destination] = [input, output].map(({ mint, tokenProgram }) => lab.purse(mint, tokenProgram));
  const isMade = random(2) === 0;
  const parties = {
    ...(isMade && { receiver: owner }),
    owner,
    source: source!,
    destination: destination!,
    receiver: owner,
    feePayer: owner,
    rentPayer: owner,
    inFull: [owner, source!, destination!],
    // Whether the receiver's account is made decides about 70 bytes.
    instructions: isMade ? [createAssociatedTokenIdempotent({ ...output, payer: owner, owner: newAddress() })] : [],
  };
  const amount = BigInt(Math.round(10 ** (4 + (random(8_500) + 1) / 1_000)));
  return {
    pools,
    broken: new Set(pools.filter(() => random(8) === 0).map(({ address }) => address)),
    tables: tablesOf(pools, random),
    request: {
      mode: 'exact-in',
      input,
      output,
      amount,
      excludeVenues: new Set(),
      surroundings: parties,
    },
    parties,
  };
}

function shuffled<T>(values: readonly T[], random: Random): T[] {
  return values
    .map((value) => ({ value, at: random(2 ** 31) }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value);
}

/** None, tables of everything, or of some pools. */
function tablesOf(pools: readonly StockPool[], random: Random): LookupTable[] {
  const share = [0, 0, 4, 8][random(4)]!;
  const nobody = newAddress();
  const parties = { owner: nobody, source: nobody, destination: nobody, amountIn: 1n, minOut: 1n };
  const named = pools
    .filter(() => random(8) < share)
    .flatMap(({ now }) => [0, 1].flatMap((side) => now.swap(side as 0 | 1, parties).accounts))
    .map(({ address }) => address);
  const all = [...new Set(named)].filter((address) => address !== nobody);
  const tables: LookupTable[] = [];
  for (let i = 0; i < all.length; i += 250) tables.push({ address: newAddress(), addresses: all.slice(i, i + 250) });
  return tables;
}

/** The transaction of a plan, as it is sent; undefined if it does not fit. */
function craft(plan: Plan, outcome: Outcome, { request, parties, tables }: World, tokens: readonly Token[]) {
  const tokenOf = (mint: Address) => tokens.find((token) => token.mint === mint)!;
  const input = { plan, outcome, request, router: ROUTER_PROGRAM, tokenOf };
  const { instructions } = buildPlan({
    ...input,
    parties: { ...parties, absentSigners: new Set(), minOut: outcome.outAmount },
  });
  try {
    craftTransaction({
      feePayer: parties.feePayer,
      instructions: [...parties.instructions, ...instructions],
      blockhash: BLOCKHASH,
      budget: { computeUnitLimit: 1, computeUnitPrice: 1n },
      lookupTables: tablesFor(instructions, tables),
    });
  } catch (error) {
    if (error instanceof TransactionTooLarge) return undefined;
    throw error;
  }
  return instructions;
}

/** What the order does: a pool at which it fails is left out, and the next plan tried. */
function ordered(world: World, tokens: readonly Token[]): Found | undefined {
  const { pools, broken, tables } = world;
  const tokenOf = (mint: Address) => tokens.find((token) => token.mint === mint)!;
  const market = createMarket(pools);
  const roomOf = createSizing({ router: ROUTER_PROGRAM, lookupTables: () => tables, tokenOf });
  const excludePools = new Set<Address>();
  for (;;) {
    const request = { ...world.request, excludePools };
    const found = search({ market, request, now: 0, routed: true, maxPools: MAX_POOLS, room: roomOf(request) });
    const failed = found?.plan.steps.flatMap(({ parts }) => parts).find(({ pool }) => broken.has(pool.address));
    if (!failed) return found;
    excludePools.add(failed.pool.address);
  }
}

const planOf = (steps: readonly OracleStep[]): Plan => ({
  steps: steps.map(({ input, output, shares }) => ({
    input,
    output,
    parts: shares.map(({ pool, from, part }) => ({ pool, from, state: pool.now, bps: part * 400 })),
  })),
  pools: steps.reduce((sum, { shares }) => sum + shares.length, 0),
});

/** Executes the trade on the virtual machine, and puts its pools back as they were. */
function execute(
  { lab }: Stock,
  { request, parties }: World,
  { plan, outcome }: Found,
  trade: ReturnType<typeof craft>,
): void {
  const { vm } = lab;
  fundedTaker(lab);
  const used = plan.steps.flatMap(({ parts }) => parts.flatMap(({ pool }) => (pool as StockPool).written));
  const before = used.map((address) => [address, vm.data(address), vm.owner(address), vm.lamports(address)] as const);
  vm.setAmount(parties.source, request.amount);
  vm.setAmount(parties.destination, 0n);
  const done = vm.run(setComputeUnitLimit(1_400_000), ...trade!);
  assert.equal(done.failure, undefined, done.logs.join('\n'));
  assert.equal(vm.amount(parties.destination), outcome.outAmount);
  assert.equal(request.amount - vm.amount(parties.source), outcome.inAmount);
  for (const [address, data, owner, lamports] of before) vm.put(address, data, owner, lamports);
}

/** What the order gives, and what would give clearly more. */
function compared(found: Found | undefined, world: World, tokens: readonly Token[]) {
  const { request, broken, tables } = world;
  const isWhole = found && found.outcome.inAmount * 10_000n >= request.amount * 9_999n;
  const out = isWhole ? found.outcome.outAmount : 0n;
  // The bytes do not depend on the shares.
  const fitting = new Map<string, boolean>();
  const better = findBetter(
    {
      pools: world.pools.filter(({ address }) => !broken.has(address)),
      input: request.input.mint,
      output: request.output.mint,
      amount: request.amount,
      maxPools: MAX_POOLS,
      listed: new Set(tables.flatMap(({ addresses }) => addresses)),
      maxBytes: MAX_TRANSACTION_SIZE,
      fits(steps) {
        const plan = planOf(steps);
        const outcome = run(plan, request.amount, { fee: undefined, routed: true });
        if (!outcome) return false;
        const hasRest = outcome.trades.some(({ step, rest }) => step === 0 && rest > 0n);
        const key = `${hasRest} ${plan.steps.map(({ parts }) => parts.map(({ pool }) => pool.address).join()).join(' ')}`;
        const fits = fitting.get(key) ?? craft(plan, outcome, world, tokens) !== undefined;
        fitting.set(key, fits);
        return fits;
      },
    },
    (out * WITHIN + WITHIN - 2n) / (WITHIN - 1n),
  );
  return { out, better };
}

for (const { seed, world: i } of LOST_ONCE) {
  test(`the route that was lost in world ${i} of TEST_SEED=${seed} is found`, () => {
    const stock = stockOf(seed, i);
    const world = worldOf(stock, randomOf(seed, i, 2));
    const { out, better } = compared(ordered(world, stock.tokens), world, stock.tokens);
    assert.ok(!better, better && `the order gives ${out}; ${told(better.steps, better.out)}`);
  });
}

test(`whatever trade can be executed in a random world, the order executes, nearly as well (TEST_SEED=${SEED})`, (t) => {
  t.diagnostic(`TEST_SEED=${SEED}`);
  const counts = { traded: 0, nothing: 0, executed: 0, split: 0, steps: [0, 0, 0, 0], 'with broken pools': 0 };
  const missed: string[] = [];
  let stock = stockOf(SEED, FIRST);
  for (let i = FIRST; i < LAST; i++) {
    if (i > FIRST && i % WORLDS_A_STOCK === 0) stock = stockOf(SEED, i);
    const world = worldOf(stock, randomOf(SEED, i, 2));
    const what = `TEST_SEED=${SEED}, world ${i}`;
    const found = ordered(world, stock.tokens);
    if (found) {
      const trade = craft(found.plan, found.outcome, world, stock.tokens);
      assert.ok(trade, `${what}: the order does not fit`);
      counts.traded += 1;
      counts.steps[found.plan.steps.length]! += 1;
      if (found.plan.pools > found.plan.steps.length) counts.split += 1;
      const programs = new Set(found.plan.steps.flatMap(({ parts }) => parts.map(({ pool }) => pool.venue.program)));
      const isThere = [...programs].every((each) => each === TOKEN_SWAP_PROGRAM || others.includes(each));
      if (isThere && i % EXECUTED === 0) {
        counts.executed += 1;
        execute(stock, world, found, trade);
      }
    } else counts.nothing += 1;
    if (world.broken.size > 0) counts['with broken pools'] += 1;
    const { out, better } = compared(found, world, stock.tokens);
    if (better) {
      missed.push(`${what}: the order gives ${out}, ${found && shown(found)}; ${told(better.steps, better.out)}`);
      assert.ok(Number(out) > Number(better.out) * (1 - MOST_LOST), missed.at(-1));
    }
  }
  for (const miss of missed) t.diagnostic(miss);
  assert.ok(missed.length <= MOST_MISSED, missed.join('\n'));
  t.diagnostic(JSON.stringify(counts));
  const { traded, nothing, executed, split, steps } = counts;
  if (ONLY === undefined)
    for (const count of [traded, nothing, executed, split, ...steps.slice(1)])
      assert.ok(count > 10, JSON.stringify(counts));
});

const told = (steps: readonly OracleStep[], out: bigint) =>
  `${out} by ${steps.map(({ shares }) => shares.map(({ pool, part }) => `${pool.venue.label} ${part}`).join(' + ')).join(' > ')}`;
const shown = ({ plan }: Found) =>
  plan.steps
    .map(({ parts }) => parts.map(({ pool, bps }) => `${pool.venue.label} ${bps / 400}`).join(' + '))
    .join(' > ');
