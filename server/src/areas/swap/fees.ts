import { type Address, WRAPPED_SOL_MINT } from '@slipway/wire';
import type { FeeTable } from '../../config/index.js';

export interface FeeSettings {
  table: FeeTable;
  /** The wallet whose token accounts get the default fee. */
  receiver: Address;
  platform: Address;
  stables: ReadonlySet<Address>;
  lsts: ReadonlySet<Address>;
  blueChips: ReadonlySet<Address>;
}

/** By preference for taking a fee in them, most preferred first. */
const CLASSES = ['sol', 'stable', 'lst', 'blue-chip', 'other'] as const;
type TokenClass = (typeof CLASSES)[number];

interface DefaultFee {
  mint: Address;
  side: 'input' | 'output';
  /** In basis points of that side; 0 for no fee. */
  bps: number;
}

/** Whether a mint's age matters: one that the operator has put into a class never counts as new. */
export function mayBeNew(settings: FeeSettings, mint: Address): boolean {
  return mint !== settings.platform && classOf(settings, mint) === 'other';
}

/** Whether the gas wallet takes a fee in this mint as payment. Anybody could have created one of another class. */
export function paysForGas(settings: FeeSettings, mint: Address): boolean {
  const its = classOf(settings, mint);
  return its === 'sol' || its === 'stable' || its === 'lst';
}

/**
 * The mint and the side that the fee of a pair is taken from, and the operator's fee for that pair. `isNew`: one of the
 * two mints is younger than 24 hours.
 */
export function defaultFee(settings: FeeSettings, input: Address, output: Address, isNew: boolean): DefaultFee {
  const classes = { input: classOf(settings, input), output: classOf(settings, output) };
  const side = CLASSES.indexOf(classes.output) < CLASSES.indexOf(classes.input) ? 'output' : 'input';
  return {
    side,
    mint: side === 'input' ? input : output,
    bps: isNew ? settings.table.newToken : bpsOf(settings, classes.input, classes.output, output),
  };
}

function bpsOf({ table, platform }: FeeSettings, input: TokenClass, output: TokenClass, bought: Address): number {
  const pair = new Set([input, output]);
  if (bought === platform && (input === 'sol' || input === 'stable')) return table.buyPlatform;
  if (pair.size === 1 && (pair.has('stable') || pair.has('lst'))) return table.pegged;
  if (pair.has('sol') && pair.has('stable')) return table.solStable;
  if (pair.has('lst') && pair.has('stable')) return table.lstStable;
  return table.other;
}

function classOf({ stables, lsts, blueChips }: FeeSettings, mint: Address): TokenClass {
  if (mint === WRAPPED_SOL_MINT) return 'sol';
  if (stables.has(mint)) return 'stable';
  if (lsts.has(mint)) return 'lst';
  return blueChips.has(mint) ? 'blue-chip' : 'other';
}
