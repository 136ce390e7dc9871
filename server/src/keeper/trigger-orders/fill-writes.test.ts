import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { triggerOrderEvents } from '../../store/trigger-order-events.js';
import type { PendingFill } from '../../store/trigger-order-fills.js';
import { createFillWrites, type FillWrites } from './fill-writes.js';
import { saleOf } from './sale.js';
import { type FillDetail, fillSettlement } from './settlement.js';
import { AMOUNT, openTriggerWorld } from './testing.js';

let world: Awaited<ReturnType<typeof openTriggerWorld>>;
let writes: FillWrites;
before(async () => {
  world = await openTriggerWorld();
  writes = createFillWrites(world);
});
after(() => world?.close());

/** An order that this keeper has claimed. */
async function claimed() {
  const { id } = await world.open(0.9);
  return (await writes.claim({ id, leg: 'entry' }))!;
}

const stateOf = async (id: string) => (await world.rowOf(id)).progress.state;

it('claims orders that come together, each once', async () => {
  const orders = await Promise.all([world.open(0.9), world.open(0.9)]);
  const wanted = orders.map(({ id }) => ({ id, leg: 'entry' }) as const);
  const other = createFillWrites(world);
  const both = await Promise.all([...wanted.map(writes.claim), ...wanted.map(other.claim)]);
  const won = both.flatMap((order) => (order ? [order.id] : []));
  assert.deepEqual(won.sort(), orders.map(({ id }) => id).sort());
});

it('releases an order only while it has the claim', async () => {
  const [ours, taken] = [await claimed(), await claimed()];
  const later = new Date(ours.leaseUntil!.getTime() + 1);
  await world.store.query('update orders set lease_until = $2 where id = $1', [taken.id, later]);
  await Promise.all([ours, taken].map((order) => writes.release({ order, retryAt: later })));
  assert.deepEqual([await stateOf(ours.id), await stateOf(taken.id)], ['open', 'ready_execute']);
});

it('reserves an order for one of two fills that come together, and none without its claim', async () => {
  const [ours, taken] = [await claimed(), await claimed()];
  const detailOf = ({ id, leaseUntil }: typeof ours, late = 0): FillDetail => ({
    orderId: id,
    leaseUntil: new Date(leaseUntil!.getTime() + late),
    amount: AMOUNT,
    at: new Date(world.clock.now()),
  });
  const refused = await world.store.transaction((tx) =>
    fillSettlement.reserve!(tx, [
      { id: 'first', detail: detailOf(ours) },
      { id: 'late', detail: detailOf(taken, 1) },
      { id: 'second', detail: detailOf(ours) },
    ]),
  );
  assert.deepEqual([...refused.keys()].sort(), ['late', 'second']);
  assert.deepEqual([await stateOf(ours.id), await stateOf(taken.id)], ['executing', 'ready_execute']);
});

it('records a fill once, however many tell of it', async () => {
  const order = await claimed();
  const { id: orderId, wallet, leaseUntil } = order;
  const detail: FillDetail = { orderId, leaseUntil: leaseUntil!, amount: AMOUNT, at: new Date(world.clock.now()) };
  await world.store.transaction((tx) => fillSettlement.reserve!(tx, [{ id: 'request', detail }]));
  const amounts = { offered: AMOUNT, least: 1n, held: AMOUNT };
  const fill: PendingFill = { wallet, orderId, requestId: 'request', signature: 's', ...amounts };
  const moved = { input: AMOUNT, output: 5n, isClosed: false };
  const tell = () => writes.conclude({ fill, sale: saleOf(order), whole: true, moved });
  assert.deepEqual((await Promise.all([tell(), tell()])).sort(), [false, true]);
  assert.equal(await tell(), false);
  const { progress } = await world.rowOf(orderId);
  assert.deepEqual([progress.state, progress.entry.received], ['fill_success', 5n]);
  const events = await triggerOrderEvents(world.store, wallet, [orderId]);
  assert.deepEqual(
    events.map(({ state, outputAmount }) => [state, outputAmount]),
    [['success', 5n]],
  );
});
