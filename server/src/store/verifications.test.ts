import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { Store } from './sql.js';
import { openTestStore } from './testing.js';
import {
  confirmReserved,
  decide,
  eligibility,
  listVerifications,
  type NewVerification,
  paidFor,
  release,
  reserve,
  type VerificationKind,
} from './verifications.js';

const START = Date.UTC(2026, 10, 20);

const LONG_AGO = new Date(0);
const FREE = { verification: undefined, metadata: undefined };

function wanted(requestId: string, kind: VerificationKind): NewVerification {
  return {
    id: `${requestId} ${kind}`,
    tokenId: 'mint',
    kind,
    requestId,
    payer: 'payer',
    twitterHandle: '@slipway',
    senderTwitterHandle: null,
    description: 'a token',
    metadata: { links: ['https://example.com'] },
    paymentCurrency: 'SOL',
    paymentAmount: 2n ** 64n - 1n,
    createdAt: new Date(START),
  };
}

for (const kind of ['embedded', 'postgres'] as const) {
  describe(`the verifications on ${kind}`, () => {
    let store: Store;
    let close: () => Promise<void>;
    before(async () => {
      ({ store, close } = await openTestStore(kind));
    });
    after(() => close());
    beforeEach(() => store.query('truncate verifications'));

    const both = (requestId: string) => [wanted(requestId, 'verification'), wanted(requestId, 'metadata')];
    /** The kinds of the one payment that were taken. */
    const tryReserve = async (rows: NewVerification[]) =>
      (await store.transaction((tx) => reserve(tx, rows))).get(rows[0]!.requestId) ?? [];
    const pay = (requestId: string) => {
      const payment = { requestId, signature: `signature of ${requestId}`, paidAt: new Date(START + 1000) };
      return store.transaction(async (tx) => (await confirmReserved(tx, [payment])).length);
    };
    const kinds = async (requestId: string) => {
      const paid = (await paidFor(store, [requestId])).get(requestId) ?? [];
      return paid.filter(({ isMade }) => isMade).map(({ asked }) => asked.kind);
    };
    const judge = (id: string, decision: 'approved' | 'rejected', paid?: string) => {
      const said = { at: new Date(START + 2000), note: 'because', paid };
      return store.transaction((tx) => decide(tx, id, decision, said));
    };

    test('a payment reserves all of its kinds or none', async () => {
      assert.deepEqual(await tryReserve([wanted('a', 'metadata')]), []);
      assert.deepEqual(await tryReserve(both('b')), ['metadata']);
      assert.deepEqual(await eligibility(store, 'mint', LONG_AGO), { ...FREE, metadata: 'reserved' });
      assert.deepEqual(await tryReserve([wanted('c', 'verification')]), []);
      assert.deepEqual(await tryReserve(both('d')), ['metadata', 'verification']);
      assert.deepEqual(await eligibility(store, 'other', LONG_AGO), FREE);
    });

    test('of a group, each payment gets all of its kinds or none, and the others do not suffer', async () => {
      const first = both('a');
      const second = both('b').map((row) => ({ ...row, tokenId: 'other' }));
      const late = [wanted('c', 'metadata'), { ...wanted('c', 'verification'), tokenId: 'third' }];
      const refused = await store.transaction((tx) => reserve(tx, [...first, ...second, ...late]));
      assert.deepEqual([...refused], [['c', ['metadata']]]);
      assert.deepEqual(await eligibility(store, 'third', LONG_AGO), FREE);
      const paidAt = new Date(START);
      const landed = ['a', 'b'].map((requestId) => ({ requestId, signature: `of ${requestId}`, paidAt }));
      assert.equal((await store.transaction((tx) => confirmReserved(tx, landed))).length, 4);
      const signatures = (await listVerifications(store, { limit: 9 })).map(
        (row) => `${row.requestId} ${row.signature}`,
      );
      assert.deepEqual(signatures.sort(), ['a of a', 'a of a', 'b of b', 'b of b']);
      assert.deepEqual([...(await paidFor(store, ['a', 'b', 'c'])).keys()].sort(), ['a', 'b']);
    });

    test('what is released is free again, what is paid is not', async () => {
      await tryReserve(both('a'));
      assert.equal(await store.transaction((tx) => release(tx, ['a'])), 2);
      assert.deepEqual(await eligibility(store, 'mint', LONG_AGO), FREE);
      await tryReserve(both('b'));
      assert.deepEqual(await kinds('b'), []);
      assert.equal(await pay('b'), 2);
      assert.equal(await store.transaction((tx) => release(tx, ['b'])), 0);
      assert.equal(await pay('b'), 0);
      assert.deepEqual(await kinds('b'), ['metadata', 'verification']);
      assert.deepEqual(await eligibility(store, 'mint', LONG_AGO), { verification: 'pending', metadata: 'pending' });
    });

    test('a token is verified once, its metadata may change again', async () => {
      await tryReserve(both('a'));
      assert.equal(await judge('a verification', 'approved'), 'not-pending');
      await pay('a');
      assert.equal(await judge('missing', 'approved'), 'not-found');
      const approved = await judge('a verification', 'approved', 'signature of a');
      assert.deepEqual(approved, {
        ...wanted('a', 'verification'),
        state: 'approved',
        signature: 'signature of a',
        paidAt: new Date(START + 1000),
        decidedAt: new Date(START + 2000),
        note: 'because',
      });
      assert.equal(await judge('a verification', 'rejected'), 'not-pending');
      await judge('a metadata', 'approved', 'signature of a');
      assert.deepEqual(await eligibility(store, 'mint', LONG_AGO), { ...FREE, verification: 'approved' });
      assert.deepEqual(await tryReserve(both('b')), ['verification']);
      assert.deepEqual(await tryReserve([wanted('c', 'metadata')]), []);
    });

    test('nothing is approved of which no payment, or another one, was found final', async () => {
      await tryReserve([wanted('a', 'verification')]);
      await pay('a');
      assert.equal(await judge('a verification', 'approved'), 'not-pending');
      assert.equal(await judge('a verification', 'approved', 'signature of b'), 'not-pending');
      assert.deepEqual(await eligibility(store, 'mint', LONG_AGO), { ...FREE, verification: 'pending' });
    });

    test('a rejected token may be asked for again', async () => {
      await tryReserve([wanted('a', 'verification')]);
      await pay('a');
      await judge('a verification', 'rejected');
      assert.deepEqual(await tryReserve([wanted('b', 'verification')]), []);
    });

    test('requests are listed newest first, page by page, by state', async () => {
      const rows = ['1', '2', '3', '4', '5'].map((id) => ({ ...wanted(id, 'metadata'), id, tokenId: `mint ${id}` }));
      for (const row of rows) await tryReserve([row]);
      await pay('2');
      await pay('4');
      const ids = async (page: Parameters<typeof listVerifications>[1]) =>
        (await listVerifications(store, page)).map((row) => row.id);
      assert.deepEqual(await ids({ limit: 2 }), ['5', '4']);
      assert.deepEqual(await ids({ limit: 2, cursor: '4' }), ['3', '2']);
      assert.deepEqual(await ids({ limit: 9, cursor: '2' }), ['1']);
      assert.deepEqual(await ids({ limit: 9, state: 'pending' }), ['4', '2']);
    });
  });
}
