import { WRAPPED_SOL_MINT } from '@slipway/wire';
import type { Chain } from '../../chain/index.js';
import type { AdjustableClock } from '../../lib/clock.js';
import type { SandboxPrices } from '../../prices/index.js';
import type { Store } from '../../store/sql.js';

export interface SandboxDeps {
  chain: Chain;
  store: Store;
  clock: AdjustableClock;
  prices: SandboxPrices;
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
  mints: { symbol: string; mint: string; decimals: number }[];
  programs: { name: string; address: string }[];
  forkHost: string | null;
  unixTimestamp: number;
}

const SOL = { symbol: 'SOL', mint: WRAPPED_SOL_MINT, decimals: 9 };

export async function chainInfo(chain: Chain): Promise<ChainInfo> {
  const info = await chain.rpc.call<ChainInfo>('localnet_info', []);
  return { ...info, mints: [SOL, ...info.mints] };
}
