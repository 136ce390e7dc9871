import { timingSafeEqual } from 'node:crypto';

/** Whether a text is a secret, in a time that does not tell how much of it is right. */
export function isSameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
