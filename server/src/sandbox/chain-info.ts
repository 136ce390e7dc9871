import type { Address } from '@slipway/wire';
import { type Chain, type Rpc, RpcError } from '../chain/index.js';

/** What the embedded chain says about itself (`localnet_info`). */
export interface ChainInfo {
  wallets: { name: string; address: string; secretKey: string }[];
  /** SOL is among them. `usd` is the price that the chain's pools started at. */
  mints: { symbol: string; mint: Address; decimals: number; usd: number }[];
  /** The chain's own pools, without those of a fork's upstream. */
  pools: Address[];
  /** Holds the accounts of those pools. */
  lookupTable: Address;
  /** The wallet that pays the airdrops. */
  faucet: Address;
  /** A stand-in is our version of another company's program. */
  programs: { name: string; address: string; standIn: boolean }[];
  forkHost: string | null;
  unixTimestamp: number;
}

export function chainInfo(chain: Chain): Promise<ChainInfo> {
  return chain.rpc.call<ChainInfo>('localnet_info', []);
}

/** Whether a node is of our software. On any other chain, what stands at an address with a public key may be a stranger's. @throws ChainUnavailable */
export function isOurChain(rpc: Pick<Rpc, 'call'>): Promise<boolean> {
  return rpc.call('localnet_info', []).then(
    () => true,
    (error: unknown) => {
      if (error instanceof RpcError) return false;
      throw error;
    },
  );
}
