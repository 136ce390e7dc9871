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
  const book = new PoolBook({ live, skipped: createSkippedPools(), onGone: () => {}, onMoved: () => false });
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

test('attack: somebody who moves pools trades one to and fro over the edge of what it reads, so that it waits for a read each time: only the first time', async (t) => {
  const [address, left, right] = [newAddress(), newAddress(), newAddress()];
  const program = newAddress();
  let side = 0;
  let reads: string[] = [];
  let answers = Promise.resolve();
  const rpc: Rpc = {
    name: 'moving',
    call: async <T>(_method: string, params: unknown[]) => {
      const [addresses] = params as [string[]];
      const isOwn = (one: string) => one === address;
      if (!addresses.some(isOwn)) {
        reads.push(...addresses);
        await answers;
      }
      const value = addresses.map((one) => ({
        data: [Buffer.from([isOwn(one) ? side : 0]).toString('base64'), 'base64'],
        owner: program,
        lamports: 1,
        executable: false,
        space: 1,
      }));
      return { context: { slot: 1 }, value } as T;
    },
  };
  const live = createLiveAccounts({ rpc, steadyNow: runningNow, log: silent });
  t.after(() => live.close());
  const mints: [Address, Address] = [newAddress(), newAddress()];
  const venue = {
    label: 'moving',
    program,
    describe: (_address: Address, { data }: { data: Uint8Array }) => ({ mints, accounts: [data[0] ? right : left] }),
    open: () => ({}),
  } as unknown as Candidate['venue'];
  const book = new PoolBook({ live, skipped: createSkippedPools(), onGone: () => {}, onMoved: () => false });
  const wanted = new Map([[address, { address, venue, mints, accounts: [left] }]]);
  await book.replaceBy(wanted);
  const isOpen = () => book.get(address)!.state(runningNow()) !== undefined;
  const cross = async () => {
    side = 1 - side;
    await live.refresh([address]);
  };
  assert.ok(isOpen());
  reads = [];
  let give = () => {};
  answers = new Promise((resolve) => {
    give = resolve;
  });
  await cross();
  assert.deepEqual([reads, isOpen()], [[right], false]);
  give();
  while (!isOpen()) await new Promise(setImmediate);
  for (let count = 0; count < 10; count++) {
    await cross();
    assert.ok(isOpen());
  }
  assert.deepEqual(reads, [right]);
  await book.replaceBy(wanted);
  assert.deepEqual(
    [left, right].filter((account) => live.get(account)),
    [side ? right : left],
  );
});
