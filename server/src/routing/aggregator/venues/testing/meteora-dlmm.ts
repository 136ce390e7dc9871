import { DLMM_PROGRAM } from '@slipway/checks';
import { newAddress, type Random } from '@slipway/programs/testing';
import {
  type Address,
  addressToBytes,
  findProgramAddress,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  address as toAddress,
} from '@slipway/wire';
import { accountTag } from '../anchor.js';
import { type Lab, type LabPool, sized } from './lab.js';

const ARRAY_BINS = 70;
const OWN_ARRAYS = 512;
/** Beside the mints, the seed of the address of a pair that anybody can create with terms of their own. */
const CUSTOM_BASE = toAddress('MFGQxwAmB91SwuYX36okv2Qmdc9aMuHTwWGUrp4AtB1');

interface BinTerms {
  id: number;
  x: bigint;
  y: bigint;
  orders?: { sellsX: boolean; open: bigint; processing: bigint };
}

export interface PairTerms {
  mints?: readonly [Address, Address];
  binStep: number;
  baseFactor: number;
  baseFeePower: number;
  filterPeriod: number;
  decayPeriod: number;
  reductionFactor: number;
  variableFeeControl: number;
  maxVolatility: number;
  volatility: number;
  volatilityReference: number;
  indexReference: number;
  lastUpdate: bigint;
  /** 0: not said; 1: rewards; 2: limit orders. */
  purpose: number;
  feeInY: boolean;
  activeId: number;
  activation: { byTime: boolean; point: bigint };
  bins: BinTerms[];
  is2022: [boolean, boolean];
}

/** A pair whose fee does not change, open since ever, of tokens without extensions. */
export const CALM = {
  baseFeePower: 0,
  filterPeriod: 30,
  decayPeriod: 600,
  reductionFactor: 5_000,
  variableFeeControl: 0,
  maxVolatility: 350_000,
  volatility: 0,
  volatilityReference: 0,
  indexReference: 0,
  lastUpdate: 0n,
  feeInY: false,
  activation: { byTime: true, point: 0n },
  is2022: [false, false],
} satisfies Partial<PairTerms>;

/** Writes a pair with its bins, its vaults and its oracle, as the program would have them. */
export function writePair({ vm }: Lab, terms: PairTerms): LabPool {
  const tokenProgram = (side: 0 | 1) => (terms.is2022[side] ? TOKEN_2022_PROGRAM : TOKEN_PROGRAM);
  const mints =
    terms.mints ??
    (([0, 1] as const).map((side) => vm.mint({ tokenProgram: tokenProgram(side) })) as [Address, Address]);
  const sorted = mints.map(addressToBytes).sort(Buffer.compare);
  const { address, bump } = findProgramAddress([addressToBytes(CUSTOM_BASE), ...sorted], DLMM_PROGRAM);
  const total = (amount: (bin: BinTerms) => bigint) => terms.bins.reduce((sum, bin) => sum + amount(bin), 0n);
  const orders = ({ orders }: BinTerms, sellsX: boolean) =>
    orders?.sellsX === sellsX ? orders.open + orders.processing : 0n;
  const balances = [total((bin) => bin.x + orders(bin, true)), total((bin) => bin.y + orders(bin, false))] as const;
  const vaults = ([0, 1] as const).map((side) =>
    vm.tokenAccount({ mint: mints[side], owner: address, amount: balances[side], tokenProgram: tokenProgram(side) }),
  );
  const oracle = newAddress();
  const data = Buffer.alloc(904);
  data.writeBigUInt64LE(accountTag('LbPair'));
  writeParameters(data, terms);
  data.set([bump], 72);
  data.set([2], 75);
  data.set([terms.activation.byTime ? 1 : 0], 86);
  const keys = [...mints, ...vaults];
  for (const [i, key] of keys.entries()) data.set(addressToBytes(key), 88 + 32 * i);
  data.set(addressToBytes(oracle), 552);
  data.set(addressToBytes(CUSTOM_BASE), 784);
  data.writeBigUInt64LE(terms.activation.point, 816);
  data.set([terms.is2022[0] ? 1 : 0, terms.is2022[1] ? 1 : 0, 1], 880);
  const { extension, arrays } = writeBins({ vm }, address, terms, data);
  const written = [vm.put(address, data, DLMM_PROGRAM), oracle, ...mints, ...vaults, ...arrays];
  if (extension) written.push(vm.put(derived('bitmap', address), extension, DLMM_PROGRAM));
  const observations = Buffer.alloc(3_232);
  observations.writeBigUInt64LE(accountTag('Oracle'));
  observations.writeBigUInt64LE(100n, 24);
  vm.put(oracle, observations, DLMM_PROGRAM);
  return { address, mints, written };
}

function writeParameters(data: Buffer, terms: PairTerms): void {
  const u16 = [terms.baseFactor, terms.filterPeriod, terms.decayPeriod, terms.reductionFactor];
  for (const [i, value] of u16.entries()) data.writeUInt16LE(value, 8 + 2 * i);
  data.writeUInt32LE(terms.variableFeeControl, 16);
  data.writeUInt32LE(terms.maxVolatility, 20);
  data.writeInt32LE(-443_636, 24);
  data.writeInt32LE(443_636, 28);
  data.writeUInt16LE(500, 32);
  data.set([terms.baseFeePower, terms.purpose, terms.feeInY ? 1 : 0], 34);
  data.writeUInt32LE(terms.volatility, 40);
  data.writeUInt32LE(terms.volatilityReference, 44);
  data.writeInt32LE(terms.indexReference, 48);
  data.writeBigInt64LE(terms.lastUpdate, 56);
  data.writeUInt16LE(terms.binStep, 73);
  data.writeInt32LE(terms.activeId, 76);
  data.writeUInt16LE(terms.binStep, 80);
}

/** Writes the bins and the bitmap that covers them; the extension's, where it is needed. */
function writeBins(
  { vm }: Pick<Lab, 'vm'>,
  pair: Address,
  { bins, binStep }: PairTerms,
  data: Buffer,
): { extension: Buffer | undefined; arrays: Address[] } {
  const arrays = new Map<number, Buffer>();
  let extension: Buffer | undefined;
  for (const bin of bins) {
    const index = Math.floor(bin.id / ARRAY_BINS);
    let array = arrays.get(index);
    if (!array) {
      array = Buffer.alloc(10_136);
      array.writeBigUInt64LE(accountTag('BinArray'));
      array.writeBigInt64LE(BigInt(index), 8);
      array.set([2], 16);
      array.set(addressToBytes(pair), 24);
      arrays.set(index, array);
    }
    writeBin(array, 56 + 144 * (bin.id - index * ARRAY_BINS), bin, binStep);
    if (index >= -OWN_ARRAYS && index < OWN_ARRAYS) setBit(data, 584, index + OWN_ARRAYS);
    else {
      extension ??= emptyExtension(pair);
      if (index > 0) setBit(extension, 40, index - OWN_ARRAYS);
      else setBit(extension, 808, -index - 1 - OWN_ARRAYS);
    }
  }
  const written = [...arrays].map(([index, array]) => {
    const place = Buffer.alloc(8);
    place.writeBigInt64LE(BigInt(index));
    return vm.put(derived('bin_array', pair, place), array, DLMM_PROGRAM);
  });
  return { extension, arrays: written };
}

function writeBin(array: Buffer, at: number, { id, x, y, orders }: BinTerms, binStep: number): void {
  array.writeBigUInt64LE(x, at);
  array.writeBigUInt64LE(y, at + 8);
  writeU128(array, priceOf(id, binStep), at + 16);
  writeU128(array, (x + y) << 64n, at + 32);
  if (!orders) return;
  array.writeBigUInt64LE(orders.open, at + 112);
  array.writeBigUInt64LE(orders.processing * 2n, at + 120);
  array.writeBigUInt64LE(orders.processing, at + 128);
  array.set([orders.sellsX ? 1 : 0], at + 140);
}

function emptyExtension(pair: Address): Buffer {
  const data = Buffer.alloc(1_576);
  data.writeBigUInt64LE(accountTag('BinArrayBitmapExtension'));
  data.set(addressToBytes(pair), 8);
  return data;
}

function setBit(data: Buffer, at: number, bit: number): void {
  data[at + (bit >> 3)]! |= 1 << (bit & 7);
}

function derived(seed: string, pair: Address, ...more: Uint8Array[]): Address {
  return findProgramAddress([Buffer.from(seed), addressToBytes(pair), ...more], DLMM_PROGRAM).address;
}

function writeU128(data: Buffer, value: bigint, at: number): void {
  data.writeBigUInt64LE(value & (2n ** 64n - 1n), at);
  data.writeBigUInt64LE(value >> 64n, at + 8);
}

const ONE = 1n << 64n;
const U128_MAX = (1n << 128n) - 1n;

/** The price that the program stores in a bin: (1 + step) to the power of its number, with 64 fractional bits. */
function priceOf(id: number, binStep: number): bigint {
  let square = U128_MAX / (ONE + (BigInt(binStep) << 64n) / 10_000n);
  let result = ONE;
  for (let left = Math.abs(id); left > 0; left >>= 1) {
    if (left & 1) result = (result * square) >> 64n;
    square = (square * square) >> 64n;
  }
  return id > 0 ? U128_MAX / result : result;
}

/** A pair of any shape, with liquidity and limit orders near the price and with gaps. */
export function randomPair(lab: Lab, random: Random): LabPool {
  const now = lab.time.unixTimestamp;
  const binStep = [1, 2, 4, 5, 8, 10, 15, 20, 25, 50, 80, 100, 200, 400][random(14)]!;
  // Prices between 2^-20 and 2^20: beyond, what is traded here for one unit is nothing or more than there is.
  const reach = Math.floor((20 * Math.LN2) / Math.log1p(binStep / 10_000));
  const near = Math.min(reach, 36_000);
  const span = random(3) === 0 ? reach : random(2) === 0 ? near : 300;
  const activeId = random(2 * span + 1) - span;
  const purpose = random(3);
  const bins: BinTerms[] = [];
  const width = [3, 20, 120, 400][random(4)]!;
  const fullness = 1 + random(8);
  for (let id = activeId - width; id <= activeId + width; id++) {
    if (random(8) < fullness || id === activeId) bins.push(randomBin(random, id, activeId, purpose));
  }
  const volatility = random(350_000);
  const ago = () => BigInt([0, random(30), random(600), random(5_000)][random(4)]!);
  return writePair(lab, {
    binStep,
    activeId,
    purpose,
    bins,
    volatility,
    volatilityReference: random(volatility + 1),
    baseFactor: [0, 1, 5_000, 10_000, 50_000][random(5)]!,
    baseFeePower: [0, 0, 0, 1, 2][random(5)]!,
    filterPeriod: 1 + random(60),
    decayPeriod: 61 + random(1_000),
    reductionFactor: random(10_001),
    variableFeeControl: [0, 7_500, 40_000, 200_000][random(4)]!,
    maxVolatility: [0, 150_000, 350_000, 429_000][random(4)]!,
    indexReference: activeId + random(21) - 10,
    lastUpdate: now - ago(),
    feeInY: random(2) === 0,
    activation: { byTime: random(2) === 0, point: 0n },
    is2022: [random(4) === 0, random(4) === 0],
  });
}

function randomBin(random: Random, id: number, activeId: number, purpose: number): BinTerms {
  const bits = 28 + random(24);
  const amount = () => (random(6) === 0 ? BigInt(random(3)) : sized(random, bits));
  // Above the price lies X, below it Y; in the active bin are both.
  const x = id >= activeId ? amount() : 0n;
  const y = id <= activeId ? amount() : 0n;
  const sellsX = id > activeId || (id === activeId && random(2) === 0);
  const orders = { sellsX, open: amount(), processing: random(2) === 0 ? amount() : 0n };
  return { id, x, y, ...(purpose !== 1 && random(3) === 0 && { orders }) };
}
