import { sha256 as hash } from '@noble/hashes/sha2.js';

// What Node does faster by itself (platform-node.ts) and everybody else does here: browsers, Deno, Bun.

/** The SHA-256 hash of the bytes. */
export const sha256 = (bytes: Uint8Array): Uint8Array => hash(bytes);

/** Remembers about as many values as `max`, the latest ones. */
export function createCache<V>(max: number): { get(key: string): V | undefined; set(key: string, value: V): void } {
  const values = new Map<string, V>();
  return {
    get: (key) => values.get(key),
    set(key, value) {
      if (values.size >= max) values.delete(values.keys().next().value!);
      values.set(key, value);
    },
  };
}
