import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { claimMany, failUnsent, insertCrafted, insertSubmission } from './ledger.js';
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
          };
          assert.deepEqual(await barLosses(tx, [id], bounds), new Map());
          const read = (await rowsRead(tx)) - before;
          assert.ok(read < DOOMED / 3, `${read} rows were read`);
        });
      }
    });
  });
}
