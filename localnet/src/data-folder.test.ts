import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { base58Encode, generateKeypair, SYSTEM_PROGRAM } from '@slipway/wire';
import { type Account, ChainError } from './chain.js';
import type { ChainState } from './chain-state.js';
import { tempFolder } from './chain-testing.js';
import { DataFolder, type LoadedChain } from './data-folder.js';
import type { Execution } from './storage.js';

const STATE: ChainState = {
  seed: '00',
  clock: { firstSlot: 7n, startMs: 1000, offsetMs: 0 },
  lastSlot: 7n,
  transactionCount: 0n,
  fork: null,
  faucetName: 'faucet',
  tokens: [],
  receiver: SYSTEM_PROGRAM,
  programs: {},
};

const owner = generateKeypair().address;
const small = generateKeypair().address;
const large = generateKeypair().address;

function account(lamports: number, data: Uint8Array): Account {
  return { lamports: BigInt(lamports), owner, executable: false, data };
}

const signature = (number: number) => base58Encode(Buffer.alloc(64, number + 1));

function execution(number: number): Execution {
  return {
    transaction: {
      signature: signature(number),
      slot: BigInt(10 + number),
      blockTime: 1n,
      wire: Buffer.alloc(200, number),
      err: number % 2 ? { InstructionError: [0, { Custom: number }] } : null,
      fee: 5000n,
      preBalances: [1n],
      postBalances: [2n],
      preTokenBalances: [],
      postTokenBalances: [],
      logs: ['a log'],
      innerInstructions: [],
      unitsConsumed: 1n,
      returnData: null,
      loadedAddresses: { writable: [], readonly: [] },
    },
    accounts: [small],
    memo: null,
  };
}

/** A folder with `count` commits, as a process leaves it that is killed. Answers the state after each of them. */
function writtenFolder(t: TestContext, count: number): { path: string; states: string[] } {
  const path = tempFolder(t);
  const { folder } = DataFolder.open(path);
  const contents = { state: STATE, accounts: new Map<never, Account>(), deleted: [] };
  folder.compact(contents);
  const states = [];
  let before: { small: Account; large: Account } | undefined;
  for (let number = 0; number < count; number++) {
    states.push(stateOf(path));
    const data = Buffer.from(before?.large.data ?? Buffer.alloc(20_000));
    data.writeUInt32LE(number + 1, (number * 5003) % 19_000);
    const after = { small: account(number + 1, Buffer.alloc(number, 1)), large: account(5, data) };
    const changes = [
      { address: small, before: before?.small, after: after.small },
      { address: large, before: before?.large, after: after.large },
    ];
    folder.commit(BigInt(10 + number), changes, execution(number));
    before = after;
  }
  states.push(stateOf(path));
  folder.abandon();
  return { path, states };
}

/** All that a start finds in a copy of the folder. */
function stateOf(path: string): string {
  const copy = `${path}.copy`;
  cpSync(path, copy, { recursive: true });
  rmSync(join(copy, 'lock'), { force: true });
  try {
    const { folder, loaded } = DataFolder.open(copy);
    const text = describe(folder, loaded);
    folder.abandon();
    return text;
  } finally {
    rmSync(copy, { recursive: true });
  }
}

function describe(folder: DataFolder, loaded: LoadedChain | undefined): string {
  assert.ok(loaded);
  const accounts = [...loaded.accounts].map(([address, { lamports, data }]) => {
    return [address, lamports, Buffer.from(data).toString('base64')];
  });
  const rows = folder.history.signaturesFor(small, { limit: 1000 }, () => 0n);
  const transactions = rows.map((row) => folder.history.transaction(row.signature));
  return JSON.stringify([accounts.sort(), loaded.state, rows, transactions], (_key, value) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
}

test('a record that is cut off anywhere is as if it had never been, and everything before it is there', (t) => {
  const { path, states } = writtenFolder(t, 3);
  assert.equal(new Set(states).size, 4);
  const journal = join(path, 'journal.bin');
  const whole = readFileSync(journal);
  const frames = frameEnds(whole);
  const [start, end] = [frames.at(-2)!, frames.at(-1)!];
  assert.equal(end, whole.length);
  for (let length = start; length < end; length++) {
    writeFileSync(journal, whole.subarray(0, length));
    assert.equal(stateOf(path), states[2], `cut at ${length - start} of ${end - start}`);
  }
  for (let position = start; position < end; position += 7) {
    const damaged = Buffer.from(whole);
    damaged[position]! ^= 0x10;
    writeFileSync(journal, damaged);
    assert.equal(stateOf(path), states[2], `damaged at ${position - start}`);
  }
  writeFileSync(journal, whole);
  assert.equal(stateOf(path), states[3]);
});

test('a transaction whose commit is missing is not found, and its place is taken by the next', (t) => {
  const { path, states } = writtenFolder(t, 2);
  const journal = join(path, 'journal.bin');
  truncateSync(journal, frameEnds(readFileSync(journal)).at(-2)!);
  assert.equal(stateOf(path), states[1]);
  const { folder } = DataFolder.open(path);
  assert.equal(folder.history.status(signature(1)), undefined);
  folder.commit(20n, [], execution(5));
  folder.abandon();
  const again = DataFolder.open(path).folder;
  assert.deepEqual(again.history.status(signature(5)), { slot: 15n, err: { InstructionError: [0, { Custom: 5 }] } });
  assert.equal(again.history.status(signature(1)), undefined);
  again.abandon();
});

test('a crash between any two steps of a compaction loses nothing', (t) => {
  const { path, states } = writtenFolder(t, 4);
  const after = tempFolder(t);
  cpSync(path, after, { recursive: true });
  const opened = DataFolder.open(after);
  opened.folder.compact(opened.loaded!);
  opened.folder.abandon();
  assert.equal(readFileSync(join(after, 'journal.bin')).length, 13, 'the new journal is empty');
  assert.equal(stateOf(after), states[4]);

  const crashes: Record<string, (folder: string) => void> = {
    'half a snapshot written': (folder) => {
      const draft = readFileSync(join(after, 'snapshot.bin'));
      writeFileSync(join(folder, 'snapshot.bin.new'), draft.subarray(0, draft.length / 2));
    },
    'the snapshot in place, the old journal still there': (folder) => {
      cpSync(join(after, 'snapshot.bin'), join(folder, 'snapshot.bin'));
    },
    'no journal': (folder) => {
      cpSync(join(after, 'snapshot.bin'), join(folder, 'snapshot.bin'));
      rmSync(join(folder, 'journal.bin'));
    },
    'half a journal': (folder) => {
      cpSync(join(after, 'snapshot.bin'), join(folder, 'snapshot.bin'));
      writeFileSync(join(folder, 'journal.bin'), readFileSync(join(after, 'journal.bin')).subarray(0, 6));
    },
  };
  for (const [name, crash] of Object.entries(crashes)) {
    const folder = tempFolder(t);
    cpSync(path, folder, { recursive: true });
    crash(folder);
    assert.equal(stateOf(folder), states[4], name);
    const { folder: reopened } = DataFolder.open(folder);
    assert.equal(existsSync(join(folder, 'snapshot.bin.new')), false);
    const change = { address: small, before: undefined, after: undefined };
    reopened.commit(30n, [change], execution(9));
    reopened.abandon();
    const last = DataFolder.open(folder);
    assert.equal(last.loaded!.accounts.has(small), false, name);
    assert.equal(last.loaded!.state.transactionCount, 5n, name);
    assert.ok(last.folder.history.status(signature(9)), name);
    last.folder.abandon();
  }
});

test('a compaction drops the oldest transactions beyond the limit from the file', (t) => {
  const path = tempFolder(t);
  const limit = 10;
  const opened = DataFolder.open(path, limit);
  const contents = { state: STATE, accounts: new Map<never, Account>(), deleted: [] };
  opened.folder.compact(contents);
  for (let number = 0; number < 30; number++) opened.folder.commit(BigInt(number), [], execution(number));
  opened.folder.compact(contents);
  for (let number = 30; number < 32; number++) opened.folder.commit(BigInt(number), [], execution(number));
  opened.folder.abandon();
  assert.deepEqual(
    readdirSync(path).filter((name) => name.startsWith('transactions')),
    ['transactions-1.bin'],
  );

  const { folder } = DataFolder.open(path, limit);
  const rows = folder.history.signaturesFor(small, { limit: 100 }, () => 0n);
  assert.ok(rows.length >= limit && rows.length <= limit * 1.2, `${rows.length} are left`);
  for (const [index, row] of rows.entries()) {
    assert.equal(row.signature, signature(31 - index));
    assert.deepEqual(folder.history.transaction(row.signature)?.wire, Buffer.alloc(200, 31 - index));
  }
  assert.equal(folder.history.status(signature(0)), undefined);
  folder.abandon();
});

test('a compaction that fails leaves no file open, however often it is tried', (t) => {
  const path = tempFolder(t);
  const { folder } = DataFolder.open(path, 10);
  const contents = { state: STATE, accounts: new Map<never, Account>(), deleted: [] };
  folder.compact(contents);
  for (let number = 0; number < 30; number++) folder.commit(BigInt(number), [], execution(number));
  mkdirSync(join(path, 'snapshot.bin.new'));
  const openFiles = () => readdirSync('/dev/fd').length;
  const before = openFiles();
  for (let time = 0; time < 5; time++) assert.throws(() => folder.compact(contents), { code: 'EISDIR' });
  assert.equal(openFiles(), before);
  folder.abandon();
});

test('a folder of another format or with other files in it is refused, with its name and the way out', (t) => {
  const { path } = writtenFolder(t, 1);
  const snapshot = join(path, 'snapshot.bin');
  const bytes = readFileSync(snapshot);
  const refused = (name: string) => {
    assert.throws(
      () => DataFolder.open(path),
      (error) =>
        error instanceof ChainError &&
        error.kind === 'data' &&
        error.message.includes(path) &&
        error.message.includes('--reset'),
      name,
    );
  };
  const otherFormat = Buffer.from(bytes);
  otherFormat.writeUInt32LE(2, 8);
  writeFileSync(snapshot, otherFormat);
  refused('another format');
  writeFileSync(snapshot, 'something else altogether, long enough to have a head of its own');
  refused('foreign');
  const damaged = Buffer.from(bytes);
  damaged[bytes.length - 10]! ^= 1;
  writeFileSync(snapshot, damaged);
  refused('damaged');
  writeFileSync(snapshot, bytes);
  DataFolder.open(path).folder.abandon();
});

test('a deleted account of a fork stays known as deleted, until it is written again', (t) => {
  const path = tempFolder(t);
  const { folder } = DataFolder.open(path);
  folder.compact({ state: { ...STATE, fork: { genesisHash: 'x' } }, accounts: [], deleted: [large] });
  folder.commit(8n, [{ address: small, before: undefined, after: undefined }]);
  folder.commit(8n, [{ address: large, before: undefined, after: account(1, new Uint8Array()) }]);
  folder.abandon();
  const again = DataFolder.open(path);
  assert.deepEqual([...again.loaded!.deleted], [small]);
  again.folder.compact(again.loaded!);
  again.folder.abandon();
  const last = DataFolder.open(path);
  assert.deepEqual([...last.loaded!.deleted], [small]);
  last.folder.abandon();
});

/** Where each record of a file ends. */
function frameEnds(bytes: Buffer): number[] {
  const ends = [];
  for (let position = 0; position < bytes.length; ) {
    position += 8 + bytes.readUInt32LE(position);
    ends.push(position);
  }
  return ends;
}
