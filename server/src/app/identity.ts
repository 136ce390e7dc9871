import type { Logger } from 'pino';
import { Loop } from '../keeper/loop.js';
import type { Disposal } from '../lib/disposal.js';
import { addressesOf, type Signer } from '../signer/index.js';
import { assertIdentity } from '../store/identity.js';
import type { Store } from '../store/sql.js';

const INTERVAL_MS = 1_000;

interface IdentityDeps {
  store: Store;
  signer: Pick<Signer, 'wallets'>;
  log: Logger;
  disposal: Disposal;
}

const walletsOf = (signer: IdentityDeps['signer']) => ({
  signer: addressesOf(signer, 'gas'),
  keeper: addressesOf(signer, 'keeper'),
  tracker: addressesOf(signer, 'tracker'),
});

/**
 * Refuses a database that belongs to another chain, to other keys or to the other mode. What the wallets are is written down as
 * their keys are exchanged, not only at the next start: a signer file from before would bring the old keys back.
 */
export async function keepIdentity(
  { store, signer, log, disposal }: IdentityDeps,
  { chain, mode }: { chain: string; mode: 'sandbox' | 'production' },
): Promise<void> {
  let written = walletsOf(signer);
  await assertIdentity(store, { chain, ...written, mode });
  const writing = new Loop(
    async () => {
      const now = walletsOf(signer);
      if (JSON.stringify(now) === JSON.stringify(written)) return;
      await assertIdentity(store, now);
      written = now;
    },
    {
      intervalMs: INTERVAL_MS,
      firstMs: INTERVAL_MS,
      log,
      failure: 'the database does not know the exchanged wallets yet; will try again',
      logsFirstFailureOnly: true,
    },
  );
  writing.start();
  disposal.add('addresses of the wallets', () => writing.close());
}
