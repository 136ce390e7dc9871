import { LRUCache } from 'lru-cache';

/**
 * Keeps at most `max` entries: what was used longest ago goes first. It takes memory as it fills. Given `max`, the library
 * takes that of all entries at once, which made the caches of this service cost 30 ms of each start.
 */
export class GrowingCache<K extends {}, V extends {}> extends LRUCache<K, V> {
  constructor(max: number) {
    super({ maxSize: max, sizeCalculation: () => 1 });
  }
}
