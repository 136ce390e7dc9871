import { DAMM_V2_PROGRAM } from '@slipway/checks';
import { newAddress, type Random } from '@slipway/programs/testing';
import { type Address, addressToBytes, findProgramAddress, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@slipway/wire';
import { accountTag } from '../anchor.js';
import { capped, firstBetween, secondBetween } from '../meteora.js';
import { type Lab, type LabPool, sized } from './lab.js';

const AUTHORITY = findProgramAddress([Buffer.from('pool_authority')], DAMM_V2_PROGRAM).address;
const [LOWEST, HIGHEST] = [4_295_048_016n, 79_226_673_521_066_979_257_578_248_091n];
/** A basis point with 64 binary digits behind the point. */
const BIN_STEP = 1_844_674_407_370_955n;

interface DammTerms {
  tokenPrograms: [Address, Address];
  /** New ones if left out. */
  mints?: readonly [Address, Address];
  liquidity: bigint;
  price: bigint;
  range: [bigint, bigint];
  /** Of a pool that compounds; else what its liquidity takes. */
  amounts?: [bigint, bigint];
  /** The part of them that the pool says it has, where that is not all. */
  tracked?: { of: bigint; part: bigint };
  /** The 32 bytes of the base fee. */
  baseFee: Buffer;
  /** The 96 bytes of the dynamic fee. */
  dynamicFee: Buffer;
  startPrice: bigint;
  collectFeeMode: number;
  compoundingBps: number;
  feeVersion: number;
  layoutVersion: number;
  activation: { type: number; point: bigint };
  status: number;
}

/** Writes a pool with its vaults, as the program would have them. */
export function writeDammPool({ vm }: Lab, terms: DammTerms): LabPool {
  const { tokenPrograms, liquidity, price, range } = terms;
  const mints = terms.mints ?? (tokenPrograms.map((tokenProgram) => vm.mint({ tokenProgram })) as [Address, Address]);
  const amounts = terms.amounts ?? [
    firstBetween(price, range[1], liquidity, true),
    secondBetween(range[0], price, liquidity, true),
  ];
  const vaults = amounts.map((amount, i) =>
    vm.tokenAccount({ mint: mints[i]!, owner: AUTHORITY, amount, tokenProgram: tokenPrograms[i]! }),
  );
  const data = Buffer.alloc(1112);
  data.writeBigUInt64LE(accountTag('Pool'), 0);
  data.set(terms.baseFee, 8);
  data.set([20, 0, 20], 48);
  data.writeUInt16LE(terms.compoundingBps, 54);
  data.set(terms.dynamicFee, 56);
  writeU128(data, terms.startPrice, 152);
  for (const [i, key] of [...mints, ...vaults].entries()) data.set(addressToBytes(key), 168 + 32 * i);
  writeU128(data, liquidity, 360);
  for (const [i, value] of [...range, price].entries()) writeU128(data, value, 424 + 16 * i);
  data.writeBigUInt64LE(terms.activation.point, 472);
  const flags = tokenPrograms.map((program) => (program === TOKEN_2022_PROGRAM ? 1 : 0));
  data.set([terms.activation.type, terms.status, ...flags, terms.collectFeeMode, 1, terms.feeVersion], 480);
  const { of, part } = terms.tracked ?? { of: 1n, part: 1n };
  if (terms.layoutVersion === 1)
    for (const [i, amount] of amounts.entries()) data.writeBigUInt64LE((amount * part) / of, 680 + 8 * i);
  data[696] = terms.layoutVersion;
  const address = vm.put(newAddress(), data, DAMM_V2_PROGRAM);
  return { address, mints, written: [address, ...vaults, ...mints] };
}

export function writeU128(data: Buffer, value: bigint, at: number): void {
  data.writeBigUInt64LE(value & (2n ** 64n - 1n), at);
  data.writeBigUInt64LE(value >> 64n, at + 8);
}

/** A pool of any kind and size, open or with its fees on their way down. */
export function randomDammPool(lab: Lab, random: Random): LabPool {
  const { unixTimestamp, slot } = lab.time;
  const type = random(2);
  const passed = random(100_000);
  const collectFeeMode = random(3);
  const isCompounding = collectFeeMode === 2;
  const price = between(LOWEST * 1000n, HIGHEST / 1000n, random);
  const range: [bigint, bigint] = [
    [LOWEST, (price * 9n) / 10n, (price * 999n) / 1000n][random(3)]!,
    [HIGHEST, (price * 11n) / 10n, (price * 1001n) / 1000n][random(3)]!,
  ];
  const program = () => (random(4) === 0 ? TOKEN_2022_PROGRAM : TOKEN_PROGRAM);
  return writeDammPool(lab, {
    tokenPrograms: [program(), program()],
    price,
    range,
    liquidity: fitting(price, range, random),
    startPrice: (price * BigInt(50 + random(60))) / 100n,
    ...(isCompounding && { amounts: [sized(random, 50) + 1000n, sized(random, 50) + 1000n] as [bigint, bigint] }),
    baseFee: randomBaseFee(random, passed),
    dynamicFee: randomDynamicFee(random, price, unixTimestamp),
    ...(random(8) === 0 && !isCompounding && { tracked: { of: 2n, part: 1n } }),
    collectFeeMode,
    compoundingBps: isCompounding ? random(10_001) : 0,
    feeVersion: random(2),
    layoutVersion: isCompounding ? 1 : random(2),
    status: 0,
    activation: { type, point: (type === 0 ? slot : unixTimestamp) - BigInt(passed) },
  });
}

/** The largest liquidity of which both sides are numbers of 63 bits, made smaller at random. */
function fitting(price: bigint, [low, high]: [bigint, bigint], random: Random): bigint {
  const unit = 1n << 100n;
  const most = unit << 62n;
  const first = most / firstBetween(price, high, unit, true);
  const second = most / secondBetween(low, price, unit, true);
  return (capped(capped(first, second), 1n << 127n) >> BigInt(random(50))) + 1n;
}

const between = (low: bigint, high: bigint, random: Random): bigint => {
  const bits = high.toString(2).length - low.toString(2).length;
  const value = (low << BigInt(random(bits))) + sized(random, 60);
  return value > high ? high : value;
};

/** `passed`: since its activation, which is when some of them end. */
function randomBaseFee(random: Random, passed: number): Buffer {
  const duration = [random(100_000), passed, passed + 1][random(3)]!;
  const data = Buffer.alloc(32);
  const kind = random(5);
  const start = 1_000_000 + random(480_000_000);
  data.writeBigUInt64LE(BigInt(start), 0);
  data[8] = kind;
  if (kind === 2) {
    if (random(2) === 0) return data;
    data.writeUInt16LE(10 + random(100), 14);
    data.writeUInt32LE(duration, 16);
    data.writeUInt32LE(5000, 20);
    data.writeBigUInt64LE(1_000_000_000n, 24);
    return data;
  }
  const periods = 1 + random(200);
  data.writeUInt16LE(periods, 14);
  if (kind < 2) data.writeBigUInt64LE(BigInt(random(1000)), 16);
  else {
    data.writeUInt32LE(1 + random(200), 16);
    data.writeUInt32LE(duration, 20);
  }
  const isLinear = kind === 0 || kind === 3;
  data.writeBigUInt64LE(BigInt(isLinear ? random(Math.floor(start / periods)) : random(300)), 24);
  return data;
}

/** What Meteora gives to pools; others may give less or more. */
export const MOST_VOLATILITY = 14_460_000;

interface DynamicFee {
  /** How much volatility adds to the rate. */
  control: number;
  price: bigint;
  lastUpdate: bigint;
  volatility: bigint;
  reference: bigint;
}

export function dynamicFee({ control, price, lastUpdate, volatility, reference }: DynamicFee): Buffer {
  const data = Buffer.alloc(96);
  data[0] = 1;
  data.writeUInt32LE(MOST_VOLATILITY, 8);
  data.writeUInt32LE(control, 12);
  for (const [i, value] of [1, 10, 120, 5000].entries()) data.writeUInt16LE(value, 16 + 2 * i);
  data.writeBigUInt64LE(lastUpdate, 24);
  writeU128(data, BIN_STEP, 32);
  writeU128(data, price, 48);
  writeU128(data, volatility, 64);
  writeU128(data, reference, 80);
  return data;
}

export function randomDynamicFee(random: Random, price: bigint, now: bigint): Buffer {
  if (random(2) === 0) return Buffer.alloc(96);
  return dynamicFee({
    control: Number(sized(random, 24)),
    price,
    lastUpdate: now - BigInt(random(200)),
    volatility: sized(random, 23),
    reference: BigInt(random(2_000_000)),
  });
}
