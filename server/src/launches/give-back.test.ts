import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM } from '@slipway/wire';
import type { ChainAccount } from '../chain/index.js';
import type { Objects } from '../objects/index.js';
import { countMintNumbers, findLaunch, insertLaunch } from '../store/launches.js';
import { claimMany, insertCrafted } from '../store/ledger.js';
import { deleteDead } from '../store/ledger-cleaning.js';
import type { Store } from '../store/sql.js';
import { openTestStore } from '../store/testing.js';
import { launchFilesChore } from './index.js';

const START = Date.UTC(2026, 10, 20);
const MINUTE = 60_000;
const URL_MS = 15 * MINUTE;
/** The greatest block height at which the launches of these tests may land. */
const LAST_HEIGHT = 1_000n;
const objects = { removeUpload: async () => {}, publish: async () => true } as unknown as Objects;

for (const kind of ['embedded', 'postgres'] as const) {
  describe(`attack: a free key crafts launches to use up the stock of mint addresses, on ${kind}`, () => {
    let store: Store;
    let close: () => Promise<void>;
    let now: number;
    let height: bigint;
    let exists: Set<string>;
    let paid: Set<string>;

    before(async () => {
      ({ store, close } = await openTestStore(kind));
    });
    after(() => close());
    beforeEach(async () => {
      now = START;
      height = LAST_HEIGHT;
      exists = new Set();
      paid = new Set();
      await store.query('truncate launches, mint_numbers, ledger');
    });

    const chain = {
      blockHeight: async () => height,
      newestSlot: async () => 1n,
      async accountReading(address: string) {
        const owner = exists.has(address) ? TOKEN_PROGRAM : paid.has(address) ? SYSTEM_PROGRAM : undefined;
        return { account: owner && ({ owner } as ChainAccount), slot: 1n };
      },
    };
    const chore = () =>
      launchFilesChore({ store, clock: { now: () => now }, steadyNow: () => now, chain, objects }, URL_MS, 'ab')();
    const stock = () => countMintNumbers(store, 'ab');
    const set = (state: string) => store.query('update ledger set state = $1', [state]);

    async function crafted(number: number, mint = `mint${number}ab`): Promise<void> {
      const request = {
        id: `request-${number}`,
        area: 'studio',
        wallet: 'creator',
        messageHash: Buffer.alloc(32, number),
      };
      const times = { createdAt: new Date(now), expiresAt: new Date(now + 3 * MINUTE) };
      const cosigners = [`mint:${number}`, `launch:${number}`];
      const launch = { creator: 'creator', config: 'config', pool: 'pool', quoteMint: 'quote', name: 'N', symbol: 'S' };
      const more = { mint, requestId: request.id, sniperSlots: null, createdAt: new Date(now) };
      await store.transaction(async (tx) => {
        await insertCrafted(tx, [
          { ...request, ...times, cosigners, lastValidBlockHeight: LAST_HEIGHT, payload: { caller: 'key' } },
        ]);
        await insertLaunch(tx, { ...launch, ...more });
      });
    }

    /** Later than any URL for uploads is valid, and than any of the transactions. */
    function pass(): void {
      now += URL_MS + 2 * MINUTE;
      height += 1n;
    }

    it('20 that are never sent cost nothing: all 20 addresses are back once they have expired', async () => {
      for (let number = 1; number <= 20; number++) await crafted(number);
      now += URL_MS;
      await chore();
      assert.equal(await stock(), 0, 'their upload URLs still work');
      pass();
      await chore();
      assert.equal(await stock(), 20);
      assert.equal(await findLaunch(store, ['mint1ab']), undefined, 'the address can be another launch');
      await chore();
      assert.equal(await stock(), 20, 'once each');
    });

    for (const state of ['failed', 'expired']) {
      it(`one that was sent and has ${state} gives its address back`, async () => {
        await crafted(1);
        await set(state);
        pass();
        await chore();
        assert.equal(await stock(), 1);
      });
    }

    it('one that may still land keeps its address, whatever the clock says', async () => {
      await crafted(1);
      pass();
      height = LAST_HEIGHT;
      await chore();
      assert.equal(await stock(), 0);
      height += 1n;
      await chore();
      assert.equal(await stock(), 1);
    });

    it('one that is being sent, or has landed, keeps its address', async () => {
      for (const state of ['sending', 'landed']) {
        await store.query('truncate launches, mint_numbers, ledger');
        await crafted(1);
        await set(state);
        pass();
        await chore();
        assert.deepEqual([await stock(), (await findLaunch(store, ['mint1ab']))?.state], [0, state]);
      }
    });

    it('a late landing never meets an address that was given back: what exists stays taken', async () => {
      await crafted(1);
      await set('expired');
      exists.add('mint1ab');
      pass();
      await chore();
      exists.clear();
      await chore();
      assert.equal(await stock(), 0);
    });

    it('SOL that is sent to an address costs the stock nothing either: it comes back all the same', async () => {
      for (let number = 1; number <= 20; number++) {
        await crafted(number);
        paid.add(`mint${number}ab`);
      }
      pass();
      await chore();
      assert.equal(await stock(), 20);
    });

    it('a post that comes after its address went back cannot be sent any more', async () => {
      await crafted(1);
      pass();
      await chore();
      const claim = { id: 'request-1', signature: 'signature', wire: Buffer.alloc(65, 1) };
      assert.equal((await store.transaction((tx) => claimMany(tx, [{ ...claim, sentAt: new Date(now) }]))).size, 0);
      await store.transaction((tx) => deleteDead(tx, new Date(now), 10));
      assert.equal(await stock(), 1);
    });

    it('one whose files cannot be removed is not forgotten: its address is back once they can be', async () => {
      await crafted(1);
      pass();
      await store.transaction((tx) => deleteDead(tx, new Date(now), 10));
      assert.equal(await stock(), 0);
      await chore();
      assert.equal(await stock(), 1);
    });

    it('nothing comes back while the chain cannot be asked, nor what has another ending', async () => {
      await crafted(1, 'mint1cd');
      pass();
      await chore();
      assert.equal(await stock(), 0);
      await crafted(2);
      pass();
      const away = { ...chain, accountReading: () => Promise.reject(new Error('away')) };
      const clock = { now: () => now };
      await assert.rejects(
        launchFilesChore({ store, clock, steadyNow: () => now, chain: away, objects }, URL_MS, 'ab')(),
        /away/,
      );
      assert.equal(await stock(), 0);
    });
  });
}
