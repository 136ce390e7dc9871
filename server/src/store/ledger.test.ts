import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { findLaunch, finishLaunch, insertLaunch, setPage } from './launches.js';
import {
  type Claim,
  claimMany,
  completeSignature,
  deleteSubmission,
  findBySignature,
  findRequest,
  findTwins,
  insertCrafted,
  insertSubmission,
  type NewRequest,
  renewLeases,
  settleMany,
  takeAbandoned,
  unclaim,
} from './ledger.js';
import { deleteDead, deleteNeverLanded } from './ledger-cleaning.js';
import type { Store, Tx } from './sql.js';
import { openTestStore } from './testing.js';
import { type NewVerification, reserve } from './verifications.js';

const START = Date.UTC(2026, 10, 20);

/** `seconds` after the start of the story. */
function at(seconds: number): Date {
  return new Date(START + seconds * 1000);
}

function request(id: string, changes: Partial<NewRequest> = {}): NewRequest {
  return {
    id,
    area: 'express',
    wallet: 'So11111111111111111111111111111111111111112',
    messageHash: new Uint8Array(32).fill(7),
    cosigners: ['gas', 'odd "role", with {marks}\\'],
    lastValidBlockHeight: 2n ** 60n + 1n,
    payload: { amount: '1000000000', nested: { text: 'ä "quoted" \\ \n 🚀' } },
    createdAt: at(0),
    expiresAt: at(180),
    ...changes,
  };
}

function claimOf(id: string, changes: Partial<Claim> = {}): Claim {
  const wire = new Uint8Array([1, 0, 255]);
  return { id, signature: `signature of ${id}`, wire, sentAt: at(10), ...changes };
}

const reservationOf = (requestId: string): NewVerification => ({
  id: '1',
  tokenId: 'mint',
  kind: 'metadata',
  requestId,
  payer: 'payer',
  twitterHandle: null,
  senderTwitterHandle: null,
  description: null,
  metadata: null,
  paymentCurrency: 'SOL',
  paymentAmount: 1n,
  createdAt: at(0),
});

const claim = async (tx: Tx, wanted: Claim): Promise<boolean> => (await claimMany(tx, [wanted])).has(wanted.id);

for (const kind of ['embedded', 'postgres'] as const) {
  describe(`the ledger on ${kind}`, () => {
    let store: Store;
    let close: () => Promise<void>;
    before(async () => {
      ({ store, close } = await openTestStore(kind));
    });
    after(() => close());
    beforeEach(() => store.query('truncate ledger, launches, verifications'));

    const insert = (...rows: NewRequest[]) => store.transaction((tx) => insertCrafted(tx, rows));
    const sending = async (...ids: string[]) => {
      await insert(...ids.map((id) => request(id)));
      const claims = ids.map((id) => claimOf(id));
      await store.transaction((tx) => claimMany(tx, claims));
    };

    test('of requests with the same transaction, one wins; the others stay crafted, and are told apart', async () => {
      await insert(...['a', 'b', 'c', 'd', 'e'].map((id) => request(id)));
      const same = { signature: 'one' };
      const claims = [claimOf('a', same), claimOf('b', same), claimOf('c')];
      assert.deepEqual(await store.transaction((tx) => claimMany(tx, claims)), new Set(['a', 'c']));
      assert.deepEqual(
        await store.transaction((tx) => claimMany(tx, [claimOf('b', same), claimOf('d')])),
        new Set(['d']),
      );
      const twins = (tx: Tx) => findTwins(tx, ['a', 'b', 'none']);
      assert.deepEqual(await store.transaction(twins), new Set(['b']));
      assert.equal(await store.transaction((tx) => claim(tx, claimOf('b'))), true);
    });

    test('a submission of the same transaction does not stand in the way of its request', async () => {
      await insert(request('a'));
      const signature = 'signature of a';
      const { area, cosigners, id, ...rest } = request(signature);
      const sent = { signature, wire: new Uint8Array(3), sentAt: at(1) };
      assert.equal(await store.transaction((tx) => insertSubmission(tx, { ...rest, ...sent })), true);
      assert.equal(await store.transaction((tx) => claim(tx, claimOf('a'))), true);
    });

    test('what is handed over has no signature until it is found out, and no other with its message is', async () => {
      await insert(request('a'), request('b'), request('c', { messageHash: new Uint8Array(32).fill(8) }));
      const handOver = (id: string) => store.transaction((tx) => claim(tx, claimOf(id, { signature: null })));
      assert.deepEqual([await handOver('a'), await handOver('b'), await handOver('c')], [true, false, true]);
      assert.deepEqual(await findRequest(store, 'a').then((row) => [row!.state, row!.signature, row!.handedOver]), [
        'sending',
        null,
        true,
      ]);
      const complete = (id: string) =>
        store.transaction((tx) => completeSignature(tx, id, `of ${id}`, new Uint8Array([9])));
      assert.deepEqual([await complete('a'), await complete('b')], [true, false]);
      assert.deepEqual(await findBySignature(store, 'of a').then((row) => [row!.id, row!.wire]), [
        'a',
        Buffer.from([9]),
      ]);
      await store.transaction((tx) => settleMany(tx, [{ id: 'a', event: 'landed', slot: 1n, settledAt: at(20) }]));
      assert.equal(await complete('a'), false, 'what is settled stays as it is');
    });

    test('a group of crafted requests comes back as it was written', async () => {
      await insert(request('a'), request('b', { cosigners: [], payload: null, wallet: 'other' }));
      assert.deepEqual(await findRequest(store, 'a'), {
        ...request('a'),
        messageHash: Buffer.alloc(32, 7),
        state: 'crafted',
        signature: null,
        wire: null,
        sentAt: null,
        settledAt: null,
        slot: null,
        error: null,
        leaseUntil: null,
        handedOver: false,
        seal: null,
        apiKey: null,
      });
      const b = await findRequest(store, 'b');
      assert.deepEqual([b?.wallet, b?.cosigners, b?.payload], ['other', [], null]);
      assert.equal(await findRequest(store, 'c'), undefined);
    });

    test('a group with an id that is there already is not written at all', async () => {
      await insert(request('a'));
      await assert.rejects(insert(request('b'), request('a')), { code: '23505' });
      assert.equal(await findRequest(store, 'b'), undefined);
    });

    test('a request is claimed once and then carries what is sent', async () => {
      await insert(request('a'), request('b'));
      assert.equal(await store.transaction((tx) => claim(tx, claimOf('a'))), true);
      assert.equal(await store.transaction((tx) => claim(tx, claimOf('a', { signature: 'second' }))), false);
      const won = await store.transaction((tx) => claimMany(tx, [claimOf('a'), claimOf('b'), claimOf('missing')]));
      assert.deepEqual([...won], ['b']);
      const row = await findBySignature(store, 'signature of a');
      assert.deepEqual(
        [row?.id, row?.state, row?.wire, row?.sentAt],
        ['a', 'sending', Buffer.from([1, 0, 255]), at(10)],
      );
    });

    test('an undone claim leaves the request as it was', async () => {
      await insert(request('a'));
      const before = await findRequest(store, 'a');
      await store.transaction(async (tx) => {
        await claim(tx, claimOf('a'));
        await unclaim(tx, 'a');
      });
      assert.deepEqual(await findRequest(store, 'a'), before);
    });

    test('a transaction that was submitted can still be claimed for its request, which then speaks for it', async () => {
      const { wallet, messageHash, lastValidBlockHeight, payload, createdAt, expiresAt } = request('');
      const common = { wallet, messageHash, lastValidBlockHeight, payload, createdAt, expiresAt };
      const { wire, sentAt } = claimOf('');
      const submission = { ...common, signature: 'signature of a', wire, sentAt };
      const submit = () => store.transaction((tx) => insertSubmission(tx, submission));
      assert.equal(await submit(), true);
      assert.equal(await submit(), false);
      await insert(request('a'));
      const row = await findBySignature(store, 'signature of a');
      assert.deepEqual([row?.area, row?.state, row?.signature], ['submit', 'sending', 'signature of a']);

      assert.equal(await store.transaction((tx) => claim(tx, claimOf('a'))), true);
      assert.equal((await findBySignature(store, 'signature of a'))?.id, 'a');
      assert.equal(await store.transaction((tx) => deleteSubmission(tx, 'signature of a')), true);
      assert.equal(await store.transaction((tx) => deleteSubmission(tx, 'signature of a')), false);
      assert.equal(await submit(), false);
    });

    test('a sent transaction is settled once, an unsent one never', async () => {
      await sending('a', 'b', 'c');
      await insert(request('unsent'));
      const [landed] = await store.transaction((tx) =>
        settleMany(tx, [{ id: 'a', event: 'landed', slot: 2n ** 53n + 1n, settledAt: at(12) }]),
      );
      assert.deepEqual(
        [landed?.state, landed?.slot, landed?.error, landed?.settledAt, landed?.leaseUntil, landed?.wire],
        ['landed', 2n ** 53n + 1n, null, at(12), null, Buffer.from([1, 0, 255])],
      );
      const error = { InstructionError: [0, { Custom: 6001 }] };
      const settled = await store.transaction((tx) =>
        settleMany(tx, [
          { id: 'a', event: 'failed', settledAt: at(13) },
          { id: 'b', event: 'failed', slot: 5n, error, settledAt: at(13) },
          { id: 'c', event: 'expired', settledAt: at(13) },
          { id: 'unsent', event: 'landed', settledAt: at(13) },
        ]),
      );
      const states = settled.map((row) => [row.id, row.state, row.slot, row.error]).sort();
      assert.deepEqual(states, [
        ['b', 'failed', 5n, error],
        ['c', 'expired', null, null],
      ]);
      assert.equal((await findRequest(store, 'a'))?.state, 'landed');
      assert.equal((await findRequest(store, 'unsent'))?.state, 'crafted');
    });

    test('what nobody holds any more is taken over, and only that', async () => {
      await sending('lapsed', 'renewed', 'settled');
      await insert(request('crafted'));
      await store.query(`update ledger set lease_until = 'epoch' where lease_until is not null`);
      const renewed = await store.transaction((tx) => renewLeases(tx, ['renewed', 'crafted', 'missing']));
      assert.equal(renewed, 1);
      await store.transaction((tx) =>
        settleMany(tx, [{ id: 'settled', event: 'landed', slot: 1n, settledAt: at(20) }]),
      );

      const take = (all = false) => store.transaction((tx) => takeAbandoned(tx, { all }, 10));
      assert.deepEqual(
        (await take()).map((row) => [row.id, row.wire]),
        [['lapsed', Buffer.from([1, 0, 255])]],
      );
      assert.deepEqual(await take(), []);
      assert.deepEqual((await take(true)).map(({ id }) => id).sort(), ['lapsed', 'renewed']);
    });

    test('a dead request is deleted unless something refers to it; what was sent never is', async () => {
      await sending('sent');
      await insert(request('dead'), request('young', { expiresAt: at(500) }), request('referred'));
      await store.transaction((tx) => reserve(tx, [reservationOf('referred')]));
      assert.equal(await store.transaction((tx) => deleteDead(tx, at(400), 10)), 1);
      const { rows } = await store.query('select id from ledger order by id');
      assert.deepEqual(rows, [{ id: 'referred' }, { id: 'sent' }, { id: 'young' }]);
    });

    test('attack: a free key posts ever more that never lands: its rows are deleted after some days, in batches, and no others', async () => {
      const lost = ['lost 1', 'lost 2', 'lost 3', 'referred', 'launched', 'young'];
      await sending(...lost, 'rejected', 'failed', 'landed', 'under way');
      const ended = { settledAt: at(20) };
      await store.transaction((tx) =>
        settleMany(tx, [
          ...lost.map((id) => ({ id, event: 'expired' as const, settledAt: id === 'young' ? at(500) : at(20) })),
          { id: 'rejected', event: 'failed', ...ended },
          { id: 'failed', event: 'failed', slot: 1n, ...ended },
          { id: 'landed', event: 'landed', slot: 1n, ...ended },
        ]),
      );
      await store.transaction((tx) => reserve(tx, [reservationOf('referred')]));
      const launch = { mint: 'mint', creator: 'creator', config: 'config', pool: 'pool', quoteMint: 'quote' };
      const named = { name: 'A', symbol: 'A', sniperSlots: null, createdAt: at(0), requestId: 'launched' };
      await store.transaction((tx) => insertLaunch(tx, { ...launch, ...named }));
      const deleteSome = () => store.transaction((tx) => deleteNeverLanded(tx, at(400), 3));
      assert.deepEqual([await deleteSome(), await deleteSome(), await deleteSome()], [3, 1, 0]);
      const { rows } = await store.query<{ id: string }>('select id from ledger order by id');
      const left = ['failed', 'landed', 'launched', 'referred', 'under way', 'young'];
      assert.deepEqual(
        rows.map(({ id }) => id),
        left,
      );
    });

    test('attack: a free key posts ever more launches that never land, each with a long page: they are deleted, too, once their files are', async () => {
      const requests = ['finished', 'unfinished', 'landed'];
      await sending(...requests);
      for (const requestId of requests) {
        const launch = { mint: requestId, creator: 'creator', config: 'config', pool: 'pool', quoteMint: 'quote' };
        const named = { name: 'A', symbol: 'A', sniperSlots: null, createdAt: at(0), requestId };
        await store.transaction(async (tx) => {
          await insertLaunch(tx, { ...launch, ...named });
          await setPage(tx, requestId, { content: 'A'.repeat(10_000), headerKey: null });
        });
      }
      await store.transaction(async (tx) => {
        const settledAt = at(20);
        await settleMany(tx, [
          { id: 'finished', event: 'expired', settledAt },
          { id: 'unfinished', event: 'expired', settledAt },
          { id: 'landed', event: 'landed', slot: 1n, settledAt },
        ]);
        for (const mint of ['finished', 'landed']) await finishLaunch(tx, mint, at(30));
      });
      assert.equal(await store.transaction((tx) => deleteNeverLanded(tx, at(400), 10)), 1);
      const left = await Promise.all(requests.map((mint) => findLaunch(store, [mint])));
      assert.deepEqual(
        left.map((launch) => launch?.mint),
        [undefined, 'unfinished', 'landed'],
      );
    });
  });
}
