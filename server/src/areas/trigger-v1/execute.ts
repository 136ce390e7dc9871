import { encodeTransaction } from '@slipway/wire';
import { hashMessage } from '../../crafting/transaction.js';
import { AppError } from '../../errors/index.js';
import {
  accept,
  calledBy,
  explainBadTransaction,
  isRefusal,
  type Refusal,
  type SignedTransaction,
} from '../../landing/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import type { LedgerRow } from '../../store/ledger.js';
import { catchUp } from './catch-up.js';
import { AREA, readPayload, type TriggerV1Deps, tags, triggerV1Route } from './deps.js';

import { ExecuteAnswer, ExecuteBody } from './schema.js';
import { explainFailure, rowId } from './try-out.js';

const FAILED = { status: 'Failed' } as const;

export function registerExecute(app: TypedServer, deps: TriggerV1Deps): void {
  app.post(
    '/trigger/v1/execute',
    {
      config: { ...triggerV1Route, bucket: 'execute' },
      schema: {
        tags,
        summary: 'Land a signed transaction',
        description:
          'Lands what `createOrder`, `cancelOrder` or `cancelOrders` crafted. The same post gets the same answer.',
        body: ExecuteBody,
        response: { 200: ExecuteAnswer },
      },
    },
    (request) => execute(calledBy(deps, request), request.body),
  );
}

/** Lands one of a request's signed transactions, or reports what has become of it. */
export async function execute(deps: TriggerV1Deps, body: ExecuteBody): Promise<ExecuteAnswer> {
  const ended = await accept(deps, {
    area: AREA,
    base64: body.signedTransaction,
    request: (signed) => findTransaction(deps, body.requestId, signed),
    terms: () => ({ ours: [] }),
  });
  if (isRefusal(ended)) throw explainRefusal(deps, ended);
  return answer(deps, ended);
}

/** The request's transaction that was posted; its first if none matches. */
async function findTransaction(
  { findRequest }: TriggerV1Deps,
  requestId: string,
  { transaction }: SignedTransaction,
): Promise<LedgerRow | undefined> {
  const first = await findRequest(requestId);
  const hash = hashMessage(transaction.message);
  const isPosted = (row: LedgerRow | undefined) => row && Buffer.compare(row.messageHash, hash) === 0;
  if (first?.area !== AREA || isPosted(first)) return first;
  const numbers = Array.from({ length: readPayload(first).transactions - 1 }, (_, index) => index + 1);
  const others = await Promise.all(numbers.map((number) => findRequest(rowId(requestId, number))));
  return others.find(isPosted) ?? first;
}

function explainRefusal(deps: TriggerV1Deps, refusal: Refusal): Error {
  switch (refusal.reason) {
    case 'unknown-request':
    case 'expired-request':
      return invalid('requestId: unknown or too old; ask for a new transaction');
    case 'too-late':
      return invalid('signedTransaction: its blockhash has expired before it was sent; ask for a new transaction');
    case 'reserved':
      // The same orders that are cancelled twice at one blockhash are the same bytes.
      return invalid(`signedTransaction: ${refusal.error.message}`);
    case 'would-fail': {
      const { message, name } = explainFailure(deps, refusal.err, encodeTransaction(refusal.transaction));
      const cause = `${name ? `${name}; ` : ''}it was not sent, because it would fail`;
      return new AppError('EXECUTION_FAILED', { message, details: { cause, ...FAILED } });
    }
    default:
      return invalid(`signedTransaction: ${explainBadTransaction(refusal)}`);
  }
}

function invalid(cause: string): AppError {
  return new AppError('INVALID_REQUEST', { message: 'invalid transaction', details: { cause, ...FAILED } });
}

/** Derived from the final row, not from this call, so every caller gets the same answer. */
async function answer(deps: TriggerV1Deps, row: LedgerRow): Promise<ExecuteAnswer> {
  const signature = row.signature ?? '';
  if (row.state === 'landed') {
    const { order } = readPayload(row);
    // So that a listing right after this includes the change.
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
