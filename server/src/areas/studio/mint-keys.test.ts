import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateKeypair, TOKEN_PROGRAM } from '@slipway/wire';
import type { ChainAccount } from '../../chain/index.js';
import { addMintNumber, countMintNumbers } from '../../store/launches.js';
import { openAnyStore } from '../../store/testing.js';
import type { StudioDeps } from './deps.js';
import { withLaunchKeys } from './mint-keys.js';

const chain = { account: async () => undefined };
const keep = async () => {};

test('attack: a free key asks for 100 launches of creators who cannot pay: they take no mint address out of stock', async (t) => {
  const store = await openAnyStore();
  t.after(() => store.close());
  for (let number = 1; number <= 20; number++) await store.single((tx) => addMintNumber(tx, number, 'ab'));
  const { address } = generateKeypair();
  const signer = { publicKey: async () => address } as unknown as StudioDeps['signer'];
  const deps = { store, signer, chain, mintSuffix: 'ab' };
  for (let call = 0; call < 100; call++) {
    const refused = withLaunchKeys(deps, () => Promise.reject(new Error('the creator cannot pay')), keep);
    await assert.rejects(refused, /cannot pay/);
  }
  assert.equal(await countMintNumbers(store, 'ab'), 20);
  assert.equal(await withLaunchKeys(deps, async ({ mint }) => mint, keep), address);
  assert.equal(await countMintNumbers(store, 'ab'), 19, 'a launch that was crafted keeps its own');
});

test('attack: a free key asks for 100 launches while the signer is away: they take no mint address out of stock', async (t) => {
  const store = await openAnyStore();
  t.after(() => store.close());
  for (let number = 1; number <= 20; number++) await store.single((tx) => addMintNumber(tx, number, 'ab'));
  const publicKey = () => Promise.reject(new Error('the signer is away'));
  const deps = { store, signer: { publicKey } as unknown as StudioDeps['signer'], chain, mintSuffix: 'ab' };
  for (let call = 0; call < 100; call++) {
    await assert.rejects(
      withLaunchKeys(deps, async () => {}, keep),
      /the signer is away/,
    );
  }
  assert.equal(await countMintNumbers(store, 'ab'), 20);
});

test('attack: an operator by mistake restores a backup whose stock has mint addresses that were launched since: they leave it, and launches go on', async (t) => {
  const store = await openAnyStore();
  t.after(() => store.close());
  for (let number = 1; number <= 20; number++) await store.single((tx) => addMintNumber(tx, number, 'ab'));
  const isLaunched = (mint: string) => !['mint:7', 'mint:13'].includes(mint);
  const deps = {
    store,
    signer: { publicKey: async (name: string) => name } as unknown as StudioDeps['signer'],
    chain: {
      account: async (mint: string) => (isLaunched(mint) ? ({ owner: TOKEN_PROGRAM } as ChainAccount) : undefined),
    },
    mintSuffix: 'ab',
  };
  const launch = () =>
    withLaunchKeys(
      deps,
      async ({ mint }) => {
        if (isLaunched(mint)) throw new Error('The chain would refuse this launch: already in use');
        return mint as string;
      },
      keep,
    );
  assert.deepEqual([await launch(), await launch()].sort(), ['mint:13', 'mint:7']);
  await assert.rejects(launch(), /Failed to craft/);
  assert.equal(await countMintNumbers(store, 'ab'), 0, 'others are searched for');
});

test('12 launches at once get each of 10 mint addresses in stock once, and two are told that there are no more', async (t) => {
  const store = await openAnyStore();
  t.after(() => store.close());
  for (let number = 1; number <= 10; number++) await store.single((tx) => addMintNumber(tx, number, 'ab'));
  await store.single((tx) => addMintNumber(tx, 11, 'cd'));
  const signer = { publicKey: async (name: string) => name } as unknown as StudioDeps['signer'];
  const deps = { store, signer, chain, mintSuffix: 'ab' };
  const kept: string[] = [];
  const launch = () =>
    withLaunchKeys(
      deps,
      async ({ mint }) => mint,
      async (_, mint) => {
        kept.push(mint);
      },
    );
  const ends = await Promise.allSettled(Array.from({ length: 12 }, launch));
  const made = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
  const all = Array.from({ length: 10 }, (_, index) => `mint:${index + 1}`).sort();
  assert.deepEqual([made.sort(), kept.sort()], [all, all]);
  for (const end of ends) if (end.status === 'rejected') assert.match(String(end.reason), /Failed to craft/);
  assert.deepEqual([await countMintNumbers(store, 'ab'), await countMintNumbers(store, 'cd')], [0, 1]);
});
