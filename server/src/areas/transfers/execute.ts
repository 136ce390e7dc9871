import { AppError } from '../../errors/index.js';
import { accept, calledBy, explainBadTransaction, explainEnd, isRefusal, type Refusal } from '../../landing/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import type { LedgerRow } from '../../store/ledger.js';
import { RECLAIM, TRANSFER, type TransfersDeps, tags, transfersRoute } from './deps.js';
import { ExecuteAnswer, ExecuteBody } from './schema.js';

export function registerExecute(app: TypedServer, deps: TransfersDeps): void {
  const routes = [
    { area: TRANSFER, url: '/ultra/v1/transfer/execute', summary: 'Land a signed transfer' },
    { area: RECLAIM, url: '/ultra/v1/reclaim/execute', summary: 'Land a signed closing of token accounts' },
  ];
  for (const { area, url, summary } of routes) {
    app.post(
      url,
      {
        config: { ...transfersRoute, bucket: 'execute' },
        schema: {
          tags,
          summary,
          description:
            'Post it again for the same answer. 400 means that nothing was sent; after any other error, post it again.',
          body: ExecuteBody,
          response: { 200: ExecuteAnswer },
        },
      },
      (request) => execute(calledBy(deps, request), area, request.body),
    );
  }
}

/**
 * Lands a signed transaction of this area, or reports what has become of it.
 * @throws AppError if it was not sent
 */
export async function execute(deps: TransfersDeps, area: string, body: ExecuteBody): Promise<ExecuteAnswer> {
  const ended = await accept(deps, {
    area,
    base64: body.signedTransaction,
    request: body.requestId,
    terms: () => ({ ours: [] }),
  });
  if (!isRefusal(ended)) return answer(ended);
  if (ended.reason !== 'would-fail') throw refused(ended);
  // The client may ask for another one now, so this one must not land when it is posted again.
  return answer(await deps.landing.fail(ended.request, ended.transaction, ended.err));
}

/** Derived from the final row, not from this call, so every caller gets the same answer. */
function answer(row: LedgerRow): ExecuteAnswer {
  const { signature, sentAt, settledAt } = row;
  const totalTime = (settledAt?.getTime() ?? 0) - (sentAt?.getTime() ?? 0);
  if (row.state === 'landed') return { status: 'Success', signature: signature!, code: 0, totalTime };
  const { code, message } = explainEnd(row);
  if (signature === null) {
    const error = `signedTransaction: not sent, because it would fail (${message}); craft a new one`;
    throw new AppError('INVALID_REQUEST', { message: error, details: { code } });
  }
  return { status: 'Failed', signature, code, error: message, totalTime };
}

function refused(refusal: Exclude<Refusal, { reason: 'would-fail' }>): AppError {
  switch (refusal.reason) {
    case 'unknown-request':
    case 'expired-request':
      return new AppError('INVALID_REQUEST', { message: 'requestId: unknown or too old; craft a new transaction' });
    case 'too-late':
      return new AppError('TRANSACTION_EXPIRED', { message: 'Transaction expired; craft a new one' });
    case 'reserved':
      return new AppError('INVALID_REQUEST', { message: `signedTransaction: ${refusal.error.message}` });
    default:
      return new AppError('INVALID_REQUEST', { message: `signedTransaction: ${explainBadTransaction(refusal)}` });
  }
}
