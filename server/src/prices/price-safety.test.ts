import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { PoolHistory } from './pool-history.js';
import { DEFAULT_PRICES, DEFAULT_TRIGGER_ORDERS } from './testing.js';

const PAGE = join(import.meta.dirname, '../../../docs/price-safety.md');
const RULES = { ...DEFAULT_PRICES.pools, everyMs: DEFAULT_PRICES.pools.everySeconds * 1_000 };
/** The fee of a pool, and the slippage of a stop that says nothing about it. */
const FEE = 0.003;
const STOP_SLIPPAGE = 0.2;

const dollars = (usd: number) => (usd < 10 ? usd.toFixed(1) : Math.round(usd).toLocaleString('en-US'));

/** Sells into a pool of 1 USD a token, with so much of both, until its price has come down to `price`. */
function push(depth: number, price: number) {
  // Without the fee, the product of both sides stays the same.
  const sold = depth / Math.sqrt(price) - depth;
  const got = depth - depth * Math.sqrt(price);
  const paid = sold / (1 - FEE);
  const back = got / (1 - FEE);
  return {
    /** Tokens, worth as many USD before. */
    paid,
    /** For the way there and back, if nobody trades meanwhile. */
    fees: paid - sold + (back - got),
    /** If others buy the tokens that were sold, and the pool is where it was. */
    lost: paid - got,
  };
}

/** Seconds from the first to the last observation of a pool that is pushed and held, until a stop fires. */
function heldUntil(stop: number): number {
  const history = new PoolHistory(RULES, () => 0.5);
  let now = 0;
  const observe = (usd: number) => {
    now += RULES.everyMs;
    history.add(usd, now);
    return history.settled(now);
  };
  for (let i = 0; i < 2 * RULES.mustHold; i++) observe(1);
  for (let held = 0; ; held += RULES.everyMs / 1_000) if (observe(stop / 1.000001)! <= stop) return held;
}

/** The most that a fired stop may lose against the price before the attack. */
const mostLost = (stop: number, slippage: number) => 1 - stop * (1 - slippage);

async function requireRows(rows: string[]): Promise<void> {
  const page = (await readFile(PAGE, 'utf8')).replace(/ +/g, ' ');
  for (const row of rows) assert.ok(page.includes(row), `docs/price-safety.md lacks the line\n${row}`);
}

describe('the figures of docs/price-safety.md', () => {
  it('tell how long a pool must be held until a stop fires, and what the stop then loses at most', async () => {
    const cap = DEFAULT_TRIGGER_ORDERS.maxBelowFairBps / 10_000;
    const percent = (share: number) => `${Math.round(100 * share)} %`;
    await requireRows(
      [0.95, 0.9, 0.8, 0.7, 0.5].map((stop) => {
        const lost = [STOP_SLIPPAGE, cap].map((slippage) => percent(mostLost(stop, slippage)));
        return `| ${percent(1 - stop)} | ${heldUntil(stop)} s | ${lost.join(' | ')} |`;
      }),
    );
  });

  it('tell what it costs to fire a stop 20 % below the price, by the depth of the pool', async () => {
    await requireRows(
      [1_000, RULES.leastDepthUsd, 100_000, 1_000_000].map((depth) => {
        const { paid, fees, lost } = push(depth, 0.8);
        const gain = mostLost(0.8, STOP_SLIPPAGE);
        const cells = [depth, paid, fees, lost, fees / gain, lost / gain].map(dollars);
        return `| ${cells.join(' | ')} |`;
      }),
    );
  });

  it('are those of the pool arithmetic: a pool of whole units that is pushed gives what is told', () => {
    const { paid, fees, lost } = push(1e6, 0.8);
    const [x, y] = [10n ** 12n, 10n ** 12n];
    const offered = BigInt(Math.round(paid * 1e6));
    const traded = offered - (offered * 3n) / 1_000n;
    const got = y - (x * y) / (x + traded);
    assert.ok(Math.abs(Number(y - got) / Number(x + traded) - 0.8) < 1e-6);
    assert.ok(Math.abs((paid * 1e6 - Number(got)) / 1e6 / lost - 1) < 1e-6);
    // Back: so much that the pool returns all that was traded.
    const back = (Number(got) / (1 - FEE) - Number(got)) / 1e6;
    assert.ok(Math.abs((Number(offered - traded) / 1e6 + back) / fees - 1) < 1e-6);
  });
});
