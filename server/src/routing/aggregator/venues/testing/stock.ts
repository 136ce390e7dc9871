import { TOKEN_SWAP_PROGRAM } from '@slipway/programs';
import type { Random } from '@slipway/programs/testing';
import { type Address, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@slipway/wire';
import type { Token } from '../../../router.js';
import type { Pool } from '../../legs.js';
import type { PoolState, Venue } from '../../venue.js';
import { dammV2Venue } from '../meteora-damm-v2.js';
import { dbcVenue } from '../meteora-dbc.js';
import { dlmmVenue } from '../meteora-dlmm/index.js';
import { raydiumCpmmVenue } from '../raydium-cpmm.js';
import { tokenSwapVenue } from '../token-swap.js';
import { sqrtPriceAt, tickAt } from '../whirlpool/ticks.js';
import type { Lab, LabPool } from './lab.js';
import { writeDammPool } from './meteora-damm-v2.js';
import { writeDbcPool } from './meteora-dbc.js';
import { writePair } from './meteora-dlmm.js';
import { writeCpmmPool } from './raydium-cpmm.js';
import { writeTokenSwapPool } from './token-swap.js';
import { TESTED_VENUES } from './venues.js';
import { writeWhirlpool } from './whirlpool.js';

const MILLION = 1_000_000n;

/** A pool as the search sees it, always fresh. */
export interface StockPool extends Pool {
  readonly now: PoolState;
  /** All that was written for it. */
  readonly written: readonly Address[];
}

interface Shape {
  mints: [Address, Address];
  tokenPrograms: [Address, Address];
  /** Of the first token in the second, in millionths. */
  price: bigint;
  /** Of each token, if it is of one price all over. */
  depth: bigint;
  /** How far its liquidity reaches around the price, in percent. */
  reach: number;
  /** In millionths. */
  fee: bigint;
}

type Kind = (lab: Lab, shape: Shape) => LabPool;

/** Every kind of pool; those that end have all of their liquidity within their reach. */
const KINDS: readonly (readonly [Venue, Kind])[] = [
  [tokenSwapVenue(TOKEN_SWAP_PROGRAM), tokenSwap],
  [raydiumCpmmVenue(), cpmm],
  [dammV2Venue(), damm],
  [dbcVenue(), dbc],
  [TESTED_VENUES.find(({ name }) => name === 'whirlpool')!.venue, whirlpool],
  [dlmmVenue(), dlmm],
];
const DLMM = 5;

/** Mints of both token programs. */
export function writeTokens({ vm }: Lab, count: number): Token[] {
  return Array.from({ length: count }, (_, i) => {
    const tokenProgram = i % 3 === 1 ? TOKEN_2022_PROGRAM : TOKEN_PROGRAM;
    return { mint: vm.mint({ tokenProgram }), tokenProgram, decimals: 6 };
  });
}

/** Pools of all kinds between these tokens, at prices near `price` and of depths that differ by a thousand times. */
export function writeStock(
  lab: Lab,
  random: Random,
  tokens: readonly Token[],
  { count, price = 1 }: { count: number; price?: number },
): StockPool[] {
  const pairs = new Set<string>();
  return Array.from({ length: count }, () => {
    let kind = random(KINDS.length);
    const [a, b] = twoOf(tokens, random);
    // The address of a DLMM pair follows from its mints.
    const pair = [a.mint, b.mint].sort().join();
    if (kind === DLMM && pairs.has(pair)) kind = 1;
    if (kind === DLMM) pairs.add(pair);
    const [venue, write] = KINDS[kind]!;
    const { address, mints, written } = write(lab, {
      mints: [a.mint, b.mint],
      tokenPrograms: [a.tokenProgram, b.tokenProgram],
      price: BigInt(Math.round(price * (990_000 + random(20_000)))),
      depth: BigInt(1 + random(1_000)) * 10n ** 9n,
      reach: [2, 10, 60][random(3)]!,
      fee: [100n, 500n, 2_500n, 10_000n][random(4)]!,
    });
    const { state } = lab.open(venue, address);
    if (typeof state === 'string') throw new Error(`${venue.label}: ${state}`);
    return {
      address,
      venue,
      mints,
      accounts: [address],
      written,
      now: state,
      state: () => state,
      refusal: () => undefined,
    };
  });
}

function twoOf(tokens: readonly Token[], random: Random): [Token, Token] {
  const first = random(tokens.length);
  const second = (first + 1 + random(tokens.length - 1)) % tokens.length;
  return [tokens[first]!, tokens[second]!];
}

/** Both sides worth the same at the price. */
const balancesOf = ({ depth, price }: Shape): [bigint, bigint] => [depth, (depth * price) / MILLION];
/** The root of the price, with 64 fractional bits. */
const rootOf = ({ price }: Shape): bigint => BigInt(Math.round(Math.sqrt(Number(price) / 1e6) * 2 ** 53)) << 11n;
/** The liquidity of which one side lasts for `reach`. */
const liquidityOf = ({ depth, reach }: Shape): bigint => (depth * 200n) / BigInt(reach);

function tokenSwap(lab: Lab, { mints, tokenPrograms, fee, ...shape }: Shape): LabPool {
  const none = { numerator: 0n, denominator: 0n };
  const fees = { trade: { numerator: fee, denominator: MILLION }, ownerTrade: none, ownerWithdraw: none, host: none };
  return writeTokenSwapPool(lab, {
    mints,
    tokenPrograms,
    reserves: balancesOf({ ...shape, mints, tokenPrograms, fee }),
    fees,
  });
}

function cpmm(lab: Lab, shape: Shape): LabPool {
  const { mints, tokenPrograms, fee } = shape;
  const owed: [bigint, bigint][] = [
    [0n, 0n],
    [0n, 0n],
  ];
  return writeCpmmPool(lab, {
    mints,
    tokenPrograms,
    balances: balancesOf(shape),
    tradeFee: fee,
    owed,
    status: 0,
    openTime: 0n,
  });
}

function damm(lab: Lab, shape: Shape): LabPool {
  const { mints, tokenPrograms, reach, fee } = shape;
  const price = rootOf(shape);
  const baseFee = Buffer.alloc(32);
  baseFee.writeBigUInt64LE(fee * 1_000n, 0);
  return writeDammPool(lab, {
    mints,
    tokenPrograms,
    price,
    startPrice: price,
    baseFee,
    dynamicFee: Buffer.alloc(96),
    liquidity: liquidityOf(shape) << 64n,
    range: [(price * 200n) / BigInt(200 + reach), (price * BigInt(200 + reach)) / 200n],
    collectFeeMode: 0,
    compoundingBps: 0,
    feeVersion: 1,
    layoutVersion: 1,
    status: 0,
    activation: { type: 1, point: 0n },
  });
}

function dbc(lab: Lab, shape: Shape): LabPool {
  const { mints, tokenPrograms, reach, fee } = shape;
  const price = rootOf(shape);
  const [start, middle, end] = [-reach, reach / 2, reach].map((part) => (price * BigInt(200 + part)) / 200n);
  const liquidity = liquidityOf(shape) << 64n;
  return writeDbcPool(lab, {
    mints,
    tokenPrograms,
    price,
    start: start!,
    end: end!,
    dynamicFee: Buffer.alloc(96),
    collectFeeMode: 0,
    points: [
      { price: middle!, liquidity },
      { price: end!, liquidity: liquidity / 2n },
    ],
    baseFee: { start: fee * 1_000n, first: 0, second: 0n, third: 0n, mode: 0 },
    activation: { type: 1, point: 0n },
  });
}

function whirlpool(lab: Lab, shape: Shape): LabPool {
  const { mints, tokenPrograms, reach, fee, depth } = shape;
  const tickSpacing = [1, 64, 128][Number(fee % 3n)]!;
  const tick = tickAt(rootOf(shape));
  const place = (at: number) => Math.floor(at / tickSpacing) * tickSpacing;
  return writeWhirlpool(lab, {
    mints,
    tokenPrograms,
    tickSpacing,
    tick,
    sqrtPrice: sqrtPriceAt(tick),
    feeRate: Number(fee),
    protocolFeeRate: 1_300,
    positions: [
      {
        lower: place(tick - 100 * reach),
        upper: place(tick + 100 * reach) + tickSpacing,
        liquidity: liquidityOf(shape),
      },
    ],
    balances: [4n * depth, 4n * depth],
    isDynamic: (start) => start < 0,
  });
}

function dlmm(lab: Lab, shape: Shape): LabPool {
  const { mints, tokenPrograms, price, depth, reach } = shape;
  const binStep = 25;
  const activeId = Math.round(Math.log(Number(price) / 1e6) / Math.log(1 + binStep / 10_000));
  const count = Math.max(1, Math.round((reach * 100) / binStep));
  const each = depth / BigInt(count);
  const bins = Array.from({ length: 2 * count + 1 }, (_, i) => activeId - count + i);
  return writePair(lab, {
    mints,
    is2022: [tokenPrograms[0] === TOKEN_2022_PROGRAM, tokenPrograms[1] === TOKEN_2022_PROGRAM],
    binStep,
    baseFactor: 10_000,
    baseFeePower: 0,
    filterPeriod: 30,
    decayPeriod: 600,
    reductionFactor: 5_000,
    variableFeeControl: 40_000,
    maxVolatility: 350_000,
    volatility: 0,
    volatilityReference: 0,
    indexReference: activeId,
    lastUpdate: 0n,
    purpose: 2,
    feeInY: false,
    activeId,
    activation: { byTime: true, point: 0n },
    bins: bins.map((id) => ({ id, x: id >= activeId ? each : 0n, y: id <= activeId ? each : 0n })),
  });
}
