import type { Address } from '@slipway/wire';
import type { Chain } from '../../chain/index.js';
import type { AdjustableClock } from '../../lib/clock.js';
import type { Prices, SandboxPrices } from '../../prices/index.js';
import type { PriceMover } from '../../sandbox/market/move-price.js';
import type { Store } from '../../store/sql.js';

export interface SandboxDeps {
  chain: Chain;
  store: Store;
  clock: AdjustableClock;
  /** Those that are answered: of the configured sources. */
  prices: Prices;
  stored: SandboxPrices;
  movePrice: PriceMover;
  /** Where the chain listens, for everybody else. */
  rpcUrl: string;
  wsUrl: string;
  apiKey: string;
  platformToken: string;
  platformStable: string;
  /** The events of the simulated games. */
  gameEventIds: readonly string[];
  /** Does all work that is due now; resolves when it is done. */
  runDue: () => Promise<void>;
}

/** What the embedded chain says of itself (`localnet_info`). */
export interface ChainInfo {
  wallets: { name: string; address: string; secretKey: string }[];
  /** SOL is among them. `usd` is the price that the chain's pools began with. */
  mints: { symbol: string; mint: Address; decimals: number; usd: number }[];
  /** The chain's own pools, without those of a fork's upstream. */
  pools: Address[];
  /** Has the accounts of those pools. */
  lookupTable: Address;
  /** Whose lamports the airdrops are. */
  faucet: Address;
  programs: { name: string; address: string }[];
  forkHost: string | null;
  unixTimestamp: number;
}

export function chainInfo(chain: Chain): Promise<ChainInfo> {
  return chain.rpc.call<ChainInfo>('localnet_info', []);
}
