import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type Address, associatedTokenAddress, generateKeypair, type Keypair } from '@slipway/wire';
import { AppError } from '../../errors/index.js';
import { steadyNow } from '../../lib/clock.js';
import { PATIENCE_MS } from '../../lib/testing.js';
import { openPrices, type Prices } from '../../prices/index.js';
import { DEFAULT_PRICES, DEFAULT_TRIGGER_ORDERS } from '../../prices/testing.js';
import { silent, type TestPool } from '../../routing/aggregator/testing.js';
import { isRefused, type Router, type Token } from '../../routing/router.js';
import type { TriggerOrderRow } from '../../store/trigger-orders.js';
import { AMOUNT, openTriggerWorld } from './testing.js';

const { pools: RULES } = DEFAULT_PRICES;
const OBSERVATIONS = 2 * RULES.mustHold - 1;
/** 10 million USD a side. */
const DEEP = 10n ** 13n;
const FEED = 'ef0d8b6fda2ceba41da15d4095d1da392a0d2f8ed0c6c7bc0f4cfac8c280b56d';

let world: Awaited<ReturnType<typeof openTriggerWorld>>;
let attacker: Keypair;
/** The time of the observations. */
let time = steadyNow();
const closing: (() => unknown)[] = [];

before(async () => {
  world = await openTriggerWorld();
  attacker = await world.world.wallet();
});
after(async () => {
  for (const close of closing.reverse()) await close();
  await world?.close();
});
beforeEach(async () => {
  await setReserves(DEEP, DEEP);
  for (const token of [world.sold, world.bought]) {
    await world.world.holding(token, attacker.address, 10n ** 14n, accountOf(token));
  }
  await world.store.query("update orders set state = 'expired' where state <> 'fill_success'");
});

const accountOf = ({ mint, tokenProgram }: Token) => associatedTokenAddress(attacker.address, mint, tokenProgram);
/** Until the aggregator knows what the chain has: what a poll brings meanwhile may be older. */
async function refresh(pool: TestPool = world.pool): Promise<void> {
  for (;;) {
    await world.live.refresh([pool.address, ...pool.vaults]);
    const known = world.aggregator.quotesOf(world.sold.mint, [world.bought.mint]);
    const price = known.find((quote) => quote.pool === pool.address)?.price;
    if (price !== undefined && Math.abs(price / (await spot(pool)) - 1) < 1e-12) return;
  }
}
async function setReserves(sold: bigint, bought: bigint): Promise<void> {
  await world.world.setReserves(world.pool, [sold, bought]);
  await refresh();
}

/** Prices of the pools alone, under the rules that hold where the operator sets none; `bought` is the US dollar. */
async function poolPrices(): Promise<Prices> {
  const { aggregator, bought, clock } = world;
  const prices = await openPrices({
    settings: { ...DEFAULT_PRICES, sources: ['pools'] },
    stored: undefined,
    poolPrice: undefined,
    pools: {
      source: { quotes: aggregator.quotesOf, ask: () => {}, keep: () => {} },
      anchors: [bought.mint],
      ...byTest,
    },
    clock,
    log: silent,
  });
  closing.push(() => prices.close());
  return prices;
}

/** The test says when pools are observed: exactly as often as the rules say. */
const observers = new Set<() => void>();
const byTest = {
  steadyNow: () => time,
  random: () => 0.5,
  repeat(observe: () => void) {
    observers.add(observe);
    return () => void observers.delete(observe);
  },
};

/** One more observation, after so many seconds; what it says. */
function observe(prices: Prices, seconds = RULES.everySeconds): number | string {
  time += seconds * 1_000;
  prices.forOrders(world.sold.mint);
  for (const run of observers) run();
  const price = prices.forOrders(world.sold.mint);
  return 'none' in price ? price.none : price.usd;
}

async function settledPrices(): Promise<Prices> {
  const prices = await poolPrices();
  for (let i = 0; i < OBSERVATIONS; i++) await refresh().then(() => observe(prices));
  return prices;
}

let swaps = 0n;
/** Sells on the chain, as anybody can. */
async function swap(input: Token, output: Token, about: bigint): Promise<void> {
  await refresh();
  // Two equal transactions within a slot are one.
  const amount = about - ++swaps;
  const request = { mode: 'exact-in', input, output, amount, excludeVenues: new Set<string>() } as const;
  const quote = await world.aggregator.quote(request, AbortSignal.timeout(PATIENCE_MS));
  assert.ok(!isRefused(quote));
  const built = await quote.build({
    owner: attacker.address,
    source: accountOf(input),
    destination: accountOf(output),
    receiver: attacker.address,
    feePayer: attacker.address,
    rentPayer: attacker.address,
    minOut: 1n,
    emptySource: false,
    absentSigners: new Set(),
  });
  assert.ok(!isRefused(built));
  assert.equal(await world.world.run([attacker], built.instructions), null);
  await refresh();
}

const spot = async (pool: TestPool = world.pool) => {
  const [sold, bought] = await Promise.all(pool.vaults.map((vault) => world.world.amount(vault)));
  return Number(bought) / Number(sold);
};
const wealth = async () => {
  const [sold, bought] = await Promise.all(
    [world.sold, world.bought].map((token) => world.world.amount(accountOf(token))),
  );
  return sold! + bought!;
};
/** Sells until the pool says 0.60. */
const PUSH = 2_920_000_000_000n;

async function assertUntouched(order: TriggerOrderRow): Promise<void> {
  assert.equal((await world.rowOf(order.id)).progress.state, 'open');
  assert.equal(await world.world.amount(order.inputAccount as Address), AMOUNT);
  assert.equal(await world.paid(order), 0n);
}

/** No keeper takes it again. */
const retire = ({ id }: TriggerOrderRow) =>
  world.store.query("update orders set state = 'expired' where id = $1", [id]);

/** The reserve of what is bought for which the whole order gets exactly so much. */
async function reserveFor(out: bigint): Promise<bigint> {
  let [low, high] = [1n, DEEP];
  const { sold: input, bought: output } = world;
  while (low < high) {
    const middle = (low + high) / 2n;
    await setReserves(DEEP, middle);
    const request = { mode: 'exact-in', input, output, amount: AMOUNT, excludeVenues: new Set<string>() } as const;
    const quote = await world.aggregator.quote(request, AbortSignal.timeout(PATIENCE_MS));
    if (!isRefused(quote) && quote.outAmount >= out) high = middle;
    else low = middle + 1n;
  }
  return low;
}

const STOP = { triggerCondition: 'below', triggerPriceUsd: 0.8, slippageBps: 2_000 } as const;

describe('attack: somebody who moves pools pushes one while the feed is away', () => {
  it('attack: a pool is pushed to 0.60 while the feed is uncertain: nothing fires, and no pool stands in', async (t) => {
    let conf = 2_000_000;
    const server = createServer((_request, response) => {
      const publish_time = Math.floor(world.clock.now() / 1_000);
      const price = { price: '100000000', conf: String(conf), expo: -8, publish_time };
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ parsed: [{ id: FEED, price }] }));
    }).listen(0, '127.0.0.1');
    t.after(() => server.close());
    await once(server, 'listening');
    const open = () =>
      openPrices({
        settings: {
          ...DEFAULT_PRICES,
          sources: ['hermes', 'pools'],
          hermesUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
          feeds: { [world.sold.mint]: FEED, [world.bought.mint]: FEED },
        },
        stored: undefined,
        poolPrice: (mint) => world.aggregator.spot(mint, world.bought.mint),
        pools: {
          source: { quotes: world.aggregator.quotesOf, ask: () => {}, keep: () => {} },
          anchors: [world.bought.mint],
          ...byTest,
        },
        clock: world.clock,
        log: silent,
      });
    const uncertain = await open();
    closing.push(() => uncertain.close());
    const order = await world.open(0, STOP);
    const keeper = await world.newKeeper({ prices: uncertain });
    await swap(world.sold, world.bought, PUSH);
    assert.ok((await spot()) < 0.6005);
    for (let i = 0; i < 2 * OBSERVATIONS; i++) {
      await refresh();
      assert.equal(observe(uncertain), 'uncertain');
    }
    assert.deepEqual([uncertain.quote(world.sold.mint), uncertain.usd(world.sold.mint)], [undefined, undefined]);
    await keeper.runDue();
    await assertUntouched(order);
    // A feed that is certain fires nothing either while deep pools say something else.
    conf = 100_000;
    const certain = await open();
    closing.push(() => certain.close());
    assert.equal(certain.usd(world.sold.mint), 1);
    const rising = await world.open(0.9);
    await (await world.newKeeper({ prices: certain })).runDue();
    await assertUntouched(rising);
  });
});

describe("attack: somebody who moves pools fires another one's stop by one pool", () => {
  it('attack: one swap, in one observation: nothing fires, and the way back costs the attacker 13,500 USD', async () => {
    const prices = await settledPrices();
    const order = await world.open(0, STOP);
    const keeper = await world.newKeeper({ prices });
    const before = await wealth();
    await swap(world.sold, world.bought, PUSH);
    assert.ok((await spot()) < 0.6005);
    assert.equal(observe(prices), 1);
    await keeper.runDue();
    await swap(
      world.bought,
      world.sold,
      await world.world.amount(accountOf(world.bought)).then((all) => all - 10n ** 14n),
    );
    const lost = before - (await wealth());
    assert.ok(lost > 13_500_000_000n, `${lost}`);
    for (let i = 0; i < OBSERVATIONS; i++) {
      await refresh();
      assert.ok(Math.abs((observe(prices) as number) - 1) < 0.01);
      await keeper.runDue();
    }
    await assertUntouched(order);
  });

  it('attack: hold it at 0.60 for 30 seconds: nothing fires; for 100 seconds: still nothing, at a stop of 0.80', async () => {
    const prices = await settledPrices();
    const order = await world.open(0, STOP);
    const keeper = await world.newKeeper({ prices });
    await swap(world.sold, world.bought, PUSH);
    for (let seconds = RULES.everySeconds; seconds <= 100; seconds += RULES.everySeconds) {
      await refresh();
      const usd = observe(prices) as number;
      assert.ok(seconds <= 30 ? usd === 1 : usd > 0.8, `${usd} after ${seconds} seconds`);
      await keeper.runDue();
      await assertUntouched(order);
    }
  });

  it('attack: move one of two deep pools: nothing fires, however long it is held', async (t) => {
    const second = await world.world.pool(world.sold, world.bought, [DEEP, DEEP]);
    await world.aggregator.discover();
    t.after(async () => {
      await world.world.remove(second.address);
      await world.aggregator.discover();
    });
    const prices = await settledPrices();
    const order = await world.open(0, STOP);
    const keeper = await world.newKeeper({ prices });
    await world.world.setReserves(world.pool, [DEEP, (DEEP * 6n) / 10n]);
    for (let i = 0; i < 3 * OBSERVATIONS; i++) {
      await Promise.all([refresh(), refresh(second)]);
      assert.equal(observe(prices), 'contradicting');
    }
    await keeper.runDue();
    await assertUntouched(order);
  });

  it('attack: begin when the keeper starts: nothing fires before a full round of observations', async () => {
    const prices = await poolPrices();
    const order = await world.open(0, STOP);
    const keeper = await world.newKeeper({ prices });
    await swap(world.sold, world.bought, PUSH);
    for (let i = 0; i < RULES.mustHold - 1; i++) {
      await refresh();
      assert.equal(observe(prices), 'unsettled');
      await keeper.runDue();
    }
    await assertUntouched(order);
  });
});

/** A keeper whose fills are sandwiched: after each quote the attacker moves the pool. */
async function sandwiched(prices: Prices, bought: bigint) {
  await setReserves(DEEP, DEEP);
  const router: Router = {
    ...world.aggregator,
    async quote(request, signal) {
      const quote = await world.aggregator.quote(request, signal);
      await setReserves(DEEP, bought);
      return quote;
    },
  };
  return world.newKeeper({ prices, router });
}

describe("attack: somebody who moves pools moves the fill's own pool", () => {
  it('attack: with 20 % accepted, one unit below 80 % of the price that held is refused, and that is paid', async () => {
    const prices = await settledPrices();
    const floor = (AMOUNT * 8n) / 10n;
    const reserve = await reserveFor(floor);
    const refused = await world.open(0.9, { slippageBps: 2_000 });
    await (await sandwiched(prices, reserve - 1n)).runDue();
    await assertUntouched(refused);
    await retire(refused);
    const filled = await world.open(0.9, { slippageBps: 2_000 });
    await (await sandwiched(prices, reserve)).runDue();
    assert.equal(await world.paid(filled), floor);
  });

  it('attack: move it before the quote: no part is sold below 80 % of the price that held', async () => {
    const prices = await settledPrices();
    const order = await world.open(0.9, { slippageBps: 2_000 });
    await swap(world.sold, world.bought, PUSH);
    assert.ok((await spot()) < 0.6005);
    await (await world.newKeeper({ prices })).runDue();
    await assertUntouched(order);
  });

  /** What is sandwiched to one unit below the floor is not sold, and to the floor it is. */
  async function assertFloor(prices: Prices, floor: bigint, open: () => Promise<TriggerOrderRow>): Promise<void> {
    const reserve = await reserveFor(floor);
    await setReserves(DEEP, DEEP);
    const refused = await open();
    await (await sandwiched(prices, reserve - 1n)).runDue();
    await assertUntouched(refused);
    await retire(refused);
    await setReserves(DEEP, DEEP);
    const filled = await open();
    await (await sandwiched(prices, reserve)).runDue();
    assert.equal(await world.paid(filled), floor);
  }

  it('attack: a thief of a login edits an order to a trigger of 1e9 and a slippage of 100 %: refused, and with 20 %, 80 % of the price is the least', async () => {
    const prices = await settledPrices();
    const client = world.newClient(undefined, prices);
    assert.equal(DEFAULT_TRIGGER_ORDERS.maxUnsignedSlippageBps, 2_000);
    await assertFloor(prices, (AMOUNT * 8n) / 10n, async () => {
      const { wallet, id } = await world.deposit(client, { triggerCondition: 'below', triggerPriceUsd: 0.5 });
      const edit = (slippageBps: number) =>
        client.edit(wallet.address, id, { orderType: 'single', triggerPriceUsd: 1e9, slippageBps });
      await assert.rejects(edit(10_000), /The wallet must sign this change of slippageBps and triggerPriceUsd/);
      await edit(2_000);
      return world.rowOf(id);
    });
  });

  it('an order whose owner accepts a slippage of 100 %: 70 % of the price is the least', async () => {
    const prices = await settledPrices();
    assert.equal(DEFAULT_TRIGGER_ORDERS.maxBelowFairBps, 3_000);
    await assertFloor(prices, (AMOUNT * 7n) / 10n, () => world.open(0.9, { slippageBps: 10_000 }));
  });
});

describe('attack: somebody who moves pools waits for orders for a token that a small sum can move', () => {
  it('attack: a token whose pools hold 9,999 USD is refused by name, and open orders for it do not fire', async () => {
    const prices = await settledPrices();
    const open = await world.open(0.9);
    await setReserves(9_999_000_000n, 9_999_000_000n);
    const client = world.newClient(undefined, prices);
    const why = `the pools of ${world.sold.mint} hold 9,999 USD on their lesser side, and orders need 10,000 USD`;
    await assert.rejects(world.deposit(client), (error) => {
      assert.ok(error instanceof AppError && error.code === 'INVALID_REQUEST');
      assert.equal(error.message, `inputMint: ${why}`);
      assert.deepEqual(error.details, { inputMint: why });
      return true;
    });
    await (await world.newKeeper({ prices })).runDue();
    await assertUntouched(open);
    await setReserves(10_000_000_000n, 10_000_000_000n);
    await world.deposit(client);
  });

  it('attack: move the pool while somebody opens a trailing order: it is refused until the price has held', async () => {
    const prices = await poolPrices();
    const client = world.newClient(undefined, prices);
    const wallet = await client.register();
    await world.fund(wallet.address, world.sold, AMOUNT);
    const open = () =>
      client.open(wallet, AMOUNT, {
        inputMint: world.sold.mint,
        outputMint: world.bought.mint,
        triggerMint: world.sold.mint,
        orderType: 'single',
        triggerCondition: 'below',
        trailingBps: 1_000,
      });
    await swap(world.bought, world.sold, PUSH);
    await assert.rejects(open(), (error) => {
      assert.ok(error instanceof AppError && error.code === 'EXECUTION_FAILED');
      assert.equal(error.message, 'Market price is unavailable for trailing order');
      assert.match(String(error.details?.triggerMint), /has been observed 0 of 13 times; try again in 65 seconds$/);
      return true;
    });
    assert.equal(await world.held(wallet.address, world.sold), AMOUNT, 'nothing has moved');
    await setReserves(DEEP, DEEP);
    for (let i = 0; i < OBSERVATIONS; i++) observe(prices);
    const { highWatermark } = await world.rowOf(await open());
    assert.equal(highWatermark, 1);
  });
});

describe('attack: a free key has ever other tokens looked for by orders that are refused', () => {
  const made = () => generateKeypair().address;
  const asked: Address[] = [];
  const noting = () => ({ ...world.priced, ask: (mint: Address) => void asked.push(mint) });
  const terms = (triggerMint: Address) => {
    const [inputMint, outputMint] = [world.sold.mint, world.bought.mint];
    return { inputMint, outputMint, triggerMint, orderType: 'single', triggerCondition: 'below' } as const;
  };

  it('attack: by good deposits, each with another trigger mint that is made up: each of these counts as a call, and once none are left, nothing is looked for', async () => {
    const client = world.newClient(undefined, noting());
    const wallet = await client.register();
    let left = 2;
    const charge = async () => ({ allowed: left-- > 0 });
    const mints = Array.from({ length: 4 }, made);
    for (const mint of mints) {
      const order = client.open(wallet, AMOUNT, { ...terms(mint), triggerPriceUsd: 1 }, { charge });
      await assert.rejects(order, /Failed to fetch the trigger mint price: it has no price/);
    }
    assert.deepEqual(
      asked.filter((mint) => mints.includes(mint)),
      mints.slice(0, 2),
    );
    // Those of the pair were looked for when the deposit was crafted.
    asked.length = 0;
    const isCharged = async () => assert.fail('a price that is known costs nothing');
    await world.fund(wallet.address, world.sold, AMOUNT);
    await client.open(wallet, AMOUNT, { ...terms(world.sold.mint), triggerPriceUsd: 0.5 }, { charge: isCharged });
    assert.deepEqual(asked, [world.sold.mint, world.bought.mint]);
  });

  it('a trigger token of which only a small pool is known has its other pools looked for', async () => {
    const mint = made();
    const forNewOrder: typeof world.priced.forNewOrder = (each) =>
      each === mint ? { none: 'shallow', why: 'too little' } : world.priced.forNewOrder(each);
    const client = world.newClient(undefined, { ...noting(), forNewOrder });
    const wallet = await client.register();
    await assert.rejects(client.open(wallet, AMOUNT, { ...terms(mint), triggerPriceUsd: 1 }), /too little|invalid/i);
    assert.ok(asked.includes(mint));
  });

  it('attack: by one deposit, ever again, for a token of hundreds of pools: each post asks for its price once', async () => {
    const mint = made();
    let looks = 0;
    const forNewOrder: typeof world.priced.forNewOrder = (each) => {
      if (each === mint) looks += 1;
      return world.priced.forNewOrder(each === mint ? world.sold.mint : each);
    };
    const client = world.newClient(undefined, { ...world.priced, forNewOrder });
    const order = client.open(await client.register(), AMOUNT, { ...terms(mint), triggerPriceUsd: 1e-9 });
    await assert.rejects(order, /the wallet has too little of inputMint/);
    assert.equal(looks, 1);
  });

  it('attack: by no deposit at all: no price is asked for', async () => {
    const client = world.newClient();
    const wallet = await client.register();
    const isAsked = (): never => assert.fail('a price was asked for');
    const prices = { ...world.priced, ask: isAsked, forOrders: isAsked, forNewOrder: isAsked };
    for (const trigger of [{ triggerPriceUsd: 1 }, { trailingBps: 100 }]) {
      const mint = made();
      const body = {
        ...terms(mint),
        ...trigger,
        inputMint: mint,
        inputAmount: '1',
        userPubkey: wallet.address,
        expiresAt: world.clock.now() + 60_000,
        depositRequestId: 'made up',
        depositSignedTx: 'AA==',
      };
      const order = world.newClient(undefined, prices).post(wallet, body);
      await assert.rejects(order, /Deposit transaction not found in cache/);
    }
  });
});
