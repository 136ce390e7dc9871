import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newAddress } from '@slipway/programs/testing';
import type { Address } from '@slipway/wire';
import type { Reading } from '../chain/index.js';
import { FillReadings } from './fill-readings.js';

it('attack: somebody who moves pools has each amount of a fill routed over others: an attempt reads twelve times at most, and goes on with what it has read', async () => {
  const asked: (readonly Address[])[] = [];
  const live = {
    async refresh(addresses: readonly Address[]) {
      asked.push(addresses);
      return new Map<Address, Reading>(
        addresses.map((address) => [address, { slot: asked.length, account: undefined }]),
      );
    },
  };
  const readings = new FillReadings();
  const pools = Array.from({ length: 13 }, () => [newAddress(), newAddress()]);
  const shared = newAddress();
  for (const pool of pools.slice(0, 12)) await readings.read(live, [...pool, shared]);
  assert.deepEqual(asked, [[...pools[0]!, shared], ...pools.slice(1, 12)]);
  await assert.rejects(readings.read(live, pools[12]!));
  assert.equal((await readings.read(live, [...pools[0]!, ...pools[11]!])).get(shared)?.slot, 1);
  assert.equal(asked.length, 12);
});
