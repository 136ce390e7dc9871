import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newAddress, type Outcome, type Random, TestVm } from '@slipway/programs/testing';
import {
  type Address,
  compileMessage,
  type Instruction,
  setComputeUnitLimit,
  unsignedTransaction,
} from '@slipway/wire';
import type { ChainAccount } from '../../../../chain/index.js';
import type { PoolState, Side, Trade, Venue } from '../../venue.js';

const BLOCKHASH = '11111111111111111111111111111111';
const MOST_UNITS = 1_400_000;
/** The taker's balance of each token: no test offers more. */
const PURSE = 2n ** 63n;

/** False if the folder of SLIPWAY_PROGRAMS_DIR has these programs; otherwise why a test of them is skipped. */
export function missingPrograms(...programs: Address[]): string | false {
  const folder = process.env.SLIPWAY_PROGRAMS_DIR;
  if (folder === undefined) return 'SLIPWAY_PROGRAMS_DIR names no folder with <programId>.so files of other companies';
  const missing = programs.filter((program) => !existsSync(join(folder, `${program}.so`)));
  return missing.length > 0 && `${folder} has no ${missing.join('.so, ')}.so`;
}

/** A program's bytes from that folder. Also for `scripts/record-venues.mjs`. */
export function otherProgram(program: Address): Buffer {
  return readFileSync(join(process.env.SLIPWAY_PROGRAMS_DIR!, `${program}.so`));
}

/** A pool as a test has written it, or let the program make it. */
export interface LabPool {
  address: Address;
  mints: readonly [Address, Address];
  /** All that was written for it, its mints too. */
  written: Address[];
}

/** What was quoted, and what the program did. */
export interface Tried {
  /** The accounts on which the quote rests, its own first. */
  accounts: [Address, ChainAccount][];
  /** Why the venue does not open the pool. */
  refused?: string;
  quoted: Trade | undefined;
  /** Undefined where the program refused. */
  done: { paid: bigint; received: bigint } | undefined;
  parties: { owner: Address; source: Address; destination: Address } | undefined;
  instruction: Instruction | undefined;
  outcome: Outcome | undefined;
}

/** A virtual machine with another company's programs, and a taker with enough of every token. */
export class Lab {
  readonly vm = new TestVm();
  readonly taker = newAddress();
  time = { unixTimestamp: 0n, slot: 0n };
  readonly #purses = new Map<Address, Address>();

  constructor(...programs: Address[]) {
    for (const program of programs) this.vm.addProgram(program, otherProgram(program));
    this.setTime(1_800_000_000n, 500_000_000n);
  }

  setTime(unixTimestamp: bigint, slot: bigint): void {
    this.time = { unixTimestamp, slot };
    this.vm.setTime(unixTimestamp, slot);
  }

  account(address: Address): ChainAccount | undefined {
    const lamports = this.vm.lamports(address);
    if (lamports === 0n) return undefined;
    return { lamports, owner: this.vm.owner(address), executable: false, data: this.vm.data(address) };
  }

  /** The taker's account of a mint. */
  purse(mint: Address, tokenProgram: Address): Address {
    let purse = this.#purses.get(mint);
    if (!purse) {
      purse = this.vm.tokenAccount({ mint, owner: this.taker, tokenProgram, amount: PURSE });
      this.#purses.set(mint, purse);
    }
    return purse;
  }

  open(venue: Venue, pool: Address): { accounts: Tried['accounts']; state: PoolState | string } {
    return openFrom(venue, pool, (address) => this.account(address));
  }

  /** Quotes, executes the venue's instruction whatever the quote, and tells both. */
  try(venue: Venue, pool: Pick<LabPool, 'address'>, from: Side, offered: bigint): Tried {
    const { accounts, state } = this.open(venue, pool.address);
    const nothing = {
      quoted: undefined,
      done: undefined,
      parties: undefined,
      instruction: undefined,
      outcome: undefined,
    };
    if (typeof state === 'string') return { accounts, refused: state, ...nothing };
    const [input, output] = from === 0 ? state.tokens : ([state.tokens[1], state.tokens[0]] as const);
    const [source, destination] = [input, output].map(({ mint, tokenProgram }) => this.purse(mint, tokenProgram));
    this.vm.setAmount(source!, PURSE);
    this.vm.setAmount(destination!, 0n);
    const before = [this.vm.amount(source!), this.vm.amount(destination!)] as const;
    const parties = { owner: this.taker, source: source!, destination: destination! };
    const instruction = state.swap(from, { ...parties, amountIn: offered, minOut: 0n });
    const quoted = state.quote(from, offered);
    const outcome = this.vm.run(setComputeUnitLimit(MOST_UNITS), instruction);
    const done = outcome.failure
      ? undefined
      : { paid: before[0] - this.vm.amount(source!), received: this.vm.amount(destination!) - before[1] };
    return { accounts, quoted, done, parties, instruction, outcome };
  }

  /** Bytes of a transaction that is nothing but this instruction, signed by the taker, who pays for it. */
  transactionSize(instruction: Instruction): number {
    const message = compileMessage({
      version: 0,
      feePayer: this.taker,
      instructions: [instruction],
      blockhash: BLOCKHASH,
    });
    return unsignedTransaction(message).length;
  }
}

/** Opens a pool with accounts that are read one by one. */
export function openFrom(
  venue: Venue,
  address: Address,
  read: (address: Address) => ChainAccount | undefined,
): { accounts: Tried['accounts']; state: PoolState | string } {
  const account = read(address);
  assert.ok(account, `there is no pool ${address}`);
  const used = new Map<Address, ChainAccount>([[address, account]]);
  let described = venue.describe(address, account, used);
  if (typeof described === 'object' && 'needs' in described) {
    const more = read(described.needs);
    if (more) used.set(described.needs, more);
    described = venue.describe(address, account, used);
  }
  if (typeof described === 'string') return { accounts: [...used], state: described };
  if ('needs' in described) return { accounts: [...used], state: `there is no ${described.needs}` };
  const others = described.accounts.map((other) => {
    const one = read(other);
    if (one) used.set(other, one);
    return one;
  });
  return { accounts: [...used], state: venue.open(address, account, others) };
}

/** The most compute units that a hop may use: a venue may refuse a heavier trade. */
export const HEAVY_UNITS = 400_000;

/**
 * Asserts that a quote is exactly what the program does: what the program refuses is not quoted, and what it does was
 * quoted. Paying and getting nothing counts as refused, and a heavy trade need not be quoted.
 */
export function assertKept({ refused, quoted, done, outcome }: Tried, what: string): void {
  const logs = outcome?.logs.join('\n');
  assert.equal(refused, undefined, what);
  if (!quoted && outcome && outcome.computeUnits > HEAVY_UNITS) return;
  const promised = quoted && { paid: quoted.paid, received: quoted.received };
  const received = done && done.received > 0n ? done : undefined;
  assert.deepEqual(promised, received, `${what}\n${logs}`);
}

/** A random number below 2^bits, at least 1, equally likely to have few bits as many. */
export function sized(random: Random, bits: number): bigint {
  const chosen = 1 + random(bits);
  let value = 0n;
  for (let i = 0; i < Math.ceil(chosen / 16); i++) value = (value << 16n) | BigInt(random(65_536));
  return (value & ((1n << BigInt(chosen)) - 1n)) | (1n << BigInt(chosen - 1));
}
