import { randomInt } from 'node:crypto';
import {
  CurveImpossible,
  type LaunchChoices,
  type LaunchVesting,
  launchConfig,
  marketCap,
  type SniperFee,
  sniperFeeOfSteps,
  sniperFeeOver,
} from '@slipway/programs';
import { type Address, addressToBytes, isOnCurve } from '@slipway/wire';
import { MAX_NAME_BYTES, MAX_SYMBOL_BYTES } from '../../crafting/launch.js';
import { AppError, requireAddress } from '../../errors/index.js';
import { describeHidden } from '../../lib/hidden-characters.js';
import type { StudioDeps } from './deps.js';
import type { CreatePoolBody } from './schema.js';

/** The anti-sniper fee falls over a random number of slots in this range if the request names none. */
const DRAWN_SLOTS = { least: 98, most: 300 };

/** A checked request for a launch. */
export interface LaunchRequest {
  creator: Address;
  quoteMint: Address;
  name: string;
  symbol: string;
  /** Over how many slots the anti-sniper fee falls; null without one. */
  sniperSlots: number | null;
  config: ReturnType<typeof launchConfig>;
}

/** @throws AppError INVALID_REQUEST that names the field. */
export function readLaunch({ quotes }: Pick<StudioDeps, 'quotes'>, body: CreatePoolBody): LaunchRequest {
  const { buildCurveByMarketCapParam: curve, isLpLocked = true } = body;
  const creator = requireAddress('creator', body.creator);
  if (!isOnCurve(addressToBytes(creator))) throw refuse('creator', 'expected a wallet, which can sign');
  const quoteMint = requireAddress(inCurve('quoteMint'), curve.quoteMint);
  const quote = quotes.find(({ mint }) => mint === quoteMint);
  if (!quote) {
    const known = quotes.map(({ symbol, mint }) => `${symbol} (${mint})`).join(', ');
    throw refuse(inCurve('quoteMint'), `expected one of ${known}`);
  }
  if (curve.tokenQuoteDecimal !== quote.decimals) {
    throw refuse(inCurve('tokenQuoteDecimal'), `expected ${quote.decimals}, the decimals of ${quote.symbol}`);
  }
  const feeBps = body.fee.feeBps === 200 ? 200 : 100;
  const sniperFee = readSniperFee(body, feeBps);
  const cap = (name: 'initialMarketCap' | 'migrationMarketCap') => readCap(inCurve(name), curve[name], quote.decimals);
  return {
    creator,
    quoteMint,
    name: requireText('tokenName', body.tokenName, MAX_NAME_BYTES),
    symbol: requireText('tokenSymbol', body.tokenSymbol, MAX_SYMBOL_BYTES),
    sniperSlots: sniperFee ? sniperFee.periods * sniperFee.slotsPerPeriod : null,
    config: configOf({
      initialMarketCap: cap('initialMarketCap'),
      migrationMarketCap: cap('migrationMarketCap'),
      vesting: readVesting(curve.lockedVestingParam),
      feeBps,
      sniperFee,
      isLpLocked,
    }),
  };
}

function configOf(choices: LaunchChoices): ReturnType<typeof launchConfig> {
  try {
    return launchConfig(choices);
  } catch (error) {
    if (!(error instanceof CurveImpossible)) throw error;
    const field = error.term === 'vested' ? 'lockedVestingParam.totalLockedVestingAmount' : error.term;
    throw refuse(inCurve(field), error.message);
  }
}

/** In the quote's smallest unit. */
function readCap(field: string, value: number, decimals: number): bigint {
  const cap = marketCap(value, decimals);
  if (cap === undefined) throw refuse(field, `expected at most ${decimals} digits behind the point`);
  return cap;
}

function requireText(field: string, value: string, most: number): string {
  const bytes = Buffer.byteLength(value);
  if (bytes > most) throw refuse(field, `expected at most ${most} bytes of UTF-8, and this has ${bytes}`);
  if (value.trim() === '') throw refuse(field, 'expected text that is not only spaces');
  const hidden = describeHidden(value);
  if (hidden !== undefined) throw refuse(field, `expected text without ${hidden}; leave the character out`);
  return value;
}

function readSniperFee({ antiSniping, fee }: CreatePoolBody, feeBps: number): SniperFee | undefined {
  const { totalDuration, baseFeeMode } = fee;
  if (!antiSniping) return undefined;
  const mode = baseFeeMode === 'exponential' ? 'exponential' : 'linear';
  if (totalDuration !== undefined) return sniperFeeOver(Number(totalDuration), feeBps, mode);
  return sniperFeeOfSteps(randomInt(DRAWN_SLOTS.least, DRAWN_SLOTS.most + 1), feeBps, mode);
}

/** Undefined if nothing is locked. */
function readVesting(
  param: CreatePoolBody['buildCurveByMarketCapParam']['lockedVestingParam'],
): LaunchVesting | undefined {
  const total = param.totalLockedVestingAmount;
  const cliff = param.cliffUnlockAmount;
  const [periods, durationSeconds, cliffSeconds] = [
    Number(param.numberOfVestingPeriod),
    Number(param.totalVestingDuration),
    Number(param.cliffDurationFromMigrationTime),
  ];
  const require = (truth: boolean, name: keyof typeof param, expected: string) => {
    if (!truth) throw refuse(inCurve(`lockedVestingParam.${name}`), expected);
  };
  require(cliff <= total, 'cliffUnlockAmount', 'expected at most totalLockedVestingAmount');
  const inParts = total > cliff;
  const why = total === 0 ? 'totalLockedVestingAmount is 0' : 'all of totalLockedVestingAmount comes at the cliff';
  if (inParts) {
    require(periods > 0, 'numberOfVestingPeriod', 'expected more than 0: not all comes at the cliff');
    require(durationSeconds > 0, 'totalVestingDuration', 'expected more than 0: not all comes at the cliff');
    require(total - cliff >= periods, 'totalLockedVestingAmount', 'expected a whole token for each period');
  } else {
    require(periods === 0, 'numberOfVestingPeriod', `expected 0: ${why}`);
    require(durationSeconds === 0, 'totalVestingDuration', `expected 0: ${why}`);
  }
  if (total === 0) {
    require(cliffSeconds === 0, 'cliffDurationFromMigrationTime', `expected 0: ${why}`);
    return undefined;
  }
  return { total: BigInt(total), cliff: BigInt(cliff), periods, durationSeconds, cliffSeconds };
}

function inCurve(field: string): string {
  return `buildCurveByMarketCapParam.${field}`;
}

/** In the area's shape: the field, and what was expected of it. */
export function refuse(field: string, expected: string): AppError {
  return new AppError('INVALID_REQUEST', { message: `${field}: ${expected}`, details: { [field]: expected } });
}
