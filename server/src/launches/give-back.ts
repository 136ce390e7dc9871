import type { Address } from '@slipway/wire';
import { BLOCKHASH_LIFE, type Chain, isMade } from '../chain/index.js';
import { finishLaunch, type Launch, releaseMint } from '../store/launches.js';
import type { Store } from '../store/sql.js';

/** The mint addresses with a suffix that are kept ready. */
export interface MintStock {
  /** Not empty. */
  suffix: string;
  chain: Pick<Chain, 'latestBlockhash' | 'account'>;
}

export function isOf({ suffix }: MintStock, { mint }: Launch): boolean {
  return mint.endsWith(suffix);
}

/**
 * Puts the mint address of a launch whose request has ended back into the stock. Not while the chain would still take
 * its transaction, and never if the mint exists: then it has landed, whatever the ledger says. SOL that somebody has sent to
 * the address makes it no mint, and keeps no launch from it.
 */
export async function giveBack(store: Store, { suffix, chain }: MintStock, launch: Launch, now: Date): Promise<void> {
  const { lastValidBlockHeight } = await chain.latestBlockhash();
  const isDead = lastValidBlockHeight - BLOCKHASH_LIFE > launch.lastValidBlockHeight;
  if (!isDead) return;
  // Read after the height: what was going to land has landed by now.
  const account = await chain.account(launch.mint as Address);
  const exists = isMade(account);
  if (exists) await store.single((tx) => finishLaunch(tx, launch.mint, now));
  else await store.transaction((tx) => releaseMint(tx, launch.mint, suffix, now));
}
