import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

export const sha256 = (bytes: Uint8Array): Uint8Array => hash('sha256', bytes, 'buffer');

export function createCache<V extends {}>(max: number): LRUCache<string, V> {
  return new LRUCache({ max });
}
