import { once } from 'node:events';
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@slipway/client';
import {
  decodeTransaction,
  encodeTransaction,
  generateKeypair,
  type Keypair,
  sign,
  withSignature,
} from '@slipway/wire';
import { tell } from '../../server/dist/store/event-outbox.js';
import { openStore } from '../../server/dist/store/postgres/open-store.js';
import type { Store } from '../../server/dist/store/sql.js';
import { quantile } from './load.js';
import type { Rig } from './processes.js';
import { API_KEY, type Service, startService } from './service.js';
import { startDatabase } from './targets.js';

const STREAMS = 1_000;
/** Latency is measured at this rate. */
const PER_SECOND = 100;
const SECONDS = 5;
const BURST = 10_000;
/** What one transaction of a busy service settles. */
const GROUP = 50;
const WRITERS = 4;

export interface EventFigures {
  /** Events a second, from the first commit until the last reader has the last one. */
  perSecond: number[];
  /** Milliseconds from just before the commit to the reader. */
  p50: number[];
  p99: number[];
}

/** What 1,000 open streams get, each of a wallet of its own, on PostgreSQL. */
export async function measureEvents(rig: Rig, { rounds }: { rounds: number }): Promise<EventFigures> {
  const url = await startDatabase(rig);
  const service = await startService(rig, rig.folder(), { DATABASE_URL: url });
  const store = await openStore({ kind: 'postgres', url });
  rig.add(() => store.close());
  const readers = openReaders(rig, service);
  await readers.openTo(STREAMS);
  const figures: EventFigures = { perSecond: [], p50: [], p99: [] };
  for (let round = 0; round <= rounds; round++) {
    const latencies = await measureLatency(store, readers);
    const perSecond = await measureBurst(store, readers);
    if (round === 0) continue;
    figures.perSecond.push(perSecond);
    figures.p50.push(quantile(latencies, 0.5));
    figures.p99.push(quantile(latencies, 0.99));
  }
  return figures;
}

export interface Readers {
  wallets: string[];
  /** Opens more streams, until there are so many. */
  openTo(count: number): Promise<void>;
  /** Takes note of when the stream of a wallet brings the event with this text in it. */
  onEvent: (about: string, at: number) => void;
}

/** Logs in with new wallets, and follows each. */
export function openReaders(rig: Rig, service: Service): Readers {
  const open = async (count: number) => {
    while (readers.wallets.length < count) {
      const wallet = generateKeypair();
      readers.wallets.push(wallet.address);
      await follow(rig, service, await tokenOf(service, wallet), (about, at) => readers.onEvent(about, at));
    }
  };
  const readers: Readers = {
    wallets: [],
    onEvent: () => {},
    async openTo(count) {
      await Promise.all(Array.from({ length: 16 }, () => open(count)));
    },
  };
  return readers;
}

async function tokenOf({ url }: Service, wallet: Keypair): Promise<string> {
  const signer = {
    address: wallet.address,
    signMessage: (message: Uint8Array) => sign(wallet, message),
    signTransaction: (wire: Uint8Array) => {
      const { signatures, message } = decodeTransaction(wire);
      return encodeTransaction(withSignature({ signatures, message }, wallet.address, sign(wallet, message)));
    },
  };
  return (await createClient({ url, apiKey: API_KEY, signer }).login()).token;
}

async function follow(rig: Rig, { url }: Service, token: string, onEvent: Readers['onEvent']): Promise<void> {
  const headers = { 'x-api-key': API_KEY, authorization: `Bearer ${token}` };
  const request = get(`${url}/events/v1/stream`, { headers });
  rig.add(() => request.destroy());
  const [response] = await once(request, 'response');
  if (response.statusCode !== 200) throw new Error(`a stream was answered ${response.statusCode}`);
  response.on('data', (text: Buffer) => {
    const at = performance.now();
    for (const [, about] of text.toString().matchAll(/"requestId":"(\w+)"/g)) onEvent(about!, at);
  });
  await once(response, 'data');
}

let told = 0;

const newEvents = (wallets: readonly string[], count: number) =>
  Array.from({ length: count }, () => {
    const id = `e${told++}`;
    const wallet = wallets[told % wallets.length]!;
    return {
      kind: 'transaction.landed' as const,
      at: new Date(),
      wallets: [wallet],
      begunBy: undefined,
      data: { requestId: id, area: 'swap', signature: 'x'.repeat(88), slot: told },
    };
  });

/** From just before the commit of an event until its reader has it, at a steady rate, in milliseconds; sorted. */
export async function measureLatency(store: Store, readers: Readers): Promise<number[]> {
  const from = new Map<string, number>();
  const latencies: number[] = [];
  const count = PER_SECOND * SECONDS;
  const all = new Promise<void>((resolve) => {
    readers.onEvent = (about, at) => {
      latencies.push(at - from.get(about)!);
      if (latencies.length === count) resolve();
    };
  });
  const begun = performance.now();
  for (let index = 0; index < count; index++) {
    const wait = begun + (index * 1_000) / PER_SECOND - performance.now();
    if (wait > 0) await sleep(wait);
    const events = newEvents(readers.wallets, 1);
    void store.transaction(async (tx) => {
      await tell(tx, events);
      from.set(events[0]!.data.requestId, performance.now());
    });
  }
  await all;
  return latencies.sort((a, b) => a - b);
}

/** Events a second, from many at once. */
async function measureBurst(store: Store, readers: Readers): Promise<number> {
  let got = 0;
  const all = new Promise<void>((resolve) => {
    readers.onEvent = () => {
      got += 1;
      if (got === BURST) resolve();
    };
  });
  const begun = performance.now();
  let left = BURST;
  const write = async () => {
    while (left > 0) {
      left -= GROUP;
      const events = newEvents(readers.wallets, GROUP);
      await store.transaction((tx) => tell(tx, events));
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
  await all;
  return BURST / ((performance.now() - begun) / 1_000);
}
