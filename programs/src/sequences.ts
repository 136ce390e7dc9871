// What random sequences of instructions have in common: amounts, spoiled accounts, and how an outcome is compared with that
// of other programs.
import { createHash } from 'node:crypto';
import { type Address, addressToBytes, type Instruction, METADATA_PROGRAM, TOKEN_PROGRAM } from '@slipway/wire';
import { type Outcome, type Random, type TestVm, u64 } from './test-vm.js';

/** One transaction: why it failed, or a hash of what it called and of every account that it could have changed. */
export type Step = string | number;

/** Mostly a part of the whole, of any size; seldom nothing, all, or more than all. */
export function amountOf(random: Random, whole: bigint): bigint {
  const kind = random(20);
  if (kind === 0) return BigInt(random(3));
  if (kind === 1) return whole;
  if (kind === 2) return random(3) === 0 ? 2n ** 64n - 1n : whole * 2n < 2n ** 64n ? whole * 2n : whole;
  return (whole * BigInt(1 + random(1_000_000))) / 10n ** BigInt(6 + random(5));
}

export function limitOf(random: Random): bigint {
  return random(8) === 0 ? BigInt(1 + random(1_000_000_000)) : 0n;
}

/**
 * Another account at one place, or one with less power than the instruction wants, or one account too few. `another` gives
 * the account that takes the place of one.
 */
export function spoil(random: Random, instruction: Instruction, another: (address: Address) => Address): Instruction {
  const place = random(instruction.accounts.length);
  const kind = random(8);
  if (kind === 0) return { ...instruction, accounts: instruction.accounts.slice(0, -1 - random(3)) };
  if (kind === 1) return { ...instruction, data: instruction.data.slice(0, random(instruction.data.length)) };
  const address = another(instruction.accounts[place]!.address);
  const changed = instruction.accounts.map((meta, i) => {
    if (i !== place) return meta;
    if (kind === 2) return { ...meta, signer: false };
    if (kind === 3) return { ...meta, writable: false };
    return { ...meta, address };
  });
  return { ...instruction, accounts: changed };
}

const HASH_BITS = 52;

/** The step that an outcome is; `places` are the accounts that could have changed. `program` need not be named in errors. */
export function stepOf(vm: TestVm, outcome: Outcome, places: Address[], program: Address): Step {
  if (outcome.failure) {
    const { program: failed, reason } = outcome.failure;
    const number = /custom program error: 0x(.*)/.exec(reason)?.[1];
    const who = failed === program ? '' : failed === TOKEN_PROGRAM ? 'token ' : `${failed} `;
    return `${who}${number === undefined ? reason : Number.parseInt(number, 16)}`;
  }
  const hash = createHash('sha256');
  for (const { program: called, data } of outcome.calls()) hash.update(addressToBytes(called)).update(data);
  for (const address of places) hash.update(vm.data(address)).update(u64(vm.lamports(address)));
  return Number(hash.digest().readBigUInt64LE() & ((1n << BigInt(HASH_BITS)) - 1n));
}

/** What the published programs say where one is given an account twice, or one that is something else altogether. */
const QUIRKS = [
  'instruction tries to borrow reference for an account which is already borrowed',
  'invalid program argument',
  `${METADATA_PROGRAM} 153`,
];

/** Whether a step ended as another program's did; what that one refuses in its own way may fail for any reason. */
export function isSameStep(step: Step | undefined, expected: Step): boolean {
  const isQuirk = typeof expected === 'string' && QUIRKS.some((quirk) => expected.endsWith(quirk));
  return isQuirk ? typeof step === 'string' : step === expected;
}

/** One line a sequence: its seed and its steps. */
export function encodeOutcomes(outcomes: Map<number, Step[]>): string {
  return [...outcomes]
    .map(([seed, steps]) => `${[seed, ...steps.map((step) => JSON.stringify(step))].join('\t')}\n`)
    .join('');
}

export function decodeOutcomes(text: string): Map<number, Step[]> {
  const lines = text.trimEnd().split('\n');
  return new Map(
    lines.map((line) => {
      const [seed, ...steps] = line.split('\t');
      return [Number(seed), steps.map((step) => JSON.parse(step) as Step)];
    }),
  );
}
