import { hash, randomBytes } from 'node:crypto';
import { base58Encode } from '@slipway/wire';
import type { Clock } from '../../lib/clock.js';
import { uuidv7 } from '../../lib/ids.js';
import type { ApiKey, NewKey as StoredKey } from '../../store/keys.js';
import type { Key } from './schema.js';

/** How much of a key is stored in clear text, to recognize it by: `slip_` and 3 of about 33 characters. */
const SHOWN = 8;

/** A new key of 192 random bits, and what is stored of it. */
export function makeKey(
  clock: Clock,
  grants: Pick<StoredKey, 'name' | 'tier' | 'prefixes'>,
): { text: string; stored: StoredKey } {
  const text = `slip_${base58Encode(randomBytes(24))}`;
  const { name, tier, prefixes } = grants;
  const stored: StoredKey = {
    id: uuidv7(clock),
    name,
    prefix: text.slice(0, SHOWN),
    hash: hash('sha256', text, 'buffer'),
    tier,
    prefixes,
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
