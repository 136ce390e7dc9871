import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type Address, decodeTransaction } from '@slipway/wire';
import type { TestTerms } from '../../areas/trigger-v2/testing.js';
import type { Rpc } from '../../chain/index.js';
import { openTriggerWorld } from './testing.js';

/** What somebody does to one leg of an order, and what the other does then. */
const WHOLE = 1_000_000n;
const AMOUNT = 1_000n * WHOLE;
const DEPTH = 100_000n * WHOLE;
type Reserves = readonly [sold: bigint, bought: bigint];

let world: Awaited<ReturnType<typeof openTriggerWorld>>;
let client: ReturnType<typeof world.newClient>;
let keeper: Awaited<ReturnType<typeof world.newKeeper>>;
before(async () => {
  world = await openTriggerWorld();
  client = world.newClient();
  keeper = await world.newKeeper();
});
after(() => world?.close());
beforeEach(() => market(1));

/** The pool at a price of what is sold. */
const at = (usd: number): Reserves => [DEPTH, BigInt(Math.round(Number(DEPTH) * usd))];

/** The price of the feed, and what the pool says. */
async function market(usd: number, reserves = at(usd)): Promise<void> {
  world.setPrice(world.sold.mint, usd);
  await world.world.setReserves(world.pool, [...reserves]);
}

const later = (seconds: number) => world.clock.setOffset(world.clock.offsetMs + seconds * 1_000);

async function open(terms: Partial<TestTerms>, [input, output] = [world.sold, world.bought]) {
  const wallet = await client.register();
  await world.fund(wallet.address, input, AMOUNT);
  const expiresAt = world.clock.now() + 30 * 86_400_000;
  const mints = { inputMint: input.mint, outputMint: output.mint, triggerMint: world.sold.mint };
  const id = await client.open(wallet, AMOUNT, { ...mints, expiresAt, ...terms } as TestTerms);
  return { wallet, id };
}

const progressOf = async (id: string) => (await world.rowOf(id)).progress;

/** What a pool gives, at its fee of 0.3 %. */
function given([from, to]: Reserves, amount: bigint): bigint {
  const taken = amount - (amount * 30n) / 10_000n;
  return (to * taken) / (from + taken);
}

/** A pool after somebody has sold so much into it that `most` gets less than its slippage allows, and what it costs to undo that. */
function pushed(before: Reserves, worth: number, slippageBps: number, most: bigint): { pool: Reserves; cost: bigint } {
  for (let sold = 0n; ; sold += 5n * WHOLE) {
    const got = given(before, sold);
    const pool: Reserves = [before[0] + sold, before[1] - got];
    if (Number(given(pool, most)) >= Number(most) * worth * (1 - slippageBps / 10_000)) continue;
    return { pool, cost: sold - given([pool[1], pool[0]], got) };
  }
}

it('attack: somebody who moves pools for the moment of one fill has only a part of a take profit sold, for a few USD: what is left keeps its stop-loss', async () => {
  for (const tpSlippageBps of [50, 300]) {
    await market(1);
    const { wallet, id } = await open({ orderType: 'oco', tpPriceUsd: 1.1, slPriceUsd: 0.9, tpSlippageBps });
    const { pool, cost } = pushed(at(1.1), 1.1, tpSlippageBps, 40n * WHOLE);
    assert.ok(cost < 10n * WHOLE, `${cost}`);
    await market(1.1, pool);
    await keeper.runDue();
    const part = await progressOf(id);
    assert.deepEqual([part.state, part.fired], ['partial_fill_success', 'take_profit']);
    assert.ok(part.entry.remaining > 950n * WHOLE);
    later(60);
    await market(0.85);
    await keeper.runDue();
    const { state, fired, entry } = await progressOf(id);
    assert.deepEqual([state, fired, entry.remaining], ['fill_success', 'stop_loss', 0n]);
    assert.equal(await world.held(wallet.address), entry.received);
    assert.ok(entry.received > 830n * WHOLE, `${entry.received}`);
  }
});

describe('attack: somebody who moves pools has the take profit of an order rest by tries in vain: its stop-loss is sold as soon as one that stands alone', () => {
  /** A pair whose take profit has a narrow slippage, and a stop; the price falls below both, and what they have got for it is told. */
  async function fallAfter(vain: (id: string) => Promise<void>): Promise<Awaited<ReturnType<typeof progressOf>>[]> {
    const pair = await open({ orderType: 'oco', tpPriceUsd: 1.1, slPriceUsd: 0.9, tpSlippageBps: 50 });
    const single = await open({ orderType: 'single', triggerCondition: 'below', triggerPriceUsd: 0.9 });
    await vain(pair.id);
    const { progress, retryAt } = await world.rowOf(pair.id);
    assert.deepEqual([progress.state, progress.fired, progress.entry.received], ['open', 'take_profit', 0n]);
    assert.ok(retryAt!.getTime() > world.clock.now() + 60_000, 'its take profit rests');
    await market(0.88);
    const orders = () => Promise.all([pair, single].map(({ id }) => progressOf(id)));
    // On a busy machine a quote may not be in time: long before the take profit has rested, it is.
    for (let tries = 0; tries < 10 && (await orders()).some(({ state }) => state === 'open'); tries++) {
      await keeper.runDue();
      later(3);
    }
    return orders();
  }

  function assertBothSold(orders: Awaited<ReturnType<typeof fallAfter>>): void {
    assert.deepEqual(
      orders.map(({ state, fired }) => [state, fired]),
      [
        ['fill_success', 'stop_loss'],
        ['fill_success', 'entry'],
      ],
    );
    for (const { entry } of orders) assert.ok(entry.received > 840n * WHOLE, `${entry.received}`);
  }

  it('after ten minutes in which a pool stands 1 % below the price', async () => {
    assertBothSold(
      await fallAfter(async () => {
        for (let seconds = 0; seconds < 600; seconds += 10) {
          await market(1.1, at(1.09));
          await keeper.runDue();
          later(10);
        }
      }),
    );
  });

  it('after a dozen fills that have failed on the chain', async () => {
    let failed = 0;
    assertBothSold(
      await fallAfter(async (id) => {
        const account = (await world.rowOf(id)).inputAccount as Address;
        const rpc: Rpc = {
          ...world.world.rpc,
          async call<T>(method: string, params: unknown[]): Promise<T> {
            if (method === 'sendTransaction') {
              const { decoded } = decodeTransaction(Buffer.from(params[0] as string, 'base64'));
              if (decoded.accounts.includes(account)) {
                failed += 1;
                await world.world.setReserves(world.pool, [...at(1.08)]);
              }
            }
            return world.world.rpc.call<T>(method, params);
          },
        };
        const pushing = await world.newKeeper({ landing: world.newLanding([rpc]) });
        for (let tries = 0; failed < 12; tries++) {
          assert.ok(tries < 200);
          // Ten of a thousand tokens move the price less than the slippage.
          await market(1.1, at(1.125));
          await pushing.runDue();
          later(30);
        }
      }),
    );
  });
});
