import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertIdentity } from './identity.js';
import { openAnyStore } from './testing.js';

test('attack: an operator by mistake starts a forked sandbox, whose key everybody knows, on the database of production: refused', async (t) => {
  const store = await openAnyStore();
  t.after(() => store.close());
  const production = { chain: 'genesis of mainnet', signer: 'gas wallet', mode: 'production' } as const;
  await assertIdentity(store, production);
  await assertIdentity(store, production);
  // A fork has the genesis hash of its upstream.
  await assert.rejects(assertIdentity(store, { ...production, mode: 'sandbox' }), /another mode.*there production/);
  await assert.rejects(assertIdentity(store, { ...production, chain: 'other' }), /another chain/);
  await assert.rejects(assertIdentity(store, { ...production, signer: 'other' }), /another signer/);
  await assertIdentity(store, production);
});

test('a database from before modes were written down takes the mode of its next start', async (t) => {
  const store = await openAnyStore();
  t.after(() => store.close());
  const identity = { chain: 'genesis', signer: 'gas wallet', mode: 'sandbox' } as const;
  await assertIdentity(store, identity);
  await store.query("delete from settings where key = 'identity.mode'");
  await assertIdentity(store, identity);
  await assert.rejects(assertIdentity(store, { ...identity, mode: 'production' }), /there sandbox/);
});
