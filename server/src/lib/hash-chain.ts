import { createHash } from 'node:crypto';

/** What the first entry of a record follows. */
export const CHAIN_START = '0'.repeat(64);

/** An entry of an append-only record: `hash` covers it and, by `prev`, all before it. */
export interface Chained<Entry> {
  /** 1, 2, 3, without gaps. */
  seq: number;
  /** SHA-256 in hex: the hash of the entry before. */
  prev: string;
  hash: string;
  entry: Entry;
}

/** The entry that follows another one; the first where there is none. */
export function chained<Entry extends object>(
  entry: Entry,
  before: { seq: number; hash: string } | undefined,
): Chained<Entry> {
  const [seq, prev] = before ? [before.seq + 1, before.hash] : [1, CHAIN_START];
  return { seq, prev, hash: hashOf(seq, prev, entry), entry };
}

/** Why the entry is not the one that was written after `before`; undefined if it is. */
export function whyBroken(
  { seq, prev, hash, entry }: Chained<object>,
  before: { seq: number; hash: string } | undefined,
): string | undefined {
  const expected = (before?.seq ?? 0) + 1;
  if (seq !== expected) return `number ${seq} stands where ${expected} should`;
  if (prev !== (before?.hash ?? CHAIN_START)) return `number ${seq} does not follow what stands before it`;
  return hash === hashOf(seq, prev, entry) ? undefined : `number ${seq} was changed`;
}

/** An entry as a person notes it, `SEQ:HASH`; undefined for what is none. */
export function readEnd(text: string): { seq: number; hash: string } | undefined {
  const [, seq, hash = ''] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  return seq === undefined ? undefined : { seq: Number(seq), hash };
}

function hashOf(seq: number, prev: string, entry: object): string {
  // In the order of their names, because a database keeps no other.
  const fields = Object.entries(entry).sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([seq, prev, fields]))
    .digest('hex');
}
