/**
 * What the service's wallets may lose on transactions that fail on the chain. Each costs its fee: 5,000 lamports a
 * signature, and the priority fee, at most `fees.maxMicroLamports` for each compute unit.
 */
export interface Purse {
  /** As metrics and logs name it. */
  readonly name: string;
  /** Lost and under way for one wallet within `ms`; then we pay for no other transaction of it. */
  readonly wallet: { readonly most: number; readonly ms: number };
  /** Lost and under way for everybody within an hour; then we pay for nobody. */
  readonly most: number;
}

export const LOSS_WINDOW_MS = 60 * 60_000;
const MINUTE_MS = 60_000;

/**
 * The gas wallet's: swaps and payments of users. One wallet has one under way, and none for ten minutes after one has
 * failed.
 */
export const GAS_PURSE: Purse = { name: 'gas', wallet: { most: 1, ms: 10 * MINUTE_MS }, most: 200 };

/** The keeper's for limit orders. A maker can cancel in the slot of a fill, which is cheaper than the fill. */
export const LIMIT_ORDER_PURSE: Purse = { name: 'limit-orders', wallet: { most: 10, ms: LOSS_WINDOW_MS }, most: 200 };

/**
 * The keeper's for trigger orders, apart from all others, so that no stranger's failures stop a stop-loss. Many fail
 * honestly while prices run.
 */
export const TRIGGER_ORDER_PURSE: Purse = {
  name: 'trigger-orders',
  wallet: { most: 20, ms: LOSS_WINDOW_MS },
  most: 1_000,
};

/** The keeper's for invites: claims and returns, by the invite's sender, who can take it back in the same slot. */
export const INVITE_PURSE: Purse = { name: 'invites', wallet: { most: 20, ms: LOSS_WINDOW_MS }, most: 200 };
