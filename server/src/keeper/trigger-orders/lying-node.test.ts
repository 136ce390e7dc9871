import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Address } from '@slipway/wire';
import { ChainUnavailable, createMintOpinions, type Rpc } from '../../chain/index.js';
import { steadyNow } from '../../lib/clock.js';
import { AMOUNT, openTriggerWorld } from './testing.js';

let world: Awaited<ReturnType<typeof openTriggerWorld>>;
before(async () => {
  world = await openTriggerWorld();
});
after(() => world?.close());

/** The first node says that a token has so many decimals more, so that what is sold seems to be worth a thousandth. */
const lying = (mint: Address, by: number) => ({
  ...world.chain,
  async mint(address: Address) {
    const facts = await world.chain.mint(address);
    return facts && address === mint ? { ...facts, decimals: facts.decimals + by } : facts;
  },
});

/** What is left of an order that fires, after a keeper has had its turn. */
async function leftOf(others: readonly Rpc[], chain = world.chain): Promise<bigint> {
  const order = await world.open(0.9);
  const keeper = await world.newKeeper({ chain, contradictions: createMintOpinions(others, steadyNow) });
  await keeper.runDue();
  await keeper.close();
  return world.world.amount(order.inputAccount as Address);
}

it('attack: a node that lies about the decimals of a token, to have its orders filled below its price; another one says so, and nothing is sold', async () => {
  const other: Rpc = world.world.rpc;
  assert.equal(await leftOf([other], lying(world.sold.mint, 3)), AMOUNT);
  assert.equal(await leftOf([other], lying(world.bought.mint, -3)), AMOUNT);
  assert.equal(await leftOf([other]), 0n, 'nodes that agree');
});

it('attack: a node that lies about the decimals of a token waits until the other one is silent: what that has said stands, and silence is no word for long', async () => {
  let isAway = false;
  const other: Rpc = {
    name: 'other',
    call: (method, params) =>
      isAway ? Promise.reject(new ChainUnavailable('away')) : world.world.rpc.call(method, params),
  };
  let now = 0;
  const ask = createMintOpinions([other], () => now);
  const lieOf = async (mint: Address) => (await lying(mint, 3).mint(mint))!;
  const [sold, bought] = [world.sold.mint, world.bought.mint];
  assert.match((await ask(sold, await lieOf(sold))) ?? '', /other says something else/);
  isAway = true;
  now += 60 * 60_000;
  assert.match((await ask(sold, await lieOf(sold))) ?? '', /other says something else/);
  assert.equal(await ask(bought, await lieOf(bought)), undefined);
  isAway = false;
  now += 10_000;
  assert.match((await ask(bought, await lieOf(bought))) ?? '', /other says something else/);
  assert.equal(await ask(sold, (await world.chain.mint(sold))!), undefined);
});

it('a node that is away, or does not know the mint, stops no fill', async () => {
  const answering = (call: () => Promise<unknown>): Rpc => ({ name: 'other', call: call as Rpc['call'] });
  const away = answering(() => Promise.reject(new ChainUnavailable('away')));
  const silent = answering(() => new Promise(() => {}));
  const behind = answering(async () => ({ context: { slot: 1 }, value: [null] }));
  assert.equal(await leftOf([away, silent, behind]), 0n);
});
