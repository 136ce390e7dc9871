import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertCrafted } from './ledger.js';
import {
  beginChange,
  chargeChange,
  endChange,
  insertTable,
  markTablesUsed,
  storedTables,
  storeTableWishes,
  type TableChange,
  tableChange,
  tableSpending,
  tableWishes,
  withdrawChange,
} from './lookup-tables.js';
import type { Store } from './sql.js';
import { openTestStore } from './testing.js';

const AT = new Date(1_000);
const DAY = 20_000;
const change = (request: string): TableChange => ({
  request,
  address: 'table',
  addresses: ['a', 'b'],
  lamports: 100n,
  fee: 5n,
  day: DAY,
});

for (const kind of ['embedded', 'postgres'] satisfies Store['kind'][]) {
  test(`${kind}: one change of a table at a time is recorded, charged and ended`, async (t) => {
    const { store, close } = await openTestStore(kind);
    t.after(close);
    const begin = (request: string) =>
      store.transaction(async (tx) => {
        if (!(await beginChange(tx, change(request)))) return false;
        await insertTable(tx, { address: 'table', authority: 'keeper', usedAt: AT });
        const times = { createdAt: AT, expiresAt: AT };
        const own = { area: 'tables', wallet: 'keeper', cosigners: [], payload: {}, lastValidBlockHeight: 1n };
        await insertCrafted(tx, [{ id: request, messageHash: new Uint8Array(32), ...own, ...times }]);
        return true;
      });
    const charge = (request: string, budget: bigint) => store.transaction((tx) => chargeChange(tx, request, budget));
    const end = (id: string, state: 'landed' | 'failed' | 'expired', slot: bigint | null) =>
      store.transaction((tx) => endChange(tx, { id, state, slot }));

    const won = await Promise.all(['r1', 'r2', 'r3'].map(begin));
    assert.equal(won.filter(Boolean).length, 1, 'one of those that race');
    const first = (await tableChange(store))!;
    assert.deepEqual(first, change(first.request));
    assert.equal(await charge('another', 1_000n), false);
    assert.equal(await charge(first.request, 99n), false);
    assert.equal(await tableSpending(store, DAY), 0n);
    assert.equal(await charge(first.request, 100n), true);
    await end(first.request, 'expired', null);
    assert.equal(await tableSpending(store, DAY), 0n, 'it has cost nothing');
    assert.deepEqual(await storedTables(store), []);

    assert.ok(await begin('r4'));
    assert.ok(await charge('r4', 100n));
    await end('r4', 'failed', 7n);
    assert.equal(await tableSpending(store, DAY), 5n, 'the network keeps its fee');

    assert.ok(await begin('r5'));
    assert.equal(await charge('r5', 104n), false, 'there is less left');
    assert.ok(await store.transaction((tx) => withdrawChange(tx, 'r5')));
    assert.equal((await store.query(`select from ledger where id = 'r5'`)).rowCount, 0, 'nobody can send it now');
    assert.deepEqual(await storedTables(store), []);

    assert.ok(await begin('r6'));
    await store.query(`update ledger set state = 'sending' where id = 'r6'`);
    assert.equal(await store.transaction((tx) => withdrawChange(tx, 'r6')), false, 'it has been sent');
    assert.ok(await charge('r6', 105n));
    await end('r6', 'landed', 8n);
    const ready = { address: 'table', authority: 'keeper', addresses: ['a', 'b'], state: 'ready', usedAt: AT };
    assert.deepEqual(await storedTables(store), [ready]);
    assert.ok(await beginChange(store as never, { ...change('r7'), addresses: ['c'] }));
    await end('r7', 'landed', 9n);
    assert.deepEqual((await storedTables(store))[0]?.addresses, ['a', 'b', 'c']);
    const later = new Date(2 * 60 * 60_000);
    await store.transaction((tx) => markTablesUsed(tx, ['table', 'unknown'], later));
    await store.transaction((tx) => markTablesUsed(tx, ['table'], new Date(later.getTime() + 1)));
    assert.deepEqual((await storedTables(store))[0]?.usedAt, later, 'to the hour');
  });

  test(`${kind}: wishes are kept with how often they were asked for, until that is long ago`, async (t) => {
    const { store, close } = await openTestStore(kind);
    t.after(close);
    const wish = (pair: string, asks: number, at: number) => ({ pair, addresses: [pair], asks, askedAt: new Date(at) });
    const save = (wishes: ReturnType<typeof wish>[], before = 0) =>
      store.transaction((tx) => storeTableWishes(tx, wishes, new Date(before)));
    await save([wish('x', 2, 10), wish('y', 3, 20)]);
    await save([wish('x', 2, 30)]);
    assert.deepEqual(await tableWishes(store, new Date(0), 9), [['x'], ['y']]);
    assert.deepEqual(await tableWishes(store, new Date(0), 1), [['x']]);
    assert.deepEqual(await tableWishes(store, new Date(25), 9), [['x']]);
    await save([wish('y', 1, 40)], 25);
    assert.deepEqual(await tableWishes(store, new Date(0), 9), [['x'], ['y']], 'what was forgotten begins anew');
    const many = Array.from({ length: 50 }, (_, index) => wish(`m${index}`, 1, 50));
    await Promise.all([save(many), save(many.toReversed()), save(many)]);
    assert.equal((await tableWishes(store, new Date(50), 100)).length, 50);
  });
}
