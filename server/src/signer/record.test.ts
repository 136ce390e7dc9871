import assert from 'node:assert/strict';
import fs, {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readRecord, type SignerAct, SignerRecord, verifyRecord } from './record.js';

const folderOf = (t: { after(end: () => void): void }): string => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-record-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
};

const act = (number: number, day = '2026-01-02'): SignerAct => ({
  at: `${day}T03:04:05.678Z`,
  caller: 'api',
  act: 'cosign',
  digest: `${number}`,
});

async function entries(folder: string): Promise<(string | undefined)[]> {
  const found = [];
  for await (const { entry } of readRecord(folder)) found.push(entry.digest);
  return found;
}

test('entries are in the order in which they were asked for, in a file a day, also after starts and with a clock that goes back', async (t) => {
  const folder = folderOf(t);
  const days = ['2026-01-02', '2026-01-03', '2026-01-02', '2026-01-05', '2026-01-04'];
  for (const [index, day] of days.entries()) {
    const record = await SignerRecord.open(folder, assert.fail);
    for (let n = 0; n < 100; n++) record.append(act(100 * index + n, day));
    record.close();
  }
  assert.deepEqual(readdirSync(folder), [
    'record-2026-01-02.jsonl',
    'record-2026-01-03.jsonl',
    'record-2026-01-05.jsonl',
  ]);
  assert.deepEqual(
    await entries(folder),
    Array.from({ length: 500 }, (_, n) => `${n}`),
  );
  const { fault, first, end } = await verifyRecord(folder);
  assert.deepEqual([fault, first, end?.seq], [undefined, 1, 500]);
  assert.equal(statSync(join(folder, 'record-2026-01-05.jsonl')).mode & 0o777, 0o600);

  // The oldest may be taken away, and no other.
  rmSync(join(folder, 'record-2026-01-02.jsonl'));
  assert.deepEqual(await verifyRecord(folder, end), { first: 101, end });
  rmSync(join(folder, 'record-2026-01-03.jsonl'));
  writeFileSync(join(folder, 'record-2026-01-03.jsonl'), '');
  assert.deepEqual((await verifyRecord(folder)).first, 301);
});

test('attack: a copy that was broken into has somebody change the record of the signer: each changed, removed, doubled or moved entry is found', async (t) => {
  const folder = folderOf(t);
  const record = await SignerRecord.open(folder, assert.fail);
  for (let n = 0; n < 20; n++) record.append(act(n, n < 10 ? '2026-01-02' : '2026-01-03'));
  record.close();
  const { end } = await verifyRecord(folder);
  const path = join(folder, 'record-2026-01-03.jsonl');
  const whole = readFileSync(path, 'utf8');
  const lines = whole.trimEnd().split('\n');
  const changed = (change: (all: string[]) => string[]) =>
    change([...lines])
      .map((line) => `${line}\n`)
      .join('');
  const attempts: [string, string, RegExp][] = [
    ['a field', whole.replace('"digest":"14"', '"digest":"15"'), /number 15 was changed/],
    ['a field more', whole.replace('"digest":"14"', '"digest":"14","request":"x"'), /number 15 was changed/],
    ['one removed', changed((all) => all.toSpliced(3, 1)), /number 15 stands where 14 should/],
    ['one twice', changed((all) => all.toSpliced(3, 0, all[3]!)), /number 14 stands where 15 should/],
    ['two exchanged', changed((all) => all.toSpliced(3, 2, all[4]!, all[3]!)), /number 15 stands where 14 should/],
    ['the first of a file', changed((all) => all.slice(1)), /number 12 stands where 11 should/],
    ['the last removed', changed((all) => all.slice(0, -1)), /does not have number 20 as it was noted/],
    ['no entry', `${whole}hello\n`, /line 11 of record-2026-01-03\.jsonl is no entry/],
    ['half of one', whole.slice(0, -20), /line 10 of record-2026-01-03\.jsonl is no entry/],
  ];
  for (const [what, content, fault] of attempts) {
    writeFileSync(path, content);
    assert.match((await verifyRecord(folder, end)).fault ?? 'none', fault, what);
  }
  writeFileSync(path, whole);
  assert.equal((await verifyRecord(folder, end)).fault, undefined);
});

test('an entry that the machine did not finish is cut off, and the record goes on behind the one before', async (t) => {
  const folder = folderOf(t);
  let record = await SignerRecord.open(folder, assert.fail);
  for (let n = 0; n < 3; n++) record.append(act(n));
  record.close();
  const path = join(folder, 'record-2026-01-02.jsonl');
  appendFileSync(path, '{"seq":4,"prev":"');
  record = await SignerRecord.open(folder, assert.fail);
  record.append(act(3));
  record.close();
  assert.deepEqual(await entries(folder), ['0', '1', '2', '3']);
  assert.equal((await verifyRecord(folder)).fault, undefined);
});

test('attack: a copy that was broken into is refused as often as it likes: one entry a second, which says of how many', async (t) => {
  const folder = folderOf(t);
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const record = await SignerRecord.open(folder, assert.fail);
  const refuse = (caller: string) => record.refuse({ ...act(1), caller, refused: 'a reason' });
  for (let n = 0; n < 5_000; n++) {
    refuse('api');
    if (n % 1_000 === 999) now += 1_000;
  }
  refuse('keeper');
  refuse('api');
  record.close();
  const found = [];
  for await (const { entry } of readRecord(folder)) found.push([entry.caller, entry.unlisted]);
  assert.deepEqual(found, [
    ['api', undefined],
    ...Array.from({ length: 4 }, () => ['api', 999]),
    ['keeper', undefined],
    ['api', 999],
  ]);
});

test('what cannot be written fails, and what comes after it is in the record again', async (t) => {
  const folder = folderOf(t);
  const record = await SignerRecord.open(folder, assert.fail);
  record.append(act(0));
  const path = join(folder, 'record-2026-01-03.jsonl');
  // A folder stands where the file of the day should.
  mkdirSync(path);
  assert.throws(() => record.append(act(1, '2026-01-03')));
  rmSync(path, { recursive: true });
  for (const n of [2, 3]) record.append(act(n, '2026-01-03'));
  record.close();
  assert.deepEqual(await entries(folder), ['0', '2', '3']);
  assert.equal((await verifyRecord(folder)).fault, undefined);
});

test('once the disk has not taken an entry, nothing is appended until the signer starts again, and it says so', async (t) => {
  for (const isAtEndOfDay of [false, true]) {
    const folder = folderOf(t);
    const told: string[] = [];
    const record = await SignerRecord.open(folder, (why) => told.push(why));
    const failure = new Error('EIO: i/o error');
    t.mock.method(fs, 'fdatasync', (_fd: number, done: (error: Error) => void) => done(failure));
    t.mock.method(fs, 'fdatasyncSync', () => {
      throw failure;
    });
    syncBuiltinESMExports();
    record.append(act(1));
    if (isAtEndOfDay) assert.throws(() => record.append(act(2, '2026-01-03')), /EIO/);
    while (told.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    t.mock.restoreAll();
    syncBuiltinESMExports();
    assert.equal(told.length, 1);
    assert.match(told[0]!, /may not be on the disk \(EIO: i\/o error\).*start the signer again/);
    assert.equal(record.fault, told[0]);
    // The disk is well again, and nobody knows what it has dropped.
    for (const day of ['2026-01-02', '2026-01-04'])
      assert.throws(() => record.append(act(3, day)), /not be on the disk/);
    record.close();
    const again = await SignerRecord.open(folder, assert.fail);
    again.append(act(4));
    again.close();
    assert.equal((await verifyRecord(folder)).fault, undefined);
    assert.deepEqual(await entries(folder), ['1', '4']);
  }
});
