import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { accountOfKey, accountOfWallet } from './event-accounts.js';
import { type EventKind, type NewEvent, tell } from './event-outbox.js';
import {
  deleteEvents,
  type EventRow,
  eventsAfter,
  followKinds,
  forgetFollowers,
  keptNumbers,
  lastNumbers,
  numberEventOfAll,
  numberEvents,
} from './events.js';
import type { PlacedInviteEvent } from './invite-events.js';
import { repairInviteLists } from './invite-repair.js';
import { beginInviteIndex, recordInviteEvents } from './invites.js';
import { createKey, rotateKey } from './keys.js';
import { insertCrafted } from './ledger.js';
import { deleteEndedSubmissions } from './ledger-cleaning.js';
import type { Store, Tx } from './sql.js';
import { openTestStore } from './testing.js';

const AT = new Date('2026-01-01T00:00:00Z');

function news(wallets: NewEvent['wallets'], data: Record<string, unknown>, more: Partial<NewEvent> = {}): NewEvent {
  return { kind: 'transaction.landed', at: AT, wallets, begunBy: undefined, data, ...more };
}

const placed = (id: string, slot: bigint) => ({ slot, position: slot, number: 0, txId: `tx ${id}`, at: AT });

const inviteOf = (id: string, slot: bigint): PlacedInviteEvent => ({
  ...placed(id, slot),
  event: {
    kind: 'created',
    invitePda: id,
    inviteSigner: 'signer',
    sender: 'w',
    mint: null,
    tokenProgram: null,
    amount: '1',
    expiry: '1774000000',
  },
});

const endOf = (id: string, slot: bigint): PlacedInviteEvent => ({
  ...placed(`end of ${id}`, slot),
  event: { kind: 'clawed_back', invitePda: id, receiver: null },
});

for (const kind of ['embedded', 'postgres'] as const) {
  describe(`events in ${kind}`, () => {
    let store: Store;
    let close: () => Promise<void>;
    before(async () => {
      ({ store, close } = await openTestStore(kind));
    });
    after(() => close());

    const say = (...events: NewEvent[]) => store.transaction((tx) => tell(tx, events));
    const number = async () => {
      let { found } = await store.single((tx) => numberEvents(tx, 1_000, AT));
      for (let more = 1; more > 0; found += more) more = (await store.single((tx) => numberEventOfAll(tx, AT))).found;
      return found;
    };
    const all = (account: string, from = 0n): Promise<EventRow[]> =>
      eventsAfter(store, [{ account, after: from }], 10_000);
    const numbersOf = async (account: string) => (await all(account)).map((event) => Number(event.number));

    it('has numbers from 1 for each wallet that hears of it, in the order in which it was told', async () => {
      await say(news(['a', 'b'], { n: 1 }), news(['a'], { n: 2 }), news(['b', 'b'], { n: 3 }));
      assert.equal(await number(), 1);
      await say(news(['a'], { n: 4 }));
      assert.equal(await number(), 1);
      const ofA = await all(accountOfWallet('a'));
      assert.deepEqual(
        ofA.map((event) => [Number(event.number), event.data.n, event.wallet]),
        [1, 2, 4].map((n, index) => [index + 1, n, 'a']),
      );
      const ofB = await all(accountOfWallet('b'), 1n);
      assert.deepEqual(
        ofB.map((event) => [Number(event.number), event.data.n, event.wallet]),
        [[2, 3, 'b']],
      );
      const last = await lastNumbers(store, ['wallet:a', 'wallet:b', 'wallet:c']);
      assert.deepEqual([last.get('wallet:a'), last.get('wallet:b'), last.size], [3n, 2n, 2]);
    });

    it('is heard by all that follow its kind, if it concerns everybody', async () => {
      const later = (ms: number) => new Date(AT.getTime() + ms);
      const follow = (account: string, kinds: EventKind[], ms: number) =>
        followKinds(store, { account, apiKey: 'k', caller: 'k', until: later(ms) }, kinds, { ofCaller: 10, ofKey: 10 });
      const score = news([], { eventId: 'E' }, { kind: 'score.changed' });
      const price = news([], { usd: 1 }, { kind: 'price.changed' });
      await say(score);
      assert.equal(await number(), 0, 'nobody follows: nothing is written');
      await follow('key:f1', ['score.changed'], 10);
      await follow('wallet:f2', ['score.changed', 'price.changed'], 10);
      await follow('key:f1', ['score.changed'], 5);
      await say(score, price, { ...score, at: later(9) }, { ...score, at: later(10) });
      assert.equal(await number(), 4);
      const kinds = async (account: string) => (await all(account)).map((event) => [event.kind, event.wallet]);
      assert.deepEqual(await kinds('key:f1'), Array(2).fill(['score.changed', null]));
      assert.deepEqual(await kinds('wallet:f2'), [
        ['score.changed', null],
        ['price.changed', null],
        ['score.changed', null],
      ]);
      await forgetFollowers(store, later(10));
      await say(score);
      assert.equal(await number(), 0);
    });

    it('attack: a free key logs in ever more wallets that follow what concerns everybody: a row for as many as it may have', async () => {
      const [until, kinds] = [new Date(AT.getTime() + 1), ['score.changed'] as const];
      const follow = (n: number, apiKey = 'many') =>
        followKinds(store, { account: `wallet:${apiKey} ${n}`, apiKey, caller: apiKey, until }, kinds, {
          ofCaller: 3,
          ofKey: 3,
        });
      const followed = [];
      for (let n = 0; n < 20; n++) followed.push(await follow(n));
      assert.deepEqual(followed, [...Array(3).fill(true), ...Array(17).fill(false)]);
      assert.equal(await follow(0), true, 'who follows already goes on');
      assert.equal(await follow(0, 'other'), true);
      await say(news([], { eventId: 'E' }, { kind: 'score.changed' }));
      await number();
      const { rows } = await store.query(`select account from events where account like 'wallet:many %'`);
      assert.equal(rows.length, 3);
      await forgetFollowers(store, until);
    });

    it('attack: a free key has all its wallets follow what changes ever again: the events of others wait for one of these at most', async () => {
      const [until, kinds] = [new Date(AT.getTime() + 1), ['score.changed'] as const];
      for (let n = 0; n < 5; n++)
        await followKinds(store, { account: `wallet:all ${n}`, apiKey: 'all', caller: 'all', until }, kinds, {
          ofCaller: 5,
          ofKey: 5,
        });
      const scores = Array.from({ length: 3 }, (_, n) => news([], { n }, { kind: 'score.changed' }));
      await say(news(['beside'], { n: 1 }), ...scores, news(['beside'], { n: 2 }));
      await say(...scores);
      await say(news(['beside'], { n: 3 }));
      const written = async () => (await store.query(`select from events where account like 'wallet:all %'`)).rowCount;
      assert.equal((await store.single((tx) => numberEvents(tx, 2, AT))).found, 2, 'two transactions');
      assert.deepEqual(await numbersOf(accountOfWallet('beside')), [1, 2, 3]);
      assert.equal(await written(), 0);
      for (let turn = 1; turn <= 6; turn++) {
        assert.equal((await store.single((tx) => numberEventOfAll(tx, AT))).found, 1);
        assert.equal(await written(), turn * 5);
      }
      assert.equal(await number(), 0);
      assert.deepEqual(
        (await all('wallet:all 0')).map(({ data }) => data.n),
        [0, 1, 2, 0, 1, 2],
      );
      await forgetFollowers(store, until);
    });

    it('attack: a channel of scores tells more than gets numbers: what others wait for is not read behind all of it', async (t) => {
      const own = await openTestStore(kind);
      t.after(own.close);
      await own.store.query(
        `insert into event_outbox (accounts, counts, times, pages)
         select array['kind:score.changed'], array[1], array[now()], array['[]'] from generate_series(1, 5000)`,
      );
      await own.store.transaction((tx) => tell(tx, [news(['w'], {})]));
      await own.store.query('analyze event_outbox');
      const plan: string[] = [];
      const explaining = (tx: Tx): Tx => ({
        ...tx,
        async query<Row>(text: string, params: unknown[] = []) {
          const { rows } = await tx.query<Record<string, string>>(`explain (analyze, timing off) ${text}`, params);
          plan.push(...rows.map((row) => Object.values(row)[0]!));
          return { rows: [{ found: 0n, waits_for_all: true }] as Row[], rowCount: 1 };
        },
      });
      await own.store.transaction((tx) => numberEvents(explaining(tx), 1_000, AT));
      await own.store.transaction((tx) => numberEventOfAll(explaining(tx), AT));
      const removed = plan.filter((line) => /Rows Removed by Filter: \d{2}/.test(line));
      assert.deepEqual(removed, [], plan.join('\n'));
      assert.equal((await own.store.query('select from event_outbox')).rowCount, 4_999);
    });

    it('is heard by the key that asked for the request, and by no other', async () => {
      const request = { area: 'swap', wallet: 'w', messageHash: Buffer.alloc(32), cosigners: [], payload: null };
      const times = { lastValidBlockHeight: 1n, createdAt: AT, expiresAt: AT };
      await store.transaction((tx) =>
        insertCrafted(tx, [
          { ...request, ...times, id: 'with key', apiKey: 'k1' },
          { ...request, ...times, id: 'without key' },
        ]),
      );
      await store.query(`update ledger set signature = 'sig' where id = 'with key'`);
      await say(
        news(['w'], { n: 1 }, { begunBy: { requestId: 'with key' } }),
        news(['w'], { n: 2 }, { begunBy: { requestId: 'without key' } }),
        news(['w'], { n: 3 }, { begunBy: { signature: 'sig' } }),
        news(['w'], { n: 4 }, { begunBy: { signature: 'unknown' } }),
      );
      await number();
      assert.deepEqual(
        (await all(accountOfKey('k1'))).map(({ data }) => data.n),
        [1, 3],
      );
      assert.deepEqual(await all(accountOfKey('k2')), []);
      assert.deepEqual(await numbersOf(accountOfWallet('w')), [1, 2, 3, 4]);
    });

    it('is heard by the key that has submitted what goes on after its submission was deleted', async () => {
      const submission = { area: 'submit', wallet: 'w', messageHash: Buffer.alloc(32), cosigners: [], payload: null };
      const times = { lastValidBlockHeight: 1n, createdAt: AT, expiresAt: AT };
      const ids = ['opened', 'ended', 'order', 'nothing'];
      await store.transaction(async (tx) => {
        await insertCrafted(
          tx,
          ids.map((id) => ({ ...submission, ...times, id, apiKey: 'submitter' })),
        );
        await tx.query(`update ledger set signature = 'tx ' || id, settled_at = $1 where id = any($2)`, [AT, ids]);
        await beginInviteIndex(tx, 'program');
        await recordInviteEvents(
          tx,
          [inviteOf('opened', 1n), inviteOf('ended', 2n), endOf('ended', 3n)],
          new Date(8e15),
        );
        await tx.query(
          `insert into limit_orders values ('order', 1, 'tx order', 'p', 'w', 'i', 'o', 1, 1, 1, 1, 0, null, 'open', '', $1, $1, '[]', 1, 1)`,
          [AT],
        );
      });
      const after = new Date(AT.getTime() + 1);
      const clean = () => store.transaction((tx) => deleteEndedSubmissions(tx, after, 10));
      // While a late event has others taken out of the lists, nobody knows which are open.
      await store.transaction((tx) => recordInviteEvents(tx, [inviteOf('late', 0n)], new Date(8e15)));
      assert.equal(await clean(), 0);
      while (await store.transaction((tx) => repairInviteLists(tx, new Date(8e15)))) {}
      assert.equal(await clean(), ids.length);
      const { rows } = await store.query('select signature from opened_by_keys order by 1');
      assert.deepEqual(rows, [{ signature: 'tx opened' }, { signature: 'tx order' }]);
      await say(...ids.map((id) => news(['w'], { id }, { begunBy: { signature: `tx ${id}` } })));
      await number();
      assert.deepEqual(
        (await all(accountOfKey('submitter'))).map(({ data }) => data.id),
        ['opened', 'order'],
      );
    });

    it('is heard by the keys that have taken the place of the one that began it, and of these', async () => {
      const key = (id: string) => ({
        id,
        name: 'app',
        prefix: id,
        tier: 'free',
        prefixes: [],
        origins: [],
        createdAt: AT,
      });
      const hashed = (id: string) => ({ ...key(id), hash: createHash('sha256').update(id).digest() });
      await store.transaction(async (tx) => {
        await createKey(tx, hashed('first'));
        await createKey(tx, hashed('other'));
        await rotateKey(tx, 'first', hashed('second'), AT);
        await rotateKey(tx, 'second', hashed('third'), AT);
        const row = { area: 'swap', wallet: 'w', messageHash: Buffer.alloc(32), cosigners: [], payload: null };
        const times = { lastValidBlockHeight: 1n, createdAt: AT, expiresAt: AT };
        await insertCrafted(tx, [{ ...row, ...times, id: 'by second', apiKey: 'second' }]);
        await tx.query(`update ledger set signature = 'tx of second' where id = 'by second'`);
      });
      await say(
        news(['w'], { n: 1 }, { begunBy: { requestId: 'by second' } }),
        news(['w'], { n: 2 }, { begunBy: { signature: 'tx of second' } }),
      );
      await number();
      const heard = async (id: string) => (await all(accountOfKey(id))).map(({ data }) => data.n);
      assert.deepEqual(await Promise.all(['first', 'second', 'third', 'other'].map(heard)), [[], [1, 2], [1, 2], []]);
    });

    it('is gone with the change that it tells of', async () => {
      const broken = store.transaction(async (tx) => {
        await tell(tx, [news(['gone'], {})]);
        throw new Error('rolled back');
      });
      await assert.rejects(broken, /rolled back/);
      assert.equal(await number(), 0);
      assert.deepEqual(await all(accountOfWallet('gone')), []);
    });

    it('is told once if it is read from the chain again, before and after it has its number', async () => {
      const read = () => say(news(['chain'], {}, { once: 'invite.created sig pda' }));
      await read();
      await read();
      await number();
      await read();
      await number();
      assert.deepEqual(await numbersOf(accountOfWallet('chain')), [1]);
    });

    it('is told once where two read it from the chain at the same time', async () => {
      const event = news(['both'], {}, { once: 'invite.created other pda' });
      await Promise.all([say(event, event), say(event)]);
      await number();
      assert.deepEqual(await numbersOf(accountOfWallet('both')), [1]);
    });

    it('is read from any number on, as many as are asked for, however many one transaction has told', async () => {
      const many = (from: number, count: number) =>
        Array.from({ length: count }, (_, index) => news(['many', `m${index % 2}`], { n: from + index }));
      await say(...many(1, 5));
      await store.transaction(async (tx) => {
        await tell(tx, many(6, 120));
        await tell(tx, many(126, 125));
      });
      await say(...many(251, 50));
      await number();
      const account = accountOfWallet('many');
      for (const [after, limit] of [
        [0, 1],
        [0, 6],
        [5, 100],
        [104, 2],
        [105, 100],
        [104, 197],
        [249, 100],
        [300, 5],
      ] as const) {
        const found = await eventsAfter(store, [{ account, after: BigInt(after) }], limit);
        const expected = Array.from({ length: Math.min(limit, 300 - after) }, (_, index) => after + index + 1);
        assert.deepEqual(
          found.map((event) => [Number(event.number), event.data.n]),
          expected.map((n) => [n, n]),
          `${limit} after ${after}`,
        );
      }
      assert.deepEqual((await all(accountOfWallet('m1'))).map(({ data }) => data.n).slice(0, 4), [2, 4, 7, 9]);
    });

    it('is heard of what an older copy of the service tells, and of what was told before there were pages', async () => {
      const insert = `insert into event_outbox (kind, at, wallets, request_id, begun_by, once, data)
        values ('order.opened', $1, $2, $3, null, $4, '{"n": 1}')`;
      await store.transaction((tx) =>
        insertCrafted(tx, [
          {
            id: 'of older',
            area: 'swap',
            wallet: 'w',
            messageHash: Buffer.alloc(32),
            cosigners: [],
            payload: null,
            lastValidBlockHeight: 1n,
            createdAt: AT,
            expiresAt: AT,
            apiKey: 'older',
          },
        ]),
      );
      await store.query(insert, [AT, ['older', 'other'], 'of older', 'once']);
      await store.query(insert, [AT, ['older', 'other'], 'of older', 'once']);
      await say(news(['older'], { n: 2 }), news(['older'], { n: 3 }, { once: 'once' }));
      await number();
      const short = async (account: string) =>
        (await all(account)).map((event) => [Number(event.number), event.at.getTime(), event.wallet, event.data.n]);
      assert.deepEqual(await short('wallet:older'), [
        [1, AT.getTime(), 'older', 1],
        [2, AT.getTime(), 'older', 2],
      ]);
      assert.deepEqual(await short('wallet:other'), [[1, AT.getTime(), 'older', 1]]);
      assert.deepEqual(await short('key:older'), [[1, AT.getTime(), 'older', 1]]);
      await store.query(
        `insert into events (account, last, kind, at, wallet, data) values ('wallet:before', 4, 'order.filled', $1, 'w', '{"n": 4}')`,
        [AT],
      );
      assert.deepEqual(await short('wallet:before'), [[4, AT.getTime(), 'w', 4]]);
    });

    it('is never seen before a smaller number, whoever writes and numbers at the same time', async () => {
      const [WRITERS, EACH] = [10, 20];
      const EVENTS = WRITERS * EACH;
      let isDone = false;
      const seen: number[] = [];
      const reading = (async () => {
        while (!isDone) {
          const next = await all('wallet:busy', BigInt(seen.length));
          seen.push(...next.map((event) => Number(event.number)));
        }
      })();
      const numbering = [1, 2, 3].map(async () => {
        while (!isDone) await number();
      });
      // Each waits for its last: where all were written at once, the later ones had no connection in time.
      const writing = Array.from({ length: WRITERS }, async (_, writer) => {
        for (let n = 0; n < EACH; n++) await say(news(['busy'], { n: writer * EACH + n }));
      });
      try {
        await Promise.all(writing);
        while ((await lastNumbers(store, ['wallet:busy'])).get('wallet:busy') !== BigInt(EVENTS));
      } finally {
        // Or they would go on in the next test.
        isDone = true;
        await Promise.allSettled([reading, ...numbering]);
      }
      await Promise.all([reading, ...numbering]);
      seen.push(...(await all('wallet:busy', BigInt(seen.length))).map((event) => Number(event.number)));
      assert.deepEqual(
        seen,
        Array.from({ length: EVENTS }, (_, index) => index + 1),
      );
      const told = new Set((await all('wallet:busy')).map(({ data }) => data.n));
      assert.equal(told.size, EVENTS);
    });

    it('attack: a node tells times thousands of years ahead: what happens later is deleted in its time all the same', async () => {
      const [far, later] = [new Date(Date.UTC(9999, 0)), new Date(AT.getTime() + 60_000)];
      await store.query('delete from events');
      const deleteOld = (limit: number) =>
        store.single((tx) => deleteEvents(tx, { before: later, now: new Date(later.getTime() + 1) }, limit));
      for (const at of [far, far, AT, far, AT, later, AT, far]) await say(news(['dated'], {}, { at }));
      await number();
      assert.equal(await deleteOld(1), 3);
      assert.deepEqual(await numbersOf('wallet:dated'), [4, 5, 6, 7, 8]);
      assert.equal(await deleteOld(100), 2);
      assert.deepEqual(await numbersOf('wallet:dated'), [6, 7, 8]);
      assert.equal(await deleteOld(100), 0);
    });

    it('is deleted from the oldest on, and its number is not given again', async () => {
      const later = new Date(AT.getTime() + 60_000);
      await store.query('delete from events');
      for (const at of [AT, AT, later, AT]) await say(news(['old'], {}, { at }));
      await number();
      assert.deepEqual(await keptNumbers(store, 'wallet:old'), { gone: 0n, last: 4n });
      const deleteBefore = (before: Date, limit: number) =>
        store.single((tx) => deleteEvents(tx, { before, now: later }, limit));
      assert.equal(await deleteBefore(later, 1), 1);
      assert.deepEqual(await numbersOf('wallet:old'), [2, 3, 4]);
      assert.equal(await deleteBefore(later, 100), 1);
      // The fourth is older than the third, but without it there would be a gap.
      assert.deepEqual(await numbersOf('wallet:old'), [3, 4]);
      assert.equal(await deleteBefore(new Date(later.getTime() + 1), 100), 2);
      assert.deepEqual(await keptNumbers(store, 'wallet:old'), { gone: 4n, last: 4n });
      await say(news(['old'], {}));
      await number();
      assert.deepEqual(await numbersOf('wallet:old'), [5]);
      assert.deepEqual(await keptNumbers(store, 'wallet:nobody'), { gone: 0n, last: 0n });
    });
  });
}
