import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Landing } from '../../landing/index.js';
import type { Router } from '../../routing/router.js';
import type { TriggerOrderRow } from '../../store/trigger-orders.js';
import { AMOUNT, openTriggerWorld } from './testing.js';

type TriggerWorld = Awaited<ReturnType<typeof openTriggerWorld>>;

let world: TriggerWorld;
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

async function until(
  isReached: () => Promise<boolean>,
  meanwhile: () => Promise<void> = async () => {},
): Promise<void> {
  for (let tries = 0; !(await isReached()); tries++) {
    assert.ok(tries < 6_000, 'this never comes');
    await meanwhile();
    await sleep(10);
  }
}

const stateOf = async ({ id }: TriggerOrderRow) => (await world.rowOf(id)).progress.state;

/** Filled, and the wallet has once what the order says. */
async function assertFilledOnce(order: TriggerOrderRow): Promise<void> {
  const { progress } = await world.rowOf(order.id);
  assert.deepEqual([progress.state, progress.entry.remaining], ['fill_success', 0n]);
  assert.ok(progress.entry.received > 0n);
  assert.equal(await world.paid(order), progress.entry.received);
  assert.equal(await world.world.amount(order.inputAccount as never), 0n);
}

async function assertUntouched(order: TriggerOrderRow): Promise<void> {
  assert.equal(await stateOf(order), 'open');
  assert.equal(await world.world.amount(order.inputAccount as never), AMOUNT);
  assert.equal(await world.paid(order), 0n);
}

describe('several keepers of one store', () => {
  it('fill each of the orders that one tick crosses once', async () => {
    const orders: TriggerOrderRow[] = [];
    for (let i = 0; i < 6; i++) orders.push(await world.open(0.9));
    const keepers = [await world.newKeeper(), await world.newKeeper(), await world.newKeeper()];
    await Promise.all(keepers.map((keeper) => keeper.runDue()));
    for (const order of orders) await assertFilledOnce(order);
    const ids = orders.map(({ id }) => id);
    const sent = await world.store.query<{ count: bigint }>(
      `select count(*) from order_events where type = 'fill' and order_id = any($1)`,
      [ids],
    );
    assert.equal(Number(sent.rows[0]!.count), orders.length);
  });
});

describe('a keeper that dies', () => {
  const never = () => new Promise<never>(() => {});

  it('with an order claimed and nothing sent: the next one fills it', async () => {
    const order = await world.open(0.9);
    const stuck: Router = { ...world.aggregator, quote: never };
    const dying = await world.newKeeper({ router: stuck });
    await dying.tick();
    await until(async () => (await stateOf(order)) === 'ready_execute');
    await dying.close();
    await (await world.newKeeper({ alone: true })).runDue();
    await assertFilledOnce(order);
  });

  it('with the signature written and nothing sent: the transaction is sent, and no second one', async () => {
    const order = await world.open(0.9);
    const mute = { ...world.world.rpc, call: never };
    const landing = world.newLanding([mute]);
    const dying = await world.newKeeper({ landing });
    await dying.tick();
    await until(async () => (await stateOf(order)) === 'executing');
    landing.close();
    await dying.close();
    assert.equal(await world.paid(order), 0n);
    const next = world.newLanding();
    const keeper = await world.newKeeper({ landing: next });
    await next.resume({ all: true });
    await until(async () => (await stateOf(order)) !== 'executing', keeper.tick);
    await assertFilledOnce(order);
  });

  it('with its fill landed and nothing written down: the next one writes what the chain says', async () => {
    const order = await world.open(0.9);
    const landing = world.newLanding();
    const send: Landing['send'] = async (...args) => {
      await (await landing.send(...args)).end;
      throw new Error('killed');
    };
    const dying = await world.newKeeper({
      landing: {
        send,
        execute: (...args) => landing.execute(...args),
        vouchesForOrder: (row) => landing.vouchesForOrder(row),
        unlandedAt: (row, said) => landing.unlandedAt(row, said),
      },
    });
    await dying.tick();
    const landed = "select from ledger where state = 'landed' and payload->>'orderId' = $1";
    await until(async () => (await world.store.query(landed, [order.id])).rows.length > 0);
    assert.ok((await world.paid(order)) > 0n);
    await dying.close();
    await (await world.newKeeper()).runDue();
    await (await world.newKeeper()).runDue();
    await assertFilledOnce(order);
  });
});

describe('a keeper without SOL', () => {
  it('claims nothing, and goes on when its wallet is funded, with what still fires', async () => {
    const [stays, leaves] = [await world.open(0.9), await world.open(0.95)];
    let hasSol = false;
    const chain: TriggerWorld['chain'] = {
      ...world.chain,
      account: async (address) => {
        const account = await world.chain.account(address);
        return account && address === world.payer && !hasSol ? { ...account, lamports: 0n } : account;
      },
    };
    const keeper = await world.newKeeper({ chain });
    for (let turn = 0; turn < 3; turn++) await keeper.runDue();
    for (const order of [stays, leaves]) {
      await assertUntouched(order);
      const { retryAt, updatedAt } = await world.rowOf(order.id);
      assert.deepEqual([retryAt, updatedAt], [null, order.updatedAt]);
    }
    // Funded at another price: time stands still, so that nothing which backs off is tried.
    world.setPrice(world.sold.mint, 0.93);
    world.setPrice(world.bought.mint, 0.93);
    hasSol = true;
    await keeper.runDue();
    await assertFilledOnce(stays);
    await assertUntouched(leaves);
  });
});

describe('a price that cannot be believed', () => {
  it('fires nothing, whatever it says', async () => {
    const order = await world.open(1.5);
    const { sold, setPrice } = world;
    const keeper = await world.newKeeper({ prices: { ...world.priced, poolWitness: () => 2 } });
    const bad: (() => void)[] = [
      () => world.prices.delete(sold.mint),
      () => setPrice(sold.mint, 2, { stale: true }),
      () => setPrice(sold.mint, 0),
      () => setPrice(sold.mint, Number.NaN),
      () => setPrice(sold.mint, 2, { publishedAt: world.clock.now() + 60_000 }),
      () => setPrice(sold.mint, 2, { confidence: 0.5 }),
      // The pools say 2.
      () => setPrice(sold.mint, 3),
    ];
    for (const make of bad) {
      make();
      await keeper.runDue();
      await assertUntouched(order);
    }
  });

  it('sells nothing for less than what the prices and the slippage allow', async () => {
    const order = await world.open(1.5);
    // By the pool one is still worth the other.
    world.setPrice(world.sold.mint, 2);
    const keeper = await world.newKeeper();
    const begun = world.clock.now();
    await keeper.runDue();
    await assertUntouched(order);
    const { retryAt } = await world.rowOf(order.id);
    assert.ok(retryAt && retryAt.getTime() >= begun + 2_000);
  });

  it('keeps no order from being filled whose owner accepts more after it was tried in vain', async () => {
    const client = world.newClient();
    await world.world.setReserves(world.pool, [10n ** 13n, 97n * 10n ** 11n]);
    const { wallet, id } = await world.deposit(client, { slippageBps: 100 });
    const keeper = await world.newKeeper();
    await keeper.runDue();
    const { progress, retryAt } = await world.rowOf(id);
    assert.deepEqual([progress.state, retryAt !== null], ['open', true]);
    await client.edit(wallet.address, id, { orderType: 'single', slippageBps: 500 });
    await (await world.newKeeper()).runDue();
    assert.equal((await world.rowOf(id)).progress.state, 'fill_success');
    await world.world.setReserves(world.pool, [10n ** 13n, 10n ** 13n]);
  });
});
