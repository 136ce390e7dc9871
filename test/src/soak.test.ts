import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { decodeTransaction, generateKeypair, memo, transactionSignature } from '@slipway/wire';
import { newSeed, seededRandom } from './rounds.js';
import { request, type Service, startService } from './service.js';
import { latestBlockhash, type Status, signed } from './submission.js';
import { SOL, setPrice } from './swap.js';
import { balancesOf, craft, execute, newToken, newWallet, PRICE, RECEIVER } from './wallet.js';

/** Half of it quiet, half of it hostile. Set it to 3600 for an hour. */
const SECONDS = Number(process.env.SLIPWAY_SOAK_SECONDS ?? 16);
const LEAST_PAYMENTS = 3;
const signatureOf = (base64: string) => transactionSignature(decodeTransaction(Buffer.from(base64, 'base64')));
/** Between two tries of one attacker: without it, the attackers of this process would take a processor for themselves. */
const PAUSE_MS = 20;
/** Beyond what any route reads. */
const BIG = 2 * 1024 * 1024;
/** Series of metrics: of routes and their answers, however many callers and texts there are. */
const MOST_SERIES = 4_000;

describe('attack: a free key floods, with strangers beside it: bad keys, big bodies, made-up prices, what cannot land', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service?.close());

  /** Runs again and again until the time is over, and at least so often; how often. */
  async function repeat(until: number, least: number, run: () => Promise<void>): Promise<number> {
    let times = 0;
    for (; performance.now() < until || times < least; times++) await run();
    return times;
  }

  const attack = (until: number, run: () => Promise<void>) =>
    repeat(until, 1, async () => {
      await run();
      await setTimeout(PAUSE_MS);
    });

  /** Payments one after the other; the time from each post to its end, in milliseconds. */
  async function pay(until: number): Promise<number[]> {
    const took: number[] = [];
    await repeat(until, LEAST_PAYMENTS, async () => {
      const sender = await newWallet(service, 1_000_000_000n, PRICE);
      const crafted = await craft(service, sender.address);
      const tokenId = await newToken(service);
      const from = performance.now();
      const { status, body } = await execute(service, crafted, sender, { tokenId });
      took.push(performance.now() - from);
      assert.deepEqual([status, body.status, body.verificationCreated], [200, 'Success', true], JSON.stringify(body));
      assert.equal((await balancesOf(service, sender.address)).jup, 0n);
    });
    return took;
  }

  const REFUSED = new Set([400, 429, 503]);

  async function strangers(until: number): Promise<string[]> {
    const refused: string[] = [];
    await attack(until, async () => {
      const blockhash = await latestBlockhash(service);
      const posts = Array.from({ length: 20 }, (_, i) => signed(blockhash, [memo(`${i}`)], generateKeypair()));
      for (const signedTransaction of posts) {
        const answer = await request(`${service.url}/tx/v1/submit`, { body: { signedTransaction } });
        assert.ok(REFUSED.has(answer.status), `${answer.status}`);
        refused.push(signedTransaction);
      }
    });
    return refused;
  }

  async function badKeys(until: number, random: () => number): Promise<void> {
    await attack(until, async () => {
      const headers = { 'x-api-key': `slip_${random().toString(36).slice(2)}` };
      const { status } = await request(`${service.url}/tokens/v2/search?query=SOL`, { headers });
      assert.equal(status, 401);
    });
  }

  async function bigBodies(until: number): Promise<void> {
    const raw = JSON.stringify({ signedTransaction: 'A'.repeat(BIG) });
    await attack(until, async () => {
      // The connection may be closed before all of it is sent.
      const answer = await request(`${service.url}/tx/v1/submit`, { raw }).catch(() => undefined);
      assert.ok(answer === undefined || answer.status === 413, `${answer?.status}`);
    });
  }

  async function prices(until: number, random: () => number): Promise<void> {
    await attack(until, () => setPrice(service, SOL, 10 ** (random() * 8 - 2)));
  }

  async function series(): Promise<Map<string, number>> {
    const { body } = await request<string>(`${service.url}/metrics`);
    const lines = body.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    return new Map(
      lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
    );
  }

  const percentile = (values: number[]) => values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1]!;
  const megabytes = (of: Map<string, number>) => Math.round(of.get('process_resident_memory_bytes')! / 2 ** 20);

  it('no payment is lost or made twice, what cannot land leaves nothing, and what is counted stays within its bounds', async (t) => {
    const seed = newSeed();
    t.diagnostic(`TEST_SEED=${seed}`);
    const random = seededRandom(seed);
    const received = async () => (await balancesOf(service, RECEIVER)).jup;
    const had = await received();
    const quiet = await pay(performance.now() + SECONDS * 500);
    const before = await series();

    const until = performance.now() + SECONDS * 500;
    const [loud, refused] = await Promise.all([
      pay(until),
      strangers(until),
      badKeys(until, random),
      bigBodies(until),
      prices(until, random),
    ]);
    const afterwards = await series();

    assert.equal((await received()) - had, BigInt(quiet.length + loud.length) * PRICE);
    for (const wire of [refused[0]!, refused.at(-1)!]) {
      const answer = await request<Status>(`${service.url}/tx/v1/status/${signatureOf(wire)}`);
      assert.equal(answer.status, 404, JSON.stringify(answer.body));
    }
    assert.ok(afterwards.size < MOST_SERIES, `${afterwards.size} series`);
    for (const [name, value] of afterwards) {
      if (name.startsWith('slipway_lost_transactions')) assert.equal(value, 0, name);
      if (name.startsWith('slipway_rpc_waiting')) assert.ok(value < 1_000, `${name} ${value}`);
    }
    const landing = `p99 of landing: ${Math.round(percentile(quiet))} ms quiet, ${Math.round(percentile(loud))} ms hostile`;
    const memory = `resident: ${megabytes(before)} MiB, then ${megabytes(afterwards)} MiB`;
    t.diagnostic(`${landing}; ${memory}; ${quiet.length} and ${loud.length} payments, ${refused.length} refused`);
  });
});
