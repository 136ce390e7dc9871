import { type Address, type Transaction, transactionSignature } from '@slipway/wire';
import type { Chain } from '../chain/index.js';
import type { Clock } from '../lib/clock.js';
import type { Guest } from '../lib/places.js';
import type { LedgerRow } from '../store/ledger.js';
import { statusSince } from './ask-since.js';
import type { Deliver } from './delegated-send.js';
import { ReservationRefused } from './grouped-writes.js';
import type { Landing } from './landing.js';
import { WouldFail } from './preflight.js';
import {
  type BadTransaction,
  checkAgainstCrafted,
  checkSignatures,
  isBadTransaction,
  isLedByAnother,
  readSigned,
  type SignedTransaction,
} from './signed-transaction.js';

export interface AcceptDeps {
  clock: Clock;
  chain: Pick<Chain, 'blockHeight' | 'newestSlot' | 'statuses'>;
  landing: Pick<Landing, 'execute' | 'delegate' | 'looks' | 'vouchesFor' | 'walletsOf' | 'withhold'>;
  findRequest: (id: string) => Promise<LedgerRow | undefined>;
  /** Who has posted it: as `calledBy` says. */
  caller?: Guest | undefined;
}

/** A signed transaction that a client posted, and how its area checks it. */
export interface Posted<Detail = unknown> {
  /** The request must be of this area. */
  area: string;
  /** The transaction in base64. */
  base64: string;
  /** The request id that was posted with it, or a function that finds the request without one. */
  request: string | ((signed: SignedTransaction) => Promise<LedgerRow | undefined>);
  /** Called with the request once it is found. The area makes its additional checks here, and throws if they fail. */
  terms: (request: LedgerRow) => Terms | Promise<Terms>;
  /**
   * Called just before landing, and only if the transaction was not posted before: makes the area's last checks, and
   * returns what its settlement gets as `detail`.
   */
  prepare?: (request: LedgerRow) => Detail | Promise<Detail>;
  /**
   * Called once it would land and our keys have signed, which may be stopped: makes of what `prepare` has returned what the
   * settlement gets. For what the signer writes down however often the same is posted and refused.
   */
  seal?: (detail: Detail) => Promise<unknown>;
  /** As an area's contract needs it: an unknown or mismatched request is reported before an undecodable transaction. */
  requestFirst?: true;
}

/** What a request says about the transaction that comes back for it. */
export interface Terms {
  /**
   * Who signs after the client: our keys, and possibly a market maker. Their signatures in the posted bytes are
   * ignored.
   */
  ours: readonly Address[];
  /**
   * A third party signs last and sends it. Its offer ends at `until` (Unix ms), which is before the blockhash expires.
   */
  delegate?: { deliver: Deliver; until: number };
}

/** Why a posted transaction was not sent. The request is unchanged. */
export type Refusal =
  | BadTransaction
  /** There is no such request, it belongs to another area, or the service has not made it. */
  | { reason: 'unknown-request' }
  /** The request id has expired, and nothing was posted for it in time. */
  | { reason: 'expired-request' }
  /** It can no longer land. */
  | { reason: 'too-late' }
  /** Refused by its area's settlement, or because another request has the same transaction. */
  | { reason: 'reserved'; error: ReservationRefused }
  /** It would fail on the chain as it is now. */
  | { reason: 'would-fail'; err: unknown; request: LedgerRow; transaction: Transaction };

/**
 * Accepts a crafted transaction that a client has signed: finds its request, checks that it has the crafted message and
 * all required signatures, and lands it. Returns the request in its final state; posting it again gives the same
 * result.
 *
 * A refusal is the first of: undecodable; unknown-request, expired-request; what `terms` throws; message-changed,
 * missing-signature, invalid-signature; too-late; what `prepare` throws; would-fail; what `seal` throws; reserved.
 */
export async function accept<Detail>(deps: AcceptDeps, posted: Posted<Detail>): Promise<LedgerRow | Refusal> {
  const { landing } = deps;
  const signed = readSigned(posted.base64);
  if (isBadTransaction(signed) && !posted.requestFirst) return signed;
  const request = await find(deps, posted, signed);
  if (isRefusal(request)) return request;
  const terms = await posted.terms(request);
  if (isBadTransaction(signed)) return signed;
  const refusal = checkAgainstCrafted(signed, request, [...terms.ours, ...landing.walletsOf(request)]);
  if (refusal) return refusal;
  const isLate = request.state === 'crafted' && (await isTooLate(deps, request, terms, signed));
  const current = isLate ? await unlessPosted(deps, request, 'too-late') : request;
  return isRefusal(current) ? current : land(deps, posted, current, terms, signed);
}

/**
 * The request, if it was posted since it was read: the node or the signer may have been asked for seconds, in which another copy has
 * landed it, and whoever hears that it has expired makes another one.
 */
async function unlessPosted(
  { findRequest }: AcceptDeps,
  { id }: LedgerRow,
  reason: 'too-late' | 'expired-request',
): Promise<LedgerRow | Refusal> {
  const row = await findRequest(id);
  return row && row.state !== 'crafted' ? row : { reason };
}

export function isRefusal(value: object): value is Refusal {
  return 'reason' in value;
}

async function find(
  deps: AcceptDeps,
  posted: Pick<Posted, 'area' | 'request'>,
  signed: SignedTransaction | BadTransaction,
): Promise<LedgerRow | Refusal> {
  const { findRequest, clock, landing } = deps;
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
  // Whoever hears that what was posted has expired makes another one, though it has landed or may yet: a chain that stands
  // still keeps blockhashes alive.
  if (row.state !== 'crafted') return row;
  if (!(await landing.vouchesFor(row))) return { reason: 'unknown-request' };
  return row.expiresAt.getTime() < clock.now() ? unlessPosted(deps, row, 'expired-request') : row;
}

/**
 * Whether a transaction that we have not sent can no longer land. A fully signed one may have been landed by its owner
 * through another service; then it is not too late, and it is followed like any other. If one of our keys has yet to
 * sign, as with launches and trigger orders, nobody can have sent it, so the chain is not asked: not for what a client
 * has put in its place, either, which may be the signature of anything that has landed.
 * @throws ChainUnavailable where the node that does not know it is behind the one that told the height, and as `PostedAnswers`
 */
async function isTooLate(
  { chain, clock, landing }: AcceptDeps,
  request: LedgerRow,
  { delegate }: Terms,
  signed: SignedTransaction,
): Promise<boolean> {
  if (delegate) return delegate.until < clock.now();
  if ((await chain.blockHeight()) <= request.lastValidBlockHeight) return false;
  if (checkSignatures(signed)) return true;
  // Whoever pays for it may have landed it with another signature: that is looked for once it is followed.
  if (isLedByAnother(request, signed.signers[0]!)) return false;
  const signature = transactionSignature(signed.transaction);
  return !(await landing.looks.of(request.id, signature, () => hasLanded(chain, signature)));
}

async function hasLanded(chain: AcceptDeps['chain'], signature: string): Promise<boolean> {
  return (await statusSince(chain, signature, chain.newestSlot)) !== undefined;
}

async function land<Detail>(
  { landing, caller }: AcceptDeps,
  { prepare, seal }: Posted<Detail>,
  request: LedgerRow,
  { delegate }: Terms,
  { transaction, signers }: SignedTransaction,
): Promise<LedgerRow | Refusal> {
  const detail = request.state === 'crafted' ? await prepare?.(request) : undefined;
  const sealed = seal && detail !== undefined ? () => seal(detail) : undefined;
  try {
    return delegate
      ? await landing.delegate(request, transaction, delegate.deliver, caller)
      : await landing.execute(request, transaction, detail, { sealed, caller });
  } catch (error) {
    if (error instanceof ReservationRefused) return { reason: 'reserved', error };
    if (!(error instanceof WouldFail)) throw error;
    // It is no failure yet: he can undo what it would fail for, and land it when its wallet has made another one.
    if (!delegate && isLedByAnother(request, signers[0]!)) return landing.withhold(request, transaction, error.err);
    return { reason: 'would-fail', err: error.err, request, transaction };
  }
}
