import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { SANDBOX_KEY } from '../config/index.js';
import type { Clock } from '../lib/clock.js';
import { findKeyByHash } from '../store/keys.js';
import type { Store } from '../store/sql.js';
import type { ApiKey, KeyLookup } from './ports.js';

/** Milliseconds until a key is read again: the longest that a revoked key still works if a notification was lost. */
const MAX_AGE_MS = 10_000;

/** Per cache. Valid and invalid keys have one each, so that guessing does not evict real keys. */
const MAX_ENTRIES = 10_000;

const sandboxKey: ApiKey = { id: 'sandbox', tier: 'unlimited', prefixes: [] };

interface Entry {
  readonly readAt: number;
  /** Undefined if the text is not a valid key. */
  readonly key: ApiKey | undefined;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

interface KeyLookupDeps {
  store: Store;
  clock: Clock;
  /** Milliseconds that never step back. */
  steadyNow: () => number;
  /** Whether SANDBOX_KEY works. */
  sandbox: boolean;
}

/**
 * Looks up keys by their hash and caches the results for up to 10 seconds. A change to any key, announced on the
 * store's channel `keys`, empties the cache at once.
 */
export async function createKeyLookup(deps: KeyLookupDeps): Promise<{ find: KeyLookup; close: () => Promise<void> }> {
  const { store, clock, steadyNow } = deps;
  const valid = new LRUCache<string, Entry>({ max: MAX_ENTRIES });
  const invalid = new LRUCache<string, Entry>({ max: MAX_ENTRIES });
  const flights = new Map<string, Promise<Entry>>();
  let generation = 0;

  const close = await store.listen('keys', () => {
    generation += 1;
    valid.clear();
    invalid.clear();
    flights.clear();
  });

  async function read(digest: string): Promise<Entry> {
    const started = generation;
    const readAt = steadyNow();
    const row = await findKeyByHash(store, Buffer.from(digest, 'base64'), new Date(clock.now()));
    const entry: Entry = {
      readAt,
      key: row && { id: row.id, tier: row.tier, prefixes: row.prefixes },
      expiresAt: row?.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY,
    };
    // Do not cache after a change what was read before it.
    if (started === generation) (row ? valid : invalid).set(digest, entry);
    return entry;
  }

  function readOnce(digest: string): Promise<Entry> {
    const known = flights.get(digest);
    if (known !== undefined) return known;
    const flight = read(digest).finally(() => {
      if (flights.get(digest) === flight) flights.delete(digest);
    });
    flights.set(digest, flight);
    return flight;
  }

  const usable = (entry: Entry): ApiKey | undefined => (clock.now() < entry.expiresAt ? entry.key : undefined);

  function find(text: string): ApiKey | undefined | Promise<ApiKey | undefined> {
    if (deps.sandbox && text === SANDBOX_KEY) return sandboxKey;
    const digest = hash('sha256', text, 'base64');
    const entry = valid.get(digest) ?? invalid.get(digest);
    if (entry !== undefined && steadyNow() - entry.readAt < MAX_AGE_MS) return usable(entry);
    return readOnce(digest).then(usable);
  }

  return { find, close };
}
