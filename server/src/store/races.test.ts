import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { type Claim, claimMany, insertCrafted, takeAbandoned, unclaim } from './ledger.js';
import { createLimiter } from './limiter.js';
import { take } from './limits.js';
import { barLosses } from './losses.js';
import { openStore } from './postgres/open-store.js';
import type { Store, Tx } from './sql.js';
import { PATIENCE, type TestPostgres, usePostgres } from './testing.js';
import { reserve, type VerificationKind } from './verifications.js';

const now = new Date(Date.UTC(2026, 10, 20));

const later = new Date(now.getTime() + 30_000);

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

const claim = async (tx: Tx, wanted: Claim): Promise<boolean> => (await claimMany(tx, [wanted])).has(wanted.id);

function claimOf(id: string, attempt: number) {
  const wire = new Uint8Array([attempt]);
  return { id, signature: `${id} ${attempt}`, wire, sentAt: now };
}

describe('copies of the service on one PostgreSQL database', () => {
  let server: TestPostgres;
  let url: string;
  let stores: [Store, Store];
  before(async () => {
    server = await usePostgres();
    url = await server.createDatabase();
    // As copies have: a busy machine takes seconds to make many more connections at once, and gives them up.
    const open = () => openStore({ kind: 'postgres', url, patience: PATIENCE });
    stores = [await open(), await open()];
  });
  after(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await server.stop();
  });
  beforeEach(() => stores[0].query('truncate ledger, launches, verifications, rate_windows'));

  const craft = (ids: string[]) =>
    stores[0].transaction((tx) =>
      insertCrafted(
        tx,
        ids.map((id) => ({
          id,
          area: 'express',
          wallet: 'w',
          messageHash: new Uint8Array(32),
          cosigners: [],
          lastValidBlockHeight: 1n,
          payload: {},
          createdAt: now,
          expiresAt: later,
        })),
      ),
    );

  test('of 100 claims of one request at once, one wins', async () => {
    await craft(['a']);
    const won = await Promise.all(
      times(100, (index) => stores[index % 2 ? 0 : 1].transaction((tx) => claim(tx, claimOf('a', index)))),
    );
    assert.equal(won.filter(Boolean).length, 1);
    const { rows } = await stores[0].query('select signature from ledger');
    assert.deepEqual(rows, [{ signature: `a ${won.indexOf(true)}` }]);
  });

  test('attack: a wallet posts orders whose gas the service pays, all at once: one is under way', async () => {
    const ids = times(30, (index) => `order ${index}`);
    const row = { area: 'swap', wallet: 'w', cosigners: ['gas'], lastValidBlockHeight: 1n, payload: {} };
    const dates = { createdAt: now, expiresAt: later };
    await stores[0].transaction((tx) =>
      insertCrafted(
        tx,
        ids.map((id, index) => ({ id, ...row, ...dates, messageHash: new Uint8Array(32).fill(index) })),
      ),
    );
    const bounds = {
      areas: ['swap'],
      walletSince: now,
      walletMost: 1,
      allSince: now,
      allMost: 100,
      stillMost: 1,
      paceSince: now,
      paceMost: 0,
    };
    const post = (id: string, index: number) =>
      stores[index % 2 ? 0 : 1].transaction(async (tx) => {
        assert.ok(await claim(tx, claimOf(id, index)));
        const barred = await barLosses(tx, [id], bounds);
        for (const one of barred.keys()) await unclaim(tx, one);
        return barred.get(id);
      });
    const answers = await Promise.all(ids.map(post));
    assert.equal(answers.filter((why) => why === undefined).length, 1);
    assert.equal(answers.filter((why) => why === 'under-way').length, 29);
  });

  for (const [what, signature] of [
    ['sent by us', 'the same'],
    ['handed over', null],
  ] as const) {
    test(`of 40 requests with the same transaction, ${what}, at once, one wins`, async () => {
      const ids = times(40, (index) => `request ${index}`);
      await craft(ids);
      const won = await Promise.all(
        ids.map((id, index) =>
          stores[index % 2 ? 0 : 1].transaction((tx) => claim(tx, { ...claimOf(id, 0), signature })),
        ),
      );
      assert.equal(won.filter(Boolean).length, 1);
    });
  }

  test('groups that claim the same requests in different orders share them out without waiting for each other', async () => {
    const ids = times(50, (index) => `request ${index}`);
    await craft(ids);
    const groups = await Promise.all(
      times(20, (index) => {
        const claims = ids.map((id) => claimOf(id, index));
        const ordered = index % 2 ? claims : claims.reverse();
        return stores[index % 3 ? 0 : 1].transaction((tx) => claimMany(tx, ordered));
      }),
    );
    assert.deepEqual(groups.flatMap((won) => [...won]).sort(), [...ids].sort());
  });

  test('attack: a free key makes 1,000 calls at once through two copies: it gets exactly the limit', async () => {
    const granted = await Promise.all(
      times(1000, (index) =>
        take(stores[index % 2 ? 0 : 1], {
          keyId: 'k',
          bucket: 'main',
          windowSeconds: 60,
          limit: 137,
          calls: 1,
        }),
      ),
    );
    assert.equal(granted.filter((state) => state.granted === 1).length, 137);
    const limiters = stores.map((store) =>
      createLimiter({ store, tiers: { free: { perMinute: 211, executePer10s: 1 } }, steadyNow: () => 0 }),
    );
    const decisions = await Promise.all(times(1000, (index) => limiters[index % 2]!.take('other', 'main', 'free')));
    const allowed = decisions.filter((decision) => decision.allowed);
    assert.deepEqual(
      allowed.map((decision) => decision.current).sort((a, b) => a - b),
      times(211, (index) => index + 1),
    );
  });

  test('of two payments for the same token at once, one reserves it', async () => {
    const wanted = (requestId: string, kind: VerificationKind) => ({
      id: `${requestId} ${kind}`,
      tokenId: 'mint',
      kind,
      requestId,
      payer: 'payer',
      twitterHandle: null,
      senderTwitterHandle: null,
      description: null,
      metadata: null,
      paymentCurrency: 'SOL',
      paymentAmount: 1n,
      createdAt: now,
    });
    const kinds: VerificationKind[] = ['verification', 'metadata'];
    const conflicts = await Promise.all(
      times(20, (index) => {
        const rows = kinds.map((kind) => wanted(`request ${index}`, kind));
        return stores[index % 2 ? 0 : 1].transaction((tx) => reserve(tx, index % 3 ? rows : rows.reverse()));
      }),
    );
    assert.equal(conflicts.filter((refused) => refused.size === 0).length, 1);
    assert.equal((await stores[0].query('select from verifications')).rowCount, 2);
  });

  test('keepers that take over at the same time get different transactions, and all of them', async () => {
    const ids = times(200, (index) => `request ${index}`);
    await craft(ids);
    const claims = ids.map((id) => claimOf(id, 0));
    await stores[0].transaction((tx) => claimMany(tx, claims));
    await stores[0].query(`update ledger set lease_until = 'epoch'`);
    const taken: string[] = [];
    const keep = async (store: Store) => {
      for (;;) {
        const rows = await store.transaction((tx) => takeAbandoned(tx, { all: false }, 7));
        if (rows.length === 0) return;
        taken.push(...rows.map((row) => row.id));
      }
    };
    await Promise.all(times(8, (index) => keep(stores[index % 2 ? 0 : 1])));
    assert.deepEqual(taken.sort(), [...ids].sort());
  });

  test('copies that start on an empty database at the same time all come up', async () => {
    const empty = await server.createDatabase();
    const opened = await Promise.all(
      times(6, () => openStore({ kind: 'postgres', url: empty, poolSize: 2, patience: PATIENCE })),
    );
    for (const store of opened) {
      assert.equal((await store.query('select from ledger')).rowCount, 0);
      await store.close();
    }
  });
});
