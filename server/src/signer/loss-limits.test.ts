import assert from 'node:assert/strict';
import { mkdtempSync, promises, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  type Address,
  addressFromBytes,
  compileMessage,
  generateKeypair,
  setComputeUnitLimit,
  setComputeUnitPrice,
  systemTransfer,
} from '@slipway/wire';
import * as fc from 'fast-check';
import { LossLimits, type Payer } from './loss-limits.js';
import { NotAllowed } from './policies/index.js';
import { openSigner, type Signer } from './signer.js';

const HOUR_MS = 3_600_000;
const SOL = 1_000_000_000n;

const folderOf = (t: { after(end: () => void): void }): string => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-limits-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
};

/** A payment of nothing whose fee the gas wallet pays: 10,000 lamports for two signatures, and the priority fee. */
function payment(gas: Address, number: number, priorityLamports = 0n): Uint8Array {
  const [wallet] = [generateKeypair().address];
  const blockhash = addressFromBytes(new Uint8Array(32).fill(1 + (number % 200)));
  return compileMessage({
    version: 0,
    feePayer: gas,
    instructions: [
      setComputeUnitLimit(1_000),
      setComputeUnitPrice(priorityLamports * 1_000n),
      systemTransfer({ from: wallet, to: wallet, lamports: 1n }),
    ],
    blockhash,
  });
}

async function signerWith(folder: string, now: () => number, hour: bigint, day: bigint): Promise<Signer> {
  const limits = await LossLimits.open({
    file: join(folder, 'signed-for.json'),
    limits: { gas: { hour, day }, keeper: { hour, day } },
    clock: { now },
    nearing: () => {},
  });
  return openSigner({ file: join(folder, 'signer.json'), passphrase: 'of the test', create: true, limits });
}

test('attack: a copy that was broken into burns the gas wallet in fees of valid transactions: as much as the signer may in an hour, also when it is killed', async (t) => {
  const folder = folderOf(t);
  let now = 1_000 * HOUR_MS;
  // 100,000,000 lamports each: ten fit into the hour.
  const burn = async (signer: Signer, count: number): Promise<bigint> => {
    let burnt = 0n;
    for (let n = 0; n < count; n++) {
      const message = payment(signer.address('gas'), n, 99_990_000n);
      const done = await signer.cosign({ keys: ['gas'], message }).then(
        () => true,
        (error: Error) => {
          assert.match(error.message, /it has signed for [\d.]+ SOL within the (hour|day), and may for [12.5]+/);
          return false;
        },
      );
      if (done) burnt += 100_000_000n;
    }
    return burnt;
  };
  const signer = await signerWith(folder, () => now, SOL, (5n * SOL) / 2n);
  assert.equal(await burn(signer, 30), SOL);
  // Nothing of it is forgotten, by whatever end of the process.
  for (let starts = 0; starts < 3; starts++) {
    assert.equal(await burn(await signerWith(folder, () => now, SOL, (5n * SOL) / 2n), 5), 0n);
  }
  now -= 24 * HOUR_MS;
  assert.equal(await burn(signer, 5), 0n, 'a clock that goes back opens nothing');
  assert.equal(await burn(await signerWith(folder, () => now, SOL, (5n * SOL) / 2n), 5), 0n);
  now += 24 * HOUR_MS;
  let all = SOL;
  for (let hours = 0; hours < 20; hours++) {
    now += HOUR_MS + 300_000;
    all += await burn(signer, 12);
  }
  assert.equal(all, (5n * SOL) / 2n, 'and of a day the bound of a day');
});

test('attack: a copy that was broken into has another key sign the same bytes first, which costs that key nothing: the fee counts all the same', async (t) => {
  const signer = await signerWith(folderOf(t), () => HOUR_MS, 25_000n, 25_000n);
  const gas = signer.address('gas');
  const wallet = generateKeypair().address;
  const vault = await signer.publicKey(`vault:${wallet}`);
  const message = (lamports: bigint) =>
    compileMessage({
      version: 0,
      feePayer: gas,
      instructions: [systemTransfer({ from: vault, to: wallet, lamports })],
      blockhash: wallet,
    });
  const refused = [];
  for (let n = 1n; n <= 5n; n++) {
    await signer.cosign({ keys: [`vault:${wallet}`], message: message(n) });
    await signer.cosign({ keys: ['gas'], message: message(n) }).catch((error) => refused.push(error));
  }
  // 10,000 lamports each: two fit.
  assert.equal(refused.length, 3);
});

test('the same bytes cost nothing twice, also once the limit is reached', async (t) => {
  const folder = folderOf(t);
  const signer = await signerWith(folder, () => HOUR_MS, 25_000n, 25_000n);
  const message = payment(signer.address('gas'), 1);
  for (let times = 0; times < 50; times++) await signer.cosign({ keys: ['gas'], message });
  await signer.cosign({ keys: ['gas'], message: payment(signer.address('gas'), 2) });
  await assert.rejects(signer.cosign({ keys: ['gas'], message: payment(signer.address('gas'), 3) }), /within the hour/);
  await signer.cosign({ keys: ['gas'], message });
});

test('in no hour and no day more is signed for than the limits say, however often it starts again meanwhile', async (t) => {
  const folder = folderOf(t);
  const step = fc.record({
    payer: fc.constantFrom<Payer>('gas', 'keeper'),
    fillsOrder: fc.boolean(),
    lamports: fc.bigInt(0n, 400n),
    waitMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 2 * HOUR_MS })),
    starts: fc.boolean(),
  });
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 120 }), async (steps) => {
      const file = join(folder, `signed-for-${++runs}.json`);
      let now = 500_000 * HOUR_MS;
      const limits = { gas: { hour: 1_000n, day: 4_000n }, keeper: { hour: 700n, day: 2_000n } };
      const open = () => LossLimits.open({ file, limits, clock: { now: () => now }, nearing: () => {} });
      let taking = await open();
      const taken: { payer: Payer; lamports: bigint; fillsOrder: boolean; at: number }[] = [];
      for (const [index, { payer, lamports, fillsOrder, waitMs, starts }] of steps.entries()) {
        now += waitMs;
        if (starts) taking = await open();
        await taking.take(Buffer.from(`${index}`), [{ payer, lamports, fillsOrder }]).then(
          () => taken.push({ payer, lamports, fillsOrder, at: now }),
          (error) => assert.ok(error instanceof NotAllowed),
        );
      }
      for (const { payer, at } of taken) {
        const within = (ms: number, counts = (_: (typeof taken)[number]) => true) =>
          taken
            .filter((each) => each.payer === payer && each.at > at - ms && each.at <= at && counts(each))
            .reduce((sum, each) => sum + each.lamports, 0n);
        assert.ok(within(HOUR_MS) <= limits[payer].hour);
        assert.ok(within(24 * HOUR_MS) <= limits[payer].day);
        if (payer === 'gas') continue;
        assert.ok(within(HOUR_MS, ({ fillsOrder }) => !fillsOrder) <= limits.keeper.hour / 2n);
        assert.ok(within(24 * HOUR_MS, ({ fillsOrder }) => !fillsOrder) <= limits.keeper.day / 2n);
      }
    }),
    { numRuns: 30 },
  );
});

test('attack: a stranger on the chain has the keeper sign for as much as he can by limit orders: half of its limit is left for trigger orders, also after a start', async (t) => {
  const file = join(folderOf(t), 'signed-for.json');
  const limits = { gas: { hour: 100n, day: 1_000n }, keeper: { hour: 100n, day: 150n } };
  let now = 1_000 * HOUR_MS;
  const open = () => LossLimits.open({ file, limits, clock: { now: () => now }, nearing: () => {} });
  let count = 0;
  const take = (from: LossLimits, lamports: bigint, fillsOrder: boolean) =>
    from.take(Buffer.from(`${count++}`), [{ payer: 'keeper', lamports, fillsOrder }]);
  const limited = /within the (hour|day), trigger orders aside, and may for/;
  const first = await open();
  await take(first, 48n, false);
  await assert.rejects(take(first, 3n, false), limited);
  const second = await open();
  await assert.rejects(take(second, 3n, false), limited);
  await take(second, 45n, true);
  await assert.rejects(take(second, 10n, true), /within the hour, and may for 1e-7$/, 'and no more in all');
  now += 2 * HOUR_MS;
  await take(second, 24n, false);
  await assert.rejects(take(second, 6n, false), /within the day, trigger orders aside/);
  await take(second, 20n, true);
});

test('the file of a version that did not tell trigger orders apart is read: all of it counts in the whole limit', async (t) => {
  const file = join(folderOf(t), 'signed-for.json');
  const now = 1_000 * HOUR_MS;
  const spans = [{ span: Math.floor(now / 300_000), lamports: 80 }];
  writeFileSync(file, `${JSON.stringify({ version: 1, signed: { gas: [], keeper: spans } })}\n`, { mode: 0o600 });
  const limits = { gas: { hour: 100n, day: 1_000n }, keeper: { hour: 100n, day: 1_000n } };
  const read = await LossLimits.open({ file, limits, clock: { now: () => now }, nearing: () => {} });
  const take = (lamports: bigint) => read.take(Buffer.from(`${lamports}`), [{ payer: 'keeper', lamports }]);
  await assert.rejects(take(21n), /within the hour, and may for 1e-7$/);
  await take(20n);
});

test('what cannot be written down is not signed, a damaged file keeps the signer from starting, and nearing is told once', async (t) => {
  const folder = folderOf(t);
  const file = join(folder, 'signed-for.json');
  const told: string[] = [];
  const open = () =>
    LossLimits.open({
      file,
      limits: { gas: { hour: 100n, day: 1_000n }, keeper: { hour: 100n, day: 1_000n } },
      clock: { now: () => HOUR_MS },
      nearing: (payer, why) => told.push(`${payer}: ${why}`),
    });
  const limits = await open();
  const take = (name: string, lamports: bigint) => limits.take(Buffer.from(name), [{ payer: 'gas', lamports }]);
  // All at once: they wait for one file together.
  await Promise.all(Array.from({ length: 80 }, (_, i) => take(`${i}`, 1n)));
  assert.deepEqual(told, []);
  await take('a', 1n);
  await take('b', 1n);
  assert.deepEqual(told, ['gas: it has signed for 8e-8 SOL within the hour, and may for 1e-7']);
  unlinkSync(file);
  await assert.rejects(take('c', 10n), /cannot be written down/);
  for (const content of ['', '{}', '{"version":1,"signed":{"gas":[{"span":1,"lamports":-1}]}}', 'null']) {
    writeFileSync(file, content, { mode: 0o600 });
    await assert.rejects(open(), /signed-for\.json is damaged/);
    assert.equal(readFileSync(file, 'utf8'), content);
  }
});

test('attack: another user fills the disk of the signer for a while: what it refuses meanwhile does not count as signed for, and it signs on once there is room', async (t) => {
  const file = join(folderOf(t), 'signed-for.json');
  const limits = { gas: { hour: 100n, day: 1_000n }, keeper: { hour: 100n, day: 1_000n } };
  const open = () => LossLimits.open({ file, limits, clock: { now: () => HOUR_MS }, nearing: () => {} });
  const limited = await open();
  const take = (from: LossLimits, name: string, lamports: bigint) =>
    from.take(Buffer.from(name), [{ payer: 'keeper', lamports }]);
  await take(limited, 'before', 10n);
  const content = readFileSync(file);
  unlinkSync(file);
  // One after the other, as keepers try again, and at once.
  for (let tries = 0; tries < 20; tries++)
    await assert.rejects(take(limited, `${tries}`, 30n), /cannot be written down/);
  const atOnce = ['a', 'b', 'c'].map((name) => take(limited, name, 10n));
  for (const each of atOnce) await assert.rejects(each, /cannot be written down/);
  writeFileSync(file, content, { mode: 0o600 });
  await take(limited, 'after', 38n);
  await assert.rejects(take(limited, 'too much', 3n), /it has signed for 4.8e-8 SOL within the hour/);
  await assert.rejects(take(await open(), 'too much', 3n), /it has signed for 4.9e-8 SOL within the hour/);
});

test('what is signed for is in the file, also where a failed write and one after it counted what was refused', async (t) => {
  const file = join(folderOf(t), 'signed-for.json');
  const limit = { hour: 1_000n, day: 1_000n };
  const limits = await LossLimits.open({
    file,
    limits: { gas: limit, keeper: limit },
    clock: { now: () => HOUR_MS },
    nearing: () => {},
  });
  const { rename } = promises;
  const waiting: ((error?: Error) => void)[] = [];
  t.mock.method(promises, 'rename', async (from: string, to: string) => {
    await new Promise<void>((resolve, reject) => waiting.push((error) => (error ? reject(error) : resolve())));
    await rename(from, to);
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  const write = async (error?: Error) => {
    while (waiting.length === 0) await new Promise(setImmediate);
    waiting.shift()!(error);
  };
  let count = 0;
  const take = (payer: Payer, lamports: bigint) =>
    limits.take(Buffer.from(`${count++}`), [{ payer, lamports, fillsOrder: true }]);
  const first = take('gas', 100n);
  const refused = assert.rejects(take('keeper', 300n), /ENOSPC/);
  await write();
  await first;
  while (waiting.length === 0) await new Promise(setImmediate);
  const second = take('gas', 100n);
  await write(new Error('ENOSPC'));
  await refused;
  await write();
  await second;
  const third = take('gas', 100n);
  while (waiting.length === 0) await new Promise(setImmediate);
  // What was refused stands in the file, so that this needs no write of its own.
  await take('keeper', 200n);
  await write();
  await third;
  const { keeper } = JSON.parse(readFileSync(file, 'utf8')).signed;
  assert.ok(keeper[0].lamports >= 200, `${keeper[0].lamports} of 200`);
});

test('a clock that was once far ahead keeps a used-up limit shut: each refusal, the log and the state say so, and what to do', async (t) => {
  const folder = folderOf(t);
  const file = join(folder, 'signed-for.json');
  const told: string[] = [];
  const start = 1_000_000 * HOUR_MS;
  let now = start + 24 * 365 * HOUR_MS;
  const open = () =>
    LossLimits.open({
      file,
      limits: { gas: { hour: 100n, day: 100n }, keeper: { hour: 100n, day: 100n } },
      clock: { now: () => now },
      nearing: () => {},
      ahead: (why) => told.push(why),
    });
  const limits = await open();
  const take = (from: LossLimits, name: string) => from.take(Buffer.from(name), [{ payer: 'gas', lamports: 90n }]);
  await take(limits, 'a');
  // Put right by a few minutes: the limit opens as late as that, which is nothing to tell of.
  now -= 5 * 60_000;
  await assert.rejects(take(limits, 'b'), (error: Error) => !error.message.includes('clock'));
  assert.deepEqual([limits.warning, told], [undefined, []]);
  now = start;
  const said =
    /its clock was once ahead: until [\d-]+T[\d:.]+Z no limit opens again\. Put the clock right, end the signer, and move .*signed-for\.json away$/;
  for (const each of [limits, await open()]) {
    await assert.rejects(
      take(each, 'b'),
      (error: Error) => /within the hour, and may for 1e-7; /.test(error.message) && said.test(error.message),
    );
    assert.match(each.warning!, said);
  }
  // Once by the signer that ran, and once by the one that started.
  assert.equal(told.length, 2);
  for (const why of told) assert.match(why, said);
  unlinkSync(file);
  const anew = await open();
  await take(anew, 'b');
  assert.equal(anew.warning, undefined);
});
