import { type Address, encodeTransaction, missingSigners, type Transaction, transactionSignature } from '@slipway/wire';
import { readTransaction } from '../../chain/index.js';
import { AppError, RFQ } from '../../errors/index.js';
import {
  checkAgainstCrafted,
  EXPIRED,
  type Explanation,
  explainEnd,
  isRefusal,
  type Refusal,
  ReservationRefused,
  readSigned,
  type SignedTransaction,
  WouldFail,
} from '../../landing/index.js';
import { MAKERS_SECONDS } from '../../routing/makers/index.js';
import { failUnsent, type LedgerRow } from '../../store/ledger.js';
import { AREA, type SwapDeps } from './deps.js';
import { explainSwap, INVALID, NOT_SIGNED } from './failure.js';
import type { SwapPayload } from './payload.js';
import { resultOf } from './result.js';
import type { ExecuteAnswer, ExecuteBody } from './schema.js';

/** Lands the signed transaction of an order, or answers what has become of it. */
export async function execute(deps: SwapDeps, { requestId, signedTransaction }: ExecuteBody): Promise<ExecuteAnswer> {
  if (!requestId) throw refuse(-4, 'requestId: required, as the order has it');
  if (!signedTransaction) throw refuse(-5, 'signedTransaction: required, base64 of the signed transaction');
  const signed = readSigned(signedTransaction);
  if (isRefusal(signed)) throw refuse(-2, 'Failed to decode signed transaction');
  const request = await deps.findRequest(requestId);
  if (!request || request.area !== AREA || request.expiresAt.getTime() < deps.clock.now()) {
    throw refuse(-1, 'Order not found, it might have expired');
  }
  const payload = request.payload as SwapPayload;
  const ours = [
    ...(request.cosigners.length > 0 ? [deps.gasWallet] : []),
    ...(payload.maker ? [payload.maker.address] : []),
  ];
  const refusal = checkAgainstCrafted(signed, request, ours);
  if (refusal?.reason === 'message-changed') {
    throw refuse(-3, 'signedTransaction: its message is not the one of the order; sign the order as it was given');
  }
  if (refusal) return failed(signatureProblem(refusal, payload));
  if (request.state === 'crafted') {
    const late = await tooLate(deps, request, payload, signed);
    if (late) return failed(late);
  }
  return land(deps, request, payload, signed);
}

/** What the schema or the parser refuses gets the code that the contract has for it. */
export function withExecuteCode(error: unknown): unknown {
  const { code: name, details } = error as { code?: unknown; details?: Record<string, unknown> };
  if (name === 'FST_ERR_CTP_INVALID_JSON_BODY') return refuse(-2, 'The body is not valid JSON');
  if (name !== 'INVALID_REQUEST' || details?.code !== undefined) return error;
  return refuse(details?.signedTransaction === undefined ? -4 : -5, (error as Error).message);
}

function refuse(code: number, message: string): AppError {
  return new AppError('INVALID_REQUEST', { message, details: { code } });
}

function signatureProblem(refusal: Refusal, { maker }: SwapPayload): Explanation {
  const isMissing = refusal.reason === 'missing-signature';
  const signer = 'signer' in refusal ? refusal.signer : '';
  const message = `the signature of ${signer} ${isMissing ? 'is missing' : 'does not match'}`;
  return { code: maker ? RFQ.invalidPayload.code : isMissing ? NOT_SIGNED : INVALID, message };
}

/** Whether it can no longer land. Its owner may have landed it in another way: then it only has to be told. */
async function tooLate(
  { chain, clock }: SwapDeps,
  request: LedgerRow,
  { maker }: SwapPayload,
  { transaction }: SignedTransaction,
): Promise<Explanation | undefined> {
  if (maker) return (maker.expireAt - MAKERS_SECONDS) * 1_000 < clock.now() ? RFQ.quoteExpired : undefined;
  if ((await chain.blockHeight()) <= request.lastValidBlockHeight) return undefined;
  if (missingSigners(transaction).length > 0) return EXPIRED;
  const { found } = await chain.statuses([transactionSignature(transaction)], { history: true });
  return found[0] ? undefined : EXPIRED;
}

async function land(
  deps: SwapDeps,
  request: LedgerRow,
  payload: SwapPayload,
  { transaction }: SignedTransaction,
): Promise<ExecuteAnswer> {
  const { landing } = deps;
  try {
    const row = payload.maker
      ? await landing.delegate(request, transaction, deps.deliver(payload.maker))
      : await landing.execute(request, transaction);
    return await answer(deps, row, payload);
  } catch (error) {
    if (error instanceof ReservationRefused) return failed({ code: INVALID, message: error.message });
    if (!(error instanceof WouldFail)) throw error;
    return answer(deps, await giveUp(deps, request, transaction, error), payload);
  }
}

/** Who has been told of a failure may ask for another order: this one must not swap after all when it is posted again. */
async function giveUp(
  { store, clock, landing, findRequest }: SwapDeps,
  { id }: LedgerRow,
  transaction: Transaction,
  { err }: WouldFail,
): Promise<LedgerRow> {
  const failure = { id, wire: encodeTransaction(transaction), error: err, settledAt: new Date(clock.now()) };
  const settled = (await store.transaction((tx) => failUnsent(tx, failure))) ?? (await findRequest(id));
  if (!settled) throw new Error(`request ${id} has disappeared`);
  // Another copy of the service may have sent it meanwhile.
  return landing.execute(settled, transaction);
}

/** The same for everybody who asks: it is read from the final row and from the chain, not from this call. */
async function answer(
  { chain, programs, log }: SwapDeps,
  row: LedgerRow,
  payload: SwapPayload,
): Promise<ExecuteAnswer> {
  const known = { ...(row.signature && { signature: row.signature }), slot: row.slot?.toString() ?? '0' };
  if (row.state !== 'landed') {
    const why = row.state === 'failed' && row.wire ? explainSwap(row.error, row.wire, programs) : explainEnd(row);
    return { ...failed(why), ...known };
  }
  // That it has landed is certain; the amounts a client can also read by itself.
  const landed = await readTransaction(chain.rpc, row.signature!).catch((error: Error) => {
    log.warn({ request: row.id, reason: error.message }, 'cannot read what a landed swap has moved');
    return undefined;
  });
  const result = landed && resultOf(landed, payload, row.wallet as Address);
  return { status: 'Success', code: 0, ...known, ...result };
}

function failed({ code, message }: Explanation): ExecuteAnswer {
  return { status: 'Failed', code, error: message, slot: '0' };
}
