import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { compileMessage, deactivateLookupTable, generateKeypair } from '@slipway/wire';
import { connectSigner, type RemoteSigner } from '../../server/dist/signer/index.js';
import { encodeFrame, MOST_FRAME_BYTES } from '../../server/dist/signer/socket/frames.js';
import { newSeed, seededRandom } from './rounds.js';
import {
  type Asked,
  breachOf,
  brokenBytes,
  createAsker,
  hello,
  type Line,
  mutated,
  openLine,
  type Random,
} from './signer-fuzz.js';
import { type SignerProcess, startSigner } from './signer-process.js';

/** Set it to 600 for ten minutes. */
const SECONDS = Number(process.env.SLIPWAY_SIGNER_FUZZ_SECONDS ?? 4);
/** Of the hostile callers, each. */
const LINES = 8;
/**
 * What the process of a signer has in memory at most, under whatever three hostile callers send for however long: Node itself,
 * what it remembers of signed messages, and a frame and the answers under way of each connection.
 */
const MOST_BYTES = 256 * 1024 * 1024;

/** A long one would keep this process busy, and not the signer. */
const byteByByte = (send: Line['send']) => (frame: Uint8Array) => {
  const parts = frame.length < 1_000 ? Array.from(frame, (byte) => Uint8Array.of(byte)) : [frame];
  for (const part of parts) send(part);
};

describe('attack: a copy that was broken into sends its signer random frames, requests near to sound ones, and half of what it begins', () => {
  let signer: SignerProcess;
  /** Another caller, which is well. */
  let quiet: RemoteSigner;
  const changes: unknown[] = [];
  const breaches: string[] = [];
  const done = { lines: 0, requests: 0, results: 0, halves: 0, probes: 0 };

  before(async () => {
    signer = await startSigner({ evil: ['api'], evil2: ['api', 'keeper'], evil3: ['api'], quiet: ['keeper'] });
    const endpoint = { path: join(signer.folder, 'quiet.sock') };
    const onChange = (change: unknown) => void changes.push(change);
    quiet = await connectSigner({ endpoint, name: 'quiet', patienceMs: 0, onChange });
  });
  after(async () => {
    quiet?.close();
    await signer?.close();
  });

  /** What the process of the signer has in memory; undefined where the system does not say. */
  function memoryOf(): number | undefined {
    const pid = /"pid":(\d+)/.exec(signer.log())?.[1];
    const path = `/proc/${pid}/status`;
    if (!existsSync(path)) return undefined;
    return 1_024 * Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(path, 'utf8'))?.[1]);
  }

  /** One connection with one kind of mischief, which it may leave open. */
  async function attack(caller: string, random: Random, nextOf: () => Asked): Promise<Line | undefined> {
    const gas = quiet.address('gas');
    const line = await openLine(join(signer.folder, `${caller}.sock`), (asked, result) => {
      done.results += 1;
      const breach = breachOf(asked, result, gas);
      if (breach !== undefined) breaches.push(`${breach}: ${JSON.stringify(asked)}`);
    });
    if (line === undefined) return undefined;
    done.lines += 1;
    const { socket, send } = line;
    if (random(10) === 0) send(brokenBytes(random));
    send(hello());
    const isReading = random(4) > 0;
    if (!isReading) socket.pause();
    const count = [1, 2, 5, 10, 20, 50, 100, 1_200][random(8)]!;
    for (let id = 1; id <= count && socket.writable; id++) {
      const { method, params } = nextOf();
      // Mostly a new one, sometimes one that is under way.
      const given = { id: random(200) === 0 ? 1 + random(id) : id, method, params };
      const isSound = random(3) > 0;
      done.requests += 1;
      line.ask(
        isSound ? given : random(200) === 0 ? mutated(given, random) : { ...given, params: mutated(params, random) },
        random(50) === 0 ? byteByByte(send) : send,
      );
      if (random(10) === 0) send(encodeFrame({ id: 1 + random(id) }));
      if (random(1_000) === 0) send(brokenBytes(random));
    }
    if (random(20) === 0) send(encodeFrame({ id: 5_000, method: 'findMint', params: { suffix: 'zzzz' } }));
    if (random(3) === 0) send(encodeFrame({ id: 6_000, method: 'state' }).subarray(0, 1 + random(20)));
    if (isReading) await sleep(random(4) === 0 ? 300 : random(30));
    return line;
  }

  async function caller(name: string, until: number, random: Random): Promise<void> {
    const ask = createAsker(random, quiet.address('gas'));
    const left: Line[] = [];
    while (performance.now() < until || done.results === 0) {
      const line = await attack(name, random, ask);
      if (line) left.push(line);
      else await sleep(5);
      while (left.length > LINES) {
        const [oldest] = left.splice(random(left.length), 1);
        if (random(2) === 0) oldest!.socket.destroy();
        else oldest!.socket.resume().end();
      }
    }
    for (const { socket } of left) socket.destroy();
  }

  /** As many connections as it may have, each with the longest frame but for its last byte, until the signer ends them. */
  async function hold(until: number): Promise<void> {
    const begun = encodeFrame({ id: 1, method: 'state', params: 'x'.repeat(MOST_FRAME_BYTES - 50) }).subarray(0, -1);
    while (performance.now() < until || done.halves === 0) {
      const lines = await Promise.all(
        Array.from({ length: 64 }, () => openLine(join(signer.folder, 'evil3.sock'), () => {})),
      );
      await Promise.all(
        lines.map(async (line) => {
          if (!line) return;
          const ended = once(line.socket, 'close');
          line.send(hello());
          line.send(begun);
          await ended;
          done.halves += 1;
        }),
      );
    }
  }

  async function work(until: number): Promise<void> {
    const keeper = quiet.address('keeper');
    while (performance.now() < until || done.probes === 0) {
      const table = generateKeypair().address;
      const instructions = [deactivateLookupTable({ table, authority: keeper })];
      const message = compileMessage({ version: 0, feePayer: keeper, instructions, blockhash: table });
      assert.equal((await quiet.cosign({ keys: ['keeper'], message })).length, 1);
      await quiet.probe();
      done.probes += 1;
      await sleep(20);
    }
  }

  it(`for ${SECONDS} seconds: it signs nothing that no policy allows, serves others, and stays below a bound of memory`, async (t) => {
    const seed = newSeed();
    t.diagnostic(`TEST_SEED=${seed}`);
    const of = (salt: number): Random => {
      const next = seededRandom(seed + salt);
      return (below) => Math.floor(next() * below);
    };
    const until = performance.now() + SECONDS * 1_000;
    let most = 0;
    const watching = setInterval(() => {
      most = Math.max(most, memoryOf() ?? 0);
    }, 100);
    try {
      const working = work(until);
      await Promise.all([working, caller('evil', until, of(1)), caller('evil2', until, of(2)), hold(until)]);
    } finally {
      clearInterval(watching);
    }
    t.diagnostic(`${JSON.stringify(done)}, most memory ${(most / 2 ** 20).toFixed(0)} MiB`);
    assert.deepEqual(breaches, [], `TEST_SEED=${seed}`);
    assert.deepEqual(changes, [], 'the quiet caller has never lost its connection');
    assert.ok(done.lines > 0 && done.requests > 0 && done.results > 0, JSON.stringify(done));
    assert.ok(most < MOST_BYTES, `${most} bytes of memory, TEST_SEED=${seed}`);
    await quiet.probe();
    assert.doesNotMatch(signer.log(), /^[^{\n]/m, 'nothing but notes in its log');
  });
});
