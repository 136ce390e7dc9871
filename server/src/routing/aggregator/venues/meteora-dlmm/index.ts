import { DLMM_PROGRAM, instructionTag } from '@slipway/checks';
import {
  type Address,
  addressToBytes,
  CLOCK_SYSVAR,
  findProgramAddress,
  type Instruction,
  MEMO_PROGRAM,
  readonlyAccount,
  readonlySigner,
  TOKEN_2022_PROGRAM,
  writableAccount,
} from '@slipway/wire';
import { type ChainAccount, type ClockTime, readClock } from '../../../../chain/index.js';
import type { PoolState, PoolToken, Side, SwapAccounts, Venue } from '../../venue.js';
import { anchorInstruction, FIRST_NUMBER_AT, readOnce } from '../anchor.js';
import { createDerivation } from '../derived.js';
import { moreSteps } from '../more-steps.js';
import { openVault, type Vault } from '../vaults.js';
import {
  arrayOf,
  type BinArray,
  type BitmapExtension,
  type DlmmPair,
  decodeBinArray,
  decodeExtension,
  decodePair,
  isOwnIndex,
  PAIR_SIZE,
} from './accounts.js';
import { depthOf, type Estimates, estimatesOf } from './estimates.js';
import { baseRate, type RateOf, rateAt, shareOf } from './fee.js';
import { ARRAY_UNITS, BIN_UNITS, stepPoints } from './moves.js';
import { isEmpty, trade, type Way } from './trade.js';

/** Bin arrays that a trade is given. */
const ARRAYS_AHEAD = 3;
const SWAP = instructionTag('swap2');
const EVENT_AUTHORITY = findProgramAddress([Buffer.from('__event_authority')], DLMM_PROGRAM).address;
/** Liquidity counts as depth behind the price up to four times and down to a fourth of it. */
const NEAR = 4;
const NO_PAIR = 'no pair that is understood';

const derive = createDerivation(DLMM_PROGRAM);
const pairOf = readOnce((account) => decodePair(DLMM_PROGRAM, account));
const binsAt = readOnce((account) => decodeBinArray(DLMM_PROGRAM, account));
const extensionAt = readOnce((account) => decodeExtension(DLMM_PROGRAM, account));

function arrayAddress(pair: Address, index: number): Address {
  return derive(`${pair} ${index}`, () => {
    const place = Buffer.alloc(8);
    place.writeBigInt64LE(BigInt(index));
    return [Buffer.from('bin_array'), addressToBytes(pair), place];
  });
}

const extensionAddress = (pair: Address) =>
  derive(`${pair} bitmap`, () => [Buffer.from('bitmap'), addressToBytes(pair)]);

/** Meteora's bins of liquidity ("DLMM"): https://github.com/MeteoraAg/dlmm-sdk has the interface. */
export function dlmmVenue(): Venue {
  return {
    label: 'Meteora DLMM',
    program: DLMM_PROGRAM,
    poolSize: PAIR_SIZE,
    amountOffset: FIRST_NUMBER_AT,
    mintOffsets: [88, 120],
    describe(address, account) {
      const pair = pairOf(account);
      if (!pair || pair.mints[0] === pair.mints[1]) return NO_PAIR;
      const arrays = indexesAround(pair).map((index) => arrayAddress(address, index));
      return { mints: pair.mints, accounts: [...pair.vaults, CLOCK_SYSVAR, extensionAddress(address), ...arrays] };
    },
    open(address, account, [accountX, accountY, clock, extension, ...others]) {
      const pair = pairOf(account);
      if (!pair) return NO_PAIR;
      const now = readClock(clock);
      if (!now) return 'the clock cannot be read';
      const refusal = refusalOf(pair, now);
      if (refusal !== undefined) return refusal;
      const [x, y] = [openVault(accountX, pair.mints[0], true), openVault(accountY, pair.mints[1], true)];
      if (typeof x === 'string') return `vault X: ${x}`;
      if (typeof y === 'string') return `vault Y: ${y}`;
      if (![x, y].every(({ tokenProgram }, i) => (tokenProgram === TOKEN_2022_PROGRAM) === pair.is2022[i]))
        return 'its tokens are of other programs';
      if (x.vault.owner !== address || y.vault.owner !== address) return 'vaults of another owner';
      const bitmap = openOwn(extension, extensionAt, (read) => read.pair === address);
      const arrays = openArrays(address, indexesAround(pair), others);
      if (bitmap === 'unreadable' || arrays === undefined) return 'bins that cannot be read';
      const rateOf = rateAt(pair, Number(now.unixTimestamp));
      if (!rateOf) return 'a volatility too large for its program';
      return stateOf({ address, pair, vaults: [x, y], arrays, bitmap, rateOf });
    },
  };
}

function refusalOf({ isEnabled, activation }: DlmmPair, now: ClockTime): string | undefined {
  if (!isEnabled) return 'trading is disabled';
  if (activation && activation.point > (activation.by === 'slot' ? now.slot : now.unixTimestamp))
    return 'trading has not begun';
  return undefined;
}

/** Reads an account of the program that belongs to the pair; undefined if there is none. */
function openOwn<T>(
  account: ChainAccount | undefined,
  read: (account: ChainAccount) => T | undefined,
  isOwn: (read: T) => boolean,
): T | undefined | 'unreadable' {
  // Anybody who sends lamports to the address creates an account without data.
  if (!account || (account.owner !== DLMM_PROGRAM && account.data.length === 0)) return undefined;
  const found = read(account);
  return found && isOwn(found) ? found : 'unreadable';
}

function openArrays(
  address: Address,
  indexes: readonly number[],
  accounts: readonly (ChainAccount | undefined)[],
): Map<number, BinArray> | undefined {
  const arrays = new Map<number, BinArray>();
  for (const [i, index] of indexes.entries()) {
    const array = openOwn(accounts[i], binsAt, (read) => read.index === index && read.pair === address);
    if (array === 'unreadable') return undefined;
    if (array) arrays.set(index, array);
  }
  return arrays;
}

/** The next arrays with liquidity in one direction, the active bin's own first. */
function indexesAhead(filled: readonly number[], activeId: number, xToY: boolean): number[] {
  const active = arrayOf(activeId);
  const ahead = filled.filter((index) => (xToY ? index <= active : index >= active));
  return (xToY ? ahead.reverse() : ahead).slice(0, ARRAYS_AHEAD);
}

/** Those of both directions; of the arrays that only the extension covers, the neighbors. */
function indexesAround({ filled, activeId }: DlmmPair): number[] {
  const active = arrayOf(activeId);
  const neighbors = Array.from({ length: 2 * ARRAYS_AHEAD - 1 }, (_, i) => active - ARRAYS_AHEAD + 1 + i);
  return [
    ...new Set([
      ...indexesAhead(filled, activeId, true),
      ...indexesAhead(filled, activeId, false),
      ...neighbors.filter((index) => !isOwnIndex(index)),
    ]),
  ];
}

interface Parts {
  address: Address;
  pair: DlmmPair;
  vaults: readonly [Vault, Vault];
  arrays: ReadonlyMap<number, BinArray>;
  bitmap: BitmapExtension | undefined;
  rateOf: RateOf;
}

function stateOf({ address, pair, vaults, arrays, bitmap, rateOf }: Parts): PoolState | string {
  const token = (side: Side): PoolToken => {
    return { mint: pair.mints[side], tokenProgram: vaults[side].tokenProgram, vault: pair.vaults[side] };
  };
  const tokens = [token(0), token(1)] as const;
  const filled = [...(bitmap?.below ?? []), ...pair.filled, ...(bitmap?.above ?? [])];
  const indexes = [true, false].map((xToY) => indexesAhead(filled, pair.activeId, xToY));
  const way = (from: Side): Way => ({
    pair,
    xToY: from === 0,
    arrays: indexes[from]!.map((index) => arrays.get(index)),
  });
  const ways = [way(0), way(1)] as const;
  if (ways.every((each) => isEmpty(each))) return 'it has no liquidity';
  const known: [Estimates?, Estimates?] = [];
  const estimates = (from: Side) => (known[from] ??= estimatesOf(ways[from], rateOf));
  const whole: [Estimates?, Estimates?] = [];
  const depth = (from: Side) => (whole[from] ??= depthOf(ways[from], rateOf(pair.activeId)));
  const arraysAhead = (from: Side) =>
    indexes[from]!.filter((index) => arrays.has(index)).map((index) => arrayAddress(address, index));
  const atActive = (1 + pair.binStep / 10_000) ** pair.activeId;
  return {
    tokens,
    feeShare: shareOf(rateOf(pair.activeId)),
    baseFeeShare: shareOf(baseRate(pair)),
    get reserves() {
      return [depth(1).outWithin(NEAR), depth(0).outWithin(NEAR)] as const;
    },
    quote(from, amount, effort) {
      const done = amount > 0n ? trade(ways[from], amount, rateOf, effort) : undefined;
      // A pair usually has what it owes; a trade with one that does not can only fail.
      if (!done || done.amountOut === 0n || done.amountOut > vaults[from === 0 ? 1 : 0].vault.amount) return undefined;
      return { paid: amount, received: done.amountOut, fee: done.fee, units: done.units };
    },
    estimateOut: (from, amount) => estimates(from).out(amount),
    estimateIn: (from, amount) => estimates(from).in(amount),
    depthIn: (from, amount) => depth(from).in(amount),
    price: (from) => estimates(from).price ?? (from === 0 ? atActive : 1 / atActive),
    moreUnits(from, amount, share) {
      const [behind, ahead] = [stepPoints(ways[from === 0 ? 1 : 0], true), stepPoints(ways[from], false)];
      return ARRAY_UNITS + BIN_UNITS * moreSteps(behind, ahead, Number(amount), share);
    },
    swap: (from, accounts) =>
      swap({ address, pair, tokens, arrays: arraysAhead(from), hasExtension: bitmap !== undefined }, accounts),
    movingAccounts: arraysAhead,
  };
}

interface SwapParts {
  address: Address;
  pair: DlmmPair;
  tokens: readonly [PoolToken, PoolToken];
  arrays: readonly Address[];
  hasExtension: boolean;
}

function swap(
  { address, pair, tokens: [x, y], arrays, hasExtension }: SwapParts,
  { owner, source, destination, amountIn, minOut }: SwapAccounts,
): Instruction {
  // The program's own address stands for an omitted account.
  const none = readonlyAccount(DLMM_PROGRAM);
  const accounts = [
    writableAccount(address),
    hasExtension ? writableAccount(extensionAddress(address)) : none,
    ...[x.vault, y.vault, source, destination].map(writableAccount),
    ...[x.mint, y.mint].map(readonlyAccount),
    writableAccount(pair.oracle),
    none,
    readonlySigner(owner),
    ...[x.tokenProgram, y.tokenProgram, MEMO_PROGRAM, EVENT_AUTHORITY, DLMM_PROGRAM].map(readonlyAccount),
    ...arrays.map(writableAccount),
  ];
  // No accounts for transfer hooks: an empty list with its u32 length.
  return anchorInstruction(DLMM_PROGRAM, accounts, { tag: SWAP, numbers: [amountIn, minOut], rest: [0, 0, 0, 0] });
}
