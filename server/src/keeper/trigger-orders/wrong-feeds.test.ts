import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Address } from '@slipway/wire';
import { steadyNow } from '../../lib/clock.js';
import { openPrices, type Prices, type SandboxPrices } from '../../prices/index.js';
import { DEFAULT_PRICES } from '../../prices/testing.js';
import { silent, type TestPool } from '../../routing/aggregator/testing.js';
import type { Router, Token } from '../../routing/router.js';
import type { TriggerOrderRow } from '../../store/trigger-orders.js';
import { AMOUNT, openTriggerWorld } from './testing.js';

const { pools: RULES } = DEFAULT_PRICES;
const OBSERVATIONS = 2 * RULES.mustHold - 1;
/** 10 million USD a side. */
const DEEP = 10n ** 13n;
/** Longer than any rest between two tries. */
const REST_MS = 600_000;

let world: Awaited<ReturnType<typeof openTriggerWorld>>;
let usd: Token;
let third: Token;
/** What `sold` and `bought` trade for in USD. */
let inUsd: Map<Token, TestPool>;
const feed = new Map<Address, { usd: number; confidence: number }>();
const observers = new Set<() => void>();
/** The time of the observations. */
let time = steadyNow();
let prices: Prices;
let keeper: Awaited<ReturnType<typeof world.newKeeper>>;
const reasons: string[] = [];

before(async () => {
  world = await openTriggerWorld();
  const { sold, bought } = world;
  [usd, third] = [await world.world.token(), await world.world.token()];
  const pool = async (token: Token) => [token, await world.world.pool(token, usd, [DEEP, DEEP])] as const;
  inUsd = new Map([await pool(sold), await pool(bought)]);
  await world.aggregator.discover();
});
after(async () => {
  await prices?.close();
  await world?.close();
});
beforeEach(async () => {
  await world.store.query("update orders set state = 'expired' where state = 'open'");
  for (const { mint } of [...inUsd.keys(), third]) says(mint, 1);
  for (const token of inUsd.keys()) await poolSays(token, 1);
  await routeGives(1);
  await begin();
});

/** A keeper that fills over these pools alone, as where a route over others would be worse. */
async function begin({ anchors = [usd], over = [world.pool] } = {}): Promise<void> {
  await prices?.close();
  prices = await openPrices({
    settings: { ...DEFAULT_PRICES, sources: anchors.length > 1 ? ['fixed', 'pools'] : ['fixed'] },
    stored: {
      read: (mint: Address) => {
        const known = feed.get(mint);
        return known && { ...known, publishedAt: world.clock.now(), stale: false };
      },
      onChange: () => () => {},
    } as Partial<SandboxPrices> as SandboxPrices,
    poolPrice: undefined,
    pools: {
      source: { quotes: world.aggregator.quotesOf, ask: () => {}, keep: () => {} },
      anchors: anchors.map(({ mint }) => mint),
      steadyNow: () => time,
      random: () => 0.5,
      repeat(observe) {
        observers.add(observe);
        return () => void observers.delete(observe);
      },
    },
    clock: world.clock,
    log: silent,
  });
  const info = ({ reason }: { reason?: string }) => void (reason && reasons.push(reason));
  const onlyPools = new Set(over.map(({ address }) => address));
  const router: Router = {
    ...world.aggregator,
    quote: (request, signal) => world.aggregator.quote({ ...request, onlyPools }, signal),
  };
  keeper = await world.newKeeper({ prices, router, log: Object.assign(Object.create(silent), { info }) });
}

const says = (mint: Address, usdEach: number, confidence = 0) => feed.set(mint, { usd: usdEach, confidence });
const setPrice = (pool: TestPool, price: number) =>
  world.world.setReserves(pool, [DEEP, BigInt(Math.round(Number(DEEP) * price))]);
const poolSays = (token: Token, price: number) => setPrice(inUsd.get(token)!, price);
/** Of `bought`, for one of `sold`. */
const routeGives = (price: number) => setPrice(world.pool, price);

/** The keeper follows the tokens of its orders, and their pools are observed so often. */
async function observed(times = OBSERVATIONS): Promise<void> {
  await keeper.runDue();
  for (let i = 0; i < times; i++) {
    time += RULES.everySeconds * 1_000;
    for (const observe of observers) observe();
  }
}

/** Whatever rests is tried again. */
async function tryAgain(): Promise<void> {
  world.clock.setOffset(world.clock.offsetMs + REST_MS);
  reasons.length = 0;
  await keeper.runDue();
}

/** It fires, and the market gives less than the right price less its slippage. */
async function assertRefused(order: TriggerOrderRow, least = LEAST): Promise<void> {
  assert.match(
    reasons.at(-1) ?? 'it has not fired',
    new RegExp(`its slippage allows no less than ${least}; the feed of `),
  );
  await assertUntouched(order);
}

async function assertUntouched(order: TriggerOrderRow): Promise<void> {
  assert.equal((await world.rowOf(order.id)).progress.state, 'open');
  assert.equal(await world.world.amount(order.inputAccount as Address), AMOUNT);
  assert.equal(await world.paid(order), 0n);
}

const DAY = { expiresAt: new Date(Date.now() + 30 * 86_400_000) };
/** A stop of 100 tokens that are worth 96 USD when it fires. */
const openStop = (more: Partial<TriggerOrderRow> = {}) =>
  world.open(0.98, { triggerCondition: 'below', slippageBps: 2_000, ...DAY, ...more });
/** Of 96, less what its order allows: 20 %. */
const LEAST = 76_800_000n;
/** What the feed of `bought` says where it is wrong, and the price of `sold` in it by that. */
const WRONG = 1.4;
const LOW = 0.96 / WRONG;

async function falls(to = 0.96): Promise<void> {
  says(world.sold.mint, to);
  await poolSays(world.sold, to);
}

describe('attack: a price feed says too much of what an order is paid in, and somebody pushes what the fill goes over', () => {
  it('attack: its pools say what is right: nothing is sold for less than by that, and at the right price it is filled', async () => {
    const stop = await openStop();
    await observed();
    await falls();
    says(world.bought.mint, WRONG);
    for (const share of [0.96, 0.85]) {
      await routeGives(LOW * share);
      await tryAgain();
      await assertRefused(stop);
    }
    await routeGives(0.96);
    await tryAgain();
    assert.ok((await world.paid(stop)) >= LEAST);
  });

  it('attack: he pushes for that moment the very pools that contradict the feed, too', async () => {
    const stop = await openStop();
    await observed();
    await falls();
    says(world.bought.mint, WRONG);
    await poolSays(world.bought, WRONG);
    await routeGives(LOW * 0.96);
    await tryAgain();
    await assertRefused(stop);
    assert.match(reasons.at(-1)!, new RegExp(`the feed of ${world.bought.mint} says 1.4 USD, and its pools say 1$`));
    await observed(RULES.mustHold - 1);
    await tryAgain();
    await assertRefused(stop);
  });

  it('attack: the pools have not been observed for long enough yet: what they say now counts', async () => {
    const stop = await openStop();
    await observed(OBSERVATIONS - 1);
    await falls();
    says(world.bought.mint, WRONG);
    await routeGives(LOW * 0.96);
    await tryAgain();
    await assertRefused(stop);
  });
});

it('attack: a price feed says too little of what an order sells, whose trigger is another token, and somebody pushes the pools with it: not a unit is sold below the right price', async () => {
  const order = await openStop({ triggerMint: third.mint });
  await observed();
  says(third.mint, 0.96);
  says(world.sold.mint, 0.5);
  await poolSays(world.sold, 0.5);
  await routeGives(0.48);
  await tryAgain();
  await assertRefused(order, (AMOUNT * 8n) / 10n);
  await poolSays(world.sold, 1);
  await routeGives(1);
  await tryAgain();
  assert.ok((await world.paid(order)) >= (AMOUNT * 8n) / 10n);
});

it('attack: a price feed says too little of the trigger itself, and somebody pushes the pools that contradict it: the order fires, and is not sold by that price', async () => {
  const stop = await openStop();
  await observed();
  says(world.sold.mint, 0.5);
  await poolSays(world.sold, 0.5);
  await routeGives(0.48);
  await tryAgain();
  await assertRefused(stop, (AMOUNT * 8n) / 10n);
});

it('attack: a price feed is not sure of what an order is paid in: it waits, as it would if that were its trigger, and says why', async () => {
  const stop = await openStop();
  await observed();
  await falls();
  says(world.bought.mint, 1.04, 0.5);
  await routeGives(0.96 / 1.04);
  await tryAgain();
  await assertUntouched(stop);
  assert.equal(reasons.at(-1), `${world.bought.mint}: the source is too uncertain of it`);
});

it('attack: a price feed says half of what one token is worth, for as long as it likes, and another one has all of its pools with that: nothing fires, and not a unit is sold', async () => {
  const { sold, bought } = world;
  // `sold` has no feed, and is sold for what stands for the dollar, in a pool too shallow to say its price.
  feed.delete(sold.mint);
  const shallow = inUsd.get(sold)!;
  const gives = (price: bigint) => world.world.setReserves(shallow, [9_000_000_000n, 90_000_000n * price]);
  await gives(100n);
  await begin({ anchors: [usd, bought], over: [shallow] });
  const stop = await openStop({ triggerPriceUsd: 0.6, outputMint: usd.mint });
  await observed();
  says(bought.mint, 0.5);
  await observed(4 * OBSERVATIONS);
  await gives(48n);
  await tryAgain();
  await assertUntouched(stop);
  assert.equal(await world.held(stop.wallet as Address, usd), 0n);
  // It falls, and the feed is right again.
  says(bought.mint, 1);
  await routeGives(0.55);
  await gives(55n);
  await observed(8 * OBSERVATIONS);
  await tryAgain();
  assert.ok((await world.held(stop.wallet as Address, usd)) >= (AMOUNT * 44n) / 100n);
});

it('attack: somebody who moves pools pushes those of what an order is paid in, beside a feed that is right: for as long as no seven observations see it, nothing waits', async () => {
  const stop = await openStop();
  await observed();
  await poolSays(world.bought, 0.5);
  await observed(RULES.mustHold - 1);
  await falls();
  await routeGives(0.96);
  await tryAgain();
  assert.ok((await world.paid(stop)) >= LEAST);
});

it('a market that falls by a tenth within a moment sells a stop with the usual slippage at once, and a narrow one once seven observations have seen it', async () => {
  const [stop, narrow] = [await openStop(), await openStop({ slippageBps: 100 })];
  await observed();
  await falls(0.9);
  await routeGives(0.9);
  await tryAgain();
  assert.ok((await world.paid(stop)) >= (AMOUNT * 8n) / 10n);
  await observed(RULES.mustHold - 1);
  await tryAgain();
  await assertRefused(narrow, (AMOUNT * 99n) / 100n);
  await observed(1);
  await tryAgain();
  assert.ok((await world.paid(narrow)) >= (AMOUNT * 89n) / 100n);
});
