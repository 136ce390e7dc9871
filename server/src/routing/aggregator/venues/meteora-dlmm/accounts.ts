import type { Address } from '@slipway/wire';
import type { ChainAccount } from '../../../../chain/index.js';
import { accountTag, addressAt, taggedView, u64At, u128At } from '../anchor.js';

export const PAIR_SIZE = 904;
/** Bins in a bin array. */
export const ARRAY_BINS = 70;
const ARRAY_SIZE = 10_136;
const ARRAY_HEAD_SIZE = 56;
const BIN_SIZE = 144;
const EXTENSION_SIZE = 1_576;
/** The pair's own bitmap covers this many arrays on either side of the first bin, the extension's twelve times more. */
const OWN_ARRAYS = 512;
const EXTENSION_ARRAYS = 12 * OWN_ARRAYS;

const PAIR = accountTag('LbPair');
const BIN_ARRAY = accountTag('BinArray');
const EXTENSION = accountTag('BinArrayBitmapExtension');

const PERMISSION = 1;
const CUSTOMIZABLE = 2;
const LAST_PAIR_TYPE = 3;
/** What a pair is for besides trading: unspecified, rewards for liquidity, limit orders. */
const FUNCTIONS = ['undetermined', 'rewards', 'limit-orders'] as const;
const REWARD_MINTS = [264, 408];

/** A pair's account. Times are in seconds. */
export interface DlmmPair {
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
  lastUpdate: number;
  activeId: number;
  binStep: number;
  /** Whether limit orders are filled beside the liquidity. */
  hasLimitOrders: boolean;
  /** Whether the fee is always taken in token Y; otherwise it is taken from the input. */
  feeInY: boolean;
  isEnabled: boolean;
  /** The slot or time before which nobody can trade. */
  activation: { by: 'slot' | 'time'; point: bigint } | undefined;
  mints: [Address, Address];
  vaults: [Address, Address];
  /** Whether each mint is of Token-2022. */
  is2022: [boolean, boolean];
  oracle: Address;
  /** Arrays with liquidity, as far as the pair's own bitmap tells, lowest first. */
  filled: number[];
}

/** Reads a pair's account; undefined if it is not one, or of an unknown kind. */
export function decodePair(program: Address, account: ChainAccount): DlmmPair | undefined {
  const view = taggedView(account, { program, tag: PAIR, size: PAIR_SIZE });
  if (!view) return undefined;
  const { data } = account;
  const u16 = (at: number) => view.getUint16(at, true);
  const u32 = (at: number) => view.getUint32(at, true);
  const address = (at: number) => addressAt(data, at);
  const [purpose, feeMode, pairType, status] = [FUNCTIONS[data[35]!], data[36]!, data[75]!, data[82]!];
  const [activationType, flagX, flagY] = [data[86]!, data[880]!, data[881]!];
  const isKnown = feeMode <= 1 && status <= 1 && activationType <= 1 && flagX <= 1 && flagY <= 1;
  if (!isKnown || purpose === undefined || pairType > LAST_PAIR_TYPE || u16(80) === 0) return undefined;
  const isTimed = pairType === PERMISSION || pairType === CUSTOMIZABLE;
  return {
    baseFactor: u16(8),
    filterPeriod: u16(10),
    decayPeriod: u16(12),
    reductionFactor: u16(14),
    variableFeeControl: u32(16),
    maxVolatility: u32(20),
    baseFeePower: data[34]!,
    volatility: u32(40),
    volatilityReference: u32(44),
    indexReference: view.getInt32(48, true),
    lastUpdate: Number(view.getBigInt64(56, true)),
    activeId: view.getInt32(76, true),
    binStep: u16(80),
    // An unspecified pair has limit orders unless it has rewards.
    hasLimitOrders:
      purpose === 'limit-orders' || (purpose === 'undetermined' && !REWARD_MINTS.some((at) => isKey(view, at))),
    feeInY: feeMode === 1,
    isEnabled: status === 0,
    activation: isTimed ? { by: activationType === 0 ? 'slot' : 'time', point: u64At(view, 816) } : undefined,
    mints: [address(88), address(120)],
    vaults: [address(152), address(184)],
    is2022: [flagX === 1, flagY === 1],
    oracle: address(552),
    filled: bitsAt(view, 584, 2 * OWN_ARRAYS, (bit) => bit - OWN_ARRAYS),
  };
}

/** A bin's amounts, in units; its price with 64 fractional bits. */
export interface Bin {
  /** Amounts to pay out: the liquidity's, then those of limit orders in the order in which they are filled. */
  layers: readonly bigint[];
  /** Y per X. */
  price: bigint;
}

/** 70 neighboring bins. */
export class BinArray {
  readonly index: number;
  readonly pair: Address;
  readonly #view: DataView;

  constructor(index: number, pair: Address, view: DataView) {
    this.index = index;
    this.pair = pair;
    this.#view = view;
  }

  /** What a trade that pays out Y, or X, finds in a bin of this array; undefined if the bin is empty. */
  bin(id: number, paysY: boolean, hasLimitOrders: boolean): Bin | undefined {
    const view = this.#view;
    const at = ARRAY_HEAD_SIZE + (id - this.index * ARRAY_BINS) * BIN_SIZE;
    const layers = [u64At(view, at + (paysY ? 8 : 0))];
    // A bin's orders are on one side at a time: they sell X, or they sell Y.
    if (hasLimitOrders && (view.getUint8(at + 140) === 0) === paysY)
      layers.push(u64At(view, at + 128), u64At(view, at + 112));
    const filled = layers.filter((amount) => amount > 0n);
    return filled.length > 0 ? { layers: filled, price: u128At(view, at + 16) } : undefined;
  }
}

/** Reads a bin array's account; undefined if it is not one. */
export function decodeBinArray(program: Address, account: ChainAccount): BinArray | undefined {
  const view = taggedView(account, { program, tag: BIN_ARRAY, size: ARRAY_SIZE });
  const index = view && Number(view.getBigInt64(8, true));
  return view && new BinArray(index!, addressAt(account.data, 24), view);
}

/** The account whose bitmaps cover the arrays beyond the pair's own bitmap. */
export interface BitmapExtension {
  pair: Address;
  /** Arrays with liquidity, the lowest first. */
  below: number[];
  above: number[];
}

export function decodeExtension(program: Address, account: ChainAccount): BitmapExtension | undefined {
  const view = taggedView(account, { program, tag: EXTENSION, size: EXTENSION_SIZE });
  if (!view) return undefined;
  const above = bitsAt(view, 40, EXTENSION_ARRAYS, (bit) => OWN_ARRAYS + bit);
  const below = bitsAt(view, 40 + EXTENSION_ARRAYS / 8, EXTENSION_ARRAYS, (bit) => -OWN_ARRAYS - 1 - bit);
  return { pair: addressAt(account.data, 8), below: below.reverse(), above };
}

/** Whether the pair's own bitmap covers an array. */
export const isOwnIndex = (index: number) => index >= -OWN_ARRAYS && index < OWN_ARRAYS;

export const arrayOf = (id: number) => Math.floor(id / ARRAY_BINS);

/** The set bits, lowest first, as what they stand for. */
function bitsAt(view: DataView, at: number, count: number, meaning: (bit: number) => number): number[] {
  const bits: number[] = [];
  for (let word = 0; word < count / 32; word++) {
    for (let left = view.getUint32(at + 4 * word, true); left !== 0; left &= left - 1) {
      bits.push(meaning(32 * word + 31 - Math.clz32(left & -left)));
    }
  }
  return bits;
}

const isKey = (view: DataView, at: number) => [0, 8, 16, 24].some((word) => u64At(view, at + word) !== 0n);
