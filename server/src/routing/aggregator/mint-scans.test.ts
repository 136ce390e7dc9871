import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Address, WRAPPED_SOL_MINT } from '@slipway/wire';
import type { Rpc } from '../../chain/index.js';
import { MintScans } from './mint-scans.js';
import { newAddress, silent } from './testing.js';
import type { Venue } from './venue.js';

/** Searches whose calls the node answers one after the other; `onCall` is told of each mint before its answer. */
function searches(onCall: (scans: MintScans, mint: Address) => void): MintScans {
  const venue = { label: 'A', program: newAddress(), poolSize: 1, mintOffsets: [0] } as unknown as Venue;
  const call = async (_: string, [, { filters }]: [unknown, { filters: { memcmp?: { bytes: Address } }[] }]) => {
    await new Promise(setImmediate);
    onCall(scans, filters[1]!.memcmp!.bytes);
    return [];
  };
  const scans: MintScans = new MintScans({
    rpc: { call } as unknown as Rpc,
    steadyNow: () => 0,
    hubs: [],
    mints: { forOrders: 500, forClients: 100 },
    venues: () => [venue],
    log: silent,
    failed: () => {},
    onFound: async () => {},
  });
  return scans;
}

test('attack: a free key asks for ever more tokens, faster than they can be searched for: those of orders are searched for all the same', async () => {
  const kept = newAddress();
  let [calls, isAttacked] = [0, false];
  const searched = new Map<Address, number>();
  const scans = searches((asked, mint) => {
    calls += 1;
    searched.set(mint, calls);
    // Two more for each that is searched for, for as long as it could matter.
    if (isAttacked && calls < 1_000) for (let i = 0; i < 2; i++) asked.ask(newAddress(), WRAPPED_SOL_MINT);
  });
  scans.keep([kept]);
  await scans.refresh();
  isAttacked = true;
  for (let i = 0; i < 50; i++) scans.ask(newAddress(), WRAPPED_SOL_MINT);
  const before = calls;
  await scans.refresh();
  assert.ok(searched.get(kept)! > before && searched.get(kept)! <= before + 6, `${searched.get(kept)! - before} calls`);
  assert.ok(calls < 1_000, 'the round ends while others ask for more');
  // Its pool has migrated, and somebody has made a limit order.
  const [then, limit] = [calls, newAddress()];
  scans.again([kept]);
  scans.askInTurn(limit, WRAPPED_SOL_MINT);
  while (searched.get(kept)! <= then || !searched.has(limit)) await new Promise(setImmediate);
  const last = Math.max(searched.get(kept)!, searched.get(limit)!);
  assert.ok(last <= then + 8, `${last - then} calls`);
});
