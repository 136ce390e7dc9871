import type { Leg } from './order.js';

export type OrderContext = 'take_profit' | 'stop_loss' | 'buy_above' | 'buy_below';

/** What a fill was for its owner: legs say it themselves; else selling the token whose price fired it, or buying. */
export function orderContext(
  leg: Leg,
  order: { inputMint: string; triggerMint: string; condition: 'above' | 'below' },
): OrderContext {
  if (leg !== 'entry') return leg;
  if (order.triggerMint === order.inputMint) return order.condition === 'above' ? 'take_profit' : 'stop_loss';
  return order.condition === 'above' ? 'buy_above' : 'buy_below';
}
