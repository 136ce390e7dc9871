import type { Sql, Tx } from './sql.js';

/** The service's account that holds a wallet's deposits. */
export interface Vault {
  wallet: string;
  id: string;
  address: string;
  createdAt: Date;
}

const COLUMNS = 'wallet, id, address, created_at as "createdAt"';

/** Stores the vault of a wallet. Undefined if the wallet has one already. */
export async function insertVault(tx: Tx, vault: Vault): Promise<Vault | undefined> {
  const { rows } = await tx.query<Vault>(
    `insert into vaults (wallet, id, address, created_at) values ($1, $2, $3, $4)
     on conflict (wallet) do nothing returning ${COLUMNS}`,
    [vault.wallet, vault.id, vault.address, vault.createdAt],
  );
  return rows[0];
}

/** The vault of a wallet. */
export async function findVault(sql: Sql, wallet: string): Promise<Vault | undefined> {
  return (await sql.query<Vault>(`select ${COLUMNS} from vaults where wallet = $1`, [wallet])).rows[0];
}

/** How many wallets have a vault. */
export async function countVaults(sql: Sql): Promise<number> {
  const { rows } = await sql.query<{ count: string }>('select count(*)::text as count from vaults');
  return Number(rows[0]?.count ?? 0);
}

const PAGE = 500;

/**
 * The wallets that have a vault, as the rows name them: nothing keeps one from naming what is no address. Those whose orders have
 * something in it come first: the others are as many as anybody likes.
 */
export async function* allVaultWallets(sql: Sql): AsyncGenerator<string, void> {
  yield* vaultWallets(sql, 'exists');
  yield* vaultWallets(sql, 'not exists');
}

async function* vaultWallets(sql: Sql, orders: 'exists' | 'not exists'): AsyncGenerator<string, void> {
  const text = `select wallet from vaults as v where wallet > $1
    and ${orders} (select from orders as o where o.wallet = v.wallet and o.funded) order by wallet limit $2`;
  for (let after: string | undefined = ''; after !== undefined; ) {
    const { rows }: { rows: { wallet: string }[] } = await sql.query<{ wallet: string }>(text, [after, PAGE]);
    yield* rows.map(({ wallet }) => wallet);
    after = rows.at(-1)?.wallet;
  }
}
