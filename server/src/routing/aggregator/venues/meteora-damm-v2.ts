import { DAMM_V2_PROGRAM, instructionTag } from '@slipway/checks';
import {
  type Address,
  CLOCK_SYSVAR,
  findProgramAddress,
  readonlyAccount,
  readonlySigner,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  writableAccount,
} from '@slipway/wire';
import { type ChainAccount, type ClockTime, readClock } from '../../../chain/index.js';
import type { PoolState, PoolToken, Side, SwapAccounts, Trade, Venue } from '../venue.js';
import {
  accountTag,
  addressAt,
  anchorInstruction,
  FIRST_NUMBER_AT,
  readOnce,
  taggedView,
  u64At,
  u128At,
} from './anchor.js';
import { type RoughCurve, roughIn, roughOut } from './estimates.js';
import {
  capped,
  FEE_WHOLE,
  feeOn,
  firstBetween,
  priceAfterFirst,
  priceAfterSecond,
  scheduledRate,
  secondBetween,
  U64_MAX,
  variableRate,
} from './meteora.js';
import { vaultBalances } from './vaults.js';

const POOL = { program: DAMM_V2_PROGRAM, tag: accountTag('Pool'), size: 1112 };
const derived = (seed: string) => findProgramAddress([Buffer.from(seed)], DAMM_V2_PROGRAM).address;
const [AUTHORITY, EVENT_AUTHORITY] = [derived('pool_authority'), derived('__event_authority')];
const SWAP = instructionTag('swap');
const TOKEN_PROGRAMS = [TOKEN_PROGRAM, TOKEN_2022_PROGRAM] as const;
/** By the version of a pool's fees. */
const MOST_RATE = [500_000_000n, 990_000_000n] as const;
const ACTIVATION = ['slot', 'unixTimestamp'] as const;
const BASE_FEES = ['linear', 'exponential', 'limiter', 'linear by price', 'exponential by price'] as const;
/** What fees are taken from: the output, or always the second token; in the last case they may stay in the pool. */
const COMPOUNDING = 'second, compounding';
const FEES_ON = ['output', 'second', COMPOUNDING] as const;
const BPS = 10_000n;
const Q128 = 2 ** 128;

/** Meteora's "DAMM v2" pools: https://github.com/MeteoraAg/damm-v2 has the program's source. */
export function dammV2Venue(): Venue {
  return {
    label: 'Meteora DAMM v2',
    program: DAMM_V2_PROGRAM,
    poolSize: POOL.size,
    mintOffsets: [168, 200],
    amountOffset: FIRST_NUMBER_AT,
    describe(_, account) {
      const pool = decodePool(account);
      if (typeof pool === 'string') return pool;
      return { mints: pool.mints, accounts: [...pool.tokens.map(({ vault }) => vault), CLOCK_SYSVAR] };
    },
    open(address, account, [accountA, accountB, clock]) {
      const pool = decodePool(account);
      if (typeof pool === 'string') return pool;
      const now = readClock(clock);
      if (!now) return 'the clock cannot be read';
      const refusal = refusalOf(pool, now);
      if (refusal !== undefined) return refusal;
      const balances = vaultBalances(pool.tokens, [accountA, accountB]);
      return typeof balances === 'string' ? balances : stateOf({ address, pool, balances }, now);
    },
  };
}

interface BaseFee {
  kind: (typeof BASE_FEES)[number];
  start: bigint;
  periods: bigint;
  /** What a period is: of time, or of price and until when. */
  frequency: bigint;
  priceStep: bigint;
  duration: bigint;
  reduction: bigint;
}

interface Pool {
  mints: [Address, Address];
  tokens: [PoolToken, PoolToken];
  base: BaseFee;
  variableRate: bigint;
  /** What its terms let the variable rate rise to. */
  mostVariableRate: bigint;
  mostRate: bigint;
  feesOn: (typeof FEES_ON)[number];
  liquidity: bigint;
  price: bigint;
  startPrice: bigint;
  range: [bigint, bigint];
  /** The amounts that the pool records; older pools record none. */
  amounts: [bigint, bigint] | undefined;
  isEnabled: boolean;
  activatedBy: (typeof ACTIVATION)[number];
  activation: bigint;
}

const decodePool = readOnce((account: ChainAccount): Pool | string => {
  const view = taggedView(account, POOL);
  if (!view) return 'no pool of the program';
  const feesOn = FEES_ON[view.getUint8(484)];
  const activatedBy = ACTIVATION[view.getUint8(480)];
  const mostRate = MOST_RATE[view.getUint8(486)];
  const kind = BASE_FEES[view.getUint8(16)];
  if (!feesOn || !activatedBy || mostRate === undefined || !kind || view.getUint8(696) > 1) return 'an unknown version';
  const variable = variableAt(view, u128At(view, 120));
  if (variable === undefined) return 'its volatility is out of range';
  const tokens = [0, 1].map((side) => tokenOf(account.data, view, side));
  const [a, b] = tokens;
  if (!a || !b || a.mint === b.mint) return 'its tokens are none';
  const [liquidity, price] = [u128At(view, 360), u128At(view, 456)];
  const range: Pool['range'] = [u128At(view, 424), u128At(view, 440)];
  const amounts: Pool['amounts'] = view.getUint8(696) === 1 ? [u64At(view, 680), u64At(view, 688)] : undefined;
  return {
    mints: [a.mint, b.mint],
    tokens: [a, b],
    variableRate: variable,
    mostVariableRate: variableAt(view, BigInt(view.getUint32(64, true))) ?? mostRate,
    mostRate,
    feesOn,
    liquidity,
    price,
    range,
    base: baseFeeOf(view, kind),
    startPrice: u128At(view, 152),
    amounts,
    isEnabled: view.getUint8(481) === 0,
    activatedBy,
    activation: u64At(view, 472),
  };
});

function variableAt(view: DataView, volatility: bigint): bigint | undefined {
  if (view.getUint8(56) === 0) return 0n;
  return variableRate(volatility, BigInt(view.getUint16(72, true)), BigInt(view.getUint32(68, true)));
}

function refusalOf({ isEnabled, activatedBy, activation, ...pool }: Pool, now: ClockTime): string | undefined {
  if (!isEnabled) return 'trading is disabled';
  if (now[activatedBy] < activation) return 'trading has not begun';
  if (pool.liquidity === 0n) return 'it has no liquidity';
  const isConsistent =
    pool.feesOn === COMPOUNDING ? pool.amounts?.every((amount) => amount > 0n) : isWithin(pool.price, pool.range);
  return isConsistent ? undefined : 'its price is out of its range';
}

const isWithin = (price: bigint, [low, high]: readonly [bigint, bigint]) => low > 0n && low <= price && price <= high;

function tokenOf(data: Uint8Array, view: DataView, side: number): PoolToken | undefined {
  const tokenProgram = TOKEN_PROGRAMS[view.getUint8(482 + side)];
  const at = (offset: number) => addressAt(data, offset + 32 * side);
  return tokenProgram && { mint: at(168), tokenProgram, vault: at(232) };
}

const baseFeeOf = (view: DataView, kind: BaseFee['kind']): BaseFee => ({
  kind,
  start: u64At(view, 8),
  periods: BigInt(view.getUint16(22, true)),
  frequency: u64At(view, 24),
  priceStep: BigInt(view.getUint32(24, true)),
  duration: BigInt(view.getUint32(28, true)),
  reduction: u64At(view, 32),
});

// ---- fees -----------------------------------------------------------------------------------------------------------

/** The rate in a direction; undefined where the program fails, or allows at most one swap in a transaction. */
function rateOf(pool: Pool, from: Side, now: ClockTime): bigint | undefined {
  const rate = baseRateOf(pool, from, now[pool.activatedBy]);
  if (rate === undefined) return undefined;
  const total = rate + pool.variableRate;
  return total > U64_MAX ? undefined : capped(total, pool.mostRate);
}

function baseRateOf(pool: Pool, from: Side, point: bigint): bigint | undefined {
  const { base } = pool;
  const { kind, start, reduction, frequency, duration } = base;
  const passed = point - pool.activation;
  if (kind === 'limiter') {
    const isNone = reduction === 0n && frequency === 0n && base.periods === 0n;
    return isNone || from === 0 || passed > base.priceStep ? start : undefined;
  }
  const isExponential = kind.startsWith('exponential');
  const periods =
    kind === 'linear' || kind === 'exponential'
      ? frequency === 0n
        ? 0n
        : passed / frequency
      : passed > duration
        ? base.periods
        : pricePeriods(pool);
  if (periods === undefined) return undefined;
  if (isExponential && reduction === 0n) return start;
  return scheduledRate({ start, reduction, isExponential }, capped(periods, base.periods));
}

function pricePeriods({ base, price, startPrice }: Pool): bigint | undefined {
  if (price <= startPrice) return 0n;
  if (startPrice === 0n || base.priceStep === 0n) return undefined;
  return ((price - startPrice) * BPS) / startPrice / base.priceStep;
}

/** Where it goes by the price, the rate at the end of its schedule: trades move the price, and by it the rate. */
function restingRateOf(pool: Pool, now: ClockTime): bigint {
  const { kind, duration } = pool.base;
  const expired = pool.activation + duration + 1n;
  return baseRateAt(pool, kind.endsWith('by price') ? expired : now[pool.activatedBy]);
}

const baseRateAt = (pool: Pool, point: bigint) =>
  baseRateOf(pool, 0, point) ?? baseRateOf(pool, 1, point) ?? pool.mostRate;

// ---- trades -----------------------------------------------------------------------------------------------------------

const other = (side: Side): Side => (side === 0 ? 1 : 0);
const isOnInput = ({ feesOn }: Pool, from: Side) => feesOn !== 'output' && from === 1;

interface Parts {
  address: Address;
  pool: Pool;
  /** Of its vaults. */
  balances: readonly [bigint, bigint];
}

function stateOf({ address, pool, balances }: Parts, now: ClockTime): PoolState {
  const { tokens } = pool;
  const rates = [rateOf(pool, 0, now), rateOf(pool, 1, now)] as const;
  const mostRate = capped(baseRateAt(pool, now[pool.activatedBy]) + pool.mostVariableRate, pool.mostRate);
  const [x, y] = virtualReserves(pool);
  const [low, high] = pool.range.map(Number) as [number, number];
  const isWhole = pool.feesOn === COMPOUNDING;
  const liquidity = Number(pool.liquidity);
  const curves = [roughCurve(pool, 0, rates[0]), roughCurve(pool, 1, rates[1])] as const;
  return {
    tokens,
    reserves: isWhole ? [x, y] : [x - liquidity / high, y - (liquidity * low) / Q128],
    feeShare: Number(rates[0] ?? rates[1] ?? pool.mostRate) / Number(FEE_WHOLE),
    baseFeeShare: Number(restingRateOf(pool, now)) / Number(FEE_WHOLE),
    mostFeeShare: Number(mostRate) / Number(FEE_WHOLE),
    quote(from, amount) {
      const rate = rates[from];
      const trade = rate === undefined ? undefined : quote(pool, from, amount, rate);
      // A pool usually has what it owes; a trade with one that does not can only fail.
      return trade && trade.received <= balances[other(from)] ? trade : undefined;
    },
    estimateOut: (from, amount) => roughOut(curves[from], amount),
    estimateIn: (from, amount) => roughIn(curves[from], amount),
    price: (from) => (from === 0 ? y / x : x / y),
    swap: (_, accounts) => swap(address, pool, accounts),
  };
}

/** The reserves with which a constant product without a range trades the same. */
function virtualReserves({ amounts, feesOn, liquidity, price }: Pool): [number, number] {
  if (feesOn === COMPOUNDING) return [Number(amounts![0]), Number(amounts![1])];
  return [Number(liquidity) / Number(price), (Number(liquidity) * Number(price)) / Q128];
}

function roughCurve(pool: Pool, from: Side, rate: bigint | undefined): RoughCurve {
  const virtual = virtualReserves(pool);
  const kept = 1 - Number(rate ?? 0n) / Number(FEE_WHOLE);
  const onInput = isOnInput(pool, from);
  return {
    reserveIn: virtual[from],
    reserveOut: virtual[other(from)],
    keptIn: onInput ? kept : 1,
    keptOut: onInput ? 1 : kept,
    most: rate === undefined ? -1 : mostIn(pool, from),
  };
}

/** The input that takes the price to the end of its range. */
function mostIn({ feesOn, liquidity, price, range: [low, high] }: Pool, from: Side): number {
  if (feesOn === COMPOUNDING) return Number.POSITIVE_INFINITY;
  return Number(from === 0 ? firstBetween(low, price, liquidity, true) : secondBetween(price, high, liquidity, true));
}

function quote(pool: Pool, from: Side, offered: bigint, rate: bigint): Trade | undefined {
  if (offered <= 0n || offered > U64_MAX) return undefined;
  const onInput = isOnInput(pool, from);
  const inputFee = onInput ? feeOn(offered, rate) : 0n;
  const traded = offered - inputFee;
  const swapped = swappedFor(pool, from, traded);
  if (swapped === undefined || swapped > U64_MAX || !has(pool, other(from), swapped)) return undefined;
  const outputFee = onInput ? 0n : feeOn(swapped, rate);
  const received = swapped - outputFee;
  if (received <= 0n) return undefined;
  return { paid: offered, received, fee: onInput ? inputFee : (outputFee * offered) / swapped };
}

function swappedFor(
  { feesOn, amounts, liquidity, price, range }: Pool,
  from: Side,
  traded: bigint,
): bigint | undefined {
  if (feesOn === COMPOUNDING) {
    const [has, gives] = from === 0 ? amounts! : [amounts![1], amounts![0]];
    return (gives * traded) / (has + traded);
  }
  if (from === 0) {
    const next = priceAfterFirst(price, liquidity, traded);
    return next < range[0] ? undefined : secondBetween(next, price, liquidity, false);
  }
  const next = priceAfterSecond(price, liquidity, traded);
  return next > range[1] ? undefined : firstBetween(price, next, liquidity, false);
}

/** Whether the pool records at least this amount; if it records none, its liquidity bounds the trade. */
const has = ({ amounts }: Pool, side: Side, amount: bigint) => !amounts || amounts[side] >= amount;

function swap(
  address: Address,
  { tokens: [a, b] }: Pool,
  { owner, source, destination, amountIn, minOut }: SwapAccounts,
) {
  const accounts = [
    readonlyAccount(AUTHORITY),
    ...[address, source, destination, a.vault, b.vault].map(writableAccount),
    ...[a.mint, b.mint].map(readonlyAccount),
    readonlySigner(owner),
    // The program's own address stands for no referrer.
    ...[a.tokenProgram, b.tokenProgram, DAMM_V2_PROGRAM, EVENT_AUTHORITY, DAMM_V2_PROGRAM].map(readonlyAccount),
  ];
  return anchorInstruction(DAMM_V2_PROGRAM, accounts, { tag: SWAP, numbers: [amountIn, minOut] });
}
