// Random launches and trades, the same for a seed whatever the programs: what two sets of programs make of one can be
// compared, or what one makes of it with what was recorded of another.
import { createHash } from 'node:crypto';
import {
  type Address,
  addressFromBytes,
  addressToBytes,
  type Instruction,
  METADATA_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '@slipway/wire';
import { decodeBondingCurvePool } from './bonding-curve-state.js';
import { randomChoices, spoilTerms } from './bonding-curve-terms.js';
import { INDIE } from './bonding-curve-testing.js';
import {
  BONDING_CURVE_PROGRAM,
  type BondingCurvePool,
  bondingCurvePool,
  type CurveSwap,
  claimCreatorFee,
  claimPartnerFee,
  createCurveConfig,
  curveSwap,
  initializeCurvePool,
  launchConfig,
} from './index.js';
import { type Outcome, type Random, randomNumbers, TestVm, u64 } from './test-vm.js';

export interface CurvePrograms {
  curve: Uint8Array;
  metadata: Uint8Array;
}

/** One transaction: why it failed, or a hash of what it called and of every account that it could have changed. */
export type Step = string | number;

const RICH = 2n ** 60n;
const START = { time: 1_800_000_000n, slot: 440_000_000n };
const MOST_STEPS = 12;

/** A machine for any number of sequences. */
export function sequenceVm({ curve, metadata }: CurvePrograms): TestVm {
  const vm = new TestVm();
  vm.addProgram(BONDING_CURVE_PROGRAM, curve);
  vm.addProgram(METADATA_PROGRAM, metadata);
  return vm;
}

/** What one sequence sees. */
interface World {
  vm: TestVm;
  random: Random;
  pool: BondingCurvePool;
  creator: Address;
  operator: Address;
  trader: Address;
  /** Token accounts by owner: of the base, of the quote. */
  accounts: Record<'creator' | 'operator' | 'trader', readonly [Address, Address]>;
  referrer: Address;
  threshold: bigint;
}

/** Runs the sequence of a seed. Equal programs give equal steps. */
export function runSequence(vm: TestVm, seed: number): Step[] {
  const random = randomNumbers(Math.imul(seed + 1, 0x9e3779b1) || 1);
  vm.setTime(START.time, START.slot);
  const world = newWorld(vm, seed, random);
  const steps = [stepOf(world, launchOf(world, seed))];
  if (typeof steps[0] === 'string') return steps;
  for (const account of ['creator', 'operator', 'trader'] as const) {
    const [base, quote] = world.accounts[account];
    vm.tokenAccount({ address: base, mint: world.pool.baseMint, owner: world[account] });
    vm.tokenAccount({
      address: quote,
      mint: world.pool.quoteMint,
      owner: world[account],
      amount: account === 'trader' ? RICH : 0n,
    });
  }
  vm.tokenAccount({ address: world.referrer, mint: world.pool.quoteMint, owner: world.operator });
  for (let count = 3 + random(MOST_STEPS - 2); count > 0; count--) {
    passTime(world);
    const instruction = randomInstruction(world);
    steps.push(stepOf(world, vm.run(random(6) === 0 ? spoilAccounts(world, instruction) : instruction)));
  }
  return steps;
}

function newWorld(vm: TestVm, seed: number, random: Random): World {
  const address = (name: string) => addressFromBytes(createHash('sha256').update(`${seed} ${name}`).digest());
  const quoteMint = vm.mint({ address: address('quote'), decimals: random(2) === 0 ? 6 : 9, supply: RICH });
  const pool = bondingCurvePool(address('config'), address('mint'), quoteMint);
  const pair = (name: string) => [address(`${name} base`), address(`${name} quote`)] as const;
  const creator = vm.put(address('creator'), new Uint8Array(0), SYSTEM_PROGRAM, 10n ** 12n);
  return {
    vm,
    random,
    pool,
    creator,
    operator: address('operator'),
    trader: address('trader'),
    accounts: { creator: pair('creator'), operator: pair('operator'), trader: pair('trader') },
    referrer: address('referrer'),
    threshold: 1n,
  };
}

/** Makes configuration and pool of random terms, of which some are impossible. */
function launchOf(world: World, seed: number): Outcome {
  const { vm, random, pool, creator, operator } = world;
  const { terms } = launchConfig(randomChoices(random));
  const spoilt = random(4) === 0;
  if (spoilt) spoilTerms(terms, random);
  world.threshold = terms.migrationQuoteThreshold || 1n;
  const nobody = spoilt && random(30) === 0;
  const create = [
    createCurveConfig({
      config: pool.config,
      quoteMint: pool.quoteMint,
      terms,
      feeClaimer: operator,
      leftoverReceiver: nobody ? SYSTEM_PROGRAM : creator,
      payer: creator,
    }),
    initializeCurvePool({
      pool,
      creator,
      name: 'n'.repeat(random(33) + (random(40) === 0 ? 1 : 0)),
      symbol: 's'.repeat(random(11) + (random(40) === 0 ? 1 : 0)),
      uri: `https://example.com/${seed}`.padEnd(random(180) + (random(40) === 0 ? 60 : 0), 'u'),
    }),
  ];
  const wrong = random(12);
  return vm.run(...create.map((instruction, i) => (i === wrong ? spoilAccounts(world, instruction) : instruction)));
}

function passTime({ vm, random }: World): void {
  if (random(2) === 0) return;
  const { slot, unixTimestamp } = vm.svm.getClock();
  const slots = BigInt(random(40) === 0 ? -3_000 : random(3) === 0 ? random(400) : random(6));
  vm.setTime(unixTimestamp + slots / 2n, slot + slots);
}

// ---- trades and claims ------------------------------------------------------------------------------------------------

const SWAP_1 = Buffer.from('f8c69e91e17587c8', 'hex');
const MODE_AT = 24;
const REFERRAL = 12;

function randomInstruction(world: World): Instruction {
  const { random } = world;
  const kind = random(10);
  if (kind === 0) return claim(world, 'creator');
  if (kind === 1) return claim(world, 'operator');
  return trade(world, random(5) < 3);
}

function trade(world: World, isBuy: boolean): Instruction {
  const { vm, random, pool, trader, accounts } = world;
  const [base, quote] = accounts.trader;
  const mode = random(4); // exact in, partial fill, exact out, the older instruction
  const held = isBuy === (mode === 2) ? soldOf(world) : quoteOf(world, isBuy);
  const amountIn = mode === 2 ? amountOf(random, held) : amountOf(random, isBuy ? world.threshold : vm.amount(base));
  const terms: CurveSwap = {
    pool,
    trader,
    inputAccount: isBuy ? quote : base,
    outputAccount: isBuy ? base : quote,
    amountIn,
    leastOut: mode === 2 ? (random(5) === 0 ? amountOf(random, RICH) : RICH) : limitOf(random),
    partial: mode === 1,
  };
  const instruction = curveSwap(terms);
  if (random(3) === 0) {
    instruction.accounts = instruction.accounts.map((meta, i) =>
      i === REFERRAL ? { ...meta, address: world.referrer, writable: true } : meta,
    );
  }
  const data = Buffer.from(instruction.data);
  if (mode === 2) data[MODE_AT] = 2;
  if (random(40) === 0) data[MODE_AT] = random(5);
  if (mode === 3) return { ...instruction, data: Buffer.concat([SWAP_1, data.subarray(8, MODE_AT)]) };
  return { ...instruction, data };
}

/** Base that the curve has sold, or a little more than what it has. */
function soldOf({ vm, accounts }: World): bigint {
  return vm.amount(accounts.trader[0]) + 10n ** 14n;
}

function quoteOf({ vm, pool }: World, isBuy: boolean): bigint {
  return isBuy ? 10n ** 15n : vm.amount(pool.quoteVault);
}

/** Mostly a part of the whole, of any size; seldom nothing, all, or more than all. */
function amountOf(random: Random, whole: bigint): bigint {
  const kind = random(20);
  if (kind === 0) return BigInt(random(3));
  if (kind === 1) return whole;
  if (kind === 2) return random(3) === 0 ? 2n ** 64n - 1n : whole * 2n < 2n ** 64n ? whole * 2n : whole;
  return (whole * BigInt(1 + random(1_000_000))) / 10n ** BigInt(6 + random(5));
}

function limitOf(random: Random): bigint {
  return random(8) === 0 ? BigInt(1 + random(1_000_000_000)) : 0n;
}

function claim({ vm, random, pool, creator, operator, accounts }: World, who: 'creator' | 'operator'): Instruction {
  const [baseAccount, quoteAccount] = accounts[who];
  const state = decodeBondingCurvePool(vm.data(pool.pool));
  const fee = state?.totalTradingQuoteFee ?? 0n;
  const amounts = { maxBase: BigInt(random(2)), maxQuote: random(2) === 0 ? RICH : amountOf(random, fee) };
  const claimer = random(12) === 0 ? accounts.trader[0] : who === 'creator' ? creator : operator;
  const common = { pool, baseAccount, quoteAccount, ...amounts };
  return who === 'creator'
    ? claimCreatorFee({ ...common, creator: claimer })
    : claimPartnerFee({ ...common, feeClaimer: claimer });
}

/** Another account at one place, or one with less power than the instruction wants, or one account too few. */
function spoilAccounts(world: World, instruction: Instruction): Instruction {
  const { random, pool, creator, operator, trader, accounts, referrer } = world;
  const place = random(instruction.accounts.length);
  const kind = random(8);
  if (kind === 0) return { ...instruction, accounts: instruction.accounts.slice(0, -1 - random(3)) };
  if (kind === 1) return { ...instruction, data: instruction.data.slice(0, random(instruction.data.length)) };
  const others: Address[] = [
    ...Object.values(pool),
    creator,
    operator,
    trader,
    ...Object.values(accounts).flat(),
    referrer,
  ];
  others.push(SYSTEM_PROGRAM, TOKEN_PROGRAM, TOKEN_2022_PROGRAM, METADATA_PROGRAM, BONDING_CURVE_PROGRAM);
  const isConfig = instruction.accounts[place]!.address === pool.config && random(2) === 0;
  const address = isConfig ? otherConfig(world) : others[random(others.length)]!;
  const changed = instruction.accounts.map((meta, i) => {
    if (i !== place) return meta;
    if (kind === 2) return { ...meta, signer: false };
    if (kind === 3) return { ...meta, writable: false };
    return { ...meta, address };
  });
  return { ...instruction, accounts: changed };
}

/** A configuration that is none of the pool's, for the same quote. */
function otherConfig({ vm, pool, creator, operator }: World): Address {
  const config = addressFromBytes(createHash('sha256').update(pool.config).digest());
  const { terms } = launchConfig(INDIE);
  const people = { feeClaimer: operator, leftoverReceiver: creator, payer: creator };
  vm.run(createCurveConfig({ config, quoteMint: pool.quoteMint, terms, ...people }));
  return config;
}

// ---- what has come of it ----------------------------------------------------------------------------------------------

const HASH_BITS = 52;

function stepOf({ vm, pool, accounts, referrer }: World, outcome: Outcome): Step {
  if (outcome.failure) {
    const { program, reason } = outcome.failure;
    const number = /custom program error: 0x(.*)/.exec(reason)?.[1];
    const who = program === BONDING_CURVE_PROGRAM ? '' : program === TOKEN_PROGRAM ? 'token ' : `${program} `;
    return `${who}${number === undefined ? reason : Number.parseInt(number, 16)}`;
  }
  const hash = createHash('sha256');
  for (const { program, data } of outcome.calls()) hash.update(addressToBytes(program)).update(data);
  const places = [...Object.values(pool), ...Object.values(accounts).flat(), referrer];
  for (const address of places as Address[]) hash.update(vm.data(address)).update(u64(vm.lamports(address)));
  return Number(hash.digest().readBigUInt64LE() & ((1n << BigInt(HASH_BITS)) - 1n));
}

/** What the published programs say where one is given an account twice, or as the metadata one that is something else. */
const QUIRKS: Step[] = [
  'instruction tries to borrow reference for an account which is already borrowed',
  `${METADATA_PROGRAM} 153`,
];

/** Whether a step ended as another program's did; what that one refuses in its own way may fail for any reason. */
export function isSameStep(step: Step | undefined, expected: Step): boolean {
  return QUIRKS.includes(expected) ? typeof step === 'string' : step === expected;
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
