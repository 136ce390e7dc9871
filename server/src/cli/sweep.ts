import type { Address } from '@slipway/wire';
import type { Config } from '../config/index.js';
import { explain } from '../landing/index.js';
import { type SweepReport, sweepVault } from '../vault/sweep.js';
import { withOwnChain } from './own-chain.js';

/** Sends what the vault of a wallet holds to the wallet. */
export function sweep(config: Config, wallet: Address): Promise<SweepReport> {
  return withOwnChain(config, (own) => sweepVault({ ...own, explain: (error) => explain(error).message }, wallet));
}
