import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { associatedTokenRent, MOST_LAMPORTS_PER_BYTE, rentExemptLamports, TOKEN_PROGRAM, useRent } from '@slipway/wire';
import { pino } from 'pino';
import type { Chain, Rpc } from '../chain/index.js';
import { createDisposal } from '../lib/disposal.js';
import { followRent } from './rent.js';

const MOST = rentExemptLamports(165);
after(() => useRent(MOST_LAMPORTS_PER_BYTE));

async function follow(answer: () => unknown) {
  const rpc = { name: 'node', call: async () => answer() } as unknown as Rpc;
  const disposal = createDisposal();
  await followRent({ chain: { rpc } as Chain, log: pino({ enabled: false }), disposal });
  await disposal.close(() => {});
}

test('what is crafted and told goes by the rent that the chain asks for', async () => {
  await follow(() => 650_240);
  assert.equal(rentExemptLamports(165), 1_488_440n);
  assert.equal(associatedTokenRent(TOKEN_PROGRAM), 1_488_440n);
  await follow(() => 890_880);
  assert.equal(rentExemptLamports(165), MOST);
});

test('attack: a node asks for more rent than a chain ever has, for none, or with what is no number: it stays as it was', async () => {
  for (const answer of [890_881, 10 ** 18, 0, -128, '650240', null, {}]) {
    await follow(() => answer);
    assert.equal(rentExemptLamports(165), MOST, JSON.stringify(answer));
  }
  await follow(() => {
    throw new Error('no answer');
  });
  assert.equal(rentExemptLamports(165), MOST);
});
