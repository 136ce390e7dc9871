import { randomFillSync } from 'node:crypto';
import type { Clock } from './clock.js';

const POOL_SIZE = 4096;
const pool = Buffer.alloc(POOL_SIZE);
let used = POOL_SIZE;

/** A UUID version 7 (RFC 9562): sorts by creation time, 74 random bits. */
export function uuidv7(clock: Clock): string {
  if (used + 10 > POOL_SIZE) {
    randomFillSync(pool);
    used = 0;
  }
  const random = pool.toString('hex', used, used + 10);
  used += 10;
  const time = clock.now().toString(16).padStart(12, '0');
  const variant = '89ab'[Number.parseInt(random[3]!, 16) & 3];
  return `${time.slice(0, 8)}-${time.slice(8, 12)}-7${random.slice(0, 3)}-${variant}${random.slice(4, 7)}-${random.slice(7, 19)}`;
}
