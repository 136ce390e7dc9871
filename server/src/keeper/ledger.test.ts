import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { CLOCK_SYSVAR, SYSVAR_OWNER } from '@slipway/wire';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { ChainUnavailable, type Rpc } from '../chain/index.js';
import type { Store } from '../store/sql.js';
import { createAgreedTime } from './agreed-time.js';
import { ledgerChore, ledgerCleaningChore } from './ledger.js';

const HOUR = 3_600_000;

const log = pino({ level: 'silent' });

/** A database with this machine's time, or with one that is so far ahead as the machine's; and what else it was asked. */
function database(ahead = 0) {
  const asked: [text: string, values: unknown[]][] = [];
  const other = async (text: string, values: unknown[] = []) => {
    asked.push([text, values]);
    return { rows: /as (deleted|found)/.test(text) ? [{ deleted: 0n, found: true }] : [], rowCount: 0 };
  };
  const work = (run: (tx: unknown) => Promise<unknown>) => run({ query: other, notify: other });
  const store = {
    kind: 'postgres',
    query: (text: string, values?: unknown[]) =>
      text.includes('clock_timestamp')
        ? { rows: [{ time: String((Date.now() + ahead) / 1_000) }] }
        : other(text, values),
    transaction: work,
    single: work,
  } as unknown as Store;
  return { store, asked };
}

/** A node that tells the chain's time, in Unix seconds. */
function nodeAt(tell: () => number): Rpc {
  const call = async (method: string, [[asked]]: [string[]]) => {
    assert.deepEqual([method, asked], ['getMultipleAccounts', CLOCK_SYSVAR]);
    const data = Buffer.alloc(40);
    data.writeBigInt64LE(BigInt(tell()), 32);
    const account = { lamports: 1, owner: SYSVAR_OWNER, executable: false, data: [data.toString('base64'), 'base64'] };
    return { context: { slot: 1 }, value: [account] };
  };
  return { name: 'node', call } as unknown as Rpc;
}

test('attack: an operator by mistake lets the clock of a machine jump an hour ahead while the service runs: no order expires by it, and nothing is deleted', async () => {
  const { store, asked } = database();
  const deps = { store, landing: { resume: async () => 0 }, log, keepEndedMs: HOUR, readNews: async () => {} };
  const chores = [ledgerChore, ledgerCleaningChore];
  const clockAt = (offset: number) => {
    const now = () => Date.now() + offset;
    return { clock: { now }, agreedNow: async () => now(), wallNow: now };
  };
  for (const chore of chores) {
    await assert.rejects(
      chore({ ...deps, ...clockAt(HOUR) })(() => false),
      /(3599|360\d) seconds ahead of/,
    );
  }
  assert.equal(asked.length, 0);
  for (const chore of chores) await chore({ ...deps, ...clockAt(0) })(() => false);
  for (const did of ['from orders', 'delete from ledger', 'delete from ended_admin_sessions'])
    assert.ok(asked.some(([text]) => text.includes(did)));
});

test('attack: a node refuses to tell what submissions have opened: they go a day later', async () => {
  const { store, asked } = database();
  const now = Date.now();
  const deps = { store, agreedNow: async () => now, keepEndedMs: HOUR };
  const readings = [async () => {}, () => Promise.reject(new ChainUnavailable('away'))];
  for (const readNews of readings) await ledgerCleaningChore({ ...deps, readNews })(() => false);
  const deletions = asked.filter(([text]) => text.includes('with gone') && text.includes(`area = 'submit'`));
  assert.deepEqual(
    deletions.map(([, [before]]) => now - (before as Date).getTime()),
    [HOUR, 25 * HOUR],
  );
});

/** What has ended by when is expired and deleted, in milliseconds from now, by a machine with its database an hour ahead, and nodes. */
async function endedBy(nodes: Rpc[]) {
  const { store, asked } = database(HOUR);
  const now = () => Date.now() + HOUR;
  const registry = new Registry();
  const agreedNow = createAgreedTime({ clock: { now }, steadyNow: () => 0, nodes, registry, log });
  const deps = { store, clock: { now }, agreedNow, wallNow: now, log, landing: { resume: async () => 0 } };
  const began = Date.now();
  for (const chore of [ledgerChore, ledgerCleaningChore])
    await chore({ ...deps, keepEndedMs: 0, readNews: async () => {} })(() => false);
  const until = (part: string) => Number(asked.find(([text]) => text.includes(part))![1][0]) - began;
  const gauge = await registry.getSingleMetric('slipway_clock_ahead_seconds')!.get();
  return {
    expired: until('from orders'),
    challenges: until('login_challenges') + 24 * HOUR,
    ahead: gauge.values[0]!.value,
  };
}

describe('attack: an operator by mistake has a machine with its database run an hour ahead', () => {
  const seconds = () => Math.floor(Date.now() / 1_000);
  const dead = nodeAt(() => {
    throw new ChainUnavailable('it is away');
  });

  it('by the clock of the chain no order expires by it, and nothing is deleted', async () => {
    const { expired, challenges, ahead } = await endedBy([nodeAt(seconds)]);
    for (const until of [expired, challenges]) assert.ok(until < HOUR / 2, String(until));
    assert.ok(ahead > 3_590, String(ahead));
  });

  it('while no node tells the time of the chain, what would expire or be deleted waits', async () => {
    await assert.rejects(endedBy([dead]), /chain's time/);
  });

  it('one node of two that lags, lies or is away puts nothing off', async () => {
    for (const other of [nodeAt(() => 0), dead]) {
      const { expired } = await endedBy([other, nodeAt(() => seconds() + HOUR / 1_000)]);
      assert.ok(expired >= HOUR - 1_000, String(expired));
    }
  });

  it('a sandbox goes by its own clock, which moves with that of its chain', async () => {
    assert.ok((await endedBy([])).expired >= HOUR);
  });
});
