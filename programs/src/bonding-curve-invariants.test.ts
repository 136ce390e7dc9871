import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Address } from '@slipway/wire';
import type { CurvePoint } from './bonding-curve-math.js';
import { INDIE, launch, standInVm } from './bonding-curve-testing.js';
import { addSurplus, transferCreator, withdrawSurplus } from './bonding-curve-withdrawals-testing.js';
import {
  type BondingCurvePool,
  claimCreatorFee,
  claimPartnerFee,
  curveSwap,
  decodeBondingCurveConfig,
  decodeBondingCurvePool,
  type LaunchChoices,
  launchConfig,
} from './index.js';
import { type Random, randomNumbers, succeeded, type TestVm } from './test-vm.js';

const RICH = 2n ** 60n;
const STEPS = Number(process.env.TEST_STEPS ?? 2_000);
const SEED = 20_261_123;
const EXACT_OUT = 2;
const MODE_AT = 24;
const BASE_RESERVE_AT = 232;
/** Of the protocol, the operator and the creator, in the quote. */
const QUOTE_FEES_AT = [256, 272, 360];

interface World {
  vm: TestVm;
  random: Random;
  pool: BondingCurvePool;
  operator: Address;
  terms: ReturnType<typeof launchConfig>['terms'];
  /** Token accounts of the trader, who is the creator, and of the operator. */
  base: Address;
  quote: Address;
  operatorQuote: Address;
}

function open(vm: TestVm, random: Random): World {
  const choices: LaunchChoices = { ...INDIE, vesting: undefined, feeBps: random(2) === 0 ? 100 : 200 };
  const { terms } = launchConfig(choices);
  if (random(4) !== 0) bend(terms, random);
  const { pool, operator, outcome } = launch(vm, vm.mint({ decimals: 6, supply: RICH }), choices, terms);
  succeeded(outcome);
  const account = (mint: Address, owner: Address, amount = 0n) => vm.tokenAccount({ mint, owner, amount });
  return {
    vm,
    random,
    pool,
    operator,
    terms,
    base: account(pool.baseMint, vm.payer),
    quote: account(pool.quoteMint, vm.payer, RICH),
    operatorQuote: account(pool.quoteMint, operator),
  };
}

/** Other programs than Studio can launch along a curve of up to 16 stretches, each of other liquidity. */
function bend(terms: World['terms'], random: Random): void {
  const [{ sqrtPrice, liquidity }, ...others] = terms.curve as [CurvePoint];
  const parts = 16 - others.length - random(13);
  const rise = sqrtPrice - terms.sqrtStartPrice;
  const stretches = Array.from({ length: parts }, (_, i) => ({
    sqrtPrice: terms.sqrtStartPrice + (rise * BigInt(i + 1)) / BigInt(parts),
    liquidity: (liquidity * BigInt(1_000 + random(1_000))) / 1_000n,
  }));
  terms.curve = [...stretches, ...others];
  const supply = terms.tokenSupply!.preMigrationTokenSupply * 2n;
  terms.tokenSupply = { preMigrationTokenSupply: supply, postMigrationTokenSupply: supply };
}

function swap({ vm, random, pool, base, quote, terms }: World, isBuy: boolean) {
  const mode = random(3);
  const sold = vm.amount(base);
  const whole = isBuy ? (mode === EXACT_OUT ? vm.amount(pool.baseVault) : terms.migrationQuoteThreshold) : sold;
  const quoteOut = mode === EXACT_OUT && !isBuy ? vm.amount(pool.quoteVault) : whole;
  const amountIn = (quoteOut * BigInt(1 + random(1_000_000))) / 10n ** BigInt(6 + random(6)) + 1n;
  const [inputAccount, outputAccount] = isBuy ? [quote, base] : [base, quote];
  const leastOut = mode === EXACT_OUT ? RICH : 0n;
  const instruction = curveSwap({
    pool,
    trader: vm.payer,
    inputAccount,
    outputAccount,
    amountIn,
    leastOut,
    partial: true,
  });
  const data = Buffer.from(instruction.data);
  data[MODE_AT] = mode;
  return { ...instruction, data };
}

function claim({ vm, random, pool, operator, base, quote, operatorQuote }: World) {
  const amounts = { pool, maxBase: RICH, maxQuote: random(2) === 0 ? RICH : BigInt(random(1_000_000)) };
  return random(2) === 0
    ? claimCreatorFee({ ...amounts, creator: vm.payer, baseAccount: base, quoteAccount: quote })
    : claimPartnerFee({ ...amounts, feeClaimer: operator, baseAccount: base, quoteAccount: operatorQuote });
}

/** What the curve has taken and given between its first price and this one, in the pool's favor to be rounded. */
function integral({ terms: { curve, sqrtStartPrice } }: World, price: bigint): [quote: bigint, base: bigint] {
  let [from, quote, base] = [sqrtStartPrice, 0n, 0n];
  for (const { sqrtPrice, liquidity } of curve) {
    const to = sqrtPrice < price ? sqrtPrice : price;
    if (to <= from) break;
    quote += (liquidity * (to - from)) >> 128n;
    base += (liquidity * (to - from)) / (from * to);
    from = to;
  }
  return [quote, base];
}

test(`${STEPS} random steps on curves make and lose nothing, pay fees to the unit, and keep the price of the formula`, () => {
  const vm = standInVm();
  const random = randomNumbers(SEED);
  let world = open(vm, random);
  let [trades, launches, last] = [0, 1, world.terms.sqrtStartPrice];
  let inThisOne = 0n;
  for (let step = 0; step < STEPS; step++) {
    const isClaim = random(20) === 0;
    const isBuy = random(9) < 5;
    const { failure } = vm.run(isClaim ? claim(world) : swap(world, isBuy));
    if (!failure && !isClaim) trades++;
    inThisOne++;
    const { pool, base, quote, operatorQuote } = world;
    const data = vm.data(pool.pool);
    const { sqrtPrice, quoteReserve } = decodeBondingCurvePool(data)!;
    const what = `seed ${SEED}, step ${step}`;
    assert.equal(vm.amount(base) + vm.amount(pool.baseVault), vm.supply(pool.baseMint), `${what}: base`);
    const quotes = [quote, operatorQuote, pool.quoteVault].map((account) => vm.amount(account));
    assert.equal(
      quotes.reduce((a, b) => a + b),
      RICH,
      `${what}: quote`,
    );
    const fees = QUOTE_FEES_AT.map((at) => data.readBigUInt64LE(at)).reduce((a, b) => a + b);
    assert.equal(vm.amount(pool.quoteVault), quoteReserve + fees, `${what}: fees`);
    assert.equal(vm.amount(pool.baseVault), data.readBigUInt64LE(BASE_RESERVE_AT), `${what}: base reserve`);
    assert.ok(
      failure || isClaim ? sqrtPrice === last : isBuy ? sqrtPrice >= last : sqrtPrice <= last,
      `${what}: price`,
    );
    const [taken, given] = integral(world, sqrtPrice);
    // Each trade rounds in favor of the pool, by less than two units for each stretch of the curve.
    const rounding = 2n * inThisOne * BigInt(world.terms.curve.length) + 2n;
    assert.ok(quoteReserve >= taken && quoteReserve <= taken + rounding, `${what}: ${quoteReserve} for ${taken}`);
    assert.ok(vm.amount(base) <= given && vm.amount(base) + rounding >= given, `${what}: ${vm.amount(base)}, ${given}`);
    last = sqrtPrice;
    if (quoteReserve < decodeBondingCurveConfig(vm.data(pool.config))!.migrationQuoteThreshold) continue;
    endCurve(world);
    world = open(vm, random);
    [launches, last, inThisOne] = [launches + 1, world.terms.sqrtStartPrice, 0n];
  }
  assert.ok(trades > STEPS / 2, `only ${trades} trades succeeded`);
  assert.ok(launches > STEPS / 200, `only ${launches} launches`);
});

/** A curve that is sold out: its surplus is paid once, and no more than four fifths of it; nobody trades on. */
function endCurve(world: World): void {
  const { vm, random, pool, operator, quote, operatorQuote } = world;
  addSurplus(vm, random, pool);
  const surplus =
    decodeBondingCurvePool(vm.data(pool.pool))!.quoteReserve -
    decodeBondingCurveConfig(vm.data(pool.config))!.migrationQuoteThreshold;
  const before = vm.amount(pool.quoteVault);
  for (const who of ['creator', 'operator', 'creator', 'operator'] as const) {
    const receiver = who === 'creator' ? vm.payer : operator;
    vm.run(withdrawSurplus(who, { pool, receiver, account: who === 'creator' ? quote : operatorQuote }));
  }
  assert.equal(before - vm.amount(pool.quoteVault), (surplus * 4n) / 5n);
  for (const isBuy of [true, false]) assert.notEqual(vm.run(swap(world, isBuy)).failure, undefined);
  assert.notEqual(vm.run(transferCreator(pool, vm.payer, operator)).failure, undefined);
}
