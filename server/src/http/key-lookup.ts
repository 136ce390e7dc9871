import { hash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../lib/clock.js';
import { GrowingCache } from '../lib/growing-cache.js';
import { findKeysByHash, KEYS_CHANNEL, type ApiKey as StoredKey } from '../store/keys.js';
import { groupCalls } from '../store/postgres/group-calls.js';
import type { Store } from '../store/sql.js';
import type { ApiKey, KeyLookup } from './ports.js';

/** Milliseconds until a key is read again: the longest that a revoked key still works if a notification was lost. */
const MAX_AGE_MS = 10_000;

/** Per cache. Valid and invalid keys have one each, so that guessing does not evict real keys. */
const MAX_ENTRIES = 10_000;

/** How a key looks: base58 of 24 bytes. Any other text is none, and nobody looks for it. */
const KEY_FORM = /^slip_(?:pub_)?[1-9A-HJ-NP-Za-km-z]{24,33}$/;

const ofSandbox: ApiKey = { id: 'sandbox', tier: 'unlimited', prefixes: [], origins: [] };

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
  /** The key of the sandbox, which no database knows; undefined in production. */
  sandboxKey: string | undefined;
}

/**
 * Looks up keys by their hash and caches the results for up to 10 seconds. A change to any key, announced on the
 * store's channel `keys`, empties the cache at once. One statement at a time looks for all that are asked for, so that
 * callers who make keys up do not take the database's connections.
 */
export async function createKeyLookup(deps: KeyLookupDeps): Promise<{ find: KeyLookup; close: () => Promise<void> }> {
  const { store, clock, steadyNow } = deps;
  const valid = new GrowingCache<string, Entry>(MAX_ENTRIES);
  const invalid = new GrowingCache<string, Entry>(MAX_ENTRIES);
  const flights = new Map<string, Promise<Entry>>();
  let generation = 0;

  const close = await store.listen(KEYS_CHANNEL, () => {
    generation += 1;
    valid.clear();
    invalid.clear();
    flights.clear();
  });

  const findRow = groupCalls<string, StoredKey | undefined>({
    run: async (digests) => {
      const hashes = digests.map((digest) => Buffer.from(digest, 'base64'));
      const rows = await findKeysByHash(store, hashes, new Date(clock.now()));
      return digests.map((digest) => rows.get(digest));
    },
    maxGroup: 500,
  });

  async function read(digest: string): Promise<Entry> {
    const started = generation;
    const readAt = steadyNow();
    const row = await findRow(digest);
    const entry: Entry = {
      readAt,
      key: row && { id: row.id, tier: row.tier, prefixes: row.prefixes, origins: row.origins },
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

  const expected = deps.sandboxKey === undefined ? undefined : digestOf(deps.sandboxKey);
  const isSandboxKey = (text: string) => expected !== undefined && timingSafeEqual(digestOf(text), expected);

  function find(text: string): ApiKey | undefined | Promise<ApiKey | undefined> {
    if (isSandboxKey(text)) return ofSandbox;
    if (!KEY_FORM.test(text)) return undefined;
    const digest = hash('sha256', text, 'base64');
    const entry = valid.get(digest) ?? invalid.get(digest);
    if (entry !== undefined && steadyNow() - entry.readAt < MAX_AGE_MS) return usable(entry);
    return readOnce(digest).then(usable);
  }

  return { find, close };
}

const digestOf = (text: string): Buffer => hash('sha256', text, 'buffer');
