import type { Leg } from './order.js';

export type OrderContext = 'take_profit' | 'stop_loss' | 'buy_above' | 'buy_below';

/**
 * What a fill means to the owner: take profit or stop loss; for an entry, selling or buying the token whose price fired
 * it.
 */
export function orderContext(
  leg: Leg,
  order: { inputMint: string; triggerMint: string; condition: 'above' | 'below' },
): OrderContext {
  if (leg !== 'entry') return leg;
  if (order.triggerMint === order.inputMint) return order.condition === 'above' ? 'take_profit' : 'stop_loss';
  return order.condition === 'above' ? 'buy_above' : 'buy_below';
}
