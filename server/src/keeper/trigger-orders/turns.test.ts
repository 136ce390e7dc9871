import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Rpc } from '../../chain/index.js';
import type { Landing } from '../../landing/index.js';
import { insertCrafted } from '../../store/ledger.js';
import { makersOf } from '../../store/trigger-order-fills.js';
import { TRIGGER_ORDERS_CHANNEL, type TriggerOrderRow } from '../../store/trigger-orders.js';
import { until } from '../testing.js';
import { MOST_UNDER_WAY } from '../worker.js';
import { AMOUNT, openTriggerWorld } from './testing.js';

let world: Awaited<ReturnType<typeof openTriggerWorld>>;
before(async () => {
  world = await openTriggerWorld();
});
after(() => world?.close());
beforeEach(async () => {
  world.setPrice(world.sold.mint, 1);
  world.setPrice(world.bought.mint, 1);
  // What another test has left open fires nothing here.
  await world.store.query("update orders set state = 'expired' where state <> 'fill_success'");
});

const many = <T>(count: number, make: () => Promise<T>) => Promise.all(Array.from({ length: count }, make));

/** An order of a new wallet, whose deposit this key has asked for; without one, or with one that stands in pages, from this address. */
async function openBy(apiKey: string | undefined, caller?: string, usd = 0.9): Promise<TriggerOrderRow> {
  const order = await world.open(usd);
  const request = {
    id: order.depositRequestId,
    area: 'trigger-deposit',
    wallet: order.wallet,
    messageHash: new Uint8Array(32),
    cosigners: [],
    lastValidBlockHeight: 0n,
    payload: { caller },
    createdAt: order.createdAt,
    expiresAt: order.expiresAt,
    ...(apiKey !== undefined && { apiKey }),
  };
  await world.store.single((tx) => insertCrafted(tx, [request]));
  return order;
}

/** What never ends, until it fails. */
function pending() {
  let fail: () => void = () => {};
  const end = new Promise<never>((_, reject) => {
    fail = () => reject(new Error('let go'));
  });
  end.catch(() => {});
  return { end, fail };
}

type KeeperLanding = NonNullable<Parameters<typeof world.newKeeper>[0]>['landing'];

/** A landing, but for these changes. */
function landingBut(changes: Partial<KeeperLanding>): NonNullable<KeeperLanding> {
  const landing = world.newLanding();
  return {
    send: (...args) => landing.send(...args),
    execute: (...args) => landing.execute(...args),
    vouchesForOrder: (order) => landing.vouchesForOrder(order),
    unlandedAt: (row, said) => landing.unlandedAt(row, said),
    ...changes,
  };
}

/** The orders that have places, where all that have one keep it. */
async function firstToBegin(): Promise<Set<string>> {
  const begun = new Set<string>();
  const { end, fail } = pending();
  const vouchesForOrder: Landing['vouchesForOrder'] = ({ id }) => {
    begun.add(id);
    return end;
  };
  const keeper = await world.newKeeper({ landing: landingBut({ vouchesForOrder }) });
  await keeper.tick();
  await until(async () => begun.size === MOST_UNDER_WAY);
  await keeper.close();
  fail();
  return begun;
}

const countOf = (begun: ReadonlySet<string>, orders: readonly TriggerOrderRow[]) =>
  orders.filter(({ id }) => begun.has(id)).length;

const isFilled = async ({ id }: TriggerOrderRow) => (await world.rowOf(id)).progress.state === 'fill_success';

it('knows who has made an order by the deposit that it was asked for with', async () => {
  const client = world.newClient();
  const open = async (by?: Parameters<typeof client.open>[3]) => {
    const wallet = await client.register();
    await world.fund(wallet.address, world.sold, AMOUNT);
    const mints = { inputMint: world.sold.mint, outputMint: world.bought.mint, triggerMint: world.sold.mint };
    const terms = { ...mints, orderType: 'single', triggerCondition: 'above', triggerPriceUsd: 2 } as const;
    const id = await client.open(wallet, AMOUNT, terms, by);
    const { wallet: of, ...maker } = (await makersOf(world.store, [id])).get(id)!;
    assert.equal(of, wallet.address);
    return maker;
  };
  const known = { caller: null, failedLeg: null };
  const secret = { apiKey: { id: 'secret' }, payer: { id: 'secret' } };
  const page = { apiKey: { id: 'page' }, payer: { id: 'page 192.0.2.1', together: 'page' } };
  assert.deepEqual(await open(secret), { ...known, apiKey: 'secret' });
  assert.deepEqual(await open(page), { ...known, apiKey: 'page', caller: 'page 192.0.2.1' });
  assert.deepEqual(await open(), { ...known, apiKey: null });
});

describe('attack: a free key fires the orders of ever more wallets at once with the stops of others', () => {
  it('half of what is begun is of the one other key, however many they are', async () => {
    await many(60, () => openBy('free'));
    const others = await many(8, () => openBy('other'));
    assert.equal(countOf(await firstToBegin(), others), 8);
  });

  it('and of a key that stands in pages, half of it is of the other address', async () => {
    await many(60, () => openBy('page', 'page 192.0.2.1'));
    const others = await many(8, () => openBy('page', 'page 192.0.2.2'));
    assert.equal(countOf(await firstToBegin(), others), 8);
  });

  it('and of all without a key, half of it is of the other address, and of all, half of the one key', async () => {
    await many(60, () => openBy(undefined, 'keyless 192.0.2.1'));
    const neighbours = await many(8, () => openBy(undefined, 'keyless 192.0.2.2'));
    assert.equal(countOf(await firstToBegin(), neighbours), 8);
    const others = await many(8, () => openBy('other'));
    assert.equal(countOf(await firstToBegin(), others), 8);
  });

  it('and orders of before, whose maker nobody knows, are turned by wallet', async () => {
    const { wallet, vault } = await world.open(0.9);
    await many(59, () => world.open(0.9, { wallet, vault }));
    const others = await many(8, () => world.open(0.9));
    assert.equal(countOf(await firstToBegin(), others), 8);
  });

  it('and what was sent in vain, failed or expired, takes turns with all that was not', async () => {
    const again = await many(60, () => openBy('free'));
    await world.store.query(`update orders set failures = 1, fired = 'entry' where id = any($1)`, [
      again.map(({ id }) => id),
    ]);
    const first = await many(8, () => openBy('free'));
    assert.equal(countOf(await firstToBegin(), first), 8);
  });
});

describe('attack: somebody who moves pools lets go of a price while the orders that it has fired wait for their turn', () => {
  it('they are not sold by it, and fire when it is back', () => assertWait(false));

  it('and where other pools contradict it, not before they agree', () => assertWait(true));
});

async function assertWait(isContradicted: boolean): Promise<void> {
  world.setPrice(world.sold.mint, 0.8);
  const trailing = { triggerPriceUsd: null, trailingBps: 1_000, lowWatermark: 0.8 };
  const waiting = [await world.open(0.9), await world.open(0.9, trailing)];
  const before = new Set((await many(MOST_UNDER_WAY, () => openBy('free', undefined, 0.5))).map(({ id }) => id));
  const { end, fail } = pending();
  const landing = world.newLanding();
  const held = new Set<string>();
  const vouchesForOrder: Landing['vouchesForOrder'] = (order) => {
    if (!before.has(order.id)) return landing.vouchesForOrder(order);
    held.add(order.id);
    return end;
  };
  let witness: number | undefined;
  const prices = { ...world.priced, poolWitness: () => witness };
  const keeper = await world.newKeeper({ prices, landing: landingBut({ vouchesForOrder }) });
  await keeper.tick();
  await until(async () => held.size === before.size);
  world.setPrice(world.sold.mint, 1);
  await keeper.tick();
  if (isContradicted) witness = 2;
  else world.setPrice(world.sold.mint, 0.8);
  fail();
  await keeper.runDue();
  const states = async () => Promise.all(waiting.map(async ({ id }) => (await world.rowOf(id)).progress.state));
  assert.deepEqual(await states(), ['open', 'open']);
  witness = undefined;
  world.setPrice(world.sold.mint, 1);
  await keeper.runDue();
  assert.deepEqual(await states(), ['fill_success', 'fill_success']);
}

it('an order that its owner cancels while its fill is being prepared is not sold', async () => {
  const client = world.newClient();
  const { wallet, id } = await world.deposit(client, {});
  const landing = world.newLanding();
  const vouchesForOrder: Landing['vouchesForOrder'] = async (order) => {
    await assert.rejects(client.cancel(wallet.address, id), /retry shortly/);
    return landing.vouchesForOrder(order);
  };
  const keeper = await world.newKeeper({ landing: landingBut({ vouchesForOrder }) });
  await keeper.runDue();
  assert.equal((await world.rowOf(id)).progress.state, 'ready_to_cancel');
  await client.withdraw(wallet, id);
  assert.equal(await world.held(wallet.address, world.sold), AMOUNT);
});

describe('attack: a free key has its fills sent so that they never land', () => {
  it('a stop of somebody else is filled while all of them are under way', async () => {
    const hostile = new Set((await many(MOST_UNDER_WAY + 4, () => openBy('free'))).map(({ id }) => id));
    const landing = world.newLanding();
    const { end, fail } = pending();
    const held = new Set<string>();
    const send: Landing['send'] = async (request, ...more) => {
      const { orderId } = request.payload as { orderId: string };
      if (!hostile.has(orderId)) return landing.send(request, ...more);
      held.add(orderId);
      return { end };
    };
    const keeper = await world.newKeeper({ landing: landingBut({ send }) });
    await keeper.tick();
    await until(async () => held.size === hostile.size);
    const stop = await openBy('other');
    await world.store.transaction((tx) => tx.notify(TRIGGER_ORDERS_CHANNEL, stop.id));
    await until(async () => {
      await keeper.tick();
      return isFilled(stop);
    });
    fail();
    await keeper.close();
  });
});

describe('attack: a node says of no fill what it has moved, and answers nothing', () => {
  it('all that fire are sent all the same, and another copy records each of them once', async () => {
    const orders = await many(MOST_UNDER_WAY + 4, () => openBy('other'));
    const { end: silence, fail } = pending();
    const rpc: Rpc = {
      ...world.world.rpc,
      call: <T>(method: string, params: unknown[]) =>
        method === 'getTransaction' ? silence : world.world.rpc.call<T>(method, params),
    };
    const keeper = await world.newKeeper({ chain: { ...world.chain, rpc } });
    await keeper.tick();
    const landed =
      "select from ledger where area = 'trigger-fill' and state = 'landed' and payload->>'orderId' = any($1)";
    const ids = orders.map(({ id }) => id);
    await until(async () => (await world.store.query(landed, [ids])).rows.length === ids.length);
    fail();
    await keeper.close();
    const next = await world.newKeeper();
    await until(async () => {
      await next.runDue();
      return (await Promise.all(orders.map(isFilled))).every(Boolean);
    });
    for (const order of orders) {
      assert.equal((await world.rowOf(order.id)).progress.entry.received, await world.paid(order));
    }
    assert.equal((await world.store.query(landed, [ids])).rows.length, ids.length);
  });
});
