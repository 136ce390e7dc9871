import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import * as fc from 'fast-check';
import { addInviteEvents, type InviteEvent, newestInviteEvent, type PlacedInviteEvent } from './invite-events.js';
import { dueInvites, endedInvites, extendInviteLists, pendingInvites } from './invite-lists.js';
import { areInviteListsBehind, repairInviteLists } from './invite-repair.js';
import { beginInviteIndex, clearInviteIndex, recordInviteEvents } from './invites.js';
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
    const keep = (events: readonly PlacedInviteEvent[]) =>
      store.transaction((tx) => recordInviteEvents(tx, events, AT));
    const repairStep = (most?: number) => store.transaction((tx) => repairInviteLists(tx, AT, most));
    /** Returns how many transactions it took. */
    async function repair(most?: number): Promise<number> {
      for (let steps = 1; ; steps++) if (!(await repairStep(most))) return steps;
    }
    async function record(events: readonly PlacedInviteEvent[]): Promise<void> {
      await keep(events);
      await repair();
    }

    /** All that the lists hold. */
    async function rowsOf(): Promise<unknown[]> {
      const tables = {
        invites: 'id',
        invite_history: 'address, number',
        invite_addresses: 'address',
        invite_blocks: 'sender, block',
      };
      const found = [];
      for (const [table, order] of Object.entries(tables)) {
        found.push((await store.query(`select * from ${table} order by ${order}`)).rows);
      }
      return found;
    }
    /** What these events make of empty lists, one after the other. */
    async function rowsFrom(events: readonly PlacedInviteEvent[]): Promise<unknown[]> {
      await store.transaction((tx) => clearInviteIndex(tx));
      await keep(events);
      return rowsOf();
    }

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
      await keep([second!]);
      assert.equal(await areInviteListsBehind(store), false);
      await keep([first!]);
      assert.equal(await areInviteListsBehind(store), true);
      await keep([{ ...second!, position: 9n }, end!]);
      const pending = async () => (await pendingInvites(store, walletOf(0), { page: 1, size: SIZE })).length;
      assert.equal(await pending(), 1);
      assert.equal(await repair(), 1);
      assert.equal(await areInviteListsBehind(store), false);
      assert.deepEqual(await readLists(walletOf(0)), { pending: ['1'], history: [`0 claimed ${walletOf(0)}`] });
    });

    it('are what they would be had nothing come late, in whatever steps they are repaired, and whatever comes between these', async () => {
      const of = fc.record({
        sizes: fc.infiniteStream(fc.integer({ min: 1, max: 5 })),
        order: fc.nat(),
        most: fc.integer({ min: 1, max: 6 }),
      });
      await fc.assert(
        fc.asyncProperty(steps, of, async (all, { sizes, order, most }) => {
          // Transactions of several events each, also of one account.
          const txOf = all.map((_, index) => (index * 3) >> 3);
          const events = placed(all.map(eventOf)).map((event, index) => ({
            ...event,
            txId: `tx ${txOf[index]}`,
            slot: BigInt(txOf[index]! >> 1),
            position: BigInt(txOf[index]!),
            number: index - txOf.indexOf(txOf[index]!),
          }));
          const inOrder = await rowsFrom(events);
          await store.transaction((tx) => clearInviteIndex(tx));
          const ids = [...new Set(txOf)].sort((a, b) => ((a * 7 + order) % 11) - ((b * 7 + order) % 11));
          while (ids.length > 0) {
            const some = ids.splice(0, sizes.next().value!).map((id) => `tx ${id}`);
            await keep(events.filter(({ txId }) => some.includes(txId)));
            for (let steps = sizes.next().value! - 2; steps > 0; steps--) await repairStep(most);
          }
          await repair(most);
          assert.deepEqual(await rowsOf(), inOrder);
        }),
        { numRuns: kind === 'embedded' ? 60 : 15 },
      );
    });

    it('are made from nothing where a copy of the version before has written to them meanwhile', async () => {
      const made = Array.from({ length: 9 }, (_, invite): Step => ({ invite, kind: 'created', wallet: 0 }));
      const [endOfFirst, endOfSecond] = [0, 1].map((invite): Step => ({ invite, kind: 'clawed_back', wallet: 0 }));
      const events = placed([...made.slice(0, 2), endOfFirst!, ...made.slice(2), endOfSecond!].map(eventOf));
      const [first, late, lateEnd, end] = [0, 1, 2, 10].map((index) => [events[index]!]);
      const rest = events.slice(3, 10);
      const inOrder = await rowsFrom(events);
      /** As it keeps them: lists that are behind it extends, too, and of something late it tells that, and no more. */
      const keepByOlder = (some: readonly PlacedInviteEvent[]) =>
        store.transaction(async (tx) => {
          const newest = await newestInviteEvent(tx);
          const added = await addInviteEvents(tx, some);
          if (added[0]!.position > newest!.position) await extendInviteLists(tx, added, AT);
          else await tx.query('update invite_index set lists_behind = true');
        });
      const keepOthers = async (known: readonly (readonly PlacedInviteEvent[] | undefined)[]) => {
        await keep(events.filter((event) => !known.flat().includes(event)));
      };
      // What has come to this copy, to the older one while the lists are behind, and to this one after that.
      for (const [begun, ...byOlder] of [
        [late, first],
        [lateEnd, end],
        [rest, first],
      ]) {
        for (const stepsBefore of [0, 1]) {
          await store.transaction((tx) => clearInviteIndex(tx));
          await keepOthers([begun, ...byOlder]);
          await keep(begun!);
          for (let step = 0; step < stepsBefore; step++) await repairStep(2);
          for (const some of byOlder) await keepByOlder(some!);
          await repair(2);
          assert.deepEqual(await rowsOf(), inOrder);
        }
      }
      // It has made them again, and then something has come late to it.
      await store.transaction((tx) => clearInviteIndex(tx));
      await keepOthers([first, late]);
      await keep(late!);
      await store.query('update invite_index set lists_behind = false');
      await keepByOlder(first!);
      await repair(2);
      assert.deepEqual(await rowsOf(), inOrder);
    });

    it('attack: a stranger on the chain makes and takes back invites without end, so that a late event has the lists of all made again until the copy is out of memory: only what comes after it is, a thousand events a transaction', async () => {
      const all = Array.from(
        { length: 4_600 },
        (_, index): Step => ({
          invite: index >> 1,
          kind: index % 2 ? 'clawed_back' : 'created',
          wallet: 0,
        }),
      );
      const events = placed(all.map(eventOf));
      const late = (...indexes: number[]) => events.filter((_, index) => indexes.includes(index));
      await keep(events.filter((_, index) => index !== 4_001 && index !== 101));
      const versions = async () => {
        const { rows } = await store.query<{ id: bigint; row: string }>(
          'select id, ctid::text || xmin::text as row from invites order by id',
        );
        return rows.map(({ row }) => row);
      };
      const before = await versions();
      await keep(late(4_001));
      assert.equal(await repair(), 1);
      const mended = await versions();
      const first = mended.findIndex((row, index) => row !== before[index]);
      assert.equal(first, 2_000);
      await keep(late(101));
      assert.ok((await repair()) > 8);
      assert.deepEqual(await rowsOf(), await rowsFrom(events));
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

    it('leave out any number of due invites without comparing each with each', async () => {
      await record(placed([0, 1, 2].map((invite) => eventOf({ invite, kind: 'created', wallet: 0 }, invite))));
      const due = (sql: Sql) => dueInvites(sql, { nowSeconds: 2n ** 62n, except: ['invite 1', 'other'], most: 2 });
      assert.deepEqual(await due(store), ['invite 0', 'invite 2']);
      let query = '';
      await due({
        query: async (text) => {
          query = text;
          return { rows: [], rowCount: 0 };
        },
      });
      const { rows } = await store.transaction(async (tx) => {
        // One plan for all calls, which does not know the list.
        await tx.query("set local plan_cache_mode = 'force_generic_plan'");
        await tx.query(`prepare due (bigint, text[], bigint) as ${query}`);
        const explained = await tx.query<Record<string, string>>(`explain execute due (1, '{}', 1)`);
        await tx.query('deallocate due');
        return explained;
      });
      assert.match(rows.map((row) => Object.values(row)[0]).join('\n'), /NOT \(.*hashed SubPlan/);
    });

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
