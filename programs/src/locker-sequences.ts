// Random locks of tokens and claims of them, the same for a seed whatever the program.
import { createHash } from 'node:crypto';
import {
  type Address,
  addressFromBytes,
  addressToBytes,
  associatedTokenAddress,
  findProgramAddress,
  type Instruction,
  readonlyAccount,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  writableAccount,
  writableSigner,
} from '@slipway/wire';
import { discriminator } from './borsh.js';
import { claimLocked, LOCKER_EVENTS, LOCKER_PROGRAM } from './index.js';
import { claimLocked2 } from './locker-testing.js';
import { amountOf, type Step, spoil, stepOf } from './sequences.js';
import { type Random, randomNumbers, type TestVm, u64 } from './test-vm.js';

const CREATE = discriminator('b59b68b7b680232f');
const RICH = 2n ** 60n;
const START = 1_800_000_000n;
const MOST_STEPS = 14;
/** Where the state of a token account stands: 2 is frozen. */
const STATE_AT = 108;

/** Unix seconds, and amounts in the smallest unit. */
export interface LockTerms {
  startTime: bigint;
  cliffTime: bigint;
  /** Seconds of a period. */
  frequency: bigint;
  atCliff: bigint;
  perPeriod: bigint;
  periods: bigint;
  updateMode: number;
  cancelMode: number;
}

export interface LockPlaces {
  base: Address;
  lock: Address;
  tokens: Address;
  mint: Address;
  sender: Address;
  senderAccount: Address;
  recipient: Address;
  recipientAccount: Address;
}

/** Locks tokens of the sender; `base` signs, too: a lock's address is made of it. */
export function createLock(places: LockPlaces, terms: LockTerms): Instruction {
  const { base, lock, mint, tokens, sender, senderAccount, recipient } = places;
  const { startTime, cliffTime, frequency, atCliff, perPeriod, periods, updateMode, cancelMode } = terms;
  const numbers = [startTime, cliffTime, frequency, atCliff, perPeriod, periods].map(u64);
  return {
    program: LOCKER_PROGRAM,
    accounts: [
      writableSigner(base),
      writableAccount(lock),
      readonlyAccount(mint),
      writableAccount(tokens),
      writableSigner(sender),
      writableAccount(senderAccount),
      ...[recipient, TOKEN_PROGRAM, SYSTEM_PROGRAM, LOCKER_EVENTS, LOCKER_PROGRAM].map(readonlyAccount),
    ],
    data: Buffer.concat([CREATE, ...numbers, Uint8Array.of(updateMode, cancelMode, 0)]),
  };
}

/** The accounts of a lock that is not there yet, whose sender has tokens. `name` gives addresses by their names. */
export function lockPlaces(vm: TestVm, name: (text: string) => Address): LockPlaces {
  const base = name('base');
  const lock = findProgramAddress([Buffer.from('escrow'), addressToBytes(base)], LOCKER_PROGRAM).address;
  const mint = vm.mint({ address: name('mint'), decimals: 6, supply: RICH });
  const sender = vm.put(name('sender'), new Uint8Array(0), SYSTEM_PROGRAM, 10n ** 12n);
  const recipient = vm.put(name('recipient'), new Uint8Array(0), SYSTEM_PROGRAM, 10n ** 12n);
  const tokens = vm.tokenAccount({ address: associatedTokenAddress(lock, mint), mint, owner: lock });
  const account = (owner: Address, amount: bigint, text: string) =>
    vm.tokenAccount({ address: name(text), mint, owner, amount });
  const senderAccount = account(sender, RICH, 'sender’s tokens');
  const recipientAccount = account(recipient, 0n, 'recipient’s tokens');
  return { base, lock, tokens, mint, sender, senderAccount, recipient, recipientAccount };
}

/** Runs the sequence of a seed. Equal programs give equal steps. */
export function runLock(vm: TestVm, seed: number): Step[] {
  const random = randomNumbers(Math.imul(seed + 1, 0xc2b2ae35) || 1);
  vm.setTime(START);
  const name = (text: string) => addressFromBytes(createHash('sha256').update(`${seed} lock ${text}`).digest());
  const places = lockPlaces(vm, name);
  const others = [
    ...Object.values(places),
    vm.tokenAccount({ address: name('other'), mint: places.mint, owner: places.lock, amount: 9n }),
    vm.tokenAccount({
      address: name('of another mint'),
      mint: vm.mint({ address: name('mint 2') }),
      owner: places.lock,
    }),
    vm.put(name('stranger'), new Uint8Array(0), SYSTEM_PROGRAM, 10n ** 12n),
    ...[SYSTEM_PROGRAM, TOKEN_PROGRAM, TOKEN_2022_PROGRAM, LOCKER_EVENTS, LOCKER_PROGRAM],
  ] as Address[];
  const terms = randomTerms(random);
  const steps: Step[] = [];
  const run = (instruction: Instruction) => {
    const isSpoilt = random(3) === 0;
    const sent = isSpoilt ? spoil(random, instruction, () => others[random(others.length)]!) : instruction;
    steps.push(stepOf(vm, vm.run(sent), Object.values(places), LOCKER_PROGRAM));
  };
  while (random(3) === 0) run(createLock(places, randomTerms(random)));
  run(createLock(places, terms));
  for (let count = 3 + random(MOST_STEPS - 2); count > 0; count--) {
    passTime(vm, random, terms);
    if (random(40) === 0) vm.patch(places.recipientAccount, STATE_AT, Uint8Array.of(random(3)));
    run(random(12) === 0 ? createLock(places, randomTerms(random)) : randomClaim(random, places));
  }
  return steps;
}

function randomTerms(random: Random): LockTerms {
  const startTime = START + BigInt(random(1_000)) - 500n;
  const terms: LockTerms = {
    startTime,
    cliffTime: startTime + BigInt(random(5) === 0 ? 0 : random(100_000)),
    frequency: BigInt(1 + random(random(2) === 0 ? 3 : 100_000)),
    atCliff: random(3) === 0 ? 0n : amountOf(random, RICH / 4n),
    perPeriod: random(8) === 0 ? 0n : amountOf(random, 10n ** 12n),
    periods: BigInt(random(random(2) === 0 ? 5 : 400)),
    updateMode: random(4),
    cancelMode: random(4),
  };
  if (random(4) === 0) spoilTerms(random, terms);
  return terms;
}

function spoilTerms(random: Random, terms: LockTerms): void {
  const most = 2n ** 64n - 1n;
  const changes: (() => Partial<LockTerms>)[] = [
    () => ({ cliffTime: terms.startTime - 1n }),
    () => ({ startTime: 0n }),
    () => ({ cliffTime: most - BigInt(random(2)) }),
    () => ({ frequency: 0n }),
    () => ({ updateMode: 3 + random(3) }),
    () => ({ cancelMode: 3 + random(3) }),
    () => ({ perPeriod: 2n ** 32n, periods: 2n ** 32n - BigInt(random(2)) }),
    () => ({ atCliff: most, perPeriod: BigInt(random(2)), periods: 1n }),
    () => ({ atCliff: most - 5n, perPeriod: 1n, periods: 5n }),
    () => ({ atCliff: 0n, perPeriod: most, periods: 1n }),
    () => ({ frequency: most, periods: most }),
  ];
  Object.assign(terms, changes[random(changes.length)]!());
}

/** By a few seconds, or to where something comes free. */
function passTime(vm: TestVm, random: Random, { cliffTime, frequency }: LockTerms): void {
  const now = vm.svm.getClock().unixTimestamp;
  const kind = random(4);
  if (kind === 0) return;
  const soon = now + BigInt(random(60));
  const next = now < cliffTime ? cliffTime : now + frequency - ((now - cliffTime) % (frequency || 1n));
  const far = (kind === 2 ? next : now + frequency * BigInt(random(100))) + BigInt(random(3) - 1);
  const at = kind === 1 ? soon : far;
  if (at < 2n ** 40n) vm.setTime(at);
}

function randomClaim(random: Random, { lock, tokens, mint, sender, recipient, ...places }: LockPlaces): Instruction {
  const most = random(2) === 0 ? 2n ** 64n - 1n : amountOf(random, 10n ** 12n);
  const account = random(15) === 0 ? places.senderAccount : places.recipientAccount;
  const who = random(15) === 0 ? sender : recipient;
  const claim = claimLocked({ lock, tokens, recipient: who, account, most });
  return random(2) === 0 ? claim : claimLocked2(claim, mint);
}
