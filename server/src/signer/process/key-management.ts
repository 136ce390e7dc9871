import type { Clock } from '../../lib/clock.js';
import { type KeyManagement, KeyManagementError, type OnChange } from '../key-management.js';
import type { Note } from '../socket/server.js';
import type { SignerContext } from './context.js';
import type { SignerSettings } from './settings.js';

/** What the settings name, besides the signer file. */
export type ManagedSettings = Pick<SignerSettings, 'token' | 'kms'>;

/** The key management of the settings; undefined where they name none. @throws KeyManagementError */
export async function openKeyManagement(
  { token, kms }: ManagedSettings,
  { env }: Pick<SignerContext, 'env'>,
  clock: Clock,
): Promise<KeyManagement | undefined> {
  // Loaded only where it is used.
  if (token !== undefined) {
    const { SLIPWAY_SIGNER_PIN: pin } = env;
    if (!pin) throw new KeyManagementError(`the token ${token.label} needs its PIN: set SLIPWAY_SIGNER_PIN`);
    const { openTokenKeys } = await import('../token/token-keys.js');
    return openTokenKeys({ ...token, pin });
  }
  if (kms !== undefined) {
    const { openKmsKeys } = await import('../kms/kms-keys.js');
    return openKmsKeys(kms, { env, clock });
  }
  return undefined;
}

/** Notes when its keys cannot be used any more, and when they can again. */
export function changesOf({ token }: ManagedSettings, note: Note): OnChange {
  const what = token === undefined ? 'AWS KMS' : 'the token';
  return (change) =>
    'away' in change
      ? note(`${what} is away: its keys sign nothing`, { reason: change.away })
      : note(`${what} is back`, {});
}
