import { resealMakers, type UrlBox } from './makers.js';
import type { Sql, Store, Tx } from './sql.js';
import { listStops } from './stops.js';
import { fromStored, type StoredOrder, type TriggerOrderRow } from './trigger-order-row.js';
import { resealWebhooks } from './webhooks.js';

/** The seeds by their gas wallets. `before`: all that the old one had. */
export interface Seeds {
  before: readonly string[];
  after: string;
}

const SIGNER = 'identity.signer';

/** No service starts on this database while it says so. */
const marker = ({ before, after }: Seeds): string => `moving from ${before[0]} to ${after}`;

/**
 * Says in the database that everything moves to another seed, so that no service with either starts meanwhile.
 * @returns false where all has moved already. @throws Error where it belongs to others, or is not stopped
 */
export function beginSeedMigration(store: Store, seeds: Seeds): Promise<boolean> {
  return store.transaction(async (tx) => {
    const { rows } = await tx.query<{ value: string }>(
      `select value #>> '{}' as value from settings where key = $1 for update`,
      [SIGNER],
    );
    const found = rows[0]?.value;
    if (found === undefined) throw new Error('the database is of no service that ever ran');
    if (found === seeds.after) return false;
    if (found !== marker(seeds) && !seeds.before.includes(found)) {
      throw new Error(`the database is not that of the old signer file (there ${found}, here ${seeds.before[0]})`);
    }
    if (!(await listStops(tx)).some(({ what }) => what === 'all')) {
      throw new Error('the service is not stopped: run "slipway stop all --why ..." first, and resume it at the end');
    }
    await tx.query('update settings set value = to_jsonb($2::text) where key = $1', [SIGNER, marker(seeds)]);
    return true;
  });
}

/** How many transactions with keys of the service are under way; whatever else was crafted is dead with the old seed. */
export async function countUnderWay(sql: Sql): Promise<number> {
  const { rows } = await sql.query<{ count: string }>(
    `select count(*)::text as count from ledger where state = 'sending' and cardinality(cosigners) > 0`,
  );
  return Number(rows[0]!.count);
}

export async function ordersOfWallet(sql: Sql, wallet: string): Promise<TriggerOrderRow[]> {
  const { rows } = await sql.query<StoredOrder>('select * from orders where wallet = $1 order by id', [wallet]);
  return rows.map(fromStored);
}

type Moved = Pick<TriggerOrderRow, 'id' | 'vault' | 'inputAccount' | 'outputAccount'> & { seal: Uint8Array };

/** Gives a wallet its other vault, and orders their accounts in it, if they are still as they were read. */
export async function moveOrders(
  tx: Tx,
  wallet: string,
  { before, after }: { before: string; after: string },
  orders: readonly Moved[],
): Promise<void> {
  await tx.query('update vaults set address = $2 where wallet = $1', [wallet, after]);
  for (const { id, vault, inputAccount, outputAccount, seal } of orders) {
    await tx.query(
      `update orders set vault = $4, input_account = $5, output_account = $6, seal = $7
       where wallet = $1 and id = $2 and vault = $3`,
      [wallet, id, before, vault, inputAccount, outputAccount, seal],
    );
  }
}

/** Everything else that is of the old seed, and last of all whose the database is. */
export async function endSeedMigration(store: Store, seeds: Seeds, boxes: { from: UrlBox; to: UrlBox }): Promise<void> {
  await store.transaction(async (tx) => {
    await resealMakers(tx, boxes.from, boxes.to);
    await resealWebhooks(tx, boxes.from, boxes.to);
    // They are numbers of keys, and those keys have other addresses now.
    await tx.query('delete from mint_numbers');
    // The next start writes down the new ones.
    await tx.query(`delete from settings where key in ('identity.keeper', 'identity.tracker')`);
    await tx.query('update settings set value = to_jsonb($2::text) where key = $1', [SIGNER, seeds.after]);
  });
}
