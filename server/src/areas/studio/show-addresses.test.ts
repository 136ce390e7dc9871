import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateKeypair } from '@slipway/wire';
import { plentyLeft, startTestServer } from '../../http/testing.js';
import type { Guest } from '../../lib/places.js';
import { openAnyStore } from '../../store/testing.js';
import { registerShowAddresses } from './show-addresses.js';

test('attack: a free key asks for the pools of ever more mints, each a search through all pools: ten calls each', async () => {
  const store = await openAnyStore();
  let searches = 0;
  let left = 60;
  const rpc = {
    async call(method: string) {
      if (method === 'getProgramAccounts') searches += 1;
      return [];
    },
  };
  const chain = { by: (caller: Guest | undefined) => (caller?.id === 'key-1' ? { rpc } : undefined) };
  const take = (_id: string, _bucket: string, _tier: string, weight = 1) => {
    const allowed = left >= weight;
    if (allowed) left -= weight;
    return { ...plentyLeft, allowed };
  };
  const { app } = await startTestServer(
    (server) =>
      registerShowAddresses(server, { store, chain } as unknown as Parameters<typeof registerShowAddresses>[1]),
    { limiter: { take } },
  );
  const statuses = [];
  for (let n = 0; n < 60; n++) {
    const url = `/studio/v1/dbc-pool/addresses/${generateKeypair().address}`;
    statuses.push((await app.inject({ url, headers: { 'x-api-key': 'good-key' } })).statusCode);
  }
  assert.deepEqual(statuses, [...Array(6).fill(404), ...Array(54).fill(429)]);
  assert.equal(searches, 6);
  await app.close();
  await store.close();
});
