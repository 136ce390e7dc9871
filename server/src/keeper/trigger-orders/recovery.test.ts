import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ChainUnavailable, type Rpc } from '../../chain/index.js';
import { steadyNow } from '../../lib/clock.js';
import { PATIENCE_MS } from '../../lib/testing.js';
import { AMOUNT, openTriggerWorld } from './testing.js';

const MINUTE_MS = 60_000;

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

async function until(isReached: () => Promise<boolean>, meanwhile: () => Promise<void>): Promise<void> {
  const end = steadyNow() + PATIENCE_MS;
  while (!(await isReached())) {
    assert.ok(steadyNow() < end, 'this never comes');
    await meanwhile();
    await sleep(10);
  }
}

/** A node that knows the status of every transaction, and the contents of those that `knows` names. */
function forgetful(knows: (signature: string) => boolean) {
  const asked: string[] = [];
  const rpc: Rpc = {
    ...world.world.rpc,
    async call<T>(method: string, params: unknown[]) {
      if (method !== 'getTransaction') return world.world.rpc.call<T>(method, params);
      asked.push(params[0] as string);
      return knows(params[0] as string) ? world.world.rpc.call<T>(method, params) : (null as T);
    },
  };
  return { asked, chain: { ...world.chain, rpc } };
}

const progressOf = async (id: string) => (await world.rowOf(id)).progress;
const areIn = async (ids: readonly string[], state: string) =>
  (await Promise.all(ids.map(progressOf))).every((progress) => progress.state === state);

/** Orders whose fills have landed, of which nobody knows what they moved; their keeper is gone. */
async function fillUnseen(ids: readonly string[]): Promise<Set<string>> {
  const { asked, chain } = forgetful(() => false);
  const keeper = await world.newKeeper({ chain });
  await keeper.tick();
  await until(
    async () => new Set(asked).size === ids.length && (await areIn(ids, 'executing')),
    async () => {},
  );
  await keeper.close();
  return new Set(asked);
}

describe('attack: a node keeps back what fills have moved', () => {
  it('and holds up no other order: each fill is asked for less and less often, beside the ticks', async () => {
    const orders = await Promise.all(Array.from({ length: 20 }, () => world.open(0.9)));
    const ids = orders.map(({ id }) => id);
    const forgotten = await fillUnseen(ids);
    const { asked, chain } = forgetful((signature) => !forgotten.has(signature));
    let now = 0;
    const keeper = await world.newKeeper({ chain, steadyNow: () => now });
    const next = await world.open(0.9);
    await until(() => areIn([next.id], 'fill_success'), keeper.tick);
    assert.ok(await areIn(ids, 'executing'));
    const asksOfOld = () => asked.filter((signature) => forgotten.has(signature)).length;
    await until(async () => asksOfOld() === ids.length, keeper.tick);
    for (let ticks = 0; ticks < 10; ticks++) await keeper.tick();
    assert.equal(asksOfOld(), ids.length, 'each once while no time passes');
    for (const round of [2, 3]) {
      now += MINUTE_MS;
      await until(async () => asksOfOld() === round * ids.length, keeper.tick);
    }
  });

  it('for ever: they are recorded by what the accounts hold, to the unit of what was sold', async () => {
    const orders = await Promise.all(Array.from({ length: 3 }, () => world.open(0.9)));
    const client = await world.newClient();
    const { id: bracket } = await world.deposit(client, { orderType: 'otoco', tpPriceUsd: 9, slPriceUsd: 0.1 });
    const ids = [...orders.map(({ id }) => id), bracket];
    const forgotten = await fillUnseen(ids);
    const { chain } = forgetful((signature) => !forgotten.has(signature));
    let now = 0;
    const keeper = await world.newKeeper({ chain, steadyNow: () => now });
    const wait = async () => {
      now += MINUTE_MS;
      await keeper.tick();
    };
    await until(async () => (await areIn(ids.slice(0, -1), 'fill_success')) && (await areIn([bracket], 'open')), wait);
    for (const order of orders) {
      const { entry } = await progressOf(order.id);
      const paid = await world.paid(order);
      assert.equal(entry.remaining, 0n);
      assert.ok(entry.received > 0n && entry.received <= paid && entry.received >= (paid * 9n) / 10n);
    }
    const { entry, exit, stage } = await progressOf(bracket);
    const { outputAccount } = await world.rowOf(bracket);
    const bought = await world.world.amount(outputAccount as never);
    assert.deepEqual([stage, entry.remaining, entry.received], ['exit', 0n, bought]);
    assert.deepEqual(exit, { initial: bought, remaining: bought, received: 0n });
  });

  it('and tells that they have bought nothing: they are recorded by what the accounts hold', async () => {
    const { id } = await world.open(0.9);
    const forgotten = await fillUnseen([id]);
    const rpc: Rpc = {
      ...world.world.rpc,
      async call<T>(method: string, params: unknown[]) {
        const answer = await world.world.rpc.call<T & { meta: { preTokenBalances: unknown } }>(method, params);
        if (method !== 'getTransaction' || !forgotten.has(params[0] as string)) return answer;
        return { ...answer, meta: { ...answer.meta, postTokenBalances: answer.meta.preTokenBalances } };
      },
    };
    let now = 0;
    const keeper = await world.newKeeper({ chain: { ...world.chain, rpc }, steadyNow: () => now });
    const turn = async () => {
      now += MINUTE_MS;
      await keeper.tick();
    };
    await until(() => areIn([id], 'fill_success'), turn);
    assert.equal((await progressOf(id)).entry.remaining, 0n);
  });

  it('and shows the accounts as they were: nothing is recorded by them', async () => {
    const order = await world.open(0.9);
    const forgotten = await fillUnseen([order.id]);
    const stale = forgetful((signature) => !forgotten.has(signature));
    let isStale = true;
    const before = await world.chain.account(await world.world.holding(world.sold, world.payer, AMOUNT));
    const chain: typeof stale.chain = {
      ...stale.chain,
      async accountReading(address) {
        const reading = await world.chain.accountReading(address);
        return isStale && address === order.inputAccount ? { ...reading, account: before } : reading;
      },
    };
    let now = 0;
    const keeper = await world.newKeeper({ chain, steadyNow: () => now });
    const turn = async () => {
      now += MINUTE_MS;
      await keeper.tick();
    };
    await until(async () => stale.asked.length >= 15, turn);
    assert.ok(await areIn([order.id], 'executing'));
    isStale = false;
    await until(() => areIn([order.id], 'fill_success'), turn);
  });
});

it('attack: an issuer of a token closes its mint before a part that was bought of it is recorded: that is recorded by what the accounts hold, and the owner has the rest of his deposit', async () => {
  await world.world.setReserves(world.pool, [4n * AMOUNT, 4n * AMOUNT]);
  const client = world.newClient();
  const { wallet, id } = await world.deposit(client, { slippageBps: 500 });
  await fillUnseen([id]);
  const mint: typeof world.chain.mint = async (address) =>
    address === world.bought.mint ? undefined : world.chain.mint(address);
  let now = 0;
  const keeper = await world.newKeeper({ chain: { ...world.chain, mint }, steadyNow: () => now });
  const turn = async () => {
    now += MINUTE_MS;
    await keeper.tick();
  };
  await until(() => areIn([id], 'partial_fill_success'), turn);
  const { entry } = await progressOf(id);
  const { inputAccount } = await world.rowOf(id);
  assert.ok(entry.received > 0n && entry.remaining > 0n);
  assert.equal(await world.world.amount(inputAccount as never), entry.remaining);
  await client.cancel(wallet.address, id);
});

it('a node that was away for long concludes nothing: only what it answers counts as asked', async () => {
  await world.world.setReserves(world.pool, [1_000n * AMOUNT, 1_000n * AMOUNT]);
  const order = await world.open(0.9);
  await fillUnseen([order.id]);
  let node: 'away' | 'behind' | 'there' = 'away';
  let asked = 0;
  const rpc: Rpc = {
    ...world.world.rpc,
    async call<T>(method: string, params: unknown[]) {
      if (method !== 'getTransaction' || node === 'there') return world.world.rpc.call<T>(method, params);
      asked++;
      if (node === 'away') throw new ChainUnavailable('away');
      return null as T;
    },
  };
  let now = 0;
  const keeper = await world.newKeeper({ chain: { ...world.chain, rpc }, steadyNow: () => now });
  const turn = async () => {
    now += MINUTE_MS;
    await keeper.tick();
  };
  await until(async () => asked >= 15, turn);
  assert.ok(await areIn([order.id], 'executing'));
  [node, asked] = ['behind', 0];
  await until(async () => asked >= 5, turn);
  assert.ok(await areIn([order.id], 'executing'));
  node = 'there';
  await until(() => areIn([order.id], 'fill_success'), turn);
  assert.equal((await progressOf(order.id)).entry.received, await world.paid(order));
});
