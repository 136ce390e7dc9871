import { type NewEvent, tell } from './event-outbox.js';
import { anyOf, type Sql, type Tx } from './sql.js';

export type VerificationKind = 'verification' | 'metadata';

type VerificationState = 'reserved' | 'pending' | 'approved' | 'rejected';

/** What a payer asks for. */
export interface Asked {
  kind: VerificationKind;
  /** The mint. */
  tokenId: string;
  twitterHandle: string | null;
  senderTwitterHandle: string | null;
  description: string | null;
  /** JSON; null when none was given. */
  metadata: unknown;
}

export interface NewVerification extends Asked {
  /** Sorts by the time of creation (UUID version 7). */
  id: string;
  /** The crafted payment. */
  requestId: string;
  payer: string;
  paymentCurrency: string;
  /** In the smallest unit. */
  paymentAmount: bigint;
  createdAt: Date;
}

export interface Verification extends NewVerification {
  state: VerificationState;
  /** Of the payment. */
  signature: string | null;
  paidAt: Date | null;
  decidedAt: Date | null;
  note: string | null;
}

/** What a payment that has landed was posted for. */
export interface PaidFor {
  asked: Asked;
  /** Not where it had given way to another payer, and came too late. */
  isMade: boolean;
}

/** What blocks each kind of request for a token; undefined if nothing does. */
export interface Eligibility {
  verification: 'reserved' | 'pending' | 'approved' | undefined;
  metadata: 'reserved' | 'pending' | undefined;
}

type VerificationRow = Omit<Verification, 'paymentAmount'> & { paymentAmount: string };

const COLUMNS = [
  'id, token_id as "tokenId", kind, state, request_id as "requestId", payer, twitter_handle as "twitterHandle"',
  'sender_twitter_handle as "senderTwitterHandle", description, metadata, payment_currency as "paymentCurrency"',
  'payment_amount as "paymentAmount", signature, created_at as "createdAt", paid_at as "paidAt"',
  'decided_at as "decidedAt", note',
].join(', ');

/** As the unique index writes it. */
const TAKEN = `state in ('reserved', 'pending') or (state = 'approved' and kind = 'verification')`;

const RESERVE = `
  insert into verifications (id, token_id, kind, state, request_id, payer, twitter_handle, sender_twitter_handle,
    description, metadata, payment_currency, payment_amount, created_at)
  select id, "tokenId", kind, 'reserved', "requestId", payer, "twitterHandle", "senderTwitterHandle", description,
    metadata, "paymentCurrency", "paymentAmount", "createdAt"
  from json_to_recordset($1::json) as r(id text, "tokenId" text, kind text, "requestId" text, payer text,
    "twitterHandle" text, "senderTwitterHandle" text, description text, metadata jsonb, "paymentCurrency" text,
    "paymentAmount" numeric, "createdAt" timestamptz)
  on conflict (token_id, kind) where ${TAKEN} do nothing
  returning id`;

/**
 * Reserves the kinds of request that each payment of a group is for: all of a payment's kinds or none. Returns, for
 * each payment that got none, which of its kinds are taken; the transaction can continue.
 */
export async function reserve(tx: Tx, wanted: readonly NewVerification[]): Promise<Map<string, VerificationKind[]>> {
  if (wanted.length === 0) return new Map();
  // In one order for everybody, so that two groups cannot wait for each other.
  const sorted = [...wanted].sort((a, b) => compare(a.tokenId, b.tokenId) || compare(a.kind, b.kind));
  const encoded = sorted.map((row) => ({ ...row, paymentAmount: row.paymentAmount.toString() }));
  const { rows } = await tx.query<{ id: string }>(RESERVE, [JSON.stringify(encoded)]);
  const reserved = new Set(rows.map((row) => row.id));
  const refused = new Map<string, VerificationKind[]>();
  for (const row of sorted) {
    if (!reserved.has(row.id)) refused.set(row.requestId, [...(refused.get(row.requestId) ?? []), row.kind]);
  }
  const halves = sorted.filter((row) => reserved.has(row.id) && refused.has(row.requestId)).map((row) => row.id);
  if (halves.length > 0) await tx.query('delete from verifications where id = any($1)', [halves]);
  return refused;
}

/** A payment that has landed. */
interface LandedPayment {
  requestId: string;
  signature: string;
  paidAt: Date;
}

/** A reservation that gave way, and whose payment has not landed: the only rejected rows that nobody has paid. */
const LAPSED = `state = 'rejected' and paid_at is null`;
const GAVE_WAY = 'its payment could not land, and gave way to others';
const PAID_TOO_LATE = 'paid after another payer was let through: give the payment back';

/** Which reservations to look for. */
export interface Holding {
  tokenId: string;
  kinds: readonly VerificationKind[];
  /** That are of this time, or older. */
  before: Date;
}

/** The payments that hold such reservations, for each of a group. */
export async function findHolders(sql: Sql, wanted: readonly Holding[]): Promise<string[][]> {
  const { rows } = await sql.query<{ place: number; requestId: string }>(
    `select distinct place, request_id as "requestId" from verifications v
     join json_to_recordset($1::json) as w(place int, "tokenId" text, kinds text[], before timestamptz)
       on w."tokenId" = v.token_id
     where v.token_id = ${anyOf('$2')} and state = 'reserved' and kind = any(w.kinds) and created_at <= w.before`,
    [JSON.stringify(wanted.map((each, place) => ({ ...each, place }))), wanted.map(({ tokenId }) => tokenId)],
  );
  const holders = wanted.map((): string[] => []);
  for (const { place, requestId } of rows) holders[place]!.push(requestId);
  return holders;
}

/** Frees what a payment that is under way has reserved. If it lands after all, `confirmReserved` says what follows. */
export async function giveWay(tx: Tx, requestId: string, at: Date): Promise<void> {
  await tx.query(
    `update verifications set state = 'rejected', decided_at = $2, note = $3
     where request_id = $1 and state = 'reserved'`,
    [requestId, at, GAVE_WAY],
  );
}

/**
 * Turns the payments' reservations into requests for the operator, and returns them. One that gave way becomes a
 * request only if nobody else has taken its token; otherwise it stays rejected, and its note says that it was paid.
 */
export async function confirmReserved(tx: Tx, payments: readonly LandedPayment[]): Promise<Verification[]> {
  if (payments.length === 0) return [];
  const { rows } = await tx.query<VerificationRow>(
    `with paid as (
       select v.id as paid_id, p.signature as paid_with, p."paidAt" as paid_then, v.state = 'rejected' and exists (
         select from verifications o where o.token_id = v.token_id and o.kind = v.kind and (${TAKEN})
       ) as "isLate"
       from verifications v
       join json_to_recordset($1::json) as p("requestId" text, signature text, "paidAt" timestamptz)
         on v.request_id = p."requestId"
       where v.request_id = ${anyOf('$3')} and (v.state = 'reserved' or (v.state = 'rejected' and v.paid_at is null))
     )
     update verifications v set signature = paid_with, paid_at = paid_then,
       state = case when "isLate" then 'rejected' else 'pending' end,
       note = case when "isLate" then $2 end,
       decided_at = case when "isLate" then v.decided_at end
     from paid where v.id = paid_id
     returning ${COLUMNS}`,
    [JSON.stringify(payments), PAID_TOO_LATE, payments.map(({ requestId }) => requestId)],
  );
  await tell(
    tx,
    rows.map((row) => eventOf(row, row.paidAt!)),
  );
  return rows.map(fromRow);
}

/** Releases the reservations of payments that can never land; returns how many kinds. */
export async function release(tx: Tx, requestIds: readonly string[]): Promise<number> {
  if (requestIds.length === 0) return 0;
  const { rowCount } = await tx.query(
    `delete from verifications where request_id = any($1) and (state = 'reserved' or (${LAPSED}))`,
    [requestIds],
  );
  return rowCount;
}

/** The requests of landed payments as they were posted, by payment, whatever the operator has decided since. */
export async function paidFor(sql: Sql, requestIds: readonly string[]): Promise<Map<string, PaidFor[]>> {
  const { rows } = await sql.query<Asked & { requestId: string; isMade: boolean }>(
    `select request_id as "requestId", kind, token_id as "tokenId", twitter_handle as "twitterHandle",
       sender_twitter_handle as "senderTwitterHandle", description, metadata,
       decided_at is null or decided_at >= paid_at as "isMade"
     from verifications where request_id = ${anyOf('$1')} and paid_at is not null order by kind`,
    [requestIds],
  );
  const found = new Map<string, PaidFor[]>();
  for (const { requestId, isMade, ...asked } of rows) {
    found.set(requestId, [...(found.get(requestId) ?? []), { isMade, asked }]);
  }
  return found;
}

/** Requests, newest first; `cursor` is the id of the last one of the previous page. */
export async function listVerifications(
  sql: Sql,
  page: { state?: VerificationState | undefined; limit: number; cursor?: string | undefined },
): Promise<Verification[]> {
  const { rows } = await sql.query<VerificationRow>(
    `select ${COLUMNS} from verifications
     where ($1::text is null or state = $1) and ($2::text is null or id < $2) order by id desc limit $3`,
    [page.state, page.cursor, page.limit],
  );
  return rows.map(fromRow);
}

export interface PendingPayment {
  signature: string;
  paymentCurrency: string;
}

/** The payment of a pending request. */
export async function findPayment(sql: Sql, id: string): Promise<PendingPayment | undefined> {
  const { rows } = await sql.query<PendingPayment>(
    `select signature, payment_currency as "paymentCurrency" from verifications
     where id = $1 and state = 'pending' and signature is not null`,
    [id],
  );
  return rows[0];
}

/**
 * The operator's decision about a paid request. `paid`: the signature of the payment that has been found final, without which
 * nothing is approved: it may have become pending only after that was looked for.
 */
export async function decide(
  tx: Tx,
  id: string,
  decision: 'approved' | 'rejected',
  { at, note, paid }: { at: Date; note: string | null; paid?: string | undefined },
): Promise<Verification | 'not-found' | 'not-pending'> {
  const { rows } = await tx.query<VerificationRow>(
    `update verifications set state = $2, decided_at = $3, note = $4
     where id = $1 and state = 'pending' and ($2 = 'rejected' or signature = $5)
     returning ${COLUMNS}`,
    [id, decision, at, note, paid ?? null],
  );
  if (rows[0]) {
    await tell(tx, [eventOf(rows[0], at)]);
    return fromRow(rows[0]);
  }
  const { rowCount } = await tx.query('select from verifications where id = $1', [id]);
  return rowCount === 0 ? 'not-found' : 'not-pending';
}

/** What blocks new requests for a token; a reservation only if it was made after `reservedSince`. */
export async function eligibility(sql: Sql, tokenId: string, reservedSince: Date): Promise<Eligibility> {
  const { rows } = await sql.query<{ kind: VerificationKind; state: 'reserved' | 'pending' | 'approved' }>(
    `select kind, state from verifications
     where token_id = $1 and (${TAKEN}) and (state <> 'reserved' or created_at > $2)`,
    [tokenId, reservedSince],
  );
  const found: Eligibility = { verification: undefined, metadata: undefined };
  for (const row of rows) {
    if (row.kind === 'verification') found.verification = row.state;
    else if (row.state !== 'approved') found.metadata = row.state;
  }
  return found;
}

/** Those of these tokens whose verification has been approved. */
export async function approvedTokens(sql: Sql, tokenIds: readonly string[]): Promise<Set<string>> {
  if (tokenIds.length === 0) return new Set();
  const { rows } = await sql.query<{ tokenId: string }>(
    `select token_id as "tokenId" from verifications
     where token_id = any($1) and kind = 'verification' and state = 'approved'`,
    [tokenIds],
  );
  return new Set(rows.map(({ tokenId }) => tokenId));
}

const EVENT_OF = {
  reserved: 'verification.requested',
  pending: 'verification.requested',
  approved: 'verification.approved',
  rejected: 'verification.rejected',
} as const;

/** What the payer hears of a change. The operator's note is not among it: it may be about the payer. */
function eventOf(row: VerificationRow, at: Date): NewEvent {
  const { id, tokenId, kind, state, requestId, payer, signature } = row;
  return {
    kind: EVENT_OF[state],
    at,
    wallets: [payer],
    begunBy: { requestId },
    data: { id, tokenId, type: kind, requestId, signature },
  };
}

function fromRow(row: VerificationRow): Verification {
  return { ...row, paymentAmount: BigInt(row.paymentAmount) };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
