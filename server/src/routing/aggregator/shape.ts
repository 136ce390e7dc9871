import {
  type Address,
  addressFromBytes,
  type Instruction,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '@slipway/wire';
import type { QuoteRequest, Surroundings } from '../router.js';
import type { LiveLeg } from './legs.js';
import { isLeft, type Outcome, type Plan } from './plan.js';
import type { PoolState } from './venue.js';

/** Programs that surroundings and trades may share. */
const COMMON: ReadonlySet<Address> = new Set([SYSTEM_PROGRAM, TOKEN_PROGRAM, TOKEN_2022_PROGRAM]);

/**
 * Equal for surroundings of equal bytes: what a trade or a lookup table may name, too, is told by its address, and the
 * rest, such as wallets, by where it first stands.
 */
export function surroundingsKey(
  { instructions, inFull, ...parties }: Surroundings,
  { input, output, fee }: QuoteRequest,
  listed: ReadonlySet<Address>,
): string {
  const numbers = new Map<Address, number>();
  const name = (address: Address | undefined): string => {
    if (address === undefined) return '-';
    if (COMMON.has(address) || address === input.mint || address === output.mint || listed.has(address)) return address;
    const number = numbers.get(address) ?? numbers.size;
    numbers.set(address, number);
    return String(number);
  };
  const { owner, source, destination, receiver, feePayer, rentPayer, feeAccount, emptySource } = parties;
  const named = [owner, source, destination, receiver, feePayer, rentPayer, feeAccount].map(name);
  let key = `${named.join(' ')} ${emptySource === true} ${fee?.side ?? ''} ${inFull.map(name).join(' ')}`;
  for (const { program, accounts, data } of instructions) {
    key += `/${name(program)} ${data.length}`;
    for (const { address, signer } of accounts) key += ` ${name(address)}${signer ? 's' : ''}`;
  }
  return key;
}

export function planKey(plan: Plan, outcome: Outcome, listed: ReadonlySet<Address>): string {
  let key = outcome.feeAmount > 0n ? 'fee' : '';
  if (outcome.trades.some(({ step, rest }) => step === 0 && rest > 0n)) key += ' rest';
  if (isLeft(outcome)) key += ' left';
  for (const { input, output, parts } of plan.steps) {
    key += ` ${input} ${output}`;
    for (const part of parts) key += ` ${shapeOf(part, listed).key}`;
  }
  return key;
}

/** What a pool's instruction takes of a transaction. */
export interface PoolShape {
  key: string;
  /** Equal for pools that take the same share of a transaction, but for accounts that it names anyway. */
  kind: string;
  /** Its program and its accounts, but for those of the trader; each once. */
  named: readonly Address[];
  /** Of the instruction itself, without the addresses. */
  bytes: number;
}

export const NOWHERE = addressFromBytes(new Uint8Array(32).fill(255));
export const NO_PARTIES = { owner: NOWHERE, source: NOWHERE, destination: NOWHERE, amountIn: 0n, minOut: 0n };
const SHAPES = new WeakMap<PoolState, { listed: ReadonlySet<Address>; sides: [PoolShape?, PoolShape?] }>();

/** Known for each state: a pool's instruction may name more or fewer accounts as its price moves. */
export function shapeOf({ pool, from, state }: LiveLeg, listed: ReadonlySet<Address>): PoolShape {
  let known = SHAPES.get(state);
  if (known?.listed !== listed) {
    known = { listed, sides: [] };
    SHAPES.set(state, known);
  }
  known.sides[from] ??= readShape(pool.address, listed, state.swap(from, NO_PARTIES));
  return known.sides[from];
}

function readShape(pool: Address, listed: ReadonlySet<Address>, instruction: Instruction): PoolShape {
  const { program, accounts, data } = instruction;
  const named = accounts.map(({ address }) => address);
  const marks = named.map((address) => (listed.has(address) ? '1' : '0')).join('');
  const others = named.filter((address) => address !== NOWHERE);
  const inFull = others.filter((address) => !listed.has(address)).length;
  return {
    key: `${pool} ${data.length} ${marks}`,
    kind: `${program} ${named.length} ${data.length} ${others.length} ${inFull}`,
    named: [...new Set([program, ...others])],
    bytes: named.length + data.length,
  };
}

const KEY_SIZE = 32;
/** The accounts that a transaction has whatever its trade. */
export function presentIn({ instructions, ...parties }: Surroundings): Set<Address> {
  const { owner, source, destination, receiver, feePayer, rentPayer, feeAccount } = parties;
  const present = new Set([owner, receiver, feePayer, rentPayer]);
  for (const address of [source, destination, feeAccount]) if (address) present.add(address);
  for (const { program, accounts } of instructions) {
    present.add(program);
    for (const { address } of accounts) present.add(address);
  }
  return present;
}

export function weightOf(
  parts: readonly LiveLeg[],
  listed: ReadonlySet<Address>,
  isPresent: (address: Address) => boolean,
  reference: number,
): number {
  const seen = new Set<Address>();
  let bytes = 0;
  for (const part of parts) {
    const shape = shapeOf(part, listed);
    bytes += shape.bytes;
    for (const address of shape.named) {
      if (seen.has(address)) continue;
      seen.add(address);
      if (!isPresent(address)) bytes += reference + (listed.has(address) ? 1 : KEY_SIZE);
    }
  }
  return bytes;
}
