import { type NewEvent, tell } from './event-outbox.js';
import type { InviteEnd, PlacedInviteEvent } from './invite-events.js';
import { BLOCK_SIZE, foldEvents, type InviteChanges, type InviteState, type ListedInvite } from './invite-fold.js';
import { noneOf, type Sql, type Tx, toJson } from './sql.js';

/** An invite, derived from its events. The amount is in the smallest unit. */
export interface InviteRow {
  invitePda: string;
  inviteSigner: string;
  sender: string;
  /** Null for SOL. */
  mint: string | null;
  amount: string;
  /** Unix seconds. */
  expiry: bigint;
  creationTx: string;
  creationTime: Date;
  /** Null if the transaction that ended it could not be read. */
  action: 'created' | InviteEnd | null;
  receiver: string | null;
  deletionTx: string | null;
  deletionTime: Date | null;
}

export interface InvitePage {
  /** Starts at 1. */
  page: number;
  size: number;
}

export const LISTS = ['invites', 'invite_history', 'invite_addresses', 'invite_blocks'];

const COLUMNS = `
  i.invite_pda as "invitePda", i.invite_signer as "inviteSigner", i.sender, i.mint, i.amount, i.expiry,
  i.creation_tx as "creationTx", i.creation_time as "creationTime", i.action, i.receiver,
  i.deletion_tx as "deletionTx", i.deletion_time as "deletionTime"`;

/**
 * $1: the wallet; $2: how many of the newest to skip. The limit is part of the text, so that the database knows it when
 * it plans.
 */
const historyOf = (most: number) => `
  with page as (
    select h.number, h.invite from invite_history h
    where h.address = $1 and h.number <= (select ended from invite_addresses where address = $1) - $2::bigint
    order by h.number desc limit ${most}
  )
  select ${COLUMNS} from page join invites i on i.id = page.invite order by page.number desc`;

/** $1: the sender; $2: how many of the newest to skip. Finds the block in which the page begins first. */
const pendingOf = (most: number) => `
  with counted as (
    select block, open, sum(open) over (order by block desc) - open as newer from invite_blocks where sender = $1
  ), start as (
    select block, $2::bigint - newer as skipped from counted where newer <= $2::bigint and $2::bigint < newer + open
  )
  select ${COLUMNS} from invites i
  where i.sender = $1 and i.is_open and i.sent < (select (block + 1) * ${BLOCK_SIZE} from start)
  order by i.sent desc limit ${most} offset (select skipped from start)`;

const before = ({ page, size }: InvitePage): bigint => BigInt(page - 1) * BigInt(size);

/** Ended invites that the wallet has sent or received, last ended first. Returns one more than fits the page. */
export async function endedInvites(sql: Sql, address: string, page: InvitePage): Promise<InviteRow[]> {
  return (await sql.query<InviteRow>(historyOf(page.size + 1), [address, before(page)])).rows;
}

/** Open invites that the wallet has sent, newest first. Returns one more than fits the page. */
export async function pendingInvites(sql: Sql, sender: string, page: InvitePage): Promise<InviteRow[]> {
  return (await sql.query<InviteRow>(pendingOf(page.size + 1), [sender, before(page)])).rows;
}

interface DueQuery {
  nowSeconds: bigint;
  /** Accounts of invites to leave out. */
  except: readonly string[];
  most: number;
}

/** Accounts of expired invites that are still open, earliest expiry first. */
export async function dueInvites(sql: Sql, { nowSeconds, except, most }: DueQuery): Promise<string[]> {
  const { rows } = await sql.query<{ invitePda: string }>(
    `select invite_pda as "invitePda" from invites where is_open and expiry <= $1 and invite_pda ${noneOf('$2')}
     order by expiry, id limit $3`,
    [nowSeconds, except, most],
  );
  return rows.map(({ invitePda }) => invitePda);
}

export async function countInvites(sql: Sql): Promise<{ all: number; open: number }> {
  const { rows } = await sql.query<{ all: bigint; open: bigint }>(
    'select count(*) as all, count(*) filter (where is_open) as open from invites',
  );
  return { all: Number(rows[0]!.all), open: Number(rows[0]!.open) };
}

export async function clearInviteLists(tx: Tx): Promise<void> {
  for (const table of LISTS) await tx.query(`delete from ${table}`);
}

/** Applies events to the lists. They must be in chain order and newer than all applied before. */
export async function extendInviteLists(tx: Tx, events: readonly PlacedInviteEvent[], newsSince: Date): Promise<void> {
  if (events.length === 0) return;
  const changes = foldEvents(await stateFor(tx, events), events);
  await write(tx, changes);
  const news = events.filter(({ at }) => at >= newsSince);
  if (news.length > 0) await tellInvites(tx, news, changes);
}

/** Tells sender and receiver what has happened to invites that are in the lists. Their accounts may have had many others. */
async function tellInvites(
  tx: Tx,
  news: readonly PlacedInviteEvent[],
  { created, ended }: Pick<InviteChanges, 'created' | 'ended'>,
): Promise<void> {
  const { rows } = await tx.query<InviteRow>(`select ${COLUMNS} from invites i where id = any($1) order by id`, [
    [...new Set([...created, ...ended].map(({ id }) => id))],
  ]);
  const told = news.flatMap(({ txId, at, event }) => {
    const ofTx = (row: InviteRow) => (event.kind === 'created' ? row.creationTx : row.deletionTx) === txId;
    const row = rows.find((each) => each.invitePda === event.invitePda && ofTx(each));
    return row ? newsOf(row, { txId, at, event }) : [];
  });
  await tell(tx, told);
}

const KINDS = {
  created: 'invite.created',
  claimed: 'invite.claimed',
  clawed_back: 'invite.taken_back',
  expired: 'invite.expired',
} as const;

function newsOf(row: InviteRow, { txId, at, event }: Pick<PlacedInviteEvent, 'txId' | 'at' | 'event'>): NewEvent {
  const { invitePda, inviteSigner, sender, mint, amount, expiry, creationTx } = row;
  const receiver = event.kind === 'created' ? null : event.receiver;
  const kind = KINDS[event.kind];
  return {
    kind,
    at,
    wallets: receiver === null ? [sender] : [sender, receiver],
    begunBy: { signature: creationTx },
    once: `${kind} ${txId} ${invitePda}`,
    data: { invite: invitePda, inviteSigner, sender, receiver, mint, amount, expiry: Number(expiry), signature: txId },
  };
}

async function stateFor(tx: Tx, events: readonly PlacedInviteEvent[]): Promise<InviteState> {
  const open = await tx.query<ListedInvite>(
    'select id, invite_pda as "invitePda", sender, sent from invites where is_open and invite_pda = any($1)',
    [[...new Set(events.map(({ event }) => event.invitePda))]],
  );
  const named = events.map(({ event }) => (event.kind === 'created' ? event.sender : event.receiver));
  return {
    lastId: await lastInviteId(tx),
    open: new Map(open.rows.map((invite) => [invite.invitePda, invite])),
    numbers: await numbersOfWallets(tx, [...named, ...open.rows.map(({ sender }) => sender)]),
  };
}

/** The id of the last invite; 0 if there is none. */
export async function lastInviteId(sql: Sql): Promise<bigint> {
  const { rows } = await sql.query<{ id: bigint }>('select id from invites order by id desc limit 1');
  return rows[0]?.id ?? 0n;
}

/** The last numbers assigned, by wallet. */
export async function numbersOfWallets(sql: Sql, wallets: readonly (string | null)[]): Promise<InviteState['numbers']> {
  const { rows } = await sql.query<{ address: string; sent: bigint; ended: bigint }>(
    'select address, sent, ended from invite_addresses where address = any($1)',
    [[...new Set(wallets)].filter((address) => address !== null)],
  );
  return new Map(rows.map(({ address, ...counts }) => [address, counts]));
}

async function write(tx: Tx, { created, ended, history, numbers, blocks }: InviteChanges): Promise<void> {
  await tx.query(
    `insert into invites (id, invite_pda, invite_signer, sender, mint, token_program, amount, expiry, creation_tx,
       creation_time, sent, is_open, action)
     select id, "invitePda", "inviteSigner", sender, mint, "tokenProgram", amount, expiry, "creationTx",
       "creationTime", sent, false, 'created'
     from jsonb_to_recordset($1::jsonb) as r(id bigint, "invitePda" text, "inviteSigner" text, sender text, mint text,
       "tokenProgram" text, amount numeric, expiry bigint, "creationTx" text, "creationTime" timestamptz, sent bigint)`,
    [toJson(created)],
  );
  await tx.query(
    `update invites i set is_open = false, action = r.action, receiver = r.receiver, deletion_tx = r."deletionTx",
       deletion_time = r."deletionTime"
     from jsonb_to_recordset($1::jsonb)
       as r(id bigint, action text, receiver text, "deletionTx" text, "deletionTime" timestamptz)
     where i.id = r.id`,
    [toJson(ended)],
  );
  // Only now: several of these may have the same account, and at most one of them is open.
  const endedIds = new Set(ended.map(({ id }) => id));
  const openIds = created.flatMap(({ id }) => (endedIds.has(id) ? [] : [id]));
  await tx.query('update invites set is_open = true where id = any($1)', [openIds]);
  await tx.query(
    `insert into invite_history (address, number, invite)
     select * from jsonb_to_recordset($1::jsonb) as r(address text, number bigint, invite bigint)`,
    [toJson(history)],
  );
  await writeCounts(tx, { numbers, blocks });
}

/** Writes the last numbers of wallets, and by how much the open invites of blocks have changed. */
export async function writeCounts(
  tx: Tx,
  { numbers, blocks }: Pick<InviteChanges, 'numbers' | 'blocks'>,
): Promise<void> {
  await tx.query(
    `insert into invite_addresses (address, sent, ended)
     select * from jsonb_to_recordset($1::jsonb) as r(address text, sent bigint, ended bigint)
     on conflict (address) do update set sent = excluded.sent, ended = excluded.ended`,
    [toJson([...numbers].map(([address, counts]) => ({ address, ...counts })))],
  );
  await tx.query(
    `insert into invite_blocks as b (sender, block, open)
     select * from jsonb_to_recordset($1::jsonb) as r(sender text, block bigint, open integer)
     on conflict (sender, block) do update set open = b.open + excluded.open`,
    [toJson([...blocks.values()])],
  );
  await tx.query(
    `delete from invite_blocks b using jsonb_to_recordset($1::jsonb) as r(sender text, block bigint)
     where b.sender = r.sender and b.block = r.block and b.open = 0`,
    [toJson([...blocks.values()])],
  );
}
