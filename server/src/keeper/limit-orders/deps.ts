import { LIMIT_ORDER_PROGRAM, type LimitOrderAddresses } from '@slipway/programs';
import type { Address } from '@slipway/wire';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Chain, MintOpinions } from '../../chain/index.js';
import type { Config } from '../../config/index.js';
import type { SwapPrograms } from '../../crafting/swap.js';
import type { Crafted } from '../../crafting/transaction.js';
import type { Landing } from '../../landing/index.js';
import type { AdjustableClock } from '../../lib/clock.js';
import type { PricedToken } from '../../prices/index.js';
import type { Router } from '../../routing/router.js';
import type { Store } from '../../store/sql.js';
import type { KeeperWallet } from '../wallet.js';

export interface LimitOrderDeps {
  store: Store;
  landing: Pick<Landing, 'execute'>;
  chain: Chain;
  /** The time for transactions and orders; in a sandbox it runs ahead. */
  clock: AdjustableClock;
  steadyNow: () => number;
  log: Logger;
  registry: Registry;
  /** The wallet of the signer's role `keeper`, by which every fill is paid and trades. */
  taker: Address;
  wallet: Pick<KeeperWallet, 'canPay'>;
  /** Where the orders' inputs are sold: a router whose transactions need no signature but the taker's. */
  router: Router;
  /** USD for one whole token, only from sources that are safe to spend by: not from prices that anybody can set. */
  usd: (token: PricedToken) => number | undefined;
  contradictions: MintOpinions;
  addresses: LimitOrderAddresses;
  programs: SwapPrograms;
}

/** A transaction whose simulation succeeded. */
export interface Prepared {
  kind: 'fill' | 'cancel';
  crafted: Crafted;
  lastValidBlockHeight: bigint;
  maker: Address;
  /** The pools that it trades with. */
  venues: readonly Address[];
  /** The token account that it makes for the maker, if it makes one. */
  makesForMaker?: Address | undefined;
  /** For the log; must be JSON without bigint. */
  detail: Record<string, string>;
}

/**
 * Nothing to send. `retry`: the market may soon pay for it; otherwise the order is blocked, which counts as a failure.
 */
export interface Skipped {
  skipped: string;
  retry: boolean;
}

export const notYet = (skipped: string): Skipped => ({ skipped, retry: true });
export const blocked = (skipped: string): Skipped => ({ skipped, retry: false });

/** Whether we fill orders: not those of the hosted program on public clusters, which has its own keepers. */
export function fillsLimitOrders({ sandbox, programs }: Pick<Config, 'sandbox' | 'programs'>): boolean {
  return sandbox || programs.limitOrder !== LIMIT_ORDER_PROGRAM;
}
