import type { Address } from '@slipway/wire';
import type { Chain } from '../chain/index.js';

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
