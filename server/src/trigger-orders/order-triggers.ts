import { isBeyond } from './line.js';
import type { Leg } from './order.js';
import type { Trigger } from './trigger-book.js';

/** The terms of an order that say when it fires; prices are USD for one whole token. */
export interface FiringTerms {
  type: 'single' | 'oco' | 'otoco';
  stage: 'entry' | 'exit';
  triggerMint: string;
  triggerCondition: 'above' | 'below' | null;
  triggerPriceUsd: number | null;
  trailingBps: number | null;
  highWatermark: number | null;
  lowWatermark: number | null;
  tpPriceUsd: number | null;
  slPriceUsd: number | null;
}

/** The triggers of an order's live legs. Empty if its terms are incomplete. */
export function triggersOf(terms: FiringTerms): Trigger[] {
  const { type, stage, triggerMint: mint, triggerCondition: condition, trailingBps } = terms;
  if (type === 'single' || (type === 'otoco' && stage === 'entry')) {
    if (condition === null) return [];
    const leg = 'entry' as const;
    const mark = condition === 'below' ? terms.highWatermark : terms.lowWatermark;
    if (trailingBps !== null) return isPrice(mark) ? [{ leg, mint, condition, trailingBps, mark }] : [];
    return isPrice(terms.triggerPriceUsd) ? [{ leg, mint, condition, usd: terms.triggerPriceUsd }] : [];
  }
  const { tpPriceUsd, slPriceUsd } = terms;
  if (!isPrice(tpPriceUsd) || !isPrice(slPriceUsd)) return [];
  return [
    { leg: 'take_profit', mint, condition: 'above', usd: tpPriceUsd },
    { leg: 'stop_loss', mint, condition: 'below', usd: slPriceUsd },
  ];
}

/** No other can be compared: with NaN as its mark, an order would fire at each price and never be due; as its price, it has no place among others. */
const isPrice = (usd: number | null): usd is number => usd !== null && usd > 0 && usd < Number.POSITIVE_INFINITY;

/** The price at which a trigger fires, in USD. */
export function thresholdOf(trigger: Trigger): number {
  if ('usd' in trigger) return trigger.usd;
  const { mark, condition, trailingBps } = trigger;
  return mark * (1 - ((condition === 'below' ? 1 : -1) * trailingBps) / 10_000);
}

/** Whether a price fires a leg under these terms. */
export function isCrossed(terms: FiringTerms, leg: Leg, usd: number): boolean {
  const trigger = triggersOf(terms).find((each) => each.leg === leg);
  if (!trigger) return false;
  return isBeyond(usd, { condition: trigger.condition, usd: thresholdOf(trigger) });
}
