import {
  DAMM_V2_PROGRAM,
  DBC_PROGRAM,
  DLMM_PROGRAM,
  IMMUTABLE_WHIRLPOOL_PROGRAM,
  RAYDIUM_CPMM_PROGRAM,
} from '@slipway/checks';
import { type Address, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@slipway/wire';
import type { ChainAccount } from '../../../../chain/index.js';
import { Lab, type LabPool } from './lab.js';
import { writeDammPool } from './meteora-damm-v2.js';
import { writeDbcPool } from './meteora-dbc.js';
import { writePair } from './meteora-dlmm.js';
import { writeCpmmPool } from './raydium-cpmm.js';
import { TESTED_VENUES } from './venues.js';
import { writeWhirlpool } from './whirlpool.js';

export { missingPrograms } from './lab.js';

const ONE = 1n << 64n;
const DEEP = 10n ** 13n;

/** Those of the row's pools, in its order. */
export const ROW_PROGRAMS = [
  ...[RAYDIUM_CPMM_PROGRAM, DAMM_V2_PROGRAM, DBC_PROGRAM, IMMUTABLE_WHIRLPOOL_PROGRAM, DLMM_PROGRAM],
];

/** A pool of each venue in a row: the first between tokens 0 and 1, the next between 1 and 2, and so on. */
export interface PoolRow {
  tokens: { mint: Address; tokenProgram: Address; decimals: number }[];
  pools: { address: Address; label: string }[];
  /** All that must be written for them, the mints too. */
  accounts: [Address, ChainAccount][];
  /** What a lookup table has, so that all routes fit. */
  table: Address[];
}

/** Tokens of 6 decimals of both token programs, and pools around a price of 1. The venues' programs are not needed. */
export function writeRow(): PoolRow {
  const lab = new Lab();
  const tokenPrograms = [...ROW_PROGRAMS, undefined].map((_, i) => (i % 2 === 0 ? TOKEN_PROGRAM : TOKEN_2022_PROGRAM));
  const mints = tokenPrograms.map((tokenProgram) => lab.vm.mint({ tokenProgram }));
  const pair = (a: number, b: number): Pair => ({
    mints: [mints[a]!, mints[b]!],
    tokenPrograms: [tokenPrograms[a]!, tokenPrograms[b]!],
  });
  const written = [
    ...[cpmm(lab, pair(0, 1)), damm(lab, pair(1, 2)), writeCurve(lab, pair(3, 2))],
    ...[whirlpool(lab, pair(3, 4)), dlmm(lab, pair(4, 5))],
  ];
  const pools = written.map(({ address }, i) => {
    const { venue } = TESTED_VENUES.find((tested) => tested.venue.program === ROW_PROGRAMS[i])!;
    const { state } = lab.open(venue, address);
    if (typeof state === 'string') throw new Error(state);
    const parties = { owner: lab.taker, source: lab.taker, destination: lab.taker, amountIn: 1n, minOut: 0n };
    const swaps = ([0, 1] as const).map((side) => state.swap(side, parties));
    return {
      address,
      label: venue.label,
      named: swaps.flatMap(({ accounts }) => accounts.map((meta) => meta.address)),
    };
  });
  const addresses = [...new Set(written.flatMap((pool) => pool.written))];
  const table = new Set([...addresses, ...ROW_PROGRAMS, ...tokenPrograms, ...pools.flatMap(({ named }) => named)]);
  table.delete(lab.taker);
  return {
    tokens: mints.map((mint, i) => ({ mint, tokenProgram: tokenPrograms[i]!, decimals: 6 })),
    pools: pools.map(({ address, label }) => ({ address, label })),
    accounts: addresses.map((address) => [address, lab.account(address)!]),
    table: [...table],
  };
}

/** Of the venues that can be traded with in either direction from the start, by two mints that need not be written. */
export const PAIR_WRITERS: readonly ((lab: Lab, pair: Pair) => LabPool)[] = [cpmm, damm, whirlpool, dlmm];

interface Pair {
  mints: [Address, Address];
  tokenPrograms: [Address, Address];
}

function cpmm(lab: Lab, pair: Pair) {
  return writeCpmmPool(lab, {
    ...pair,
    balances: [DEEP, 3n * DEEP],
    tradeFee: 2_500n,
    owed: [
      [1n, 2n],
      [3n, 4n],
    ],
    status: 0,
    openTime: 0n,
  });
}

/** 0.3 %. */
const FEE = 3_000_000n;

function damm(lab: Lab, pair: Pair) {
  const baseFee = Buffer.alloc(32);
  baseFee.writeBigUInt64LE(FEE, 0);
  return writeDammPool(lab, {
    ...pair,
    liquidity: DEEP << 64n,
    price: ONE,
    range: [ONE / 2n, ONE * 2n],
    startPrice: ONE,
    baseFee,
    dynamicFee: Buffer.alloc(96),
    collectFeeMode: 0,
    compoundingBps: 0,
    feeVersion: 1,
    layoutVersion: 1,
    activation: { type: 1, point: 0n },
    status: 0,
  });
}

/** A launch curve half way, of the first token for the second. */
export function writeCurve(lab: Lab, pair: Pair): LabPool {
  const points = [2n, 3n, 4n].map((times, i) => ({ price: ONE * times, liquidity: (DEEP << 64n) / BigInt(i + 1) }));
  return writeDbcPool(lab, {
    ...pair,
    start: ONE,
    points,
    end: ONE * 4n,
    price: (ONE * 3n) / 2n,
    dynamicFee: Buffer.alloc(96),
    collectFeeMode: 0,
    baseFee: { start: FEE, first: 0, second: 0n, third: 0n, mode: 0 },
    activation: { type: 1, point: 0n },
  });
}

function whirlpool(lab: Lab, pair: Pair) {
  return writeWhirlpool(lab, {
    ...pair,
    tickSpacing: 64,
    feeRate: 3_000,
    protocolFeeRate: 1_300,
    sqrtPrice: ONE,
    tick: 0,
    positions: [
      { lower: -6_400, upper: 6_400, liquidity: DEEP },
      { lower: -64, upper: 128, liquidity: 5n * DEEP },
    ],
    balances: [DEEP, DEEP],
    isDynamic: (start) => start < 0,
  });
}

function dlmm(lab: Lab, pair: Pair) {
  const [sold, bought] = [(id: number) => (id >= 7 ? DEEP : 0n), (id: number) => (id <= 7 ? DEEP : 0n)];
  return writePair(lab, {
    mints: pair.mints,
    is2022: [pair.tokenPrograms[0] === TOKEN_2022_PROGRAM, pair.tokenPrograms[1] === TOKEN_2022_PROGRAM],
    binStep: 25,
    baseFactor: 10_000,
    baseFeePower: 0,
    filterPeriod: 30,
    decayPeriod: 600,
    reductionFactor: 5_000,
    variableFeeControl: 40_000,
    maxVolatility: 350_000,
    volatility: 0,
    volatilityReference: 0,
    indexReference: 7,
    lastUpdate: 0n,
    purpose: 2,
    feeInY: false,
    activeId: 7,
    activation: { byTime: true, point: 0n },
    bins: Array.from({ length: 100 }, (_, i) => ({ id: i - 43, x: sold(i - 43), y: bought(i - 43) })),
  });
}
