import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { RawState } from '../trigger-orders/state.js';
import { deleteNeverPaid } from './ledger-cleaning.js';
import { countLooks, endedToLookAt, LOST_LOOKS, reopenFound } from './lost-deposits.js';
import type { Store } from './sql.js';
import { openTestStore } from './testing.js';
import { type TriggerOrderEventRow, triggerOrderEvents, writeTriggerOrderEvents } from './trigger-order-events.js';
import { claimRentsDue, oweRents, settleRent } from './trigger-order-rents.js';
import {
  editTriggerOrder,
  findByDeposit,
  findTriggerOrder,
  insertTriggerOrder,
  listTriggerOrders,
  lockTriggerOrders,
  saveTriggerOrders,
  TRIGGER_ORDERS_CHANNEL,
  type TriggerOrderRow,
} from './trigger-orders.js';
import { waitingAmong, waitingOrders } from './trigger-orders-waiting.js';

const START = Date.UTC(2026, 10, 20);
const at = (seconds: number) => new Date(START + seconds * 1000);
const MAX = 2n ** 64n - 1n;

let count = 0;
function newOrder(wallet: string, changes: Partial<TriggerOrderRow> = {}, state: RawState = 'open'): TriggerOrderRow {
  count += 1;
  const id = `order-${String(count).padStart(5, '0')}`;
  return {
    id,
    wallet,
    depositRequestId: `deposit of ${id}`,
    bodyHash: createHash('sha256').update(id).digest(),
    vault: `vault of ${wallet}`,
    inputMint: 'USDC',
    outputMint: 'SOL',
    triggerMint: 'SOL',
    inputAccount: `in ${id}`,
    outputAccount: null,
    createdAt: at(count),
    triggerCondition: 'above',
    triggerPriceUsd: 150.25,
    trailingBps: null,
    highWatermark: null,
    lowWatermark: null,
    tpPriceUsd: null,
    slPriceUsd: null,
    slippageBps: null,
    tpSlippageBps: null,
    slSlippageBps: null,
    expiresAt: at(86_400 - count),
    updatedAt: at(count),
    triggeredAt: null,
    leaseUntil: null,
    retryAt: null,
    funded: true,
    seal: null,
    progress: {
      type: 'single',
      state,
      stage: 'entry',
      fired: null,
      exit: null,
      held: 0n,
      cancelAsked: false,
      failures: 0,
      entry: { initial: MAX, remaining: MAX, received: 0n },
    },
    ...changes,
  };
}

for (const kind of ['embedded', 'postgres'] as const) {
  describe(`orders on ${kind}`, () => {
    let store: Store;
    let close: () => Promise<void>;
    before(async () => {
      ({ store, close } = await openTestStore(kind));
    });
    after(() => close());

    const insert = async (order: TriggerOrderRow) => {
      const stored = await store.transaction((tx) => insertTriggerOrder(tx, order));
      assert.ok(stored);
      return stored;
    };

    test('an order comes back as it went in, to the unit and the cent', async () => {
      const otoco = newOrder('w1', {
        outputAccount: 'out',
        triggerPriceUsd: 0.1 + 0.2,
        trailingBps: 50,
        highWatermark: 1e-9,
        lowWatermark: 3,
        tpPriceUsd: 2.5,
        slPriceUsd: 1.5,
        slippageBps: 0,
        tpSlippageBps: 10_000,
        slSlippageBps: 2_000,
        triggeredAt: at(5),
        leaseUntil: at(6),
        retryAt: at(7),
        funded: false,
        progress: {
          type: 'otoco',
          state: 'executing',
          stage: 'exit',
          fired: 'stop_loss',
          held: MAX,
          cancelAsked: true,
          failures: 3,
          entry: { initial: MAX, remaining: 0n, received: MAX },
          exit: { initial: MAX, remaining: 1n, received: MAX - 1n },
        },
      });
      for (const order of [newOrder('w1'), otoco]) {
        assert.deepEqual(await insert(order), order);
        assert.deepEqual(await findTriggerOrder(store, order.id), order);
        assert.deepEqual(await findByDeposit(store, 'w1', order.depositRequestId), order);
        assert.equal(await findByDeposit(store, 'w2', order.depositRequestId), undefined);
      }
    });

    test('one deposit makes one order, however many ask at once', async () => {
      const wanted = Array.from({ length: 30 }, () => newOrder('w3', { depositRequestId: 'the deposit' }));
      const made = await Promise.all(wanted.map((order) => store.transaction((tx) => insertTriggerOrder(tx, order))));
      const [winner, ...others] = made.filter((order) => order !== undefined);
      assert.deepEqual(others, []);
      assert.deepEqual(await findByDeposit(store, 'w3', 'the deposit'), winner);
      // The same request id of another wallet is another deposit.
      await insert(newOrder('w4', { depositRequestId: 'the deposit' }));
    });

    test('attack: a free key makes ever more orders whose deposits never land: they are deleted after some days, with their history, and no others', async () => {
      const old = await Promise.all([1, 2, 3].map(() => insert(newOrder('w14', {}, 'deposit_failed'))));
      const young = await insert(newOrder('w14', { updatedAt: at(1_000_000) }, 'deposit_failed'));
      const open = await insert(newOrder('w14'));
      const nothing = {
        signature: null,
        mint: null,
        amount: null,
        outputMint: null,
        outputAmount: null,
        context: null,
      };
      const history = [...old, young, open].map(({ wallet, id, updatedAt }): TriggerOrderEventRow => {
        return { wallet, orderId: id, id: 'e', type: 'deposit', state: 'failed', at: updatedAt, ...nothing };
      });
      await store.single((tx) => writeTriggerOrderEvents(tx, history));
      const deleteSome = () => store.transaction((tx) => deleteNeverPaid(tx, at(500_000), 2));
      assert.equal(await deleteSome(), 0);
      const before = [at(900_000), at(900_000), at(900_000)];
      for (let look = 0; look < LOST_LOOKS; look++) {
        const lost = await endedToLookAt(store, 'deposit_failed', before, 9);
        assert.deepEqual(lost.map(({ id, looks }) => [id, looks]).sort(), old.map(({ id }) => [id, look]).sort());
        assert.equal(await store.transaction((tx) => countLooks(tx, 'deposit_failed', lost)), 3);
        // Another copy that has looked at the same time.
        assert.equal(await store.transaction((tx) => countLooks(tx, 'deposit_failed', lost)), 0);
      }
      assert.deepEqual(await endedToLookAt(store, 'deposit_failed', before, 9), []);
      assert.deepEqual([await deleteSome(), await deleteSome(), await deleteSome()], [2, 1, 0]);
      const left = [young.id, open.id].sort();
      const everything = {
        wallet: 'w14',
        states: ['open', 'deposit_failed'],
        expired: 'all',
        limit: 9,
        offset: 0,
      } as const;
      const { orders } = await listTriggerOrders(store, { ...everything, sort: 'updated_at', dir: 'asc' });
      assert.deepEqual(orders.map(({ id }) => id).sort(), left);
      const ids = history.map(({ orderId }) => orderId);
      const events = await triggerOrderEvents(store, 'w14', ids);
      assert.deepEqual(events.map(({ orderId }) => orderId).sort(), left);
    });

    test('what the state machine has made is saved for many at once, and told to the keepers', async () => {
      const orders = [await insert(newOrder('w5')), await insert(newOrder('w5')), await insert(newOrder('w6'))];
      const told: string[] = [];
      const unlisten = await store.listen(TRIGGER_ORDERS_CHANNEL, (ids) => told.push(...ids.split(' ')));
      const changed = orders.map(
        (order, index): TriggerOrderRow => ({
          ...order,
          updatedAt: at(500),
          triggeredAt: at(500),
          leaseUntil: at(506),
          retryAt: at(501),
          funded: index > 0,
          progress: {
            ...order.progress,
            state: 'partial_fill_success',
            fired: 'entry',
            held: BigInt(index),
            cancelAsked: index === 1,
            failures: index,
            entry: { initial: MAX, remaining: MAX - 1n, received: 7n },
            exit: index === 2 ? { initial: 3n, remaining: 2n, received: 1n } : null,
          },
        }),
      );
      await store.transaction((tx) => saveTriggerOrders(tx, changed));
      for (const order of changed) assert.deepEqual(await findTriggerOrder(store, order.id), order);
      for (let tries = 0; told.length < 3 && tries < 6_000; tries += 1)
        await new Promise((done) => setTimeout(done, 10));
      assert.deepEqual(told.sort(), orders.map(({ id }) => id).sort());
      await unlisten();
    });

    test('the database itself refuses an order that has more left than it began with', async () => {
      const order = await insert(newOrder('w7'));
      const entry = { initial: 5n, remaining: 6n, received: 0n };
      const broken = { ...order, progress: { ...order.progress, entry } };
      await assert.rejects(store.transaction((tx) => saveTriggerOrders(tx, [broken])));
      await assert.rejects(insert(newOrder('w7', {}, 'no state' as RawState)));
    });

    test('terms change only while the order is open, and only for its wallet', async () => {
      const [open, busy] = [
        await insert(newOrder('w8', { retryAt: at(700) })),
        await insert(newOrder('w8', {}, 'ready_execute')),
      ];
      const edit = (order: TriggerOrderRow, wallet = 'w8') => {
        const terms = { ...order, triggerPriceUsd: 99, slippageBps: 30, expiresAt: at(90_000) };
        return store.transaction((tx) => editTriggerOrder(tx, { wallet, id: order.id }, terms, at(600)));
      };
      const edited = await edit(open);
      assert.deepEqual(edited, {
        ...open,
        triggerPriceUsd: 99,
        slippageBps: 30,
        expiresAt: at(90_000),
        updatedAt: at(600),
        retryAt: null,
      });
      assert.equal(await edit(open, 'w9'), undefined);
      assert.equal(await edit(busy), undefined);
      assert.deepEqual(await findTriggerOrder(store, busy.id), busy);
    });

    test('a wallet sees its own orders, by state and mint, sorted and in pages', async () => {
      const [a, b, c] = [await insert(newOrder('w10')), await insert(newOrder('w10')), await insert(newOrder('w10'))];
      const gone = await insert(newOrder('w10', { funded: false }, 'expired'));
      const rescue = await insert(newOrder('w10', { inputMint: 'JUP' }, 'expired'));
      await insert(newOrder('w11'));
      const list = async (changes: Partial<Parameters<typeof listTriggerOrders>[1]> = {}) => {
        const { orders, total } = await listTriggerOrders(store, {
          wallet: 'w10',
          states: ['open'],
          expired: 'funded',
          sort: 'created_at',
          dir: 'asc',
          limit: 20,
          offset: 0,
          ...changes,
        });
        return [orders.map(({ id }) => id), total];
      };
      const active = [a, b, c, rescue].map(({ id }) => id);
      assert.deepEqual(await list(), [active, 4]);
      assert.deepEqual(await list({ dir: 'desc', limit: 2, offset: 1 }), [[c.id, b.id], 4]);
      assert.deepEqual(await list({ sort: 'expires_at', limit: 1 }), [[rescue.id], 4]);
      assert.deepEqual(await list({ offset: 10 }), [[], 4]);
      assert.deepEqual(await list({ mint: 'JUP' }), [[rescue.id], 1]);
      assert.deepEqual(await list({ mint: 'SOL', limit: 1 }), [[a.id], 4]);
      assert.deepEqual(await list({ states: ['cancelled'], expired: 'empty' }), [[gone.id], 1]);
      assert.deepEqual(await list({ states: [], expired: 'all' }), [[gone.id, rescue.id], 2]);
      assert.deepEqual(await list({ wallet: 'nobody' }), [[], 0]);
    });

    test('a cancelled order is looked at so often, and anew once something was found there', async () => {
      const order = await insert(newOrder('w17', {}, 'cancelled'));
      await store.single((tx) =>
        tx.query(`update orders set lost_looks = 3 where state = 'cancelled' and id <> $1`, [order.id]),
      );
      const [due, early] = [at(900_000), at(-900_000)];
      const toLookAt = (before: Date[]) => endedToLookAt(store, 'cancelled', before, 9);
      assert.deepEqual(await toLookAt([early, due, due]), []);
      for (let look = 0; look < LOST_LOOKS; look++) {
        const ended = await toLookAt([due, due, due]);
        assert.deepEqual(
          ended.map(({ id, looks }) => [id, looks]),
          [[order.id, look]],
        );
        assert.equal(await store.transaction((tx) => countLooks(tx, 'deposit_failed', ended)), 0);
        assert.equal(await store.transaction((tx) => countLooks(tx, 'cancelled', ended)), 1);
      }
      assert.deepEqual(await toLookAt([due, due, due]), []);
      const event = (id: string, changes: Partial<TriggerOrderEventRow>): TriggerOrderEventRow => ({
        wallet: 'w17',
        orderId: order.id,
        id,
        type: 'withdrawal',
        state: 'success',
        at: at(1),
        signature: null,
        mint: 'USDC',
        amount: 1n,
        outputMint: null,
        outputAmount: null,
        context: null,
        ...changes,
      });
      const history = [
        event('r1 withdrawal 0', {}),
        event('r2 withdrawal 0', {}),
        event('r2 withdrawal 1', { mint: 'SOL' }),
        event('r2 cancelled', { type: 'cancelled', mint: null, amount: null }),
      ];
      await store.single((tx) => writeTriggerOrderEvents(tx, history));
      const found = [{ id: order.id, mints: ['USDC'] }];
      const reopen = () => store.transaction((tx) => reopenFound(tx, found, at(2)));
      assert.deepEqual([await reopen(), await reopen()], [1, 0]);
      assert.equal((await findTriggerOrder(store, order.id))!.progress.state, 'ready_to_cancel');
      const failed = (await triggerOrderEvents(store, 'w17', [order.id])).filter(({ state }) => state === 'failed');
      assert.deepEqual(failed.map(({ id }) => id).sort(), ['r2 cancelled', 'r2 withdrawal 0']);
      await store.single((tx) => tx.query(`update orders set state = 'cancelled' where id = $1`, [order.id]));
      assert.deepEqual(
        (await toLookAt([due, early, early])).map(({ looks }) => looks),
        [0],
      );
      await store.single((tx) => tx.query('delete from orders where id = $1', [order.id]));
    });

    test('a keeper loads every order that waits for a price once, page by page', async () => {
      await insert(newOrder('w11', {}, 'partial_fill_success'));
      const seen: string[] = [];
      for (;;) {
        const page = await waitingOrders(store, seen.at(-1) ?? '', 3);
        seen.push(...page.map(({ id }) => id));
        if (page.length < 3) break;
      }
      const { rows } = await store.query<{ id: string }>(
        `select id from orders where state in ('open', 'partial_fill_success') order by id`,
      );
      assert.deepEqual(
        seen,
        rows.map(({ id }) => id),
      );
      assert.ok(seen.length > 6);
      const { rows: all } = await store.query<{ id: string }>('select id from orders');
      const among = await waitingAmong(store, [...all.map(({ id }) => id), 'nothing']);
      assert.deepEqual(among.map(({ id }) => id).sort(), seen);
      assert.ok(all.length > seen.length);
    });

    test('events are told the newest first, and a pending one is replaced by its end', async () => {
      const event = (id: string, changes: Partial<TriggerOrderEventRow> = {}): TriggerOrderEventRow => ({
        wallet: 'w12',
        orderId: 'o1',
        id,
        type: 'fill',
        state: 'pending',
        at: at(1),
        signature: 'sig',
        mint: 'USDC',
        amount: MAX,
        outputMint: null,
        outputAmount: null,
        context: 'take_profit',
        ...changes,
      });
      const write = (...events: TriggerOrderEventRow[]) => store.single((tx) => writeTriggerOrderEvents(tx, events));
      await write(event('e1', { type: 'deposit', state: 'success', context: null }), event('e2', { at: at(2) }));
      await write(event('e3', { at: at(2), orderId: 'o2' }), event('e4', { wallet: 'w13' }));
      const filled = { state: 'success', at: at(3), amount: 5n, outputMint: null, outputAmount: MAX } as const;
      await write(event('e2', filled));
      assert.deepEqual(await triggerOrderEvents(store, 'w12', ['o1']), [
        event('e2', filled),
        event('e1', { type: 'deposit', state: 'success', context: null }),
      ]);
      assert.deepEqual(
        (await triggerOrderEvents(store, 'w12', ['o1', 'o2'])).map(({ id }) => id),
        ['e2', 'e3', 'e1'],
      );
      assert.deepEqual(await triggerOrderEvents(store, 'w12', []), []);
    });

    /** Leases go by the database's clock. */
    const pass = (seconds: number) =>
      store.query('update orders set lease_until = lease_until - make_interval(secs => $1)', [seconds]);

    test('an open account of a filled order is closed by one at a time, until somebody has', async () => {
      const [due, paid, open] = [
        await insert(newOrder('w15', {}, 'fill_success')),
        await insert(newOrder('w15', {}, 'fill_success')),
        await insert(newOrder('w15')),
      ];
      await store.single((tx) => oweRents(tx, [due.id, open.id]));
      const take = async (isAlone = false) =>
        (await store.single((tx) => claimRentsDue(tx, { now: at(100), leaseMs: 60_000, isAlone }, 10))).map(
          ({ id }) => id,
        );
      const taken = await Promise.all([take(), take()]);
      assert.deepEqual(taken.flat(), [due.id]);
      assert.deepEqual(await take(), []);
      assert.deepEqual(await take(true), [due.id]);
      await pass(60);
      assert.deepEqual(await take(), [due.id]);
      await store.single((tx) => settleRent(tx, due.id));
      await pass(1_000);
      assert.deepEqual(await take(), []);
      assert.deepEqual(await findTriggerOrder(store, due.id), due);
      assert.deepEqual(await findTriggerOrder(store, paid.id), paid);
    });

    test('attack: an issuer of a token whose accounts cannot be closed keeps no others open', async () => {
      const owed: string[] = [];
      for (let count = 0; count < 4; count++) owed.push((await insert(newOrder('w16', {}, 'fill_success'))).id);
      owed.sort();
      await store.single((tx) => oweRents(tx, owed));
      let now = 0;
      const take = async (seconds: number, limit: number) => {
        await pass(seconds - now);
        now = seconds;
        const claim = { now: at(seconds), leaseMs: 60_000, isAlone: false };
        return (await store.single((tx) => claimRentsDue(tx, claim, limit))).map(({ id }) => id).sort();
      };
      // Nothing is settled, so all are due again; but who was tried last waits for the others.
      assert.deepEqual(await take(0, 3), owed.slice(0, 3));
      assert.deepEqual(await take(100, 2), [owed[0], owed[3]]);
      assert.deepEqual(await take(200, 2), owed.slice(1, 3));
      // And the longer none can be closed, the less often is each tried: once or twice an hour, not sixty times.
      let tries = 0;
      for (let minute = 240; minute < 300; minute++) tries += (await take(minute * 60, 10)).length;
      assert.ok(tries <= 2 * owed.length, `${tries} tries`);
      await store.single(async (tx) => void (await tx.query('update orders set rent_due = false', [])));
    });

    test('a locked order is waited for, or skipped', async () => {
      const order = await insert(newOrder('w14'));
      if (kind === 'embedded') return;
      await store.transaction(async (tx) => {
        await lockTriggerOrders(tx, [order.id], { skip: false });
        const others = await store.transaction((other) => lockTriggerOrders(other, [order.id], { skip: true }));
        assert.deepEqual(others, []);
      });
    });
  });
}
