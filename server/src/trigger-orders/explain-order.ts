import type { Leg } from './order.js';
import { type FiringTerms, isCrossed, thresholdOf, triggersOf } from './order-triggers.js';
import type { Ignored, Tick } from './price-guard.js';

export interface ExplainedOrder extends FiringTerms {
  state: string;
  /** The leg that has been triggered last. */
  fired: Leg | null;
  failures: number;
  expiresAt: Date;
  triggeredAt: Date | null;
  retryAt: Date | null;
}

/** Why orders do not go by a price. */
export const WHY_IGNORED: Record<Ignored, string> = {
  missing: 'no source has a price',
  'not-a-price': 'what the source tells is no positive number',
  stale: 'the price is too old',
  'from-the-future': "the price is dated ahead of the service's clock",
  'older-than-the-last': 'the price is older than one that was there before',
  uncertain: 'the source is too uncertain of it',
  contradicting: 'the pools say another price, or contradict each other',
  shallow: 'its pools hold less than orders need',
  unsettled: 'the price of its pools has not held long enough here, or pools with much of its depth cannot be read',
};

/** What an order is judged by. What is undefined is not known, because no service runs. */
export interface Circumstances {
  /** Of its trigger mint. */
  price: Tick | Ignored | undefined;
  /** Whether its seal fits; undefined: not known. */
  isOurs?: boolean | undefined;
  /** Why the keeper begins nothing; undefined also if it can pay. */
  shortage: string | undefined;
  at: number;
}

/** Why an order has fired or not, in sentences. */
export function explainOrder(
  order: ExplainedOrder,
  events: readonly { type: string; state: string; signature: string | null; at: Date }[],
  { price, shortage, isOurs, at: now }: Circumstances,
): string[] {
  const fills = events
    .filter(({ type }) => type === 'fill')
    .map(({ state, signature, at }) => `A fill of ${at.toISOString()}: ${state}${signature ? ` (${signature})` : ''}.`);
  const isPart = order.state === 'partial_fill_success';
  if (order.state !== 'open' && !isPart) {
    const fired = order.fired && order.triggeredAt;
    const when = fired ? `Its leg ${order.fired} fired at ${order.triggeredAt!.toISOString()}.` : 'It has not fired.';
    return [`It is ${order.state}, and only open orders fire.`, when, ...fills];
  }
  const reasons = shortage === undefined ? [] : [`Nothing is filled now: ${shortage}.`];
  if (isOurs === false) {
    reasons.push(
      'It is not filled: it has no seal of the service that fits. It is older than seals, or somebody else has written to the database. Its owner can cancel it.',
    );
  }
  if (isPart) reasons.push('A part of it is filled: the rest fires as all of it did.');
  if (order.expiresAt.getTime() <= now) reasons.push(`Its time was over at ${order.expiresAt.toISOString()}.`);
  if (order.retryAt && order.retryAt.getTime() > now) {
    const failures = order.failures > 0 ? ` after ${order.failures} failed fills` : '';
    const others = triggersOf(order).length > 1 && order.fired ? '; its other legs do not wait for that' : '';
    reasons.push(
      `${order.fired ? `Its leg ${order.fired}` : 'It'} fired and could not be filled${isPart ? ' whole' : ''}: the next try is not before ${order.retryAt.toISOString()}${failures}${others}.`,
    );
  }
  reasons.push(...explainPrice(order, price), ...fills);
  return reasons;
}

function explainPrice(order: ExplainedOrder, price: Tick | Ignored | undefined): string[] {
  const { triggerMint } = order;
  if (typeof price === 'string') return [`Nothing fires by the price of ${triggerMint} now: ${WHY_IGNORED[price]}.`];
  const known = price
    ? `The price of ${triggerMint} is ${price.usd} USD.`
    : `The price of ${triggerMint} is not known here: no service runs.`;
  const legs = triggersOf(order).map((trigger) => {
    const bound = `Its leg ${trigger.leg} fires at ${thresholdOf(trigger)} USD and ${trigger.condition}`;
    if (!price) return `${bound}.`;
    return isCrossed(order, trigger.leg, price.usd) ? `${bound}: it is due.` : `${bound}: not reached.`;
  });
  return [known, ...legs];
}
