/**
 * What the service's wallets may lose on transactions that fail on the chain. Each costs its fee: 5,000 lamports a
 * signature, and the priority fee, at most `fees.maxMicroLamports` for each compute unit.
 */
export interface Purse {
  /** As metrics and logs name it. */
  readonly name: string;
  /**
   * `most`: lost and under way for one wallet within `ms`; then we pay for no other transaction of it. `still`: lost within an hour
   * where the bound for all is reached, 1 by default.
   */
  readonly wallet: { readonly most: number; readonly ms: number; readonly still?: number };
  /**
   * Lost and under way for everybody within an hour; then we pay for nobody of whom `wallet.still` were lost within that hour. The
   * others go on, with one under way each: otherwise a few who fail on purpose could stop the orders of everybody. So
   * beyond `most` the loss grows only with the wallets that somebody makes for it, and, so that a crash in which everybody's fail is over
   * when it ends, by a sixtieth of it in each minute.
   */
  readonly most: number;
  /**
   * For a purse whose transactions need nothing of the wallet that it has deposited before: a new wallet costs nothing
   * there, so that `most` holds for everybody. This much of it is kept for wallets of whom none was lost within the
   * hour and one has landed before that, so that new wallets alone cannot stop the others.
   */
  readonly reserve?: number;
  /**
   * The most lamports of rents that may be signed for within an hour, of one wallet and of all. Little of them is ever lost: what
   * fails makes no account, and what lands is paid for. But a signer counts them when it signs, and has one limit for all: beyond
   * these, what would make accounts waits, whoever it is for, and all else goes on. A day of them is less than the half of a usual
   * limit.
   */
  readonly rents?: { readonly walletMost: bigint; readonly allMost: bigint };
  /**
   * Also bounds, counted apart, what is handed over to somebody who signs last: our signature is given away for nothing
   * where that does not land.
   */
  readonly handsOver?: true;
}

export const LOSS_WINDOW_MS = 60 * 60_000;
const MINUTE_MS = 60_000;

/**
 * The gas wallet's: swaps and payments of users. One wallet has one under way, and none for ten minutes after one has
 * failed. To spend the reserve too takes 50 wallets for which a transaction has landed an hour ago: each has paid for a
 * swap or a payment, and loses one here.
 */
export const GAS_PURSE: Purse = {
  name: 'gas',
  wallet: { most: 1, ms: 10 * MINUTE_MS },
  most: 200,
  reserve: 50,
  handsOver: true,
};

/**
 * The keeper's for limit orders. All that fails counts for the order, not for its maker: mostly others were faster, and he can
 * cancel in the slot of a fill, which is cheaper than the fill. So one maker can use up the total by ever new orders, as ever new
 * makers could. Beyond it, a new order costs us one fill's fee (a signature and the priority fee), and the maker the fees of the
 * order and the cancel (5,000 each), with the order's tokens and rents tied up in between. Likewise the rents: failing fills of nine
 * orders use up those of all. A bound for each maker would only let others bar him.
 */
export const LIMIT_ORDER_PURSE: Purse = {
  name: 'limit-orders',
  wallet: { most: 10, ms: LOSS_WINDOW_MS },
  most: 200,
  rents: { walletMost: 20_000_000n, allMost: 150_000_000n },
};

/**
 * The keeper's for trigger orders, apart from all others, so that no stranger's failures stop a stop-loss. Many fail
 * honestly while prices run. Anybody reaches the total with fifty wallets, and then one failure must not have somebody's stop-loss
 * wait for an hour. So beyond it, a new wallet costs us the fees of five fills (5,000 lamports a signature and the priority fee),
 * and itself those of a deposit and a withdrawal and of what makes the fills fail, with the rent of the account and at least the
 * smallest order in the vault meanwhile.
 */
export const TRIGGER_ORDER_PURSE: Purse = {
  name: 'trigger-orders',
  wallet: { most: 20, ms: LOSS_WINDOW_MS, still: 5 },
  most: 1_000,
  rents: { walletMost: 20_000_000n, allMost: 200_000_000n },
};

/**
 * The keeper's for rents that filled trigger orders have left behind. Whoever sends a unit to such an account has its closing
 * fail, at the price of a fee, as often as it is tried: that must keep no order of the wallet from being filled.
 */
export const TRIGGER_RENT_PURSE: Purse = { name: 'trigger-rents', wallet: { most: 20, ms: LOSS_WINDOW_MS }, most: 200 };

/**
 * The keeper's for invites: claims and returns, by the invite's sender, who can take it back in the same slot; what fails at
 * the receiver's account, or once more, is the invite's own, three in an hour. Beyond the total, a new sender or invite costs us one claim's
 * fee (two signatures), and the sender those of the invite and of what makes them fail, with the invite's tokens
 * and rents tied up in between.
 */
export const INVITE_PURSE: Purse = { name: 'invites', wallet: { most: 20, ms: LOSS_WINDOW_MS }, most: 200 };
