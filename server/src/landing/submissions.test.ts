import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { generateKeypair, memo } from '@slipway/wire';
import type { Chain, Statuses, Validity } from '../chain/index.js';
import { type Guest, Places } from '../lib/places.js';
import { CannotLand } from './index.js';
import { Submissions } from './submissions.js';
import { log, signedBy } from './testing.js';

test('attack: a free key posts ever other blockhashes that are made up: the node is asked about 16 of them at a time, and about those of others at once', async () => {
  const askers = new Set<string>();
  const asked = new Map<string, (answer: Validity & Statuses) => void>();
  const chain = {
    isBlockhashValid: (blockhash: string) => new Promise<Validity>((resolve) => asked.set(blockhash, resolve)),
    statuses: ([signature]: [string]) => new Promise<Statuses>((resolve) => asked.set(signature, resolve)),
    accountReading: async () => ({ account: undefined, slot: 1n }),
    newestSlot: async () => 1n,
    by({ id }: Guest) {
      askers.add(id);
      return chain;
    },
  } as unknown as Chain;
  const submissions = new Submissions({
    chain,
    steadyNow: () => 0,
    clock: { now: () => 0 },
    log,
    places: new Places({ ofKey: 500, all: 5_000 }),
    sendRpcs: [],
    store: { query: async () => ({ rows: [] }) } as never,
    // Nothing comes so far.
    following: undefined as never,
  });
  const madeUp = () => generateKeypair().address;
  const post = (blockhash: string, caller: { id: string; together?: string }) =>
    assert.rejects(submissions.submit(signedBy([memo('made up')], blockhash, generateKeypair()), caller), CannotLand);
  const answer = async () => {
    for (const [blockhash, resolve] of asked) {
      asked.delete(blockhash);
      resolve({ valid: false, slot: 1n, found: [undefined] });
    }
    await turn();
  };

  const posts = Array.from({ length: 100 }, () => post(madeUp(), { id: 'attacker' }));
  await turn();
  assert.equal(asked.size, 16);
  const other = madeUp();
  posts.push(post(other, { id: 'other' }));
  await turn();
  assert.ok(asked.has(other));
  assert.deepEqual([...askers], ['attacker', 'other'], 'by whom their calls have turns');
  for (let address = 0; address < 100; address++) {
    posts.push(post(madeUp(), { id: `page ${address}`, together: 'page' }));
  }
  await turn();
  assert.equal(asked.size, 16 + 1 + 64);
  for (; asked.size > 0; await answer()) assert.ok(asked.size <= 16 + 1 + 64, 'and as many of these have landed');
  await Promise.all(posts);
});
