import { type Address, missingSigners, type Transaction, transactionSignature } from '@slipway/wire';
import type { Chain } from '../chain/index.js';
import type { Clock } from '../lib/clock.js';
import type { LedgerRow } from '../store/ledger.js';
import type { Deliver } from './delegated-send.js';
import { ReservationRefused } from './grouped-writes.js';
import type { Landing } from './landing.js';
import { WouldFail } from './preflight.js';
import {
  type BadTransaction,
  checkAgainstCrafted,
  isBadTransaction,
  readSigned,
  type SignedTransaction,
} from './signed-transaction.js';

export interface AcceptDeps {
  clock: Clock;
  chain: Pick<Chain, 'blockHeight' | 'statuses'>;
  landing: Pick<Landing, 'execute' | 'delegate'>;
  findRequest: (id: string) => Promise<LedgerRow | undefined>;
}

/** A signed transaction as a client has posted it, and how its area judges it. */
export interface Posted {
  /** The request must be of this area. */
  area: string;
  /** The transaction in base64. */
  base64: string;
  /** The request id that was posted with it, or what finds the request where there is none. */
  request: string | ((signed: SignedTransaction) => Promise<LedgerRow | undefined>);
  /** Called with the request once it is found; what the area must compare beyond this is compared, and thrown, here. */
  terms: (request: LedgerRow) => Terms | Promise<Terms>;
  /**
   * Called only while nobody has posted the transaction, just before it is landed: the area's last checks, and what its
   * settlement gets as `detail`.
   */
  prepare?: (request: LedgerRow) => unknown;
  /**
   * Where the area's answers need it. `request-first`: a request that is unknown or does not fit is told before a
   * transaction that cannot be decoded. `posted-never-expires`: once it was posted, it answers for ever.
   */
  exceptions?: readonly ('request-first' | 'posted-never-expires')[];
}

/** What a request says about the transaction that comes back for it. */
export interface Terms {
  /** Who signs after the client: keys of ours, and a market maker. Whatever stands in their places now is ignored. */
  ours: readonly Address[];
  /** Somebody else signs last and sends it. Their offer ends at `until`, in Unix milliseconds, before its blockhash. */
  delegate?: { deliver: Deliver; until: number };
}

/** Why a posted transaction was not sent. Nothing has left, and the request is as it was. */
export type Refusal =
  | BadTransaction
  /** There is none, or it is of another area. */
  | { reason: 'unknown-request' }
  /** Its id is not answered for any more. */
  | { reason: 'expired-request' }
  /** It can no longer land. */
  | { reason: 'too-late' }
  /** The settlement of its area, or another request with the same transaction, has said no. */
  | { reason: 'reserved'; error: ReservationRefused }
  /** It would fail on the chain as it is now. */
  | { reason: 'would-fail'; err: unknown; request: LedgerRow; transaction: Transaction };

/**
 * Takes back a crafted transaction that a client has signed: finds its request, checks that it carries the message that
 * was crafted and every signature that it must bring, and lands it. The answer is the request in its final state, the
 * same however often it is posted.
 *
 * A refusal is the first of: undecodable; unknown-request, expired-request; what `terms` throws; message-changed,
 * missing-signature, invalid-signature; too-late; what `prepare` throws; would-fail, reserved.
 */
export async function accept(deps: AcceptDeps, posted: Posted): Promise<LedgerRow | Refusal> {
  const signed = readSigned(posted.base64);
  if (isBadTransaction(signed) && !makesException(posted, 'request-first')) return signed;
  const request = await find(deps, posted, signed);
  if (isRefusal(request)) return request;
  const terms = await posted.terms(request);
  if (isBadTransaction(signed)) return signed;
  const refusal = checkAgainstCrafted(signed, request, terms.ours);
  if (refusal) return refusal;
  if (request.state === 'crafted' && (await isTooLate(deps, request, terms, signed))) return { reason: 'too-late' };
  return land(deps, posted, request, terms, signed);
}

export function isRefusal(value: object): value is Refusal {
  return 'reason' in value;
}

async function find(
  { findRequest, clock }: AcceptDeps,
  posted: Posted,
  signed: SignedTransaction | BadTransaction,
): Promise<LedgerRow | Refusal> {
  const { area, request } = posted;
  const row =
    typeof request === 'string'
      ? await findRequest(request)
      : isBadTransaction(signed)
        ? signed
        : await request(signed);
  if (!row) return { reason: 'unknown-request' };
  if (isBadTransaction(row)) return row;
  if (row.area !== area) return { reason: 'unknown-request' };
  const isOld = row.expiresAt.getTime() < clock.now();
  const mayBeOld = row.state !== 'crafted' && makesException(posted, 'posted-never-expires');
  return isOld && !mayBeOld ? { reason: 'expired-request' } : row;
}

function makesException({ exceptions }: Posted, exception: 'request-first' | 'posted-never-expires'): boolean {
  return exceptions?.includes(exception) ?? false;
}

/**
 * Whether a transaction that we have not sent can no longer land. With all its signatures, its owner may have landed it
 * in another way: then it is followed like any other, and only has to be told. Where a key of ours has yet to sign, as
 * with launches and trigger orders, nobody can have: the chain is not asked.
 */
async function isTooLate(
  { chain, clock }: AcceptDeps,
  { lastValidBlockHeight }: LedgerRow,
  { delegate }: Terms,
  { transaction }: SignedTransaction,
): Promise<boolean> {
  if (delegate) return delegate.until < clock.now();
  if ((await chain.blockHeight()) <= lastValidBlockHeight) return false;
  if (missingSigners(transaction).length > 0) return true;
  const { found } = await chain.statuses([transactionSignature(transaction)], { history: true });
  return found[0] === undefined;
}

async function land(
  { landing }: AcceptDeps,
  { prepare }: Posted,
  request: LedgerRow,
  { delegate }: Terms,
  { transaction }: SignedTransaction,
): Promise<LedgerRow | Refusal> {
  const detail = request.state === 'crafted' ? await prepare?.(request) : undefined;
  try {
    return delegate
      ? await landing.delegate(request, transaction, delegate.deliver)
      : await landing.execute(request, transaction, detail);
  } catch (error) {
    if (error instanceof ReservationRefused) return { reason: 'reserved', error };
    if (error instanceof WouldFail) return { reason: 'would-fail', err: error.err, request, transaction };
    throw error;
  }
}
