import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { serveSocket } from './socket.js';
import { MAX_UNSENT_BYTES, type Receiver, UnreadNews } from './unread-news.js';

const MIB = 1 << 20;

test('attack: a free key of a sandbox reads no news on ever more connections: 256 MiB are kept, and those of others stay', () => {
  const unread = new UnreadNews();
  const ended = new Set<Receiver>();
  const newReceiver = () => {
    const receiver = {
      waiting: 0,
      unsent: () => (ended.has(receiver) ? 0 : receiver.waiting),
      end: () => {
        ended.add(receiver);
      },
    };
    unread.add(receiver);
    return receiver;
  };
  const tell = (receiver: ReturnType<typeof newReceiver>, bytes: number) => {
    receiver.waiting += bytes;
    unread.told(receiver, bytes);
  };
  const polite = newReceiver();
  tell(polite, MIB / 2);
  const rude = Array.from({ length: 40 }, newReceiver);
  const waiting = () => rude.reduce((sum, each) => sum + each.unsent(), 0);
  for (let count = 0; count < 16; count++) for (const each of rude) if (!ended.has(each)) tell(each, MIB);
  assert.ok(waiting() <= MAX_UNSENT_BYTES.ofAll && waiting() > MAX_UNSENT_BYTES.ofAll / 2, `${waiting()}`);
  assert.ok(!ended.has(polite));
});

test('attack: a free key of a sandbox keeps asking, so that his news is held back until his answers are out: his connection ends', async () => {
  const client = Object.assign(new EventEmitter(), {
    OPEN: 1,
    readyState: 1,
    bufferedAmount: 0,
    send: () => {},
    terminate: () => client.emit('close'),
  });
  let notify: (text: string) => void = assert.fail;
  const connection = { call: () => new Promise<never>(() => {}), close: () => {} };
  const connect = (given: typeof notify) => {
    notify = given;
    return connection as never;
  };
  serveSocket(client as unknown as WebSocket, { connect }, new UnreadNews());
  let isClosed = false;
  client.on('close', () => {
    isClosed = true;
  });
  client.emit('message', '{"jsonrpc":"2.0","id":1,"method":"getSlot"}');
  await setTimeout(1);
  for (let count = 0; count < 16; count++) notify('x'.repeat(MIB));
  assert.ok(!isClosed);
  notify('x');
  assert.ok(isClosed);
});
