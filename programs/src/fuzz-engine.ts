import { type Address, type Instruction, SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@slipway/wire';
import { isRuntimes, isSame, look, restore, type Seen } from './fuzz-accounts.js';
import { type Change, checkChange } from './fuzz-invariants.js';
import { knownOf, mutated, mutatedAccount, pick } from './fuzz-mutations.js';
import { newAddress, type Outcome, type Random, randomNumbers, type TestVm } from './test-vm.js';

// Sends spoiled transactions to one program on the virtual machine. Each starts from the same state, so any of them can
// be repeated alone.

/** A program, the state that it is attacked in, and what it promises. */
export interface FuzzTarget {
  vm: TestVm;
  program: Address;
  /** Transactions that succeed in this state. */
  seeds: Instruction[][];
  /** Whoever may be an accomplice. Nobody else's signature is ever given. */
  signers: Address[];
  /** Further accounts that a transaction can name. */
  others: Address[];
  /** Accounts that only the program can spend from: `check` says what may become of them. */
  isProgramOwned: (address: Address) => boolean;
  /** A transaction has one instruction. */
  isAlone: boolean;
  check: (change: Change) => void;
}

export interface FuzzReport {
  instructions: number;
  succeeded: number;
  /** How often each program refused with each reason. */
  refusals: Map<string, number>;
  /** The blocks of an instrumented program that were reached. */
  blocks: Set<number>;
}

const MOST_SEEDS = 400;
const BLOCK = /^Program log: 0x636f766572, 0x([0-9a-f]+),/;

/** Runs transactions until `count` instructions have been sent. Throws the AssertionError of an invariant that broke. */
export function fuzz(target: FuzzTarget, seed: number, count: number): FuzzReport {
  const { vm, program } = target;
  vm.svm.setLogBytesLimit(null);
  const random = randomNumbers(seed);
  const report: FuzzReport = { instructions: 0, succeeded: 0, refusals: new Map(), blocks: new Set() };
  const seeds = [...target.seeds];
  const baseline = baselineOf(target);
  const known = knownOf(baseline);
  const signers = new Set(target.signers);
  for (let step = 0; report.instructions < count; step++) {
    const isHonest = random(50) === 0;
    const instructions = isHonest ? pick(target.seeds, random) : mutated(seeds, known, random, target.isAlone);
    if (instructions.length === 0) continue;
    for (const { accounts } of instructions) for (const meta of accounts) meta.signer &&= signers.has(meta.address);
    const before = new Map([...addressesIn(instructions)].map((address) => [address, baseline.get(address)] as const));
    const isForged =
      random(6) === 0 && !isHonest && forge(vm, before, (seen) => mutatedAccount(seen, program, known, random), random);
    report.instructions += instructions.length;
    const outcome = vm.run(...instructions);
    const isNew = record(report, outcome);
    if (!outcome.failure) {
      const accounts = new Map([...before].map(([at, was]) => [at, { before: was, after: look(vm, at) }] as const));
      const what = `TEST_SEED=${seed}, transaction ${step}`;
      judge(target, { instructions, signers: signersOf(instructions), isForged, accounts, what });
      for (const [at, { before: was, after }] of accounts) if (!isSame(was, after)) restore(vm, at, baseline.get(at));
    }
    // From there it may go further.
    if (isNew && !isForged && seeds.length < MOST_SEEDS) seeds.push(instructions);
    if (!isForged) continue;
    for (const [at, seen] of before) if (seen !== baseline.get(at)) restore(vm, at, baseline.get(at));
  }
  return report;
}

const metasOf = (instructions: Instruction[]) => instructions.flatMap((one) => one.accounts);
const addressesIn = (instructions: Instruction[]) => new Set(metasOf(instructions).map((meta) => meta.address));
const signersOf = (instructions: Instruction[]) =>
  new Set(
    metasOf(instructions)
      .filter((meta) => meta.signer)
      .map((meta) => meta.address),
  );

/** Writes one of the accounts anew; false where that one cannot be. */
function forge(
  vm: TestVm,
  accounts: Map<Address, Seen>,
  change: (seen: NonNullable<Seen>) => Seen,
  random: Random,
): boolean {
  const address = pick([...accounts.keys()], random);
  const seen = address && accounts.get(address);
  if (!seen || isRuntimes(seen)) return false;
  const changed = change(seen);
  accounts.set(address, changed);
  restore(vm, address, changed);
  return true;
}

/** Counts what happened; true for a refusal that has not been seen before. */
function record(report: FuzzReport, { failure, logs }: Outcome): boolean {
  for (const line of logs) {
    const [, block] = BLOCK.exec(line) ?? [];
    if (block) report.blocks.add(Number.parseInt(block, 16));
  }
  if (!failure) {
    report.succeeded++;
    return false;
  }
  const reason = `${failure.program ?? 'runtime'}: ${failure.reason.slice(0, 80)}`;
  const times = (report.refusals.get(reason) ?? 0) + 1;
  report.refusals.set(reason, times);
  return times === 1;
}

function judge(target: FuzzTarget, change: Change): void {
  checkChange(change, target.isProgramOwned);
  // The program's promises are about a state that it can be in.
  if (!change.isForged) target.check(change);
}

function baselineOf({ vm, program, seeds, signers, others }: FuzzTarget): Map<Address, Seen> {
  const named = seeds.flat().flatMap((one) => one.accounts.map((meta) => meta.address));
  const programs = [program, SYSTEM_PROGRAM, TOKEN_PROGRAM, TOKEN_2022_PROGRAM];
  const all = new Set([...named, ...signers, ...others, ...programs, newAddress()]);
  return new Map([...all].map((address) => [address, look(vm, address)] as const));
}
