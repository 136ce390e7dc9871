import { DBC_PROGRAM, instructionTag } from '@slipway/checks';
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
import { capped, FEE_WHOLE, feeOn, scheduledRate, U64_MAX, variableRate, withFee } from './meteora.js';
import {
  buyAlong,
  type Curve,
  roughBuy,
  roughCost,
  roughProceeds,
  roughRest,
  roughSell,
  sellAlong,
  type Walk,
} from './meteora-curve.js';
import { vaultBalances } from './vaults.js';

const POOL = { program: DBC_PROGRAM, tag: accountTag('VirtualPool'), size: 424 };
const CONFIG = { program: DBC_PROGRAM, tag: accountTag('PoolConfig'), size: 1048 };
const derived = (seed: string) => findProgramAddress([Buffer.from(seed)], DBC_PROGRAM).address;
const [AUTHORITY, EVENT_AUTHORITY] = [derived('pool_authority'), derived('__event_authority')];
const SWAP = instructionTag('swap2');
/** At the end of the curve, takes only what it can of the offer. */
const PARTIAL_FILL = 1;
const TOKEN_PROGRAMS = [TOKEN_PROGRAM, TOKEN_2022_PROGRAM] as const;
const ACTIVATION = ['slot', 'unixTimestamp'] as const;
const BASE_FEES = ['linear', 'exponential', 'limiter'] as const;
const FEES_ON = ['quote', 'output'] as const;
const MOST_RATE = 990_000_000n;
const POINTS = 20;
/** The sides of a pool: the token that was launched, and what is paid for it. */
const BASE = 0;
const QUOTE = 1;

/**
 * Meteora's bonding curves ("DBC"), up to their migration: https://github.com/MeteoraAg/dynamic-bonding-curve has the
 * program's source.
 */
export function dbcVenue(): Venue {
  return {
    label: 'Dynamic Bonding Curve',
    program: DBC_PROGRAM,
    poolSize: POOL.size,
    mintOffsets: [136],
    amountOffset: FIRST_NUMBER_AT,
    describe(_, account, needed) {
      const pool = decodePool(account);
      if (typeof pool === 'string') return pool;
      const config = needed.get(pool.config);
      if (!config) return { needs: pool.config };
      const terms = decodeConfig(config);
      if (typeof terms === 'string') return terms;
      if (pool.baseMint === terms.quoteMint) return 'its tokens are the same';
      return { mints: [pool.baseMint, terms.quoteMint], accounts: [pool.config, ...pool.vaults, CLOCK_SYSVAR] };
    },
    open(address, account, [config, base, quote, clock]) {
      const pool = decodePool(account);
      if (typeof pool === 'string') return pool;
      const terms = config ? decodeConfig(config) : NO_CONFIG;
      if (typeof terms === 'string') return terms;
      const now = readClock(clock);
      if (!now) return 'the clock cannot be read';
      if (pool.quoteReserve >= terms.threshold) return 'its curve is complete';
      const tokens = tokensOf(pool, terms);
      const balances = vaultBalances(tokens, [base, quote]);
      return typeof balances === 'string' ? balances : stateOf({ address, pool, terms, tokens, balances }, now);
    },
  };
}

interface Pool {
  config: Address;
  baseMint: Address;
  vaults: [Address, Address];
  baseProgram: Address;
  /** What has been paid for the tokens sold. */
  quoteReserve: bigint;
  price: bigint;
  volatility: bigint;
  activation: bigint;
}

const decodePool = readOnce((account: ChainAccount): Pool | string => {
  const view = taggedView(account, POOL);
  if (!view) return 'no pool of the program';
  const baseProgram = TOKEN_PROGRAMS[view.getUint8(304)];
  if (!baseProgram) return 'an unknown version';
  if (view.getUint8(305) !== 0) return 'it has migrated';
  const at = (offset: number) => addressAt(account.data, offset);
  const price = u128At(view, 280);
  if (price === 0n) return 'it has no price';
  return {
    config: at(72),
    baseMint: at(136),
    vaults: [at(168), at(200)],
    baseProgram,
    price,
    quoteReserve: u64At(view, 240),
    volatility: u128At(view, 40),
    activation: u64At(view, 296),
  };
});

interface Terms {
  quoteMint: Address;
  quoteProgram: Address;
  /** The amount of the quote token that completes the curve. */
  threshold: bigint;
  curve: Curve;
  feesOn: (typeof FEES_ON)[number];
  activatedBy: (typeof ACTIVATION)[number];
  base: { kind: (typeof BASE_FEES)[number]; start: bigint; first: bigint; second: bigint; third: bigint };
  dynamic: { mostVolatility: bigint; binStep: bigint; control: bigint } | undefined;
}

const NO_CONFIG = 'its configuration is none of the program';

const decodeConfig = readOnce((account: ChainAccount): Terms | string => {
  const view = taggedView(account, CONFIG);
  if (!view) return NO_CONFIG;
  const quoteProgram = TOKEN_PROGRAMS[view.getUint8(238)];
  const feesOn = FEES_ON[view.getUint8(232)];
  const activatedBy = ACTIVATION[view.getUint8(234)];
  const kind = BASE_FEES[view.getUint8(130)];
  if (!quoteProgram || !feesOn || !activatedBy || !kind) return 'a configuration of an unknown version';
  const curve = curveOf(view);
  if (!curve) return 'a configuration without a curve';
  const isDynamic = view.getUint8(136) !== 0;
  return {
    quoteMint: addressAt(account.data, 8),
    quoteProgram,
    feesOn,
    activatedBy,
    curve,
    threshold: u64At(view, 264),
    base: {
      kind,
      start: u64At(view, 104),
      first: BigInt(view.getUint16(128, true)),
      second: u64At(view, 112),
      third: u64At(view, 120),
    },
    dynamic: isDynamic
      ? {
          mostVolatility: BigInt(view.getUint32(144, true)),
          binStep: BigInt(view.getUint16(152, true)),
          control: BigInt(view.getUint32(148, true)),
        }
      : undefined,
  };
});

/** Reads the points up to the first unused one. */
function curveOf(view: DataView): Curve | undefined {
  const points: Curve['points'] = [];
  const [start, end] = [u128At(view, 392), u128At(view, 280)];
  let before = start;
  for (let i = 0; i < POINTS; i++) {
    const [price, liquidity] = [u128At(view, 408 + 32 * i), u128At(view, 424 + 32 * i)];
    if (price === 0n || liquidity === 0n) break;
    if (price <= before) return undefined;
    points.push({ price, liquidity });
    before = price;
  }
  if (start === 0n || points.length === 0 || end <= start) return undefined;
  const roughPoints = points.map(({ price, liquidity }) => ({ price: rough(price), liquidity: rough(liquidity) }));
  return { start, end, points, rough: { start: rough(start), end: rough(end), points: roughPoints } };
}

/** Converts from 64 fractional bits. */
const rough = (value: bigint) => Number(value) / 2 ** 64;

// ---- fees -----------------------------------------------------------------------------------------------------------

/** The rate in a direction; undefined where the program fails, or allows at most one swap in a transaction. */
function rateOf({ base, dynamic, activatedBy }: Terms, pool: Pool, from: Side, now: ClockTime): bigint | undefined {
  const variable = variableAt(dynamic, pool.volatility);
  const rate = baseRateOf(base, from, now[activatedBy] - pool.activation);
  if (rate === undefined || variable === undefined) return undefined;
  return capped(rate + variable, MOST_RATE);
}

const variableAt = (dynamic: Terms['dynamic'], volatility: bigint): bigint | undefined =>
  dynamic ? variableRate(volatility, dynamic.binStep, dynamic.control) : 0n;

function baseRateOf(
  { kind, start, first, second, third }: Terms['base'],
  from: Side,
  passed: bigint,
): bigint | undefined {
  if (kind === 'limiter') {
    const isNone = first === 0n && second === 0n && third === 0n;
    return isNone || from === BASE || passed > second ? start : undefined;
  }
  if (second === 0n) return start;
  if (passed < 0n) return undefined;
  const periods = passed / second;
  const schedule = { start, reduction: third, isExponential: kind === 'exponential' };
  return scheduledRate(schedule, capped(periods, first));
}

// ---- trades -----------------------------------------------------------------------------------------------------------

const isOnInput = ({ feesOn }: Terms, from: Side) => feesOn === 'quote' && from === QUOTE;

const tokensOf = (pool: Pool, { quoteMint, quoteProgram }: Terms): [PoolToken, PoolToken] => [
  { mint: pool.baseMint, tokenProgram: pool.baseProgram, vault: pool.vaults[BASE] },
  { mint: quoteMint, tokenProgram: quoteProgram, vault: pool.vaults[QUOTE] },
];

interface Parts {
  address: Address;
  pool: Pool;
  terms: Terms;
  tokens: [PoolToken, PoolToken];
  /** Of its vaults. */
  balances: readonly [bigint, bigint];
}

function stateOf({ address, pool, terms, tokens, balances }: Parts, now: ClockTime): PoolState {
  const [curve, root] = [terms.curve.rough, rough(pool.price)];
  const rates = [rateOf(terms, pool, BASE, now), rateOf(terms, pool, QUOTE, now)] as const;
  const passed = now[terms.activatedBy] - pool.activation;
  const baseRate = baseRateOf(terms.base, QUOTE, passed) ?? baseRateOf(terms.base, BASE, passed) ?? MOST_RATE;
  const mostVariable = variableAt(terms.dynamic, terms.dynamic?.mostVolatility ?? 0n) ?? MOST_RATE;
  const kept = (from: Side) => 1 - Number(rates[from] ?? FEE_WHOLE) / Number(FEE_WHOLE);
  const keptIn = (from: Side) => (isOnInput(terms, from) ? kept(from) : 1);
  const keptOut = (from: Side) => (isOnInput(terms, from) ? 1 : kept(from));
  return {
    tokens,
    reserves: [roughRest(curve, root), Number(pool.quoteReserve)],
    leaves: 'part',
    feeShare: Number(rates[QUOTE] ?? rates[BASE] ?? MOST_RATE) / Number(FEE_WHOLE),
    baseFeeShare: Number(baseRate) / Number(FEE_WHOLE),
    mostFeeShare: Number(capped(baseRate + mostVariable, MOST_RATE)) / Number(FEE_WHOLE),
    quote(from, amount) {
      const rate = rates[from];
      const trade = rate === undefined ? undefined : quote({ pool, terms, from, rate }, amount);
      // A pool usually has what it owes; a trade with one that does not can only fail.
      return trade && trade.received <= balances[from === BASE ? QUOTE : BASE] ? trade : undefined;
    },
    estimateOut(from, amount) {
      const along = from === BASE ? roughSell : roughBuy;
      return rates[from] === undefined ? 0 : along(curve, root, amount * keptIn(from)) * keptOut(from);
    },
    estimateIn(from, amount) {
      const along = from === BASE ? roughProceeds : roughCost;
      const needed = rates[from] === undefined ? Number.POSITIVE_INFINITY : along(curve, root, amount / keptOut(from));
      return needed / keptIn(from);
    },
    price: (from) => (from === BASE ? root ** 2 : root ** -2),
    swap: (_, accounts) => swap({ address, config: pool.config, tokens }, accounts),
  };
}

interface Trading {
  pool: Pool;
  terms: Terms;
  from: Side;
  rate: bigint;
}

/** The program's partial fill: the part of the offer that the curve does not take stays with the trader. */
function quote({ pool, terms, from, rate }: Trading, offered: bigint): Trade | undefined {
  if (offered <= 0n || offered > U64_MAX) return undefined;
  const onInput = isOnInput(terms, from);
  const offeredToCurve = onInput ? offered - feeOn(offered, rate) : offered;
  const walk = from === BASE ? sellAlong : buyAlong;
  const done: Walk | undefined = walk(terms.curve, pool.price, offeredToCurve);
  if (!done) return undefined;
  const { left, out } = done;
  const traded = offeredToCurve - left;
  const paid = left === 0n ? offered : onInput ? withFee(traded, rate) : traded;
  const outputFee = onInput ? 0n : feeOn(out, rate);
  const received = out - outputFee;
  if (received <= 0n) return undefined;
  return { paid, received, fee: onInput ? paid - traded : (outputFee * paid) / out };
}

function swap(
  { address, config, tokens: [base, quoted] }: { address: Address; config: Address; tokens: [PoolToken, PoolToken] },
  { owner, source, destination, amountIn, minOut }: SwapAccounts,
) {
  const accounts = [
    ...[AUTHORITY, config].map(readonlyAccount),
    ...[address, source, destination, base.vault, quoted.vault].map(writableAccount),
    ...[base.mint, quoted.mint].map(readonlyAccount),
    readonlySigner(owner),
    // The program's own address stands for no referrer.
    ...[base.tokenProgram, quoted.tokenProgram, DBC_PROGRAM, EVENT_AUTHORITY, DBC_PROGRAM].map(readonlyAccount),
  ];
  return anchorInstruction(DBC_PROGRAM, accounts, { tag: SWAP, numbers: [amountIn, minOut], rest: [PARTIAL_FILL] });
}
