import type { InviteRow } from './invite-lists.js';
import type { Launch } from './launches.js';
import type { LedgerRow } from './ledger.js';
import type { Sql } from './sql.js';
import { fromStored, type StoredOrder, type TriggerOrderRow } from './trigger-order-row.js';

interface OrdersWanted {
  wallet?: string | undefined;
  /** Raw, as it is stored. */
  state?: string | undefined;
  limit: number;
  /** The id of the last one of the page before. */
  cursor?: string | undefined;
}

/** Trigger orders of all wallets, the newest first. */
export async function searchTriggerOrders(
  sql: Sql,
  { wallet, state, cursor, limit }: OrdersWanted,
): Promise<TriggerOrderRow[]> {
  const { rows } = await sql.query<StoredOrder>(
    `select * from orders where ($1::text is null or wallet = $1) and ($2::text is null or state = $2)
       and ($3::text is null or id < $3) order by id desc limit $4`,
    [wallet, state, cursor, limit],
  );
  return rows.map(fromStored);
}

type Facts =
  | 'id'
  | 'area'
  | 'wallet'
  | 'state'
  | 'cosigners'
  | 'handedOver'
  | 'lastValidBlockHeight'
  | 'createdAt'
  | 'expiresAt'
  | 'sentAt'
  | 'settledAt'
  | 'signature'
  | 'slot'
  | 'error';

/** What the ledger knows of a transaction, by its request id or its signature: of two, the one that was crafted. */
export async function findTransaction(
  sql: Sql,
  id: string,
): Promise<(Pick<LedgerRow, Facts> & { apiKey: string | null }) | undefined> {
  const { rows } = await sql.query<Pick<LedgerRow, Facts> & { apiKey: string | null }>(
    `select id, area, wallet, state, cosigners, handed_over as "handedOver", signature, slot, error,
       last_valid_block_height as "lastValidBlockHeight", created_at as "createdAt", expires_at as "expiresAt",
       sent_at as "sentAt", settled_at as "settledAt", api_key as "apiKey"
     from ledger where id = $1 or signature = $1 order by area = 'submit', id limit 1`,
    [id],
  );
  return rows[0];
}

type NewestLaunch = Pick<
  Launch,
  'mint' | 'name' | 'symbol' | 'creator' | 'pool' | 'requestId' | 'createdAt' | 'state'
> & {
  migratedAt: Date | null;
};

/** Launches whose transactions were crafted, the newest first. */
export async function newestLaunches(sql: Sql, limit: number): Promise<NewestLaunch[]> {
  const { rows } = await sql.query<NewestLaunch>(
    `select mint, name, symbol, creator, pool, request_id as "requestId", launches.created_at as "createdAt",
       migrated_at as "migratedAt", ledger.state
     from launches join ledger on ledger.id = request_id order by launches.created_at desc, mint limit $1`,
    [limit],
  );
  return rows;
}

type NewestInvite = Pick<
  InviteRow,
  'invitePda' | 'sender' | 'mint' | 'amount' | 'action' | 'receiver' | 'creationTime' | 'deletionTime'
>;

/** Invites of all senders, the newest first. */
export async function newestInvites(sql: Sql, limit: number): Promise<NewestInvite[]> {
  const { rows } = await sql.query<NewestInvite>(
    `select invite_pda as "invitePda", sender, mint, amount, action, receiver, creation_time as "creationTime",
       deletion_time as "deletionTime"
     from invites order by id desc limit $1`,
    [limit],
  );
  return rows;
}
