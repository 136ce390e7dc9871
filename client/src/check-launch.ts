import { checkSigners, type ReadTransaction } from '@slipway/checks';
import {
  type BondingCurveConfig,
  launchConfig,
  marketCap,
  parseCreateCurveConfig,
  parseInitializeCurvePool,
  type SniperFee,
  sniperFeeOfSteps,
  sniperFeeOver,
} from '@slipway/programs/formats';
import { networkFee, parseComputeUnitPrice, address as toAddress } from '@slipway/wire/formats';
import { MAX_FEE_LAMPORTS } from './flow.js';
import type { LaunchRequest } from './launch.js';
import { expect } from './refuse.js';

/** Checks that a transaction launches this token and does nothing else. @throws CraftCheckFailed */
export function checkAskedLaunch(
  { creator, mint }: { creator: string; mint: string },
  asked: LaunchRequest,
  { signers, instructions }: ReadTransaction,
): void {
  const [price, configured, opened, ...more] = instructions;
  const computeUnitPrice = price && parseComputeUnitPrice(price);
  const config = configured && parseCreateCurveConfig(configured);
  const pool = opened && parseInitializeCurvePool(opened);
  expect(computeUnitPrice !== undefined && config && pool && more.length === 0, 'other instructions');
  const fee = networkFee(signers.length, instructions);
  expect(fee <= MAX_FEE_LAMPORTS, `a fee of ${fee} lamports`);
  const { tokenName: name, tokenSymbol: symbol } = asked;
  const { quoteMint } = asked.buildCurveByMarketCapParam;
  expect(config.payer === creator && pool.creator === creator, 'another creator');
  expect(config.quoteMint === quoteMint && pool.pool.quoteMint === quoteMint, 'another quote');
  expect(pool.pool.config === config.config && pool.pool.baseMint === mint, 'another token');
  expect(pool.name === name && pool.symbol === symbol, 'another name');
  expect(config.feeClaimer === config.leftoverReceiver, 'two operators');
  const said = textOf(config.terms);
  expect(
    sniperFees(asked).some((sniperFee) => textOf(termsOf(asked, sniperFee)) === said),
    'another curve, fee or vesting',
  );
  checkSigners(signers, [toAddress(creator), config.config, pool.pool.baseMint], expect);
}

/** Over how many slots a fee against snipers falls, where the request leaves that to the service. */
const DRAWN_SLOTS = { least: 98, most: 300 };

/** The fees against snipers that the request allows. */
function sniperFees({ antiSniping, fee }: LaunchRequest): (SniperFee | undefined)[] {
  if (!antiSniping) return [undefined];
  const feeBps = fee.feeBps ?? 100;
  const mode = fee.baseFeeMode ?? 'linear';
  if (fee.totalDuration !== undefined) return [sniperFeeOver(fee.totalDuration, feeBps, mode)];
  const { least, most } = DRAWN_SLOTS;
  return Array.from({ length: most - least + 1 }, (_, i) => sniperFeeOfSteps(least + i, feeBps, mode));
}

/** The configuration that the request comes to. */
function termsOf(asked: LaunchRequest, sniperFee: SniperFee | undefined): BondingCurveConfig {
  const { buildCurveByMarketCapParam: curve, fee, isLpLocked = true } = asked;
  const { lockedVestingParam: locked } = curve;
  const cap = (value: number) => {
    const units = marketCap(value, curve.tokenQuoteDecimal);
    expect(units !== undefined, 'a market cap with more digits than the quote has');
    return units;
  };
  const vesting = {
    total: BigInt(locked.totalLockedVestingAmount),
    cliff: BigInt(locked.cliffUnlockAmount),
    periods: locked.numberOfVestingPeriod,
    durationSeconds: locked.totalVestingDuration,
    cliffSeconds: locked.cliffDurationFromMigrationTime,
  };
  const { terms } = launchConfig({
    initialMarketCap: cap(curve.initialMarketCap),
    migrationMarketCap: cap(curve.migrationMarketCap),
    vesting: vesting.total === 0n ? undefined : vesting,
    feeBps: fee.feeBps ?? 100,
    sniperFee,
    isLpLocked,
  });
  return terms;
}

/** The same text for the same terms, in whatever order their fields are. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(textOf)}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${name}:${textOf(field)}`)}}`;
}
