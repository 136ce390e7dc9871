import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateKeypair, memo } from '@slipway/wire';
import { request, type Service } from './service.js';
import { latestBlockhash, signed } from './submission.js';
import { SOL, setPrice } from './swap.js';

/** Between two tries of one attacker: without it, the attackers of this process would take a processor for themselves. */
const PAUSE_MS = 20;
/** Of those who send megabytes: to make and send them takes as long as to refuse them. */
const HEAVY_PAUSE_MS = 500;
/** Beyond what any route reads. */
const BIG = 2 * 1024 * 1024;
/** Below what a form may have. */
const FORM = 4 * 1024 * 1024;
const SUBMIT = '/studio/v1/dbc-pool/submit';
const REFUSED = new Set([400, 429, 503]);

interface Mix {
  service: Service;
  /** Of a key that costs nothing. */
  freeKey: string;
  random: () => number;
}

/** Attackers, each of whom tries one thing again and again until the time is over. */
export interface HostileMix {
  run(until: number): Promise<void>;
  /** What was submitted and refused. */
  readonly refused: string[];
}

export function createHostileMix({ service, freeKey, random }: Mix): HostileMix {
  const refused: string[] = [];
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

  async function bigBodies(): Promise<void> {
    const raw = JSON.stringify({ signedTransaction: 'A'.repeat(BIG) });
    // The connection may be closed before all of it is sent.
    const answer = await request(`${service.url}/tx/v1/submit`, { raw }).catch(() => undefined);
    assert.ok(answer === undefined || answer.status === 413, `${answer?.status}`);
  }

  const prices = () => setPrice(service, SOL, 10 ** (random() * 8 - 2));

  async function post(form: string): Promise<void> {
    const headers = { ...free, 'content-type': 'multipart/form-data; boundary=x' };
    const answer = await fetch(`${service.url}${SUBMIT}`, { method: 'POST', headers, body: form }).catch(
      () => undefined,
    );
    await answer?.arrayBuffer();
    assert.ok(answer === undefined || REFUSED.has(answer.status), `${answer?.status}`);
  }

  const forms = () => post('--x\r\n\r\n'.repeat(FORM / 7));
  const uploads = async () => {
    await Promise.all(Array.from({ length: 10 }, () => post('x'.repeat(FORM))));
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

  return {
    refused,
    async run(until) {
      const attackers = [strangers, badKeys, bigBodies, prices, unfinished];
      const heavy = [forms, uploads];
      await Promise.all([
        ...attackers.map((each) => attack(until, each)),
        ...heavy.map((each) => attack(until, each, HEAVY_PAUSE_MS)),
      ]);
    },
  };
}
