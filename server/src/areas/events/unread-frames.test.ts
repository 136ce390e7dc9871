import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventRow } from '../../store/events.js';
import { Reader } from './reader.js';
import { UnreadFrames } from './unread-frames.js';

const FRAME = `id: 1\n${'x'.repeat(1_000)}`;

test('attack: a free key reads none of its thousand streams: 32 MiB of events wait for all readers together', () => {
  const readers = new Set<Reader>();
  const unread = new UnreadFrames(readers);
  const open = (key: string) => {
    const common = { account: key, caller: key, key, after: 0n, login: undefined, wants: () => true };
    const reader = new Reader({ ...common, cut: () => {}, gave: (bytes) => unread.gave(bytes) });
    readers.add(reader);
    return reader;
  };
  const give = (reader: Reader) => reader.give({ number: reader.after + 1n } as EventRow, FRAME);
  const others = Array.from({ length: 20 }, () => open('other'));
  const own = Array.from({ length: 1_000 }, () => open('attacker'));
  let most = 0;
  for (let round = 0; round < 200; round += 1) {
    if (round < 50) for (const reader of others) give(reader);
    for (const reader of own) if (!reader.isClosed) give(reader);
    const waiting = [...readers].filter(({ isClosed }) => !isClosed).map(({ waitingBytes }) => waitingBytes);
    most = Math.max(
      most,
      waiting.reduce((sum, bytes) => sum + bytes, 0),
    );
  }
  assert.ok(most <= 33 * 1024 * 1024 && most > 24 * 1024 * 1024, `${most} bytes`);
  assert.deepEqual(
    others.map(({ after, isClosed }) => [after, isClosed]),
    others.map(() => [50n, false]),
  );
  const kept = own.filter(({ isClosed }) => !isClosed);
  assert.ok(kept.length < 300 && kept.length > 100, `${kept.length} streams`);
});

test('attack: a free key that stands in a page has ever more addresses read none of their streams: those of other keys stay', () => {
  const readers = new Set<Reader>();
  const unread = new UnreadFrames(readers);
  const open = (key: string, account: string) => {
    const common = { account, caller: key, key, after: 0n, login: undefined, wants: () => true };
    const reader = new Reader({ ...common, cut: () => {}, gave: (bytes) => unread.gave(bytes) });
    readers.add(reader);
    return reader;
  };
  const give = (reader: Reader) => reader.give({ number: reader.after + 1n } as EventRow, FRAME);
  // Together, more waits for them than for one address.
  const others = Array.from({ length: 20 }, () => open('other', 'other'));
  const own = Array.from({ length: 1_000 }, (_, address) => open('page', `page ${address}`));
  for (let round = 0; round < 125; round += 1) {
    if (round < 50) for (const reader of others) give(reader);
    for (const reader of own) if (!reader.isClosed) give(reader);
  }
  assert.ok(own.some(({ isClosed }) => isClosed));
  assert.ok(others.every(({ isClosed }) => !isClosed));
});

test('streams that are read count as nothing, however much they are given', () => {
  const readers = new Set<Reader>();
  const unread = new UnreadFrames(readers);
  const common = { account: 'key', caller: 'key', key: 'key', after: 0n, login: undefined, wants: () => true };
  const reader = new Reader({ ...common, cut: () => {}, gave: (bytes) => unread.gave(bytes) });
  readers.add(reader);
  let read = 0;
  for (let number = 1n; number <= 50_000n; number += 1n) {
    assert.ok(reader.give({ number } as EventRow, FRAME));
    read += (reader.body.read() as Buffer).length;
  }
  assert.equal(reader.isClosed, false);
  assert.ok(read > 40 * 1024 * 1024);
});
