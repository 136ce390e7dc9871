import { isLeaseOver, leaseEnd } from './leases.js';
import { type LedgerEvent, type LedgerState, next } from './ledger-state.js';
import { anyOf, type Sql, type Tx } from './sql.js';

/** How long a silent instance is considered alive, in milliseconds. */
export const LANDING_LEASE = 6_000;

/** A crafted transaction, before anybody has signed it. */
export interface NewRequest {
  /** The request id. */
  id: string;
  area: string;
  wallet: string;
  /** SHA-256 of the message bytes. */
  messageHash: Uint8Array;
  /** Our signer roles that must sign before it is sent. */
  cosigners: readonly string[];
  lastValidBlockHeight: bigint;
  /** What the area needs when it comes back signed. Must be JSON without undefined, bigint and NUL characters. */
  payload: unknown;
  createdAt: Date;
  /** When the request id expires. */
  expiresAt: Date;
  /** Proves to the service that it has crafted this; without one it adds no signature to what a client posts. */
  seal?: Uint8Array | null;
  /** The id of the key that asked for it, whose holder hears what becomes of it. */
  apiKey?: string | null;
}

/** A fully signed transaction that we were asked to land; its signature is its id. */
interface NewSubmission extends Omit<NewRequest, 'id' | 'area' | 'cosigners' | 'seal'> {
  signature: string;
  wire: Uint8Array;
  sentAt: Date;
}

export interface LedgerRow {
  id: string;
  area: string;
  wallet: string;
  state: LedgerState;
  messageHash: Buffer;
  cosigners: string[];
  lastValidBlockHeight: bigint;
  payload: unknown;
  createdAt: Date;
  expiresAt: Date;
  seal: Buffer | null;
  /**
   * Base58. Null until the transaction is claimed for sending or, if it is handed over, until the signature is known.
   */
  signature: string | null;
  /** The signed transaction as it is sent; if it is handed over, without the last signature until that is known. */
  wire: Buffer | null;
  /** Whether somebody else signs last and sends it. */
  handedOver: boolean;
  sentAt: Date | null;
  settledAt: Date | null;
  slot: bigint | null;
  error: unknown;
  /** Until when an instance is landing it; null once settled. */
  leaseUntil: Date | null;
  /** The id of the key that asked for it; null for a call without a key. */
  apiKey: string | null;
}

/** Whether somebody else created the transaction, and only asked us to land it. */
export function isSubmission({ area }: Pick<LedgerRow, 'area'>): boolean {
  return area === 'submit';
}

/** A submission that may yet land, though it is followed no more: one with a durable nonce. */
export function isGivenUp({ area, state, error }: Pick<LedgerRow, 'area' | 'state' | 'error'>): boolean {
  return area === 'submit' && state === 'expired' && error !== null;
}

/** The right to send one crafted transaction. */
export interface Claim {
  id: string;
  /** Null if it is handed over to a third party that signs last. */
  signature: string | null;
  wire: Uint8Array;
  sentAt: Date;
  /** What a signer counts for it beyond the fee, in lamports. */
  rents?: bigint | undefined;
}

/** The outcome of a sent transaction. */
interface Settlement {
  id: string;
  event: Exclude<LedgerEvent, 'sent' | 'doomed'>;
  slot?: bigint | undefined;
  error?: unknown;
  settledAt: Date;
}

const COLUMNS = [
  'id, area, wallet, state, message_hash as "messageHash", cosigners, payload, seal, signature, wire, slot, error',
  'last_valid_block_height as "lastValidBlockHeight", created_at as "createdAt", expires_at as "expiresAt"',
  'sent_at as "sentAt", settled_at as "settledAt", lease_until as "leaseUntil", handed_over as "handedOver"',
  'api_key as "apiKey"',
].join(', ');

const INSERT_CRAFTED = `
  insert into ledger (id, area, wallet, state, message_hash, cosigners, last_valid_block_height, payload, created_at,
    expires_at, seal, api_key)
  select id, area, wallet, 'crafted', "messageHash", cosigners, "lastValidBlockHeight", coalesce(payload, 'null'),
    "createdAt", "expiresAt", seal, "apiKey"
  from json_to_recordset($1::json) as r(id text, area text, wallet text, "messageHash" bytea, cosigners text[],
    "lastValidBlockHeight" bigint, payload jsonb, "createdAt" timestamptz, "expiresAt" timestamptz, seal bytea,
    "apiKey" text)`;

const INSERT_SUBMISSION = `
  insert into ledger (id, area, wallet, state, message_hash, cosigners, last_valid_block_height, payload, created_at,
    expires_at, signature, wire, sent_at, lease_until, api_key)
  select $1, 'submit', $2, 'sending', $3::bytea, '{}', $4::bigint, $5::jsonb, $6::timestamptz, $7::timestamptz, $1,
    $8::bytea, $9::timestamptz, ${leaseEnd(LANDING_LEASE)}, $10
  where not exists (select from ledger where signature = $1 and (state <> 'sending' or error is null))
  on conflict do nothing`;

// Locked before the claims are checked, so that of two requests with the same message the second sees the first.
const LOCK_MESSAGES = `
  select pg_advisory_xact_lock(key) from (
    select distinct hashtextextended(encode(message_hash, 'hex'), 0) as key from ledger where id = ${anyOf('$1')} order by key
  ) as keys`;

// The rows are locked in sorted order, so that two groups with the same rows cannot deadlock. The ids are given as an array as
// well: the planner takes a list in JSON for 100 rows, and would read a whole table of a few thousand instead of its index.
const CLAIM_MANY = `
  with claims as (
    select id, signature, wire, "sentAt", rents from json_to_recordset($1::json)
      as c(id text, signature text, wire bytea, "sentAt" timestamptz, rents bigint)
  ), free as (
    select l.id from ledger l join claims c using (id)
    where l.id = ${anyOf('$2')} and l.state = 'crafted'
      and not exists (
        select from ledger other where other.signature = c.signature and other.area <> 'submit' and other.id <> l.id)
      and not exists (
        select from ledger other
        where other.handed_over and other.message_hash = l.message_hash and other.id <> l.id)
    order by l.id for update of l
  )
  update ledger l set state = 'sending', signature = c.signature, wire = c.wire, sent_at = c."sentAt",
    lease_until = ${leaseEnd(LANDING_LEASE)}, handed_over = c.signature is null, rents = c.rents
  from claims c join free using (id)
  where l.id = c.id
  returning l.id`;

const SETTLE_MANY = `
  with settlements as (
    select id, state, slot, error, "settledAt" from json_to_recordset($1::json)
      as s(id text, state text, slot bigint, error jsonb, "settledAt" timestamptz)
  ), sent as (
    select id from ledger where id = ${anyOf('$2')} and state = 'sending' order by id for update
  ), settled as (
    update ledger l set state = s.state, slot = s.slot, error = s.error, settled_at = s."settledAt", lease_until = null
    from settlements s join sent using (id)
    where l.id = s.id
    returning l.*
  )
  select ${COLUMNS} from settled`;

/** Inserts a group in one statement. @throws SQLSTATE 23505, with nothing inserted, if one of the ids exists */
export async function insertCrafted(tx: Tx, rows: readonly NewRequest[]): Promise<void> {
  if (rows.length === 0) return;
  const encoded = rows.map((row) => ({
    ...row,
    messageHash: hex(row.messageHash),
    ...(row.seal && { seal: hex(row.seal) }),
    lastValidBlockHeight: row.lastValidBlockHeight.toString(),
  }));
  await tx.query(INSERT_CRAFTED, [JSON.stringify(encoded)]);
}

/**
 * Inserts a transaction in the state `sending`. False if its signature is in the ledger already, but for one that is withheld, and
 * for one that was given up: the new row takes its place, and the key that has submitted it first hears of its end.
 */
export async function insertSubmission(tx: Tx, row: NewSubmission): Promise<boolean> {
  const { rows } = await tx.query<Pick<LedgerRow, 'apiKey'>>(
    `delete from ledger where id = $1 and area = 'submit' and state = 'expired' and error is not null
     returning api_key as "apiKey"`,
    [row.signature],
  );
  const { rowCount } = await tx.query(INSERT_SUBMISSION, [
    row.signature,
    row.wallet,
    row.messageHash,
    row.lastValidBlockHeight,
    JSON.stringify(row.payload),
    row.createdAt,
    row.expiresAt,
    row.wire,
    row.sentAt,
    rows[0]?.apiKey ?? row.apiKey ?? null,
  ]);
  return rowCount === 1;
}

/** The row of a request id or, for a submission, of its signature. */
export async function findRequest(sql: Sql, id: string): Promise<LedgerRow | undefined> {
  const { rows } = await sql.query<LedgerRow>(`select ${COLUMNS} from ledger where id = $1`, [id]);
  return rows[0];
}

/** `findRequest` for a group; unknown ids are left out. */
export async function findRequests(sql: Sql, ids: readonly string[]): Promise<LedgerRow[]> {
  return (await sql.query<LedgerRow>(`select ${COLUMNS} from ledger where id = ${anyOf('$1')}`, [ids])).rows;
}

/** The row that was sent with this signature; if a request was submitted as well, the request's row. */
export async function findBySignature(sql: Sql, signature: string): Promise<LedgerRow | undefined> {
  const { rows } = await sql.query<LedgerRow>(
    `select ${COLUMNS} from ledger where signature = $1 order by area = 'submit' limit 1`,
    [signature],
  );
  return rows[0];
}

/** `findBySignature`, without a request that is withheld: what is submitted is sent all the same. */
export async function findSent(sql: Sql, signature: string): Promise<LedgerRow | undefined> {
  const { rows } = await sql.query<LedgerRow>(
    `select ${COLUMNS} from ledger where signature = $1 and (state <> 'sending' or error is null)
     order by area = 'submit' limit 1`,
    [signature],
  );
  return rows[0];
}

/**
 * Claims the right to send crafted transactions, for a group with distinct ids; answers the ids that won. Exactly one
 * claim of a request wins. If two requests have the same bytes, only one of them wins, and the other stays crafted.
 */
export async function claimMany(tx: Tx, claims: readonly Claim[]): Promise<Set<string>> {
  if (claims.length === 0) return new Set();
  const different = new Map(claims.toReversed().map((wanted) => [wanted.signature ?? messageOf(wanted), wanted]));
  const encoded = [...different.values()].map((wanted) => ({
    ...wanted,
    wire: hex(wanted.wire),
    rents: wanted.rents?.toString(),
  }));
  await tx.query(LOCK_MESSAGES, [encoded.map(({ id }) => id)]);
  const { rows } = await tx.query<{ id: string }>(CLAIM_MANY, [JSON.stringify(encoded), encoded.map(({ id }) => id)]);
  return new Set(rows.map((row) => row.id));
}

/**
 * Which of the requests that `claimMany` did not win, in the same transaction, lost to another request with the same
 * bytes.
 */
export async function findTwins(tx: Tx, notWon: readonly string[]): Promise<Set<string>> {
  if (notWon.length === 0) return new Set();
  const { rows } = await tx.query<{ id: string }>(`select id from ledger where id = any($1) and state = 'crafted'`, [
    notWon,
  ]);
  return new Set(rows.map((row) => row.id));
}

/**
 * Stores the signature and bytes that a transaction has landed with, or will, where another than we signs it first. False if it is
 * no longer being sent.
 */
export async function completeSignature(tx: Tx, id: string, signature: string, wire: Uint8Array): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update ledger set signature = $2, wire = $3 where id = $1 and state = 'sending'`,
    [id, signature, wire],
  );
  return rowCount === 1;
}

/**
 * Undoes a claim in the same store transaction that won it, because an area refused it. The rents stay: what was claimed had been
 * signed, and counts in the signer.
 */
export async function unclaim(tx: Tx, id: string): Promise<void> {
  await tx.query(
    `update ledger set state = 'crafted', signature = null, wire = null, sent_at = null, lease_until = null,
       handed_over = false
     where id = $1 and state = 'sending'`,
    [id],
  );
}

/** Deletes a submission that was definitely not sent. False if there is none in the state `sending`. */
export async function deleteSubmission(tx: Tx, signature: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `delete from ledger where id = $1 and signature = $1 and area = 'submit' and state = 'sending'`,
    [signature],
  );
  return rowCount === 1;
}

/**
 * Records the outcomes of sent transactions, for a group with distinct ids; answers the settled rows in no particular
 * order. Rows that are not in state `sending` are left alone.
 */
export async function settleMany(tx: Tx, settlements: readonly Settlement[]): Promise<LedgerRow[]> {
  if (settlements.length === 0) return [];
  const encoded = settlements.map((settlement) => ({
    ...settlement,
    state: next('sending', settlement.event),
    slot: settlement.slot?.toString(),
  }));
  return (await tx.query<LedgerRow>(SETTLE_MANY, [JSON.stringify(encoded), encoded.map(({ id }) => id)])).rows;
}

/**
 * Ends a request that was never sent, with the error that it would have failed with. Undefined if it is no longer
 * crafted.
 */
export async function failUnsent(
  tx: Tx,
  { id, wire, error, settledAt }: { id: string; wire: Uint8Array; error: unknown; settledAt: Date },
): Promise<LedgerRow | undefined> {
  const { rows } = await tx.query<LedgerRow>(
    `update ledger set state = $2, wire = $3, error = $4::jsonb, settled_at = $5 where id = $1 and state = 'crafted'
     returning ${COLUMNS}`,
    [id, next('crafted', 'doomed'), wire, JSON.stringify(error), settledAt],
  );
  return rows[0];
}

/**
 * Has a request that is not sent followed as if it were, because another may land it: as long as it is `sending`, its error is what
 * it would have failed with. Undefined if it is no longer crafted.
 */
export async function withhold(
  tx: Tx,
  { id, signature, wire, error, sentAt }: Claim & { error: unknown },
): Promise<LedgerRow | undefined> {
  const { rows } = await tx.query<LedgerRow>(
    `update ledger set state = $2, signature = $3, wire = $4, error = $5::jsonb, sent_at = $6,
       lease_until = ${leaseEnd(LANDING_LEASE)}
     where id = $1 and state = 'crafted'
     returning ${COLUMNS}`,
    [id, next('crafted', 'sent'), signature, wire, JSON.stringify(error), sentAt],
  );
  return rows[0];
}

/** Extends the leases of transactions that are still being sent; returns their number. */
export async function renewLeases(tx: Tx, ids: readonly string[]): Promise<number> {
  const { rowCount } = await tx.query(
    `with sent as (select id from ledger where id = any($1) and state = 'sending' order by id for update)
     update ledger l set lease_until = ${leaseEnd(LANDING_LEASE)} from sent where l.id = sent.id`,
    [ids],
  );
  return rowCount;
}

/**
 * Takes over up to `limit` transactions whose lease has run out, or with `all` any; no other keeper gets the same ones at the same
 * time.
 */
export async function takeAbandoned(tx: Tx, { all }: { all: boolean }, limit: number): Promise<LedgerRow[]> {
  const { rows } = await tx.query<LedgerRow>(
    `with abandoned as (
       select id from ledger where state = 'sending' and ($1 or ${isLeaseOver('lease_until', LANDING_LEASE)})
       order by lease_until limit $2 for update skip locked
     ), taken as (
       update ledger l set lease_until = ${leaseEnd(LANDING_LEASE)} from abandoned a where l.id = a.id returning l.*
     )
     select ${COLUMNS} from taken`,
    [all, limit],
  );
  return rows;
}

/** The message: the bytes after the signatures. */
function messageOf({ wire }: Claim): string {
  return hex(wire.subarray(1 + 64 * (wire[0] ?? 0)));
}

function hex(bytes: Uint8Array): string {
  return `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}
