import { rentExemptLamports, useRent } from '@slipway/wire';
import { ask, wholeIn } from '../chain/index.js';
import { Loop } from '../keeper/loop.js';
import type { Base } from './base.js';

/** Rent changes with an epoch: for so long after that, what is crafted may still have that of the one before. */
const INTERVAL_MS = 30_000;
/** What an account without data is counted as. */
const BYTES = 128n;

/**
 * Has all that is crafted and told go by the rent that the chain asks for, and looks twice a minute whether it has changed. Resolves
 * when the node has answered once, or has failed to: until it answers, and where it asks for more than a chain ever did, it stays as it
 * was, at first the most that an account can need.
 */
export async function followRent({ chain, log, disposal }: Pick<Base, 'chain' | 'log' | 'disposal'>): Promise<void> {
  const read = async () => {
    const lamports = await ask(chain.rpc, 'getMinimumBalanceForRentExemption', [0], wholeIn);
    // Rounded up: an account with too little is refused.
    const lamportsPerByte = (lamports + BYTES - 1n) / BYTES;
    if (rentExemptLamports(0) === lamportsPerByte * BYTES) return;
    useRent(lamportsPerByte);
    log.info({ lamportsPerByte: Number(lamportsPerByte) }, 'the chain asks for another rent than before');
  };
  const loop = new Loop(read, {
    intervalMs: INTERVAL_MS,
    log,
    failure: 'cannot read the rent that the chain asks for; will try again',
    logsFirstFailureOnly: true,
  });
  disposal.add('rent readings', () => loop.close());
  await loop.tick().catch(() => {});
  loop.start();
}
