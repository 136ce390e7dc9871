import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TOKEN_SWAP_PROGRAM } from '@slipway/programs';
import type { Address } from '@slipway/wire';
import { ChainUnavailable, createLiveAccounts, type Rpc } from '../../chain/index.js';
import { runningNow } from '../../lib/testing.js';
import type { Candidate } from './finder.js';
import { PoolBook } from './pool-book.js';
import { createSkippedPools } from './skipped-pools.js';
import { newAddress, silent } from './testing.js';
import { tokenSwapVenue } from './venues/index.js';

test('new pools whose accounts cannot be read are not watched: nothing would end that where they are asked for no more', async (t) => {
  let isAway = false;
  const rpc: Rpc = {
    name: 'empty',
    call: async <T>(_method: string, params: unknown[]) => {
      if (isAway) throw new ChainUnavailable('no answer');
      const [addresses] = params as [string[]];
      return { context: { slot: 1 }, value: addresses.map(() => null) } as T;
    },
  };
  const live = createLiveAccounts({ rpc, steadyNow: runningNow, log: silent });
  t.after(() => live.close());
  const book = new PoolBook({ live, skipped: createSkippedPools(), onGone: () => {} });
  const shared = newAddress();
  const candidate = (): Candidate => ({
    address: newAddress(),
    venue: tokenSwapVenue(TOKEN_SWAP_PROGRAM),
    mints: [newAddress(), newAddress()],
    accounts: [newAddress(), shared],
  });
  const replaceBy = (candidates: Candidate[]) =>
    book.replaceBy(new Map(candidates.map((each) => [each.address, each])));
  const watched = (addresses: Address[]) => addresses.filter((address) => live.get(address));
  const [known, added] = [candidate(), candidate()];
  const ofKnown = [known.address, ...known.accounts];

  await replaceBy([known]);
  isAway = true;
  await assert.rejects(replaceBy([known, added]), ChainUnavailable);
  assert.deepEqual(watched([...ofKnown, added.address, ...added.accounts]), [...ofKnown, shared]);

  isAway = false;
  assert.deepEqual(await replaceBy([known, added]), { added: 1, dropped: 0 });
  assert.deepEqual(watched([added.address, ...added.accounts]), [added.address, ...added.accounts]);
});
