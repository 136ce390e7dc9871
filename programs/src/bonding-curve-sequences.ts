// Random launches and trades, the same for a seed whatever the programs: what two sets of programs make of one can be
// compared, or what one makes of it with what was recorded of another.
import { createHash } from 'node:crypto';
import {
  type Address,
  addressFromBytes,
  type Instruction,
  METADATA_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '@slipway/wire';
import { decodeBondingCurvePool } from './bonding-curve-state.js';
import { randomChoices, spoilTerms } from './bonding-curve-terms.js';
import { INDIE } from './bonding-curve-testing.js';
import { randomWithdrawal } from './bonding-curve-withdrawals-testing.js';
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
import { amountOf, limitOf, type Step, spoil, stepOf } from './sequences.js';
import { type Outcome, type Random, randomNumbers, type TestVm } from './test-vm.js';

const RICH = 2n ** 60n;
const START = { time: 1_800_000_000n, slot: 440_000_000n };
const MOST_STEPS = 12;

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
  const steps = [outcomeOf(world, launchOf(world, seed))];
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
    steps.push(outcomeOf(world, vm.run(random(6) === 0 ? spoilAccounts(world, instruction) : instruction)));
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
  const kind = random(11);
  if (kind === 0) return claim(world, 'creator');
  if (kind === 1) return claim(world, 'operator');
  if (kind === 2) return withdrawal(world);
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

function withdrawal({ random, pool, creator, operator, trader, accounts }: World): Instruction {
  const [creators, operators, traders] = [accounts.creator[1], accounts.operator[1], accounts.trader[1]];
  return randomWithdrawal(random, {
    pool,
    people: { creator, operator, trader },
    quoteAccounts: { creator: creators, operator: operators, trader: traders },
    leftover: { receiver: creator, account: accounts.creator[0] },
  });
}

function spoilAccounts(world: World, instruction: Instruction): Instruction {
  const { random, pool, creator, operator, trader, accounts, referrer } = world;
  const others: Address[] = [
    ...Object.values(pool),
    creator,
    operator,
    trader,
    ...Object.values(accounts).flat(),
    referrer,
  ];
  others.push(SYSTEM_PROGRAM, TOKEN_PROGRAM, TOKEN_2022_PROGRAM, METADATA_PROGRAM, BONDING_CURVE_PROGRAM);
  return spoil(random, instruction, (address) => {
    const isConfig = address === pool.config && random(2) === 0;
    return isConfig ? otherConfig(world) : others[random(others.length)]!;
  });
}

/** A configuration that is none of the pool's, for the same quote. */
function otherConfig({ vm, pool, creator, operator }: World): Address {
  const config = addressFromBytes(createHash('sha256').update(pool.config).digest());
  const { terms } = launchConfig(INDIE);
  const people = { feeClaimer: operator, leftoverReceiver: creator, payer: creator };
  vm.run(createCurveConfig({ config, quoteMint: pool.quoteMint, terms, ...people }));
  return config;
}

function outcomeOf({ vm, pool, accounts, referrer }: World, outcome: Outcome): Step {
  const places = [...Object.values(pool), ...Object.values(accounts).flat(), referrer] as Address[];
  return stepOf(vm, outcome, places, BONDING_CURVE_PROGRAM);
}
