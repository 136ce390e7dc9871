import assert from 'node:assert/strict';
import { generateKeypair } from '@slipway/wire';
import { pino } from 'pino';
import { createSender } from '../../events/sender.js';
import type { Limiter } from '../../http/ports.js';
import { startTestServer } from '../../http/testing.js';
import { createClock, steadyNow } from '../../lib/clock.js';
import { createSecretBox } from '../../signer/index.js';
import { type NewEvent, tell } from '../../store/event-outbox.js';
import { numberEvents } from '../../store/events.js';
import { insertCrafted } from '../../store/ledger.js';
import { openAnyStore } from '../../store/testing.js';
import { Hub } from './hub.js';
import { registerEvents } from './index.js';

export const AT = new Date('2026-01-01T00:00:00Z');
export const OWNER = generateKeypair().address;
export const OTHER = generateKeypair().address;
/** By login token. */
export const LOGINS = new Map([
  ['owner', OWNER],
  ['other', OTHER],
]);

export const deps = {
  clock: { ...createClock(), now: () => AT.getTime() },
  keepMs: 1_000,
  box: createSecretBox(Buffer.alloc(32)),
  allowsPrivate: true,
  send: createSender({ allowsPrivate: true, steadyNow }),
};

/** A database with a request of the key `key-1`, and copies of the service over it. */
export async function openEventsWorld() {
  const store = await openAnyStore();
  const row = { area: 'swap', wallet: OWNER, messageHash: Buffer.alloc(32), cosigners: [], payload: null };
  const request = { ...row, lastValidBlockHeight: 1n, createdAt: AT, expiresAt: AT };
  await store.transaction((tx) => insertCrafted(tx, [{ ...request, id: 'of key-1', apiKey: 'key-1' }]));

  /** One copy of the service, which listens. */
  async function startCopy(
    limits = { streams: 10, streamsPerKey: 5 },
    patienceMs = 30_000,
    more: { limiter?: Limiter; env?: Record<string, string> } = {},
  ) {
    const hub = new Hub({ store, log: pino({ level: 'silent' }), patienceMs });
    const { app } = await startTestServer((server) => registerEvents(server, { store, ...deps, hub, limits }), {
      wallets: async (token) => LOGINS.get(token),
      ...more,
    });
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    const connections = () => new Promise<number>((resolve) => app.server.getConnections((_, count) => resolve(count)));
    return { url, connections, close: () => app.close() };
  }

  /** Tells of `count` events of a wallet and, with `ofKey`, of the key `key-1`, and gives them numbers. */
  async function happen(count: number, { wallet = OWNER, ofKey = true, data = {}, kind = 'order.filled' } = {}) {
    const event = {
      kind: kind as NewEvent['kind'],
      at: AT,
      wallets: [wallet] as const,
      begunBy: ofKey ? { requestId: 'of key-1' } : undefined,
      data,
    };
    await store.transaction((tx) => tell(tx, Array<NewEvent>(count).fill(event)));
    await store.single((tx) => numberEvents(tx, 1, AT));
  }

  async function clear() {
    for (const table of ['events', 'event_outbox', 'event_accounts', 'webhooks', 'event_followers'])
      await store.query(`delete from ${table}`);
  }

  return { store, startCopy, happen, clear };
}

export interface Event {
  number: number;
  kind: string;
  data: Record<string, unknown>;
}

export interface Opened {
  status: number;
  /** The next events, or as many as come before the stream ends. */
  read(count: number): Promise<Event[]>;
  /** The number that an EventSource would send when it connects again. */
  lastId(): string;
  error(): Promise<string>;
  close(): void;
}

export interface Asked {
  query?: string;
  key?: string;
  origin?: string;
  login?: string;
  last?: string;
  /** Another address, by what a proxy says. */
  from?: string;
}

export async function open(
  url: string,
  { query = '', key = 'good-key', origin, login, last, from }: Asked = {},
): Promise<Opened> {
  const stop = new AbortController();
  const headers = {
    'x-api-key': key,
    ...(origin && { origin }),
    ...(login && { authorization: `Bearer ${login}` }),
    ...(last && { 'last-event-id': last }),
    ...(from && { 'x-forwarded-for': from }),
  };
  const answer = await fetch(`${url}/events/v1/stream${query}`, { headers, signal: stop.signal });
  const chunks = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  let lastId = '';
  const events: Event[] = [];
  const parse = () => {
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const fields = text.slice(0, end).split('\n');
      text = text.slice(end + 2);
      const field = (name: string) => fields.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      lastId = field('id') ?? lastId;
      const data = field('data');
      if (data === undefined) continue;
      const event = JSON.parse(data) as Event;
      assert.equal(field('event'), event.kind);
      assert.equal(lastId, `${event.number}`);
      events.push(event);
    }
  };
  return {
    status: answer.status,
    async read(count) {
      while (events.length < count) {
        const { done, value } = await chunks.read();
        if (done) break;
        text += value;
        parse();
      }
      return events.splice(0, count);
    },
    lastId: () => lastId,
    error: async () => String((await chunks.read()).value),
    close: () => stop.abort(),
  };
}

/** One call of the API of webhooks; by the sandbox's key, or a login. */
export async function call(
  url: string,
  method: string,
  path: string,
  { body, login, key = 'good-key', origin, from }: Asked & { body?: object } = {},
) {
  const answer = await fetch(`${url}/events/v1/webhooks${path}`, {
    method,
    headers: {
      'x-api-key': key,
      ...(origin && { origin }),
      ...(from && { 'x-forwarded-for': from }),
      ...(login && { authorization: `Bearer ${login}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: the schemas of the answers are checked elsewhere
  return { status: answer.status, body: (await answer.json()) as any };
}
