import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Address } from '@slipway/wire';
import { Registry } from 'prom-client';
import { createClock } from '../../lib/clock.js';
import { silent } from '../../routing/aggregator/testing.js';
import type { Store } from '../../store/sql.js';
import type { WaitingOrder } from '../../store/trigger-orders-waiting.js';
import { until } from '../testing.js';
import { MOST_FIRED } from './firing.js';
import { createTriggerKeeper } from './keeper.js';
import { MOST_SAVED } from './trailing-marks.js';

const nobody: Omit<WaitingOrder, 'id' | 'triggerMint'> = {
  inputMint: 'SOL',
  outputMint: 'USDC',
  type: 'single',
  stage: 'entry',
  fired: null,
  triggerCondition: 'below',
  triggerPriceUsd: null,
  trailingBps: null,
  highWatermark: null,
  lowWatermark: null,
  tpPriceUsd: null,
  slPriceUsd: null,
  retryAt: null,
  failures: 0,
};
/** It comes last in every reading. */
const VICTIM: WaitingOrder = { ...nobody, id: 'victim', triggerMint: 'SOL', triggerPriceUsd: 150 };

function ordersOf(count: number, terms: Partial<WaitingOrder> & { triggerMint: string }): WaitingOrder[] {
  return Array.from({ length: count }, (_, i) => ({ ...nobody, ...terms, id: `o${String(i).padStart(6, '0')}` }));
}

/** A store with nothing but orders that wait, of which no claim is had. */
function storeOf(orders: readonly WaitingOrder[], savesMarks: boolean) {
  const places = new Map(orders.map(({ id }, place) => [id, place]));
  /** How many orders each statement asks for whose they are. */
  const asked: number[] = [];
  const claimed = new Set<string>();
  /** How many marks each statement saves, and of which orders. */
  const saved: number[] = [];
  const savedOf = new Set<string>();
  /** After which order each page of a reading begins. */
  const pages: string[] = [];
  const rowsOf = (text: string, params: readonly unknown[]): unknown[] => {
    if (text.includes('as "end"')) return [{ end: new Date() }];
    if (text.includes('o.failures')) {
      const ids = params[0] as string[];
      asked.push(ids.length);
      return ids.map((id) => ({ id, wallet: id, apiKey: id === 'victim' ? 'other' : 'free' }));
    }
    if (text.includes('high_watermark = case')) {
      const marks = JSON.parse(params[0] as string) as { id: string }[];
      if (!savesMarks) throw new Error('cannot be saved');
      if (marks.length > MOST_SAVED) throw new Error('canceling statement due to statement timeout');
      saved.push(marks.length);
      for (const { id } of marks) savedOf.add(id);
    }
    if (text.startsWith('select * from orders')) for (const id of params[0] as string[]) claimed.add(id);
    const [after, limit] = params as [string, number];
    if (!text.includes('id > $1 order by id')) return [];
    pages.push(after);
    const from = after === '' ? 0 : places.get(after)! + 1;
    return orders.slice(from, from + limit);
  };
  const query = async (text: string, params: readonly unknown[] = []) => ({ rows: rowsOf(text, params), rowCount: 0 });
  const transaction = (work: (tx: unknown) => unknown) => work({ query });
  const store = { query, transaction, single: transaction, listen: async () => async () => {} };
  return { store: store as unknown as Store, asked, claimed, saved, savedOf, pages };
}

async function keeperOf(
  orders: readonly WaitingOrder[],
  usd: Record<string, number | Error>,
  { steadyNow = () => 0, savesMarks = true }: { steadyNow?: () => number; savesMarks?: boolean } = {},
) {
  const { store, ...seen } = storeOf(orders, savesMarks);
  const registry = new Registry();
  const warnings: unknown[] = [];
  const forOrders = (mint: string) => {
    const price = usd[mint]!;
    if (price instanceof Error) throw price;
    return { usd: price, confidence: 0, publishedAt: Date.now(), source: 'fixed' as const, stale: false as const };
  };
  const nothing = () => assert.fail('no order is filled');
  const keeper = await createTriggerKeeper({
    store,
    clock: createClock(),
    steadyNow,
    log: Object.assign(Object.create(silent), { warn: (line: unknown) => warnings.push(line) }),
    alone: false,
    registry,
    landing: { send: nothing, execute: nothing, vouchesForOrder: nothing, unlandedAt: nothing },
    chain: undefined as never,
    router: undefined as never,
    payer: '' as Address,
    wallet: { canPay: async () => true },
    programs: undefined as never,
    prices: { forOrders, poolWitness: () => undefined, pastWitness: () => undefined, follow: () => {} },
    contradictions: async () => undefined,
    maxBelowFairBps: 0,
  });
  return { keeper, registry, warnings, ...seen };
}

it('attack: a free key lets more trailing orders of its own token fire at one price than one turn fires: the stop of somebody else is claimed in the next turn', async () => {
  const usd = { X: 100, SOL: 200 };
  const trailing = ordersOf(3 * MOST_FIRED, { triggerMint: 'X', trailingBps: 500, highWatermark: 100 });
  const { keeper, asked, claimed } = await keeperOf([...trailing, VICTIM], usd);
  await keeper.tick();
  assert.equal(claimed.size, 0);
  Object.assign(usd, { X: 90, SOL: 149 });
  await keeper.tick();
  await keeper.tick();
  await until(async () => claimed.has('victim'));
  assert.deepEqual(asked, [MOST_FIRED, MOST_FIRED]);
  await keeper.close();
});

it('attack: a free key has more stops at the price of somebody’s than one turn fires: no statement asks for all of them, and each turn fires the next ones', async () => {
  const usd = { SOL: 200 };
  const stops = ordersOf(2 * MOST_FIRED, { triggerMint: 'SOL', triggerPriceUsd: 160 });
  const { keeper, asked, claimed } = await keeperOf([...stops, VICTIM], usd);
  await keeper.tick();
  usd.SOL = 149;
  await keeper.runDue();
  assert.deepEqual(asked, [MOST_FIRED, MOST_FIRED, 1]);
  assert.equal(claimed.size, stops.length + 1);
  await keeper.close();
});

it('attack: a free key has the marks of more trailing orders of its own token move at once than one statement can save: each turn saves some, and the stop of somebody else is claimed all the same', async () => {
  const usd = { X: 100, SOL: 200 };
  let now = 0;
  const trailing = ordersOf(2 * MOST_SAVED, { triggerMint: 'X', trailingBps: 500, highWatermark: 100 });
  const { keeper, claimed, saved, savedOf, warnings } = await keeperOf([...trailing, VICTIM], usd, {
    steadyNow: () => now,
  });
  await keeper.tick();
  usd.X = 110;
  await keeper.tick();
  // All are read again.
  now += 60_000;
  Object.assign(usd, { X: 120, SOL: 149 });
  await keeper.tick();
  await until(async () => claimed.has('victim'));
  assert.deepEqual([saved, savedOf.size], [[MOST_SAVED, MOST_SAVED], trailing.length]);
  await keeper.close();
  assert.deepEqual([saved, warnings], [[MOST_SAVED, MOST_SAVED, MOST_SAVED], []]);
});

it('marks that cannot be saved keep no order from firing by them', async () => {
  const usd = { X: 200 };
  const orders = ordersOf(1, { triggerMint: 'X', trailingBps: 500, highWatermark: 100 });
  const { keeper, claimed, warnings } = await keeperOf(orders, usd, { savesMarks: false });
  await keeper.tick();
  usd.X = 189;
  await keeper.tick();
  await until(async () => claimed.size === 1);
  await keeper.close();
  assert.deepEqual(warnings[0], { reason: 'cannot be saved' });
});

it('a token whose orders cannot be compared with its price is counted, logged once, and stops no others', async () => {
  const usd: Record<string, number | Error> = { X: new Error('broken'), SOL: 149 };
  const others = ordersOf(1, { triggerMint: 'X', triggerPriceUsd: 100 });
  const { keeper, registry, warnings, claimed } = await keeperOf([...others, VICTIM], usd);
  await keeper.tick();
  await keeper.tick();
  await until(async () => claimed.has('victim'));
  assert.deepEqual(warnings, [{ mint: 'X', reason: 'broken' }]);
  assert.match(await registry.metrics(), /^slipway_trigger_check_failures_total 2$/m);
  usd.X = 90;
  await keeper.tick();
  await until(async () => claimed.has('o000000'));
  await keeper.close();
});

it('attack: a free key has more orders than one turn reads: a stop of somebody else that is crossed meanwhile is claimed before all have been read', async () => {
  const usd = { X: 100, SOL: 200 };
  let now = 0;
  const steadyNow = () => {
    now += 60;
    return now;
  };
  const { keeper, claimed, pages } = await keeperOf(
    [...ordersOf(20_000, { triggerMint: 'X', triggerPriceUsd: 50 }), VICTIM],
    usd,
    { steadyNow },
  );
  await keeper.runDue();
  assert.equal(pages.length, 21);
  now += 60_000;
  usd.SOL = 149;
  await keeper.tick();
  await until(async () => claimed.has('victim'));
  assert.ok(pages.length < 31, String(pages.length));
  await keeper.close();
});
