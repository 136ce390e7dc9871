import { pino } from 'pino';
import { Registry } from 'prom-client';
import type { Message, Outcome, Sender } from '../../events/sender.js';
import { createClock, steadyNow } from '../../lib/clock.js';
import { createSecretBox, newWebhookSecret } from '../../signer/index.js';
import { tell } from '../../store/event-outbox.js';
import { numberEvents } from '../../store/events.js';
import { openAnyStore } from '../../store/testing.js';
import { insertWebhook, listWebhooks, sealWebhook } from '../../store/webhooks.js';
import type { KeeperLoop } from '../keeper.js';
import { startWebhooks } from './webhooks.js';

export const WALLET = 'w';
export const ACCOUNT = `wallet:${WALLET}`;

/** Webhooks, what happens that they hear of, and copies that send it. The clock is a sandbox's: tests move it ahead, and nothing else does. */
export async function openWebhookWorld() {
  const store = await openAnyStore();
  const box = createSecretBox(Buffer.alloc(32, 1));
  const secret = newWebhookSecret();
  const log = pino({ level: 'silent' });
  const clock = createClock();
  const began = clock.now();
  clock.now = () => began + clock.offsetMs;
  const started: KeeperLoop[] = [];

  async function addWebhook(id: string, kinds: string | null = null, { account = ACCOUNT, apiKey = 'key' } = {}) {
    const createdAt = new Date(clock.now());
    const row = {
      id,
      account,
      apiKey,
      caller: apiKey,
      url: `https://${id}.example/`,
      secrets: [{ secret }],
      kinds,
      wallet: null,
    };
    const sealed = await sealWebhook(box, { ...row, createdAt });
    return store.transaction((tx) => insertWebhook(tx, sealed, { ofAccount: 20, ofCaller: 1_000, ofKey: 1_000 }));
  }

  async function happen(
    count: number,
    kind: 'order.filled' | 'order.opened' = 'order.filled',
    wallets = [WALLET],
    at = new Date(clock.now()),
  ) {
    const event = { kind, at, wallets, begunBy: undefined, data: {} };
    await store.transaction((tx) => tell(tx, Array(count).fill(event)));
    await store.single((tx) => numberEvents(tx, 1, new Date(clock.now())));
  }

  async function start(send: Sender, registry = new Registry(), now = steadyNow): Promise<KeeperLoop> {
    const loop = await startWebhooks({ store, box, clock, steadyNow: now, send, log, registry });
    started.push(loop);
    return loop;
  }

  /** Lets time go by, and waits for what is sent then. */
  async function pass(loop: KeeperLoop, ms: number): Promise<void> {
    clock.setOffset(clock.offsetMs + ms);
    await loop.runDue();
    const isFree = async () => (await store.query('select from webhooks where lease_until > now()')).rowCount === 0;
    while (!(await isFree())) await new Promise((resolve) => setTimeout(resolve, 1));
  }

  async function reset() {
    for (const table of ['events', 'event_outbox', 'event_accounts', 'webhooks']) {
      await store.query(`delete from ${table}`);
    }
    clock.setOffset(0);
  }

  async function closeLoops() {
    for (const loop of started.splice(0)) await loop.close();
  }

  return {
    store,
    box,
    secret,
    clock,
    addWebhook,
    happen,
    start,
    pass,
    /** The first of those of the wallet. */
    webhook: async () => (await listWebhooks(store, box, ACCOUNT))[0]!,
    reset,
    closeLoops,
    close: () => store.close(),
  };
}

/** Receivers by the name of their host, which answer as they are told, and what has reached each. */
export function createReceivers(answers: Record<string, (number: number) => Outcome['status'] | Promise<number>> = {}) {
  const got = new Map<string, number[]>();
  const messages: Message[] = [];
  const send: Sender = async (message) => {
    const name = new URL(message.url).hostname.split('.')[0]!;
    const { number } = JSON.parse(message.body) as { number: number };
    const status = (await answers[name]?.(number)) ?? 200;
    messages.push(message);
    if (status === 200) got.set(name, [...(got.get(name) ?? []), number]);
    return { status, milliseconds: 1 };
  };
  // A clock that jumps ends turns that are under way: then an event comes twice.
  return { send, messages, numbers: (name: string) => [...new Set(got.get(name))] };
}

/** A receiver that counts how many posts it has at the same time, each for so long, and how often one comes while it has none. */
export function busyReceiver(ms: number) {
  const seen = { now: 0, most: 0, waves: 0 };
  const answer = async () => {
    if (seen.now === 0) seen.waves += 1;
    seen.now += 1;
    seen.most = Math.max(seen.most, seen.now);
    await new Promise((resolve) => setTimeout(resolve, ms));
    seen.now -= 1;
    return 200;
  };
  return { seen, answer };
}

/** Runs the loop until the condition holds. */
export async function until(loop: KeeperLoop, condition: () => boolean | Promise<boolean>) {
  while (!(await condition())) {
    await loop.runDue();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, index) => first + index);
