import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateKeypair, TOKEN_PROGRAM } from '@slipway/wire';
import type { Chain } from '../chain.js';
import { accountNews, KeptTexts } from './account-news.js';

test('attack: a free key of a sandbox has many accounts told in forms that are slow to be read by somebody else: eight million characters are kept of all together', async () => {
  const kept = new KeptTexts();
  let rendered = 0;
  let told = 0;
  const watcher = { view: { encoding: 'base64' }, form: 'base64', filters: [] } as const;
  const deps = { chain: {} as Chain, kept, log: assert.fail, send: () => void told++ };
  const inResult = (account: unknown) => {
    rendered++;
    return account;
  };
  const account = { lamports: 1n, owner: TOKEN_PROGRAM, executable: false, data: new Uint8Array(600_000) };
  const tellNext = Array.from({ length: 20 }, () => {
    const news = accountNews({ address: generateKeypair().address, account }, { ...deps, inResult });
    return () => news.tell({ ...watcher, filters: [] });
  });
  for (const tell of tellNext) await tell();
  assert.equal(rendered, 20);
  // What was told last is told to others as it is, and what was told first is made again.
  for (const tell of tellNext.slice(-5)) await tell();
  assert.equal(rendered, 20);
  for (const tell of tellNext.slice(0, 5)) await tell();
  assert.deepEqual([rendered, told], [25, 30]);
});
