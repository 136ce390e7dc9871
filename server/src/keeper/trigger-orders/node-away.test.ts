import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ChainUnavailable, createChain, type Rpc } from '../../chain/index.js';
import { steadyNow } from '../../lib/clock.js';
import type { Prices } from '../../prices/index.js';
import { openTriggerWorld } from './testing.js';

let world: Awaited<ReturnType<typeof openTriggerWorld>>;
before(async () => {
  world = await openTriggerWorld();
});
after(() => world?.close());

describe('attack: a node answers only some calls for minutes: what fires meanwhile is filled eight seconds after it answers all', () => {
  it('tries nothing out', () => filledSoonAfter(8_000, away('simulateTransaction')));
  it('tells of no blockhash', () => filledSoonAfter(8_000, away('getLatestBlockhash')));
  it('tries out by one that does not know the blockhash yet', () =>
    filledSoonAfter(
      8_000,
      away('simulateTransaction', async () => ({ context: { slot: 1 }, value: BEHIND })),
    ));
  it('does not answer what is asked last', () =>
    filledSoonAfter(8_000, () => {
      const landing = world.newLanding();
      const send = landing.send.bind(landing);
      let refused = 0;
      landing.send = async (...args) => {
        if (!isAway) return send(...args);
        refused += 1;
        throw new ChainUnavailable('503');
      };
      return { keeper: world.newKeeper({ landing }), refused: () => refused };
    }));
});

it('attack: a price feed is silent of what a stop buys for minutes, not of what it sells: it is filled half a minute after that', () =>
  filledSoonAfter(32_000, () => {
    let tries = 0;
    const forOrders: Prices['forOrders'] = (mint) => {
      if (!isAway || mint !== world.bought.mint) return world.priced.forOrders(mint);
      tries += 1;
      return { none: 'stale', why: 'its price is stale', source: 'fixed' };
    };
    return { keeper: world.newKeeper({ prices: { ...world.priced, forOrders } }), refused: () => tries };
  }));

let isAway = true;

const BEHIND = { err: 'BlockhashNotFound', logs: [], unitsConsumed: 0, accounts: null };
const refuse = (method: string) => Promise.reject(new ChainUnavailable(`503 to ${method}`));

function away(unanswered: string, answer: (method: string) => Promise<unknown> = refuse) {
  return () => {
    let refused = 0;
    const rpc: Rpc = {
      ...world.world.rpc,
      async call<T>(method: string, params: unknown[]): Promise<T> {
        if (!isAway || method !== unanswered) return world.world.rpc.call<T>(method, params);
        refused += 1;
        return (await answer(method)) as T;
      },
    };
    const chain = createChain({ rpc, steadyNow, fees: { percentile: 50, maxMicroLamports: 1_000_000n } });
    return { keeper: world.newKeeper({ chain, landing: world.newLanding([rpc], { chain }) }), refused: () => refused };
  };
}

/** A dozen tries a minute apart are in vain while something is away; the one so long after its end is not. */
async function filledSoonAfter(
  ms: number,
  open: () => { keeper: ReturnType<typeof world.newKeeper>; refused: () => number },
): Promise<void> {
  isAway = true;
  const { id } = await world.open(0.9);
  const { keeper: opened, refused } = open();
  const keeper = await opened;
  const stateAfter = async (passed: number) => {
    world.clock.setOffset(world.clock.offsetMs + passed);
    for (const { mint } of [world.sold, world.bought]) world.setPrice(mint, 1);
    await keeper.runDue();
    return (await world.rowOf(id)).progress.state;
  };
  for (let tries = 1; tries <= 12; tries++) {
    assert.notEqual(await stateAfter(64_000), 'fill_success');
    assert.ok(refused() >= tries);
  }
  isAway = false;
  assert.equal(await stateAfter(ms), 'fill_success');
  await keeper.close();
}
