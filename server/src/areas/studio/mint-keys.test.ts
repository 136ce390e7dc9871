import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateKeypair } from '@slipway/wire';
import { addMintNumber, countMintNumbers } from '../../store/launches.js';
import { openAnyStore } from '../../store/testing.js';
import type { StudioDeps } from './deps.js';
import { withLaunchKeys } from './mint-keys.js';

test('attack: a free key asks for 100 launches of creators who cannot pay: they take no mint address out of stock', async (t) => {
  const store = await openAnyStore();
  t.after(() => store.close());
  for (let number = 1; number <= 20; number++) await store.single((tx) => addMintNumber(tx, number, 'ab'));
  const { address } = generateKeypair();
  const signer = { publicKey: async () => address } as unknown as StudioDeps['signer'];
  const deps = { store, signer, mintSuffix: 'ab' };
  for (let call = 0; call < 100; call++) {
    const refused = withLaunchKeys(deps, () => Promise.reject(new Error('the creator cannot pay')));
    await assert.rejects(refused, /cannot pay/);
  }
  assert.equal(await countMintNumbers(store, 'ab'), 20);
  assert.equal(await withLaunchKeys(deps, async ({ mint }) => mint), address);
  assert.equal(await countMintNumbers(store, 'ab'), 19, 'a launch that was crafted keeps its own');
});

test('attack: a free key asks for 100 launches while the signer is away: they take no mint address out of stock', async (t) => {
  const store = await openAnyStore();
  t.after(() => store.close());
  for (let number = 1; number <= 20; number++) await store.single((tx) => addMintNumber(tx, number, 'ab'));
  const publicKey = () => Promise.reject(new Error('the signer is away'));
  const deps = { store, signer: { publicKey } as unknown as StudioDeps['signer'], mintSuffix: 'ab' };
  for (let call = 0; call < 100; call++) {
    await assert.rejects(
      withLaunchKeys(deps, async () => {}),
      /the signer is away/,
    );
  }
  assert.equal(await countMintNumbers(store, 'ab'), 20);
});
