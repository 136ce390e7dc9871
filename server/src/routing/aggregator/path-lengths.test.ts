import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ROUTER_PROGRAM } from '@slipway/programs';
import { newAddress } from '@slipway/programs/testing';
import { type Address, type LookupTable, readonlyAccount, TOKEN_PROGRAM } from '@slipway/wire';
import type { QuoteRequest, Token } from '../router.js';
import { partOf } from './deal.js';
import type { LiveLeg } from './legs.js';
import type { Pool } from './market.js';
import { createSizing } from './size.js';
import type { PoolState } from './venue.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const PATHS = 20;
const POOLS = 50;

test('attack: a free key asks for ever more routes over tokens with many pools: nothing of a pool as it was is kept', async () => {
  const tokenOf = (mint: Address): Token => ({ mint, tokenProgram: TOKEN_PROGRAM, decimals: 6 });
  const tables: LookupTable[] = [];
  const roomOf = createSizing({ router: ROUTER_PROGRAM, lookupTables: () => tables, tokenOf });
  const [input, output, program] = [newAddress(), newAddress(), newAddress()];
  const request: QuoteRequest = {
    mode: 'exact-in',
    input: tokenOf(input),
    output: tokenOf(output),
    amount: 1_000_000n,
    excludeVenues: new Set(),
  };
  const pools = Array.from(
    { length: POOLS },
    () => ({ address: newAddress(), mints: [input, output] }) as unknown as Pool,
  );
  const kept: WeakRef<readonly Address[]>[] = [];
  let looks = 0;

  /** Whether there is room for a path over all pools, each as it is after one more trade. */
  const ask = (key: string) => {
    const room = roomOf(request);
    const legs = pools.map((pool): LiveLeg => {
      const swap = () => ({ program, accounts: [readonlyAccount(pool.address)], data: new Uint8Array(17) });
      return { pool, from: 0, state: { swap } as unknown as PoolState };
    });
    const looked = () => {
      looks += 1;
      return false;
    };
    room.isTooLong({ path: { mints: [input, output], key, steps: [] }, steps: [legs], input: 1, score: 1 }, looked);
    for (const leg of legs) kept.push(new WeakRef(room.named(partOf(leg, 10_000))));
  };
  for (let i = 0; i < PATHS; i++) ask(`path ${i}`);
  assert.equal(looks, PATHS);
  await setImmediate();
  collect();
  assert.equal(kept.filter((each) => each.deref() !== undefined).length, 0);
  for (let i = 0; i < PATHS; i++) ask(`path ${i}`);
  assert.equal(looks, PATHS, 'what is known of a path holds for its pools after a trade');
});
