import { LIMIT_ORDER_PROGRAM, type LimitOrderAddresses } from '@slipway/programs';
import type { Address } from '@slipway/wire';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Chain } from '../../chain/index.js';
import type { Config } from '../../config/index.js';
import type { SwapPrograms } from '../../crafting/swap.js';
import type { Crafted } from '../../crafting/transaction.js';
import type { Landing } from '../../landing/index.js';
import type { AdjustableClock } from '../../lib/clock.js';
import type { Router } from '../../routing/router.js';
import type { Store } from '../../store/sql.js';

export interface LimitOrderDeps {
  store: Store;
  landing: Pick<Landing, 'execute'>;
  chain: Chain;
  /** Of transactions and orders; in a sandbox it runs ahead. */
  clock: AdjustableClock;
  steadyNow: () => number;
  log: Logger;
  registry: Registry;
  /** The wallet of the signer's role `keeper`. */
  taker: Address;
  /** Where the orders' inputs are sold: a router that needs no signature but the taker's. */
  router: Router;
  /** USD for one whole token, only by a price that the wallet may spend by: not one that anybody can make. */
  usd: (mint: Address) => number | undefined;
  addresses: LimitOrderAddresses;
  programs: SwapPrograms;
}

/** A transaction that was tried out and would succeed. */
export interface Prepared {
  kind: 'fill' | 'cancel';
  crafted: Crafted;
  lastValidBlockHeight: bigint;
  maker: Address;
  /** The pools that it trades with. */
  venues: readonly Address[];
  /** For the log; JSON without bigint. */
  detail: Record<string, string>;
}

/** Nothing to send. `retry`: the market may soon pay for it; else something blocks the order: it counts as failed. */
export interface Skipped {
  skipped: string;
  retry: boolean;
}

export const notYet = (skipped: string): Skipped => ({ skipped, retry: true });
export const blocked = (skipped: string): Skipped => ({ skipped, retry: false });

/** Not where the program is the hosted one of the public clusters: its orders are filled by its own keepers. */
export function fillsLimitOrders({ sandbox, programs }: Pick<Config, 'sandbox' | 'programs'>): boolean {
  return sandbox || programs.limitOrder !== LIMIT_ORDER_PROGRAM;
}
