import type { Sql, Tx } from './sql.js';

export type VerificationKind = 'verification' | 'metadata';

export type VerificationState = 'reserved' | 'pending' | 'approved' | 'rejected';

export interface NewVerification {
  /** Sorts by the time of creation (UUID version 7). */
  id: string;
  /** The mint. */
  tokenId: string;
  kind: VerificationKind;
  /** The crafted payment. */
  requestId: string;
  payer: string;
  twitterHandle: string | null;
  senderTwitterHandle: string | null;
  description: string | null;
  /** JSON; null when none was given. */
  metadata: unknown;
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

/** What keeps each kind of request for a token from being made; undefined: nothing. */
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
  values ($1, $2, $3, 'reserved', $4, $5, $6, $7, $8, $9, $10, $11, $12)
  on conflict (token_id, kind) where ${TAKEN} do nothing`;

/**
 * Reserves the kinds of request of one payment for its token. Answers with the kinds that are taken already: then
 * nothing is reserved, and the transaction can go on.
 */
export async function reserve(tx: Tx, wanted: readonly NewVerification[]): Promise<VerificationKind[]> {
  const conflicts: VerificationKind[] = [];
  const reserved: string[] = [];
  // In one order for everybody, so that two payments cannot wait for each other.
  for (const row of [...wanted].sort((a, b) => (a.kind < b.kind ? -1 : 1))) {
    const { rowCount } = await tx.query(RESERVE, [
      row.id,
      row.tokenId,
      row.kind,
      row.requestId,
      row.payer,
      row.twitterHandle,
      row.senderTwitterHandle,
      row.description,
      row.metadata === null ? null : JSON.stringify(row.metadata),
      row.paymentCurrency,
      row.paymentAmount,
      row.createdAt,
    ]);
    if (rowCount === 1) reserved.push(row.id);
    else conflicts.push(row.kind);
  }
  if (conflicts.length > 0 && reserved.length > 0) {
    await tx.query('delete from verifications where id = any($1)', [reserved]);
  }
  return conflicts;
}

/** Turns what a payment reserved into requests for the operator; answers with them. */
export async function confirmReserved(
  tx: Tx,
  requestId: string,
  signature: string,
  paidAt: Date,
): Promise<Verification[]> {
  const { rows } = await tx.query<VerificationRow>(
    `update verifications set state = 'pending', signature = $2, paid_at = $3
     where request_id = $1 and state = 'reserved' returning ${COLUMNS}`,
    [requestId, signature, paidAt],
  );
  return rows.map(fromRow);
}

/** Gives back what a payment reserved that is known never to land; how many kinds. */
export async function release(tx: Tx, requestId: string): Promise<number> {
  return (await tx.query(`delete from verifications where request_id = $1 and state = 'reserved'`, [requestId]))
    .rowCount;
}

/** The kinds of request that a payment has been recorded for, whatever the operator decided since. */
export async function kindsOf(sql: Sql, requestId: string): Promise<VerificationKind[]> {
  const { rows } = await sql.query<{ kind: VerificationKind }>(
    `select kind from verifications where request_id = $1 and state <> 'reserved' order by kind`,
    [requestId],
  );
  return rows.map((row) => row.kind);
}

/** Requests, the newest first; `cursor` is the id of the last one that was seen. */
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

/** The operator's decision about a paid request. */
export async function decide(
  tx: Tx,
  id: string,
  decision: 'approved' | 'rejected',
  at: Date,
  note: string | null,
): Promise<Verification | 'not-found' | 'not-pending'> {
  const { rows } = await tx.query<VerificationRow>(
    `update verifications set state = $2, decided_at = $3, note = $4 where id = $1 and state = 'pending'
     returning ${COLUMNS}`,
    [id, decision, at, note],
  );
  if (rows[0]) return fromRow(rows[0]);
  const { rowCount } = await tx.query('select from verifications where id = $1', [id]);
  return rowCount === 0 ? 'not-found' : 'not-pending';
}

/** What stands in the way of new requests for a token. */
export async function eligibility(sql: Sql, tokenId: string): Promise<Eligibility> {
  const { rows } = await sql.query<{ kind: VerificationKind; state: 'reserved' | 'pending' | 'approved' }>(
    `select kind, state from verifications where token_id = $1 and (${TAKEN})`,
    [tokenId],
  );
  const found: Eligibility = { verification: undefined, metadata: undefined };
  for (const row of rows) {
    if (row.kind === 'verification') found.verification = row.state;
    else if (row.state !== 'approved') found.metadata = row.state;
  }
  return found;
}

function fromRow(row: VerificationRow): Verification {
  return { ...row, paymentAmount: BigInt(row.paymentAmount) };
}
