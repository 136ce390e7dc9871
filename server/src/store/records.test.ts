import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { type ApiKey, createKey, findKeysByHash, listKeys, type NewKey, revokeKey, rotateKey } from './keys.js';
import { take } from './limits.js';
import { deleteMaker, insertMaker, listMakers, suspendMaker } from './makers.js';
import { listPrices, setPrice } from './prices.js';
import { type EventScore, getScore, getScores, putScores } from './scores.js';
import { initialSetting } from './settings.js';
import type { Store } from './sql.js';
import { openTestStore } from './testing.js';

const START = Date.UTC(2026, 10, 20);

/** `seconds` after the start of the story. */
function at(seconds: number): Date {
  return new Date(START + seconds * 1000);
}

function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

async function findKeyByHash(store: Store, hash: Buffer, now: Date): Promise<ApiKey | undefined> {
  return (await findKeysByHash(store, [hash], now)).get(hash.toString('base64'));
}

function newKey(name: string, changes: Partial<NewKey> = {}): NewKey {
  const common = {
    id: `id of ${name}`,
    name,
    prefix: 'slip_abc',
    tier: 'free',
    prefixes: [],
    origins: [],
    createdAt: at(0),
  };
  return { ...common, hash: hashOf(name), ...changes };
}

const game: EventScore = {
  eventId: 'SIM-1',
  gameId: 'g',
  live: true,
  ended: false,
  updatedAt: at(10).toISOString(),
  leagueAbbreviation: 'nba',
  homeTeam: 'A',
  awayTeam: 'B',
  score: '1-0',
  period: 'Q1',
  elapsed: '05:00',
  status: 'InProgress',
};

for (const kind of ['embedded', 'postgres'] as const) {
  describe(`the records on ${kind}`, () => {
    let store: Store;
    let close: () => Promise<void>;
    before(async () => {
      ({ store, close } = await openTestStore(kind));
    });
    after(() => close());

    test('a key is found by its hash until it is revoked or expired', async () => {
      const prefixes = ['/tx/v1', '/ultra/v1'];
      await store.transaction(async (tx) => {
        await createKey(tx, newKey('good', { prefixes, origins: ['https://a.example'] }));
        await createKey(tx, newKey('brief', { expiresAt: at(100) }));
      });
      const find = async (key: string, seconds: number) => (await findKeyByHash(store, hashOf(key), at(seconds)))?.name;
      const good = await findKeyByHash(store, hashOf('good'), at(1));
      assert.deepEqual([good?.prefixes, good?.origins], [prefixes, ['https://a.example']]);
      assert.equal(await find('unknown', 1), undefined);
      assert.equal(await find('brief', 99), 'brief');
      assert.equal(await find('brief', 100), undefined);
      const revoke = () => store.transaction((tx) => revokeKey(tx, 'id of good', at(50)));
      assert.equal(await revoke(), true);
      assert.equal(await revoke(), false);
      assert.equal(await find('good', 51), undefined);
      const listed = (await listKeys(store)).map((key) => [key.name, key.revokedAt, key.expiresAt]).sort();
      assert.deepEqual(listed, [
        ['brief', null, at(100)],
        ['good', at(50), null],
      ]);
    });

    test('a rotated key and its successor both work until the overlap is over', async () => {
      await store.transaction((tx) => createKey(tx, newKey('old')));
      const rotate = (id: string, to: string) =>
        store.transaction((tx) => rotateKey(tx, id, newKey(to, { createdAt: at(10) }), at(70)));
      assert.equal((await rotate('id of old', 'new'))?.rotatedFrom, 'id of old');
      assert.equal(await rotate('missing', 'another'), undefined);
      const works = async (key: string, seconds: number) =>
        (await findKeyByHash(store, hashOf(key), at(seconds))) !== undefined;
      assert.deepEqual([await works('old', 69), await works('new', 69)], [true, true]);
      assert.deepEqual([await works('old', 70), await works('new', 70)], [false, true]);
      assert.equal(await works('another', 11), false);
    });

    test('a window slides second by second and never holds more than its limit', async () => {
      const limit = 5;
      const call = async (second: number, calls: number, bucket = 'main') => {
        const { rows } = await store.query(
          `select granted::int, current::int, oldest_second::int as "oldestSecond" from take_calls('k', $1, $2, 10, $3, $4)`,
          [bucket, second, limit, calls],
        );
        return rows[0];
      };
      assert.deepEqual(await call(100, 3), { granted: 3, current: 3, oldestSecond: 100 });
      assert.deepEqual(await call(104, 4), { granted: 2, current: 5, oldestSecond: 100 });
      assert.deepEqual(await call(109, 1), { granted: 0, current: 5, oldestSecond: 100 });
      assert.deepEqual(await call(110, 1), { granted: 1, current: 3, oldestSecond: 104 });
      // Another instance, whose clock is behind, gets no second window out of it.
      assert.deepEqual(await call(105, 9), { granted: 2, current: 5, oldestSecond: 104 });
      assert.deepEqual(await call(130, 0), { granted: 0, current: 0, oldestSecond: 130 });
      assert.deepEqual(await call(104, 1, 'execute'), { granted: 1, current: 1, oldestSecond: 104 });
    });

    test('a lower limit than the window already holds grants nothing and shows the true count', async () => {
      const call = (limit: number, calls: number) =>
        take(store, { keyId: 'lowered', bucket: 'main', windowSeconds: 60, limit, calls });
      await call(10, 8);
      const { granted, current } = await call(5, 1);
      assert.deepEqual([granted, current], [0, 8]);
    });

    test('a score moves forward in time only, and an ended game stays ended', async () => {
      const put = (changes: Partial<EventScore>) =>
        store.transaction((tx) => putScores(tx, [{ ...game, ...changes }], at(60).getTime()));
      assert.equal(await getScore(store, 'SIM-1'), undefined);
      assert.equal(await put({}), 1);
      assert.equal(await put({ score: 'repeated' }), 0);
      assert.equal(await put({ score: 'late', updatedAt: at(5).toISOString() }), 0);
      assert.deepEqual(await getScore(store, 'SIM-1'), game);

      const finishedTimestamp = at(20).toISOString();
      const ended = { live: false, ended: true, finishedTimestamp, updatedAt: at(20).toISOString(), score: '9-9' };
      assert.equal(await put(ended), 1);
      const again = { score: '9-10', updatedAt: at(30).toISOString(), finishedTimestamp: at(30).toISOString() };
      assert.equal(await put(again), 1);
      const stored = await getScore(store, 'SIM-1');
      assert.deepEqual(stored, { ...game, ...ended, score: '9-10', updatedAt: at(30).toISOString() });
      assert.deepEqual(await getScores(store, ['SIM-1', 'SIM-2']), [stored]);
    });

    test('a score that was stored while a clock ran ahead gives way to the next one, and to none that is ahead as well', async () => {
      const put = (seconds: number, now = 0) => {
        const score = { ...game, eventId: 'E-ahead', updatedAt: at(seconds).toISOString(), score: `${seconds}` };
        return store.transaction((tx) => putScores(tx, [score], at(now).getTime()));
      };
      assert.equal(await put(60), 1);
      assert.equal(await put(59), 0, 'within what clocks differ by');
      assert.equal(await put(3_600), 1);
      assert.equal(await put(3_500), 0, 'of the same clock');
      assert.equal(await put(5, 5), 1);
      assert.equal((await getScore(store, 'E-ahead'))?.score, '5');
      assert.equal(await put(4, 5), 0);
      assert.equal(await put(6, 6), 1);
    });

    test('a price is replaced, a setting and a maker are kept', async () => {
      for (const usd of [0.1, 1e-12]) {
        await store.transaction((tx) => setPrice(tx, { mint: 'm', usd, updatedAt: at(usd) }));
      }
      assert.deepEqual(await listPrices(store), [{ mint: 'm', usd: 1e-12, updatedAt: at(1e-12) }]);

      for (const value of ['text', null, { offset: [1] }]) {
        const key = JSON.stringify(value);
        assert.deepEqual(await store.transaction((tx) => initialSetting(tx, key, value)), value);
        assert.deepEqual(await store.transaction((tx) => initialSetting(tx, key, 'later')), value);
      }

      const box = {
        seal: async (text: string, place: string) => Buffer.from(`${place} ${text}`),
        open: async (sealed: Uint8Array, place: string) =>
          Buffer.from(sealed)
            .toString()
            .slice(place.length + 1),
        mark: async (text: string) => Buffer.from(text),
      };
      const maker = { id: '1', name: 'one', url: 'http://127.0.0.1:1', createdAt: at(0) };
      assert.equal(await insertMaker(store, box, maker), true);
      assert.equal(await insertMaker(store, box, { ...maker, id: '2' }), false);
      assert.deepEqual(await listMakers(store, box), [{ ...maker, suspendedAt: null, suspendedFor: null }]);
      await suspendMaker(store, '1', { at: at(9), signature: 'sig' });
      assert.deepEqual(await listMakers(store, box), [{ ...maker, suspendedAt: at(9), suspendedFor: 'sig' }]);
      assert.equal(await store.transaction((tx) => deleteMaker(tx, '1')), true);
      assert.equal(await store.transaction((tx) => deleteMaker(tx, '1')), false);
    });
  });
}
