import { encodeTransaction, missingSigners, transactionSignature } from '@slipway/wire';
import { hashMessage } from '../../crafting/transaction.js';
import { AppError } from '../../errors/index.js';
import {
  checkAgainstCrafted,
  isRefusal,
  type Refusal,
  readSigned,
  type SignedTransaction,
  WouldFail,
} from '../../landing/index.js';
import type { LedgerRow } from '../../store/ledger.js';
import { catchUp } from './catch-up.js';
import { AREA, type Payload, type TriggerV1Deps } from './deps.js';
import type { ExecuteAnswer, ExecuteBody } from './schema.js';
import { explainFailure, rowId } from './try-out.js';

const FAILED = { status: 'Failed' } as const;

/** Lands one of the signed transactions of a request, or answers what has become of it. */
export async function execute(deps: TriggerV1Deps, body: ExecuteBody): Promise<ExecuteAnswer> {
  const signed = readSigned(body.signedTransaction);
  if (isRefusal(signed)) throw invalid(textOf(signed));
  const request = await findTransaction(deps, body.requestId, signed);
  const refusal = checkAgainstCrafted(signed, request, []);
  if (refusal) throw invalid(textOf(refusal));
  if (request.state === 'crafted' && (await isTooLate(deps, request, signed))) {
    throw invalid('signedTransaction: its blockhash has expired before it was sent; ask for a new transaction');
  }
  return answer(deps, await land(deps, request, signed));
}

/** That of the request's transactions which was posted; the first where it is none of them. */
async function findTransaction(
  deps: TriggerV1Deps,
  requestId: string,
  { transaction }: SignedTransaction,
): Promise<LedgerRow> {
  const first = await deps.findRequest(requestId);
  if (!first || first.area !== AREA || first.expiresAt.getTime() < deps.clock.now()) {
    throw invalid('requestId: unknown or too old; ask for a new transaction');
  }
  const hash = hashMessage(transaction.message);
  const isPosted = (row: LedgerRow | undefined) => row && Buffer.compare(row.messageHash, hash) === 0;
  if (isPosted(first)) return first;
  const { transactions } = first.payload as Payload;
  const numbers = Array.from({ length: transactions - 1 }, (_, index) => index + 1);
  const others = await Promise.all(numbers.map((number) => deps.findRequest(rowId(requestId, number))));
  return others.find(isPosted) ?? first;
}

function invalid(cause: string): AppError {
  return new AppError('INVALID_REQUEST', { message: 'invalid transaction', details: { cause, ...FAILED } });
}

function textOf(refusal: Refusal): string {
  switch (refusal.reason) {
    case 'undecodable':
      return `signedTransaction: ${refusal.detail}`;
    case 'message-changed':
      return 'signedTransaction: its message is not the one that was crafted for this requestId';
    case 'missing-signature':
      return `signedTransaction: the signature of ${refusal.signer} is missing`;
    case 'invalid-signature':
      return `signedTransaction: the signature of ${refusal.signer} does not match`;
  }
}

/** Whether it can no longer land. Its owner may have landed it in another way: then it only has to be told. */
async function isTooLate(
  { chain }: TriggerV1Deps,
  request: LedgerRow,
  { transaction }: SignedTransaction,
): Promise<boolean> {
  if ((await chain.blockHeight()) <= request.lastValidBlockHeight) return false;
  if (missingSigners(transaction).length > 0) return true;
  const { found } = await chain.statuses([transactionSignature(transaction)], { history: true });
  return found[0] === undefined;
}

async function land(deps: TriggerV1Deps, request: LedgerRow, { transaction }: SignedTransaction): Promise<LedgerRow> {
  try {
    return await deps.landing.execute(request, transaction);
  } catch (error) {
    if (!(error instanceof WouldFail)) throw error;
    const { message, name } = explainFailure(deps, error.err, encodeTransaction(transaction));
    const cause = `${name ? `${name}; ` : ''}it was not sent, because it would fail`;
    throw new AppError('EXECUTION_FAILED', { message, details: { cause, ...FAILED } });
  }
}

/** The same for everybody who asks: it is read from the final row, not from this call. */
async function answer(deps: TriggerV1Deps, row: LedgerRow): Promise<ExecuteAnswer> {
  const signature = row.signature ?? '';
  if (row.state === 'landed') {
    const { order } = row.payload as Payload;
    // So that whoever asks for the orders next finds what has just been done.
    await catchUp(deps);
    return { signature, status: 'Success', ...(order && { order }), code: 0 };
  }
  if (row.state === 'failed' && row.wire) {
    const { message, name } = explainFailure(deps, row.error, row.wire);
    const details = { signature, ...FAILED, ...(name && { cause: name }) };
    throw new AppError('EXECUTION_FAILED', { message, details });
  }
  throw new AppError('EXECUTION_FAILED', {
    message: 'unable to confirm transaction',
    details: { signature, ...FAILED, cause: 'its blockhash has expired: it has not landed and never will' },
  });
}
