import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Address } from '@slipway/wire';
import { ChainUnavailable, createChain, createMintOpinions, type Rpc } from '../../chain/index.js';
import { steadyNow } from '../../lib/clock.js';
import { PATIENCE_MS } from '../../lib/testing.js';
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

it('attack: a node tells once of a height that is too high, while the entry of an order lands: it is not told as expired, and its stop-loss guards what it has bought', async () => {
  const LANDS_MS = 3_000;
  let [isSent, lies] = [false, 0];
  let lie = () => {};
  const lied = new Promise<void>((resolve) => {
    lie = resolve;
  });
  const rpc: Rpc = {
    ...world.world.rpc,
    async call<T>(method: string, params: unknown[]) {
      // It lands some time after the lie, as on a busy chain.
      if (method === 'sendTransaction') {
        void lied.then(() => sleep(LANDS_MS)).then(() => world.world.rpc.call(method, params).catch(() => {}));
        return '' as T;
      }
      const answer = await world.world.rpc.call<T>(method, params);
      if (method !== 'getLatestBlockhash' || !isSent || lies > 0) return answer;
      lies++;
      lie();
      const { value, ...more } = answer as { value: { lastValidBlockHeight: number } };
      return { ...more, value: { ...value, lastValidBlockHeight: value.lastValidBlockHeight + 300 } } as T;
    },
  };
  const bracket = { orderType: 'otoco', tpPriceUsd: 9, slPriceUsd: 0.5, slippageBps: 500 } as const;
  const { id, wallet } = await world.deposit(world.newClient(), bracket);
  const chain = createChain({ rpc, steadyNow, fees: { percentile: 50, maxMicroLamports: 0n } });
  const keeper = await world.newKeeper({ landing: world.newLanding([rpc], { chain }) });
  await keeper.tick();
  const stateOf = async () => (await world.rowOf(id)).progress;
  const until = async (is: () => Promise<boolean>) => {
    for (const end = steadyNow() + PATIENCE_MS; !(await is()); await sleep(50)) assert.ok(steadyNow() < end);
  };
  await until(async () => (await stateOf()).state === 'executing');
  isSent = true;
  await until(async () => (await stateOf()).state !== 'executing');
  assert.equal(lies, 1);
  assert.equal((await stateOf()).stage, 'exit');
  for (const { mint } of [world.sold, world.bought]) world.setPrice(mint, 0.4);
  await keeper.runDue();
  assert.equal((await stateOf()).state, 'fill_success');
  assert.ok((await world.held(wallet.address, world.sold)) > (AMOUNT * 9n) / 10n);
});

it('attack: a node tells once of a blockhash that is nearly over, with a height that comes in an hour: a stop-loss that fires is not under way for so long, but sold', async () => {
  type Blockhash = { context: object; value: { blockhash: string; lastValidBlockHeight: number } };
  const LANDS_MS = 4_000;
  let [isArmed, lies] = [false, 0];
  const old = await world.world.rpc.call<Blockhash>('getLatestBlockhash', [{ commitment: 'confirmed' }]);
  const rpc: Rpc = {
    ...world.world.rpc,
    async call<T>(method: string, params: unknown[]) {
      if (method === 'sendTransaction') {
        setTimeout(() => void world.world.rpc.call(method, params).catch(() => {}), LANDS_MS);
        return '' as T;
      }
      const answer = await world.world.rpc.call<T>(method, params);
      if (method !== 'getLatestBlockhash' || !isArmed || lies > 0) return answer;
      lies++;
      const { context, value } = answer as Blockhash;
      const { blockhash } = old.value;
      return { context, value: { blockhash, lastValidBlockHeight: value.lastValidBlockHeight + 9_000 } } as T;
    },
  };
  const chain = createChain({ rpc, steadyNow, fees: { percentile: 50, maxMicroLamports: 0n } });
  const stop = { triggerCondition: 'below', triggerPriceUsd: 0.5, slippageBps: 500 } as const;
  const { id, wallet } = await world.deposit(world.newClient(), stop);
  const keeper = await world.newKeeper({ chain, landing: world.newLanding([rpc], { chain }) });
  await world.world.rpc.call('localnet_advanceClock', [55]);
  for (let times = 0; times < 3; times++, await sleep(500)) await chain.latestBlockhash();
  for (const { mint } of [world.sold, world.bought]) world.setPrice(mint, 0.45);
  isArmed = true;
  await keeper.tick();
  const stateOf = async () => (await world.rowOf(id)).progress.state;
  for (const end = steadyNow() + PATIENCE_MS; (await stateOf()) !== 'fill_success'; await sleep(50))
    assert.ok(steadyNow() < end, await stateOf());
  assert.equal(lies, 1);
  assert.ok((await world.held(wallet.address)) > (AMOUNT * 9n) / 10n);
});
