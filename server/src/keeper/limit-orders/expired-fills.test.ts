import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { decodeTransaction, decompileInstructions, parseComputeUnitPrice } from '@slipway/wire';
import type { Rpc } from '../../chain/index.js';
import { PATIENCE_MS } from '../../lib/testing.js';
import { isRefused } from '../../routing/router.js';
import { FEE_BPS, type KeeperWorld, openKeeperWorld, type TestOrder } from './testing.js';

const MILLION = 10n ** 15n;
const MAKING = 1_000_000_000n;
const MOST = 1_000_000n;
/** What 300,000 units cost at the most, with SOL at 150 USD and a token of 6 decimals at 1 USD. */
const DEAREST = 45_000n;

let w: KeeperWorld;
before(async () => {
  w = await openKeeperWorld();
});
after(() => w?.close());
afterEach(() => w.reset());

const isOpen = async (order: TestOrder) => (await w.stateOf(order)) !== undefined;

function priceIn(wire: Uint8Array): bigint {
  const { decoded } = decodeTransaction(wire);
  const plain = decoded.instructions.filter(({ accountIndexes }) => accountIndexes.length === 0);
  const instructions = decompileInstructions({ ...decoded, instructions: plain, lookups: [] });
  return instructions.map(parseComputeUnitPrice).find((price) => price !== undefined)!;
}

async function bids(): Promise<bigint[]> {
  const { rows } = await w.store.query<{ wire: Uint8Array }>(
    'select wire from ledger where signature is not null order by id',
  );
  return rows.map(({ wire }) => priceIn(wire));
}

/** An order for which the market gives so much more than it asks, and a keeper whose transactions expire as long as `isDropping`. */
async function crowded(surplus: bigint) {
  const [a, b] = await w.pair([MILLION, MILLION]);
  for (const token of [a, b]) await w.holding(token, w.taker, 77n);
  const request = { mode: 'exact-in', input: a, output: b, amount: MAKING, excludeVenues: new Set<string>() } as const;
  const quote = await w.aggregator.quote(request, AbortSignal.timeout(PATIENCE_MS));
  assert.ok(!isRefused(quote));
  // The program's fee comes on top.
  const order = await w.open(a, b, ((quote.outAmount - surplus) * 10_000n) / (10_000n + BigInt(FEE_BPS)));
  const state = { isDropping: true };
  const rpc: Rpc = {
    ...w.world.rpc,
    async call<T>(method: string, params: unknown[]) {
      if (method !== 'sendTransaction' || !state.isDropping) return w.world.rpc.call<T>(method, params);
      // What is dropped here dies with its blockhash.
      await w.world.rpc.call('localnet_advanceClock', [120]);
      return '1'.repeat(64) as T;
    },
  };
  return { order, state, keeper: w.newKeeper({ landing: w.newLanding({ sendRpcs: [rpc] }) }) };
}

async function fillAfter(surplus: bigint, expiries: number): Promise<bigint[]> {
  const { order, state, keeper } = await crowded(surplus);
  for (let turns = 0; (await bids()).length < expiries && turns < 20; turns++) await keeper.runDue();
  state.isDropping = false;
  for (let turns = 0; (await isOpen(order)) && turns < 20; turns++) await keeper.runDue();
  assert.equal(await isOpen(order), false, String(await bids()));
  return bids();
}

test('attack: a stranger on the chain locks what fills lock, so that they expire: each bids more, as far as the market pays for it', async () => {
  const made = await fillAfter(20n * DEAREST, 4);
  assert.deepEqual(made, [0n, MOST / 64n, MOST / 16n, MOST / 4n, MOST]);
});

test('a fill that has expired bids the usual price where the market pays for no more: it is made all the same', async () => {
  const made = await fillAfter(DEAREST / 8n, 4);
  assert.deepEqual(made, [0n, MOST / 64n, MOST / 16n, 0n, 0n]);
});
