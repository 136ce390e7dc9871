import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads';
import { generateKeypair, memo } from '@slipway/wire';
import { seededRandom } from './rounds.js';
import { request, type Service } from './service.js';
import { latestBlockhash, signed } from './submission.js';
import { SOL } from './swap.js';

/** Between two tries of one attacker: without it, the attackers of this process would take a processor for themselves. */
const PAUSE_MS = 20;
/** Of those who send megabytes: together they send some 20 MB a second, more than most lines bring. */
const HEAVY_PAUSE_MS = { bigBodies: 200, forms: 1_000, uploads: 1_000 };
/** Beyond what any route reads. */
const BIG = 2 * 1024 * 1024;
/** Below what a form may have. */
const FORM = 4 * 1024 * 1024;
const SUBMIT = '/studio/v1/dbc-pool/submit';
const REFUSED = new Set([400, 429, 503]);

interface Mix {
  service: Pick<Service, 'url' | 'rpcUrl'>;
  /** Of a key that costs nothing. */
  freeKey: string;
  random: () => number;
}

/** Attackers, each of whom tries one thing again and again until the time is over; what was submitted and refused. */
export type HostileMix = (until: number) => Promise<string[]>;

export function createHostileMix({ service, freeKey, random }: Mix): HostileMix {
  let refused: string[] = [];
  const free = { 'x-api-key': freeKey };

  async function attack(until: number, run: () => Promise<void>, pauseMs = PAUSE_MS): Promise<void> {
    do {
      await run();
      await sleep(pauseMs);
    } while (performance.now() < until);
  }

  async function strangers(): Promise<void> {
    const blockhash = await latestBlockhash(service);
    const posts = Array.from({ length: 20 }, (_, i) => signed(blockhash, [memo(`${i}`)], generateKeypair()));
    for (const signedTransaction of posts) {
      const answer = await request(`${service.url}/tx/v1/submit`, { body: { signedTransaction } });
      assert.ok(REFUSED.has(answer.status), `${answer.status}`);
      refused.push(signedTransaction);
    }
  }

  async function badKeys(): Promise<void> {
    const headers = { 'x-api-key': `slip_${random().toString(36).slice(2)}` };
    const { status } = await request(`${service.url}/tokens/v2/search?query=SOL`, { headers });
    assert.equal(status, 401);
  }

  const raw = Buffer.from(JSON.stringify({ signedTransaction: 'A'.repeat(BIG) }));
  async function bigBodies(): Promise<void> {
    // The connection may be closed before all of it is sent.
    const answer = await request(`${service.url}/tx/v1/submit`, { raw }).catch(() => undefined);
    assert.ok(answer === undefined || answer.status === 413, `${answer?.status}`);
  }

  // The pools keep the fees of being moved, so that in an hour of this what they can be moved to gets narrower.
  async function prices(): Promise<void> {
    const body = { mint: SOL, usd: 10 ** (random() * 7 - 1) };
    const answer = await request<{ error?: string }>(`${service.url}/sandbox/prices`, { body });
    assert.ok(answer.status === 200 || /cannot be moved/.test(answer.body.error ?? ''), JSON.stringify(answer.body));
  }

  const tinyParts = Buffer.from('--x\r\n\r\n'.repeat(FORM / 7));
  const large = Buffer.alloc(FORM, 'x');
  async function post(form: Uint8Array): Promise<void> {
    const headers = { ...free, 'content-type': 'multipart/form-data; boundary=x' };
    const answer = await fetch(`${service.url}${SUBMIT}`, { method: 'POST', headers, body: form }).catch(
      () => undefined,
    );
    await answer?.arrayBuffer();
    assert.ok(answer === undefined || REFUSED.has(answer.status), `${answer?.status}`);
  }

  const forms = () => post(tinyParts);
  const uploads = async () => {
    await Promise.all(Array.from({ length: 3 }, () => post(large)));
  };

  /** Bodies that never come, of calls that are kept open for a while. */
  async function unfinished(): Promise<void> {
    const { hostname, port } = new URL(service.url);
    const head = ['POST /ultra/v1/execute HTTP/1.1', `host: ${hostname}:${port}`, `x-api-key: ${freeKey}`];
    const sockets = Array.from({ length: 50 }, () => {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => {});
      socket.resume().write([...head, 'content-type: application/json', 'content-length: 1000', '', '{'].join('\r\n'));
      return socket;
    });
    await sleep(1_000);
    for (const socket of sockets) socket.destroy();
  }

  return async (until) => {
    refused = [];
    await Promise.all([
      ...[strangers, badKeys, prices, unfinished].map((each) => attack(until, each)),
      attack(until, bigBodies, HEAVY_PAUSE_MS.bigBodies),
      attack(until, forms, HEAVY_PAUSE_MS.forms),
      attack(until, uploads, HEAVY_PAUSE_MS.uploads),
    ]);
    return refused;
  };
}

if (parentPort) serveRounds(parentPort);

/** In a thread of its own: what the attackers do must not delay those whose payments are measured. */
function serveRounds(port: MessagePort): void {
  const { seed, ...mix } = workerData as Omit<Mix, 'random'> & { seed: number };
  const run = createHostileMix({ ...mix, random: seededRandom(seed) });
  port.on('message', async (milliseconds: number) => port.postMessage(await run(performance.now() + milliseconds)));
}

/** Attackers in another thread; each call lets them attack for so long. */
export function startHostileMix(data: Omit<Mix, 'random'> & { seed: number }) {
  const worker = new Worker(new URL(import.meta.url), { workerData: data });
  return {
    async attack(milliseconds: number): Promise<string[]> {
      const answer = once(worker, 'message') as Promise<[string[]]>;
      worker.postMessage(milliseconds);
      return (await answer)[0];
    },
    close: () => worker.terminate(),
  };
}
