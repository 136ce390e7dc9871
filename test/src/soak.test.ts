import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeTransaction, transactionSignature } from '@slipway/wire';
import { newKey } from './admin.js';
import { startHostileMix } from './hostile-mix.js';
import { newSeed } from './rounds.js';
import { request, type Service, startService } from './service.js';
import type { Status } from './submission.js';
import { balancesOf, craft, execute, newToken, newWallet, PRICE, RECEIVER } from './wallet.js';

/** Half of it quiet, half of it hostile. Set it to 3600 for an hour. */
const SECONDS = Number(process.env.SLIPWAY_SOAK_SECONDS ?? 16);
/** From here on there are enough payments and rounds to judge by; a short run only shows that nothing is lost. */
const JUDGED_SECONDS = 180;
const isJudged = SECONDS >= JUDGED_SECONDS;
/**
 * Quiet and hostile rounds come in turns, each kind as often first as second: what else the machine does, and what gets
 * slower or larger with the time, then counts for both.
 */
const TURN = ['quiet', 'hostile', 'hostile', 'quiet'] as const;
const ROUND_SECONDS = isJudged ? 10 : SECONDS / TURN.length;
const rounds = Array.from(
  { length: Math.max(1, Math.round(SECONDS / ROUND_SECONDS / TURN.length)) },
  () => TURN,
).flat();
const PAYERS = 2;
const SAMPLE_MS = 1_000;
/** Series of metrics: of routes and their answers, however many callers and texts there are. */
const MOST_SERIES = 4_000;
/** Hostile against quiet. */
const MOST_SLOWER = 2;
/** The last quarter of the rounds against the second, when code and caches are warm. */
const MOST_GROWTH = 1.1;
const SLACK_BYTES = 16 * 2 ** 20;
const signatureOf = (base64: string) => transactionSignature(decodeTransaction(Buffer.from(base64, 'base64')));
const MEMORY = {
  heap: ['nodejs_heap_size_used_bytes', 'nodejs_external_memory_bytes'],
  resident: ['process_resident_memory_bytes'],
} as const;
type Memory = keyof typeof MEMORY;

/** What a round has shown. */
interface Round {
  kind: (typeof TURN)[number];
  /** From each post of a payment to its end, in milliseconds. */
  took: number[];
  /** The least of the round, in bytes: what garbage adds to it comes and goes. */
  least: Record<Memory, number>;
  /** What was submitted and refused. */
  refused: string[];
}

describe('attack: a free key floods, with strangers beside it: bad keys, big bodies, made-up prices, what cannot land', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service?.close());

  /** Payments one after the other, at least one; the time that each took. */
  async function pay(until: number): Promise<number[]> {
    const took: number[] = [];
    do {
      const sender = await newWallet(service, 1_000_000_000n, PRICE);
      const crafted = await craft(service, sender.address);
      const tokenId = await newToken(service);
      const from = performance.now();
      const { status, body } = await execute(service, crafted, sender, { tokenId });
      took.push(performance.now() - from);
      assert.deepEqual([status, body.status, body.verificationCreated], [200, 'Success', true], JSON.stringify(body));
      assert.equal((await balancesOf(service, sender.address)).jup, 0n);
    } while (performance.now() < until);
    return took;
  }

  async function series(): Promise<Map<string, number>> {
    const { body } = await request<string>(`${service.url}/metrics`);
    const lines = body.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    return new Map(
      lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
    );
  }

  async function leastMemory(until: number): Promise<Round['least']> {
    const least = { heap: Number.POSITIVE_INFINITY, resident: Number.POSITIVE_INFINITY };
    do {
      const now = await series();
      for (const kind of ['heap', 'resident'] as const) {
        const bytes = MEMORY[kind].reduce((sum, name) => sum + now.get(name)!, 0);
        least[kind] = Math.min(least[kind], bytes);
      }
      await sleep(SAMPLE_MS);
    } while (performance.now() < until);
    return least;
  }

  async function runRound(kind: Round['kind'], mix: ReturnType<typeof startHostileMix>): Promise<Round> {
    const until = performance.now() + ROUND_SECONDS * 1_000;
    const [least, refused = [], ...took] = await Promise.all([
      leastMemory(until),
      kind === 'hostile' ? mix.attack(ROUND_SECONDS * 1_000) : undefined,
      ...Array.from({ length: PAYERS }, () => pay(until)),
    ]);
    return { kind, took: took.flat(), least, refused };
  }

  it('no payment is lost or made twice, what cannot land leaves nothing, and what is counted stays within its bounds', async (t) => {
    const seed = newSeed();
    t.diagnostic(`TEST_SEED=${seed}`);
    const { key: freeKey } = await newKey(service, { name: 'free' });
    const mix = startHostileMix({ service: { url: service.url, rpcUrl: service.rpcUrl }, freeKey, seed });
    t.after(() => mix.close());
    const received = async () => (await balancesOf(service, RECEIVER)).jup;
    const had = await received();
    const done: Round[] = [];
    for (const kind of rounds) done.push(await runRound(kind, mix));
    const afterwards = await series();

    const took = (kind: Round['kind']) => done.filter((round) => round.kind === kind).flatMap((round) => round.took);
    const [quiet, hostile] = [took('quiet'), took('hostile')];
    assert.equal((await received()) - had, BigInt(quiet.length + hostile.length) * PRICE);
    const refused = done.flatMap((round) => round.refused);
    for (const wire of [refused[0]!, refused.at(-1)!]) {
      const answer = await request<Status>(`${service.url}/tx/v1/status/${signatureOf(wire)}`);
      assert.equal(answer.status, 404, JSON.stringify(answer.body));
    }
    assert.ok(afterwards.size < MOST_SERIES, `${afterwards.size} series`);
    for (const [name, value] of afterwards) {
      if (name.startsWith('slipway_lost_transactions')) assert.equal(value, 0, name);
      if (name.startsWith('slipway_rpc_waiting')) assert.ok(value < 1_000, `${name} ${value}`);
    }
    const told = (of: number[]) =>
      `${of.length} payments, median ${Math.round(percentile(of, 0.5))} ms, p99 ${Math.round(percentile(of, 0.99))} ms`;
    t.diagnostic(
      `quiet: ${told(quiet)}; hostile: ${told(hostile)}; ${refused.length} refused; ${rounds.length} rounds`,
    );
    for (const kind of ['heap', 'resident'] as const) {
      t.diagnostic(`${kind}, MiB by round: ${done.map(({ least }) => Math.round(least[kind] / 2 ** 20)).join(' ')}`);
    }
    if (!isJudged) return;
    const slower = percentile(hostile, 0.99) / percentile(quiet, 0.99);
    assert.ok(slower <= MOST_SLOWER, `the p99 of landing is ${slower.toFixed(2)} times that of the quiet rounds`);
    const [early, late] = [quarter(done, 1), quarter(done, 3)];
    assert.ok(late <= early * MOST_GROWTH + SLACK_BYTES, `what is held has grown from ${early} to ${late} bytes`);
  });
});

const percentile = (values: number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * part) - 1]!;

/** The mean of what the process holds in one quarter of the rounds, in bytes. */
function quarter(done: readonly Round[], index: number): number {
  const [from, to] = [index, index + 1].map((part) => Math.floor((done.length * part) / 4)) as [number, number];
  const held = done.slice(from, to).map(({ least }) => least.heap);
  return held.reduce((sum, bytes) => sum + bytes, 0) / held.length;
}
