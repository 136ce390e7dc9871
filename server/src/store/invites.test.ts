import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import * as fc from 'fast-check';
import type { InviteEvent, PlacedInviteEvent } from './invite-events.js';
import { endedInvites, pendingInvites } from './invite-lists.js';
import {
  areInviteListsBehind,
  beginInviteIndex,
  clearInviteIndex,
  recordInviteEvents,
  repairInviteLists,
} from './invites.js';
import type { Sql, Store } from './sql.js';
import { openTestStore } from './testing.js';

const AT = new Date('2026-03-15T12:00:00Z');
const SIZE = 10;

/** What happens to one of a few invites of a few wallets. */
interface Step {
  invite: number;
  kind: InviteEvent['kind'];
  /** Of the sender or the receiver. */
  wallet: number;
}

const steps = fc.array(
  fc.record({
    invite: fc.nat(5),
    kind: fc.constantFrom<InviteEvent['kind'][]>('created', 'created', 'claimed', 'clawed_back', 'expired'),
    wallet: fc.nat(2),
  }),
  { maxLength: 60 },
);

const walletOf = (index: number): string => `wallet ${index}`;

function eventOf({ invite, kind, wallet }: Step, index: number): InviteEvent {
  const invitePda = `invite ${invite}`;
  if (kind !== 'created') return { kind, invitePda, receiver: kind === 'claimed' ? walletOf(wallet) : null };
  return {
    kind,
    invitePda,
    inviteSigner: `key ${invite}`,
    sender: walletOf(wallet),
    mint: null,
    tokenProgram: null,
    amount: `${index}`,
    expiry: '1774000000',
  };
}

/** The lists of a wallet, made the simplest way: the creations (by their amount), and what ended them. */
function listsOf(all: readonly Step[], wallet: string): { pending: string[]; history: string[] } {
  const open = new Map<string, { amount: string; sender: string }>();
  const history: string[] = [];
  for (const [index, step] of all.entries()) {
    const event = eventOf(step, index);
    const held = open.get(event.invitePda);
    const receiver = event.kind === 'created' ? null : event.receiver;
    const action = event.kind === 'created' ? null : event.kind;
    if (held && (held.sender === wallet || receiver === wallet)) history.push(`${held.amount} ${action} ${receiver}`);
    open.delete(event.invitePda);
    if (event.kind === 'created') open.set(event.invitePda, { amount: event.amount, sender: event.sender });
  }
  const pending = [...open.values()].filter(({ sender }) => sender === wallet).map(({ amount }) => amount);
  return { pending: pending.sort((a, b) => Number(b) - Number(a)), history: history.reverse() };
}

for (const kind of ['embedded', 'postgres'] as const) {
  describe(`invites on ${kind}`, () => {
    let store: Store;
    let close: () => Promise<void>;
    before(async () => {
      ({ store, close } = await openTestStore(kind));
      await store.transaction((tx) => beginInviteIndex(tx, 'program'));
    });
    after(() => close());
    beforeEach(() => store.transaction((tx) => clearInviteIndex(tx)));

    /** Transactions with an event each, the oldest first. */
    const placed = (events: readonly InviteEvent[]): PlacedInviteEvent[] =>
      events.map((event, index) => ({
        txId: `tx ${index}`,
        slot: BigInt(index >> 1),
        position: BigInt(index),
        number: 0,
        at: AT,
        event,
      }));
    const record = (events: readonly PlacedInviteEvent[]) =>
      store.transaction(async (tx) => {
        await recordInviteEvents(tx, events, AT);
        await repairInviteLists(tx, AT);
      });

    /** Page after page, as a client reads them. */
    async function read(pageOf: typeof endedInvites, wallet: string) {
      const rows = [];
      for (let page = 1; ; page++) {
        const found = await pageOf(store, wallet, { page, size: 3 });
        rows.push(...found.slice(0, 3));
        if (found.length <= 3) return rows;
      }
    }
    async function readLists(wallet: string) {
      const [pending, history] = [await read(pendingInvites, wallet), await read(endedInvites, wallet)];
      return {
        pending: pending.map(({ amount }) => amount),
        history: history.map(({ amount, action, receiver }) => `${amount} ${action} ${receiver}`),
      };
    }

    it('are what has happened, however it is cut into batches, in whatever order it is read, and read twice', async () => {
      const cuts = fc.infiniteStream(fc.integer({ min: 1, max: 7 }));
      const seed = fc.nat();
      await fc.assert(
        fc.asyncProperty(steps, cuts, fc.boolean(), seed, async (all, sizes, isLate, shuffle) => {
          await store.transaction((tx) => clearInviteIndex(tx));
          const events = placed(all.map(eventOf));
          // Some cannot be read at first, and come late.
          const late = isLate ? events.filter((_, index) => (index * 7 + shuffle) % 5 === 0) : [];
          const rest = events.filter((each) => !late.includes(each));
          for (let from = 0; from < rest.length; ) {
            const batch = rest.slice(from, from + sizes.next().value!);
            await record(batch);
            await record(batch);
            from += batch.length;
          }
          for (const each of late) await record([each]);
          for (const wallet of [0, 1, 2].map(walletOf)) {
            assert.deepEqual(await readLists(wallet), listsOf(all, wallet));
          }
        }),
        { numRuns: kind === 'embedded' ? 40 : 15 },
      );
    });

    it('have late events when they are made again, and none twice that stands elsewhere the second time', async () => {
      const kinds = ['created', 'created', 'claimed'] as const;
      const [first, second, end] = placed(
        kinds.map((of, index) => eventOf({ invite: index % 2, kind: of, wallet: 0 }, index)),
      );
      const keep = (...events: PlacedInviteEvent[]) => store.transaction((tx) => recordInviteEvents(tx, events, AT));
      await keep(second!);
      assert.equal(await areInviteListsBehind(store), false);
      await keep(first!);
      assert.equal(await areInviteListsBehind(store), true);
      await keep({ ...second!, position: 9n }, end!);
      const pending = async () => (await pendingInvites(store, walletOf(0), { page: 1, size: SIZE })).length;
      assert.equal(await pending(), 1);
      await store.transaction((tx) => repairInviteLists(tx, AT));
      assert.equal(await areInviteListsBehind(store), false);
      assert.deepEqual(await readLists(walletOf(0)), { pending: ['1'], history: [`0 claimed ${walletOf(0)}`] });
    });

    it('show no row twice and skip none while nothing changes, and skip none while new ones end', async () => {
      const made = Array.from({ length: 12 }, (_, invite): Step => ({ invite, kind: 'created', wallet: 0 }));
      const ends = made.map(({ invite }): Step => ({ invite, kind: 'clawed_back', wallet: 0 }));
      const events = placed([...made, ...ends].map(eventOf));
      await record(events.slice(0, 20));
      const seen: string[] = [];
      for (let page = 1; page <= 4; page++) {
        const found = await endedInvites(store, walletOf(0), { page, size: 3 });
        seen.push(...found.slice(0, 3).map(({ invitePda }) => invitePda));
        await record(events.slice(20 + page - 1, 20 + page));
      }
      for (let invite = 0; invite < 8; invite++) assert.ok(seen.includes(`invite ${invite}`), `invite ${invite}`);
    });

    /** How the database runs the one query of `read`, with the rows that it touched. */
    const planOf = async (read: (sql: Sql) => Promise<unknown>): Promise<string> => {
      let plan = '';
      await read({
        async query(text, params) {
          const explained = `explain (analyze, timing off) ${text}`;
          const { rows } = await store.query<Record<string, string>>(explained, params);
          plan = rows.map((row) => Object.values(row)[0]).join('\n');
          return { rows: [], rowCount: 0 };
        },
      });
      return plan;
    };

    it('find a page by a range of an index, the last one as the first', async () => {
      const count = 4_000;
      const made = Array.from({ length: count }, (_, invite): Step => ({ invite, kind: 'created', wallet: 0 }));
      const ends = made.slice(0, count / 2).map(({ invite }): Step => ({ invite, kind: 'claimed', wallet: 1 }));
      await record(placed([...made, ...ends].map(eventOf)));
      for (const table of ['invites', 'invite_history', 'invite_addresses', 'invite_blocks']) {
        await store.query(`analyze ${table}`);
      }
      const pages = count / 2 / SIZE;
      for (const page of [1, pages / 2, pages]) {
        const history = await planOf((sql) => endedInvites(sql, walletOf(0), { page, size: SIZE }));
        const pending = await planOf((sql) => pendingInvites(sql, walletOf(0), { page, size: SIZE }));
        for (const plan of [history, pending]) {
          assert.doesNotMatch(plan, /Seq Scan on (?:invites|invite_history)/, plan);
          // The rows that the plan has touched of the big tables: those of the page, or of a block of numbers.
          const touched = [...plan.matchAll(/on (?:invites|invite_history) .*?actual rows=(\d+)/g)].map(([, n]) =>
            Number(n),
          );
          assert.ok(touched.length > 0 && Math.max(...touched) <= 256 + SIZE + 1, plan);
          assert.doesNotMatch(plan, /Rows Removed by Filter: \d{3}/, plan);
        }
        assert.match(history, /invite_history_pkey/);
        assert.match(pending, /invites_pending/);
      }
      const last = await pendingInvites(store, walletOf(0), { page: pages, size: SIZE });
      assert.deepEqual(
        last.map(({ amount }) => Number(amount)),
        Array.from({ length: SIZE }, (_, index) => count / 2 + SIZE - 1 - index),
      );
    });

    it('are forgotten when the program is another one', async () => {
      await record(placed([eventOf({ invite: 1, kind: 'created', wallet: 0 }, 0)]));
      await store.transaction((tx) => beginInviteIndex(tx, 'program'));
      assert.equal((await pendingInvites(store, walletOf(0), { page: 1, size: SIZE })).length, 1);
      await store.transaction((tx) => beginInviteIndex(tx, 'another'));
      assert.equal((await pendingInvites(store, walletOf(0), { page: 1, size: SIZE })).length, 0);
    });
  });
}
