import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { type Address, decodeTransaction, decompileInstructions, parseComputeUnitPrice } from '@slipway/wire';
import { createChain, type Rpc } from '../../chain/index.js';
import { steadyNow } from '../../lib/clock.js';
import { FILL_AREA } from './settlement.js';
import { openTriggerWorld } from './testing.js';

const MOST = 1_000_000n;
/** What the cheapest pays that locks the pool; in each block, something else pays nothing. */
const POOL_PRICE = 10_000;
const STOP = { triggerCondition: 'below', triggerPriceUsd: 1.1, slippageBps: 2_000 } as const;
const DAY_MS = 24 * 3_600_000;

let world: Awaited<ReturnType<typeof openTriggerWorld>>;
before(async () => {
  world = await openTriggerWorld();
});
after(() => world?.close());

/** A node by which a pool is in demand, and which drops what it is sent for less than `takes()`. */
function crowded(takes: () => bigint): Rpc {
  const { rpc } = world.world;
  return {
    ...rpc,
    async call<T>(method: string, params: unknown[]) {
      if (method === 'getRecentPrioritizationFees') {
        const accounts = (params[0] ?? []) as Address[];
        const prioritizationFee = accounts.includes(world.pool.address) ? POOL_PRICE : 0;
        return Array.from({ length: 150 }, (_, slot) => ({ slot, prioritizationFee })) as T;
      }
      if (method === 'sendTransaction' && priceIn(Buffer.from(params[0] as string, 'base64')) < takes())
        return '1'.repeat(64) as T;
      return rpc.call<T>(method, params);
    },
  };
}

function priceIn(wire: Uint8Array): bigint {
  const { decoded } = decodeTransaction(wire);
  const plain = decoded.instructions.filter(({ accountIndexes }) => accountIndexes.length === 0);
  return (
    decompileInstructions({ ...decoded, instructions: plain, lookups: [] })
      .map(parseComputeUnitPrice)
      .find((price) => price !== undefined) ?? 0n
  );
}

it('attack: somebody who moves pools locks one for all that its blocks take, or a crash does: a stop bids by what it costs, and after each expiry more, whichever copy sends it, until it is filled', {
  timeout: 300_000,
}, async () => {
  let takes = MOST;
  let ahead = 0;
  const now = () => steadyNow() + ahead;
  const rpc = crowded(() => takes);
  const chain = createChain({ rpc, steadyNow: now, fees: { percentile: 50, maxMicroLamports: MOST } });
  const copies = [await newCopy(), await newCopy()];
  async function newCopy() {
    return world.newKeeper({ chain, landing: world.newLanding([rpc], { chain, steadyNow: now }) });
  }
  const { id } = await world.deposit(world.newClient(), { ...STOP, expiresAt: world.clock.now() + DAY_MS });
  const progress = async () => (await world.rowOf(id)).progress;
  const bids = async () => {
    const { rows } = await world.store.query<{ wire: Uint8Array }>(
      `select wire from ledger where area = $1 and signature is not null order by id`,
      [FILL_AREA],
    );
    return rows.map(({ wire }) => priceIn(wire));
  };
  const turn = async (copy: (typeof copies)[number]) => {
    let isOver = false;
    const due = copy.runDue().finally(() => {
      isOver = true;
    });
    while (!isOver) {
      // Its fill is under way, or the way back of its rent.
      if (['executing', 'fill_success'].includes((await progress()).state)) {
        await world.world.rpc.call('localnet_advanceClock', [60]);
        // What is looked at once in some seconds is looked at again.
        ahead += 1_000;
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await due;
    world.clock.setOffset(world.clock.offsetMs + 6 * 60_000);
    for (const { mint } of [world.sold, world.bought]) world.setPrice(mint, 1);
  };
  takes = MOST + 1n;
  // A turn of a busy machine may send nothing.
  for (let turns = 0; (await progress()).failures < 5; turns++) await turn(copies[turns % 2]!);
  assert.deepEqual(await bids(), [10_000n, MOST / 64n, MOST / 16n, MOST / 4n, MOST]);
  takes = MOST / 64n;
  for (let turns = 0; (await progress()).state !== 'fill_success'; turns++) await turn(copies[turns % 2]!);
  assert.deepEqual((await bids()).slice(5), [10_000n, MOST / 64n], 'anew, until it is taken');
});
