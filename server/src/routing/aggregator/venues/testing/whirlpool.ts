import { IMMUTABLE_WHIRLPOOL_PROGRAM as PROGRAM } from '@slipway/checks';
import { newAddress, type Random } from '@slipway/programs/testing';
import { type Address, addressToBytes, findProgramAddress, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@slipway/wire';
import { accountTag } from '../anchor.js';
import { MAX_TICK, sqrtPriceAt } from '../whirlpool/ticks.js';
import { type Lab, type LabPool, sized } from './lab.js';

const ARRAY_TICKS = 88;

interface Position {
  lower: number;
  upper: number;
  liquidity: bigint;
}

export interface OracleTerms {
  opensAt: bigint;
  filterPeriod: number;
  decayPeriod: number;
  reductionFactor: number;
  controlFactor: number;
  maxVolatility: number;
  groupSize: number;
  majorSwapTicks: number;
  lastReferenceUpdate: bigint;
  lastMajorSwap: bigint;
  volatilityReference: number;
  groupReference: number;
  volatility: number;
}

export interface WhirlpoolTerms {
  mints?: readonly [Address, Address];
  tickSpacing: number;
  feeRate: number;
  protocolFeeRate: number;
  sqrtPrice: bigint;
  tick: number;
  positions: Position[];
  tokenPrograms: [Address, Address];
  /** In the vaults. */
  balances: [bigint, bigint];
  isDynamic(start: number): boolean;
  oracle?: OracleTerms;
}

/** Writes a pool with its ticks, its vaults and its oracle, as the program would have them after these positions. */
export function writeWhirlpool({ vm }: Lab, terms: WhirlpoolTerms): LabPool {
  const [programA, programB] = terms.tokenPrograms;
  const mints = terms.mints ?? ([vm.mint({ tokenProgram: programA }), vm.mint({ tokenProgram: programB })] as const);
  const [config, seed] = [newAddress(), Buffer.alloc(2)];
  seed.writeUInt16LE(terms.oracle ? 1_024 + terms.tickSpacing : terms.tickSpacing);
  const seeds = ['whirlpool', config, ...mints].map((part, i) =>
    i === 0 ? Buffer.from(part) : addressToBytes(part as Address),
  );
  const { address, bump } = findProgramAddress([...seeds, seed], PROGRAM);
  const vaults = ([0, 1] as const).map((side) =>
    vm.tokenAccount({
      mint: mints[side],
      owner: address,
      amount: terms.balances[side],
      tokenProgram: terms.tokenPrograms[side],
    }),
  );
  const data = Buffer.alloc(653);
  data.writeBigUInt64LE(accountTag('Whirlpool'));
  data.set(addressToBytes(config), 8);
  data[40] = bump;
  data.writeUInt16LE(terms.tickSpacing, 41);
  data.set(seed, 43);
  data.writeUInt16LE(terms.feeRate, 45);
  data.writeUInt16LE(terms.protocolFeeRate, 47);
  const active = terms.positions.filter(({ lower, upper }) => lower <= terms.tick && terms.tick < upper);
  writeU128(
    data,
    active.reduce((sum, { liquidity }) => sum + liquidity, 0n),
    49,
  );
  writeU128(data, terms.sqrtPrice, 65);
  data.writeInt32LE(terms.tick, 81);
  for (const [i, key] of [mints[0], vaults[0]!].entries()) data.set(addressToBytes(key), 101 + 32 * i);
  for (const [i, key] of [mints[1], vaults[1]!].entries()) data.set(addressToBytes(key), 181 + 32 * i);
  vm.put(address, data, PROGRAM);
  const written = [address, ...vaults, ...mints, ...writeTicks({ vm }, address, terms)];
  if (terms.oracle) {
    const oracle = findProgramAddress([Buffer.from('oracle'), addressToBytes(address)], PROGRAM).address;
    written.push(vm.put(oracle, oracleData(address, terms.oracle), PROGRAM));
  }
  return { address, mints, written };
}

function writeTicks({ vm }: Pick<Lab, 'vm'>, pool: Address, terms: WhirlpoolTerms): Address[] {
  const size = ARRAY_TICKS * terms.tickSpacing;
  const arrays = new Map<number, Map<number, { net: bigint; gross: bigint }>>();
  const add = (tick: number, net: bigint, gross: bigint) => {
    const start = Math.floor(tick / size) * size;
    const ticks = arrays.get(start) ?? new Map<number, { net: bigint; gross: bigint }>();
    arrays.set(start, ticks);
    const offset = (tick - start) / terms.tickSpacing;
    const known = ticks.get(offset) ?? { net: 0n, gross: 0n };
    ticks.set(offset, { net: known.net + net, gross: known.gross + gross });
  };
  for (const { lower, upper, liquidity } of terms.positions) {
    add(lower, liquidity, liquidity);
    add(upper, -liquidity, liquidity);
  }
  return [...arrays].map(([start, ticks]) => {
    const seeds = [Buffer.from('tick_array'), addressToBytes(pool), Buffer.from(String(start))];
    const data = terms.isDynamic(start) ? dynamicArray(pool, start, ticks) : fixedArray(pool, start, ticks);
    return vm.put(findProgramAddress(seeds, PROGRAM).address, data, PROGRAM);
  });
}

type Ticks = ReadonlyMap<number, { net: bigint; gross: bigint }>;

function fixedArray(pool: Address, start: number, ticks: Ticks): Buffer {
  const data = Buffer.alloc(9_988);
  data.writeBigUInt64LE(accountTag('TickArray'));
  data.writeInt32LE(start, 8);
  for (const [offset, { net, gross }] of ticks) {
    const at = 12 + 113 * offset;
    data[at] = 1;
    writeU128(data, net, at + 1);
    writeU128(data, gross, at + 17);
  }
  data.set(addressToBytes(pool), 9_956);
  return data;
}

function dynamicArray(pool: Address, start: number, ticks: Ticks): Buffer {
  const data = Buffer.alloc(60 + ARRAY_TICKS + 112 * ticks.size);
  data.writeBigUInt64LE(accountTag('DynamicTickArray'));
  data.writeInt32LE(start, 8);
  data.set(addressToBytes(pool), 12);
  let [bitmap, at] = [0n, 60];
  for (let offset = 0; offset < ARRAY_TICKS; offset++) {
    const tick = ticks.get(offset);
    data[at++] = tick ? 1 : 0;
    if (!tick) continue;
    bitmap |= 1n << BigInt(offset);
    writeU128(data, tick.net, at);
    writeU128(data, tick.gross, at + 16);
    at += 112;
  }
  writeU128(data, bitmap, 44);
  return data;
}

function oracleData(pool: Address, terms: OracleTerms): Buffer {
  const data = Buffer.alloc(254);
  data.writeBigUInt64LE(accountTag('Oracle'));
  data.set(addressToBytes(pool), 8);
  data.writeBigUInt64LE(terms.opensAt, 40);
  data.writeUInt16LE(terms.filterPeriod, 48);
  data.writeUInt16LE(terms.decayPeriod, 50);
  data.writeUInt16LE(terms.reductionFactor, 52);
  data.writeUInt32LE(terms.controlFactor, 54);
  data.writeUInt32LE(terms.maxVolatility, 58);
  data.writeUInt16LE(terms.groupSize, 62);
  data.writeUInt16LE(terms.majorSwapTicks, 64);
  data.writeBigUInt64LE(terms.lastReferenceUpdate, 82);
  data.writeBigUInt64LE(terms.lastMajorSwap, 90);
  data.writeUInt32LE(terms.volatilityReference, 98);
  data.writeInt32LE(terms.groupReference, 102);
  data.writeUInt32LE(terms.volatility, 106);
  return data;
}

function writeU128(data: Buffer, value: bigint, at: number): void {
  const bits = BigInt.asUintN(128, value);
  data.writeBigUInt64LE(bits & (2n ** 64n - 1n), at);
  data.writeBigUInt64LE(bits >> 64n, at + 8);
}

/** A pool of any shape, with liquidity near the price and far from it, as it may stand on a chain. */
export function randomWhirlpool(lab: Lab, random: Random): LabPool {
  const tickSpacing = [1, 2, 4, 8, 16, 64, 96, 128, 256, 32_896][random(10)]!;
  const edge = Math.floor(MAX_TICK / tickSpacing) * tickSpacing;
  const span = random(8) === 0 ? MAX_TICK : random(4) === 0 ? 200_000 : 20_000;
  const tick = random(2 * span + 1) - span;
  const below = sqrtPriceAt(tick);
  const isOnTick = random(4) === 0;
  const place = (at: number) => Math.min(edge, Math.max(-edge, Math.floor(at / tickSpacing) * tickSpacing));
  const reach = tickSpacing * (random(2) === 0 ? 30 : 250);
  const positions: Position[] = [];
  for (let i = random(10) === 0 ? 0 : 1 + random(12); i > 0; i--) {
    const lower = place(tick + random(2 * reach) - reach);
    const upper = place(lower + tickSpacing * (1 + random(60)));
    if (upper > lower) positions.push({ lower, upper, liquidity: sized(random, 70) });
  }
  if (random(2) === 0) positions.push({ lower: -edge, upper: edge, liquidity: sized(random, 64) });
  const dynamic = random(3);
  const tokenProgram = () => (random(4) === 0 ? TOKEN_2022_PROGRAM : TOKEN_PROGRAM);
  return writeWhirlpool(lab, {
    tickSpacing,
    feeRate: [0, 1, 100, 400, 3_000, 10_000, 60_000][random(7)]!,
    protocolFeeRate: [0, 300, 1_300, 2_500][random(4)]!,
    sqrtPrice:
      isOnTick || tick === MAX_TICK
        ? below
        : below + ((sqrtPriceAt(tick + 1) - below) * BigInt(random(1_000))) / 1_000n,
    // A price that came down to a tick and went over it stands on that tick, in the one below.
    tick: isOnTick && random(2) === 0 ? tick - 1 : tick,
    positions,
    tokenPrograms: [tokenProgram(), tokenProgram()],
    balances: [2n ** 62n, 2n ** 62n],
    isDynamic: (start) => (dynamic === 2 ? start % 3 === 0 : dynamic === 1),
    ...(random(2) === 0 && { oracle: randomOracle(random, { tickSpacing, tick, now: lab.time.unixTimestamp }) }),
  });
}

function randomOracle(
  random: Random,
  { tickSpacing, tick, now }: { tickSpacing: number; tick: number; now: bigint },
): OracleTerms {
  const divisors = [tickSpacing, 1, 2, 4, 8].filter((n) => tickSpacing % n === 0);
  const groupSize = divisors[random(divisors.length)]!;
  const [filterPeriod, decayPeriod] = [1 + random(60), 61 + random(1_000)];
  const maxVolatility = Math.min(
    Math.floor((2 ** 32 - 1) / groupSize),
    [0, 5_000, 88_000, 350_000, 4_000_000][random(5)]!,
  );
  const ago = () => BigInt([0, random(filterPeriod), random(decayPeriod), random(5_000)][random(4)]!);
  const volatility = random(maxVolatility + 1);
  return {
    opensAt: now - ago(),
    filterPeriod,
    decayPeriod,
    groupSize,
    maxVolatility,
    volatility,
    reductionFactor: random(10_000),
    controlFactor: [0, 1, 1_500, 20_000, 99_999][random(5)]!,
    majorSwapTicks: 1 + random(tickSpacing),
    lastReferenceUpdate: now - ago(),
    lastMajorSwap: now - ago(),
    volatilityReference: random(volatility + 1),
    groupReference: Math.floor(tick / groupSize) + random(21) - 10,
  };
}
