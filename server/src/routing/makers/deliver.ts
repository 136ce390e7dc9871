import { encodeTransaction, type Transaction } from '@slipway/wire';
import { RFQ } from '../../errors/index.js';
import type { Clock } from '../../lib/clock.js';
import type { JsonAnswer } from '../../lib/json-call.js';
import type { MakerQuote } from '../router.js';
import { callWebhook, type MakerEndpoint, WebhookFailure } from './webhook.js';

/** Outcome of a transaction that was given to a maker, as `landing.handOver` takes it. */
export type MakerDelivery = MakerAnswer | (Denial & { whenSent(signature: string): Promise<void> });

/** A maker keeps what it rejects, signed by the taker: only the chain tells that it was not sent. */
type Denial = { outcome: 'denied'; code: number; message: string };
type MakerAnswer =
  | { outcome: 'sent'; signature: string }
  | { outcome: 'rejected'; code: number; message: string }
  | { outcome: 'unknown'; code: number; message: string };

/** A quote's last seconds are the maker's, to check, sign and send: nothing is handed over in them. */
export const MAKERS_SECONDS = 20;
const SWAP_TIMEOUT_MS = 10_000;
const MAX_REASON = 200;

/** Gives the transaction that the taker has signed to the maker of the quote. Never rejects. */
export async function deliverToMaker(
  endpoint: MakerEndpoint | undefined,
  { requestId, quoteId, expireAt }: MakerQuote,
  signed: Transaction,
  clock: Clock,
): Promise<MakerAnswer | Denial> {
  if (!endpoint) return { outcome: 'rejected', ...RFQ.internal };
  if (expireAt - clock.now() / 1_000 < MAKERS_SECONDS) return { outcome: 'rejected', ...RFQ.quoteExpired };
  const transaction = Buffer.from(encodeTransaction(signed)).toString('base64');
  const body = { requestId, quoteId, transaction };
  try {
    return readDelivery(
      quoteId,
      await callWebhook(endpoint, { path: '/swap', body, timeoutMs: SWAP_TIMEOUT_MS }, clock),
    );
  } catch (error) {
    if (!(error instanceof WebhookFailure)) return { outcome: 'unknown', ...RFQ.unknown };
    if (error.kind === 'unreachable') return { outcome: 'rejected', ...RFQ.internal };
    return { outcome: 'unknown', ...RFQ.unknown };
  }
}

function readDelivery(quoteId: string, { status, body }: JsonAnswer): MakerAnswer | Denial {
  // These may be the answers of something in front of the maker, who has received it all the same: no denial of his.
  if (status === 400) return { outcome: 'unknown', ...RFQ.invalidPayload };
  if (status > 400 && status < 500 && status !== 408) return { outcome: 'unknown', ...RFQ.rejected };
  if (status !== 200) return { outcome: 'unknown', ...RFQ.internal };
  const said = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  if (said.quoteId !== quoteId) return { outcome: 'unknown', ...RFQ.unknown };
  const { state, txSignature, rejectionReason } = said;
  if (state === 'accepted') {
    // The protocol lets a maker omit the signature.
    if (typeof txSignature !== 'string') return { outcome: 'unknown', ...RFQ.failedToLand };
    return { outcome: 'sent', signature: txSignature };
  }
  if (state === 'rejected') return denied(rejectionReason);
  if (typeof state === 'object' && state !== null && 'rejectedWithReason' in state) {
    return denied(state.rejectedWithReason);
  }
  return { outcome: 'unknown', ...RFQ.unknown };
}

function denied(reason: unknown): Denial {
  const { code, message } = RFQ.rejected;
  const why = typeof reason === 'string' && /^[\x20-\x7e]+$/.test(reason) ? `: ${reason.slice(0, MAX_REASON)}` : '';
  return { outcome: 'denied', code, message: message + why };
}
