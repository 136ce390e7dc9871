import { hash, randomBytes } from 'node:crypto';
import { base58Encode } from '@slipway/wire';
import type { Clock } from '../../lib/clock.js';
import { uuidv7 } from '../../lib/ids.js';
import type { ApiKey, NewKey as StoredKey } from '../../store/keys.js';
import type { Key } from './schema.js';

/** How much of a key is stored in clear text, to recognize it by: so many of about 33 characters after how it begins. */
const SHOWN = 3;

/** A new key of 192 random bits, and what is stored of it. */
export function makeKey(
  clock: Clock,
  grants: Pick<StoredKey, 'name' | 'tier' | 'prefixes' | 'origins'>,
): { text: string; stored: StoredKey } {
  const { name, tier, prefixes, origins } = grants;
  const begin = origins.length > 0 ? 'slip_pub_' : 'slip_';
  const text = `${begin}${base58Encode(randomBytes(24))}`;
  const stored: StoredKey = {
    id: uuidv7(clock),
    name,
    prefix: text.slice(0, begin.length + SHOWN),
    hash: hash('sha256', text, 'buffer'),
    tier,
    prefixes,
    origins,
    createdAt: new Date(clock.now()),
  };
  return { text, stored };
}

/** A key as the admin API shows it. */
export function showKey(key: ApiKey): Key {
  return {
    ...key,
    createdAt: key.createdAt.toISOString(),
    expiresAt: key.expiresAt?.toISOString() ?? null,
    revokedAt: key.revokedAt?.toISOString() ?? null,
  };
}
