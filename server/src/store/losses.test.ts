import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { claimMany, failUnsent, insertCrafted, insertSubmission, settleMany, unclaim } from './ledger.js';
import { barLosses } from './losses.js';
import type { Store, Tx } from './sql.js';
import { openTestStore } from './testing.js';

const NOW = Date.UTC(2026, 10, 20);
const HOUR_MS = 60 * 60_000;
const WALLET = 'his';
const DOOMED = 600;

function request(id: string, area: string, wallet: string) {
  return {
    id,
    area,
    wallet,
    messageHash: Buffer.from(id.padEnd(32)),
    cosigners: ['gas'],
    lastValidBlockHeight: 1n,
    payload: {},
    createdAt: new Date(NOW),
    expiresAt: new Date(NOW + HOUR_MS),
  };
}

function submission(signature: string) {
  const { id: _, area: __, cosigners: ___, ...rest } = request(signature, 'submit', `wallet of ${signature}`);
  return { ...rest, signature, wire: Buffer.alloc(1), sentAt: new Date(NOW) };
}

/** How many rows of the ledger this transaction has read. */
async function rowsRead(tx: Tx): Promise<number> {
  const { rows } = await tx.query<{ read: bigint }>(
    `select seq_tup_read + idx_tup_fetch as read from pg_stat_xact_user_tables where relname = 'ledger'`,
  );
  return Number(rows[0]?.read);
}

for (const kind of ['embedded', 'postgres'] as const) {
  describe(`what our wallets may lose, on ${kind}`, () => {
    let store: Store;
    let close: () => Promise<void>;
    before(async () => {
      ({ store, close } = await openTestStore(kind));
    });
    after(() => close());

    it('attack: a wallet posts ever more that would fail, for nothing, so that its claims hold up those of others: none of that is read for one', async () => {
      for (const area of ['swap', 'trigger-fill']) {
        const doomed = Array.from({ length: DOOMED }, (_, i) => `doomed ${area} ${i}`);
        await store.transaction(async (tx) => {
          await insertCrafted(
            tx,
            doomed.flatMap((id) => [
              request(id, 'swap', WALLET),
              request(`of another ${id}`, 'swap', `wallet of ${id}`),
            ]),
          );
          for (const id of doomed) {
            const wire = Buffer.alloc(1);
            await failUnsent(tx, { id, wire, error: 'no money', settledAt: new Date(NOW) });
          }
          for (const id of doomed.slice(0, 50)) await insertSubmission(tx, submission(`submission ${id}`));
          await insertCrafted(tx, [request(`claim ${area}`, area, WALLET)]);
        });
        await store.query('analyze ledger');
        await store.transaction(async (tx) => {
          const id = `claim ${area}`;
          const sentAt = new Date(NOW);
          assert.equal((await claimMany(tx, [{ id, signature: id, wire: Buffer.alloc(1), sentAt }])).size, 1);
          const before = await rowsRead(tx);
          const bounds = {
            areas: [area],
            walletSince: new Date(NOW - HOUR_MS),
            walletMost: 1,
            allSince: new Date(NOW - HOUR_MS),
            allMost: 200,
            stillMost: 1,
            paceSince: new Date(0),
            paceMost: 0,
          };
          assert.deepEqual(await barLosses(tx, [id], bounds), new Map());
          const read = (await rowsRead(tx)) - before;
          assert.ok(read < DOOMED / 3, `${read} rows were read`);
        });
      }
    });

    it('bounds the rents of one wallet and of all that was signed: under way, landed, failed, expired, and refused after it, whichever come together', async () => {
      const area = 'limit-orders';
      const bounds = {
        areas: [area],
        walletSince: new Date(NOW - HOUR_MS),
        walletMost: 100,
        allSince: new Date(NOW - HOUR_MS),
        allMost: 100,
        stillMost: 1,
        paceSince: new Date(0),
        paceMost: 0,
        rents: { walletMost: 20n, allMost: 60n },
      };
      /** Claims these together; answers who is barred. */
      const claim = (wanted: readonly { id: string; wallet: string; rents?: bigint }[]) =>
        store.transaction(async (tx) => {
          await insertCrafted(
            tx,
            wanted.map(({ id, wallet }) => request(id, area, wallet)),
          );
          await claimMany(
            tx,
            wanted.map(({ id, rents }) => ({
              id,
              signature: id,
              wire: Buffer.alloc(1),
              sentAt: new Date(NOW),
              rents,
            })),
          );
          const barred = await barLosses(
            tx,
            wanted.map(({ id }) => id),
            bounds,
          );
          for (const id of barred.keys()) await unclaim(tx, id);
          return Object.fromEntries(barred);
        });
      const end = (id: string, event: 'failed' | 'expired' | 'landed', at = NOW) =>
        store.transaction((tx) =>
          settleMany(tx, [
            { id, event, ...(event !== 'expired' && { slot: 1n }), error: null, settledAt: new Date(at) },
          ]),
        );
      const of = (wallet: string, ...numbers: number[]) =>
        numbers.map((each) => ({ id: `${wallet} ${each}`, wallet, rents: 10n }));

      const anHourAgo = NOW - 2 * HOUR_MS;
      assert.deepEqual(await claim(of('one', 1, 2, 3)), { 'one 3': 'rents-of-wallet' });
      await end('one 1', 'failed', anHourAgo);
      await end('one 2', 'expired');
      // The third was signed when it was refused.
      assert.deepEqual(await claim([...of('one', 4), { id: 'one, without', wallet: 'one' }]), {
        'one 4': 'rents-of-wallet',
      });
      await store.query(`update ledger set created_at = $1 where id in ('one 3', 'one 4')`, [new Date(anHourAgo)]);
      assert.deepEqual(await claim(of('two', 1, 2)), {});
      await end('two 1', 'landed');
      await end('two 2', 'landed', anHourAgo);
      assert.deepEqual(await claim([...of('two', 3), ...of('three', 1, 2)]), {});
      assert.deepEqual(await claim([...of('two', 4), ...of('four', 1, 2), { id: 'five', wallet: 'five', rents: 0n }]), {
        'two 4': 'rents-of-wallet',
        'four 2': 'rents-of-all',
      });
      assert.deepEqual(await claim([{ id: 'of the version before', wallet: 'six' }]), {});
    });
  });
}
