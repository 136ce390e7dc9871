import type { Sql, Tx } from './sql.js';

/** The account of ours that holds what a wallet has deposited. */
export interface Vault {
  wallet: string;
  id: string;
  address: string;
  createdAt: Date;
}

const COLUMNS = 'wallet, id, address, created_at as "createdAt"';

/** Stores the vault of a wallet. Undefined when the wallet has one already. */
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
