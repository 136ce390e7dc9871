import type { Address } from '@slipway/wire';
import { AppError, RFQ } from '../../errors/index.js';
import {
  accept,
  type BadTransaction,
  calledBy,
  EXPIRED,
  type Explanation,
  explainBadTransaction,
  explainEnd,
  isRefusal,
  type Refusal,
} from '../../landing/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { MAKERS_SECONDS } from '../../routing/makers/index.js';
import type { LedgerRow } from '../../store/ledger.js';
import { AREA, type SwapDeps, swapRoute, tags } from './deps.js';

import { explainSwap, INVALID, NOT_SIGNED } from './failure.js';
import { createLandedAmounts, type LandedAmounts } from './landed-amounts.js';
import { readPayload, type SwapPayload } from './payload.js';
import { ExecuteAnswer, ExecuteBody } from './schema.js';

export function registerExecute(app: TypedServer, deps: SwapDeps): void {
  const amountsOf = createLandedAmounts(deps);
  app.post(
    '/ultra/v1/execute',
    {
      config: { ...swapRoute, bucket: 'execute' },
      errorHandler: (error, { body }, reply) => reply.send(withExecuteCode(error, body) as never),
      schema: {
        tags,
        summary: 'Land a signed order',
        description:
          'Post the signed `transaction` of an order with its `requestId`. The same post gets the same answer, also when it comes later; it never lands twice.',
        body: ExecuteBody,
        response: { 200: ExecuteAnswer },
      },
    },
    (request) => execute(calledBy(deps, request), amountsOf, request.body),
  );
}

/** Lands an order's signed transaction, or reports what has become of it. */
export async function execute(
  deps: SwapDeps,
  amountsOf: LandedAmounts,
  { requestId, signedTransaction }: ExecuteBody,
): Promise<ExecuteAnswer> {
  if (!requestId) throw refuse(-4, 'requestId: required, as the order has it');
  if (!signedTransaction) throw refuse(-5, 'signedTransaction: required, base64 of the signed transaction');
  let maker: SwapPayload['maker'];
  const ended = await accept(deps, {
    area: AREA,
    base64: signedTransaction,
    request: requestId,
    terms(request) {
      maker = readPayload(request).maker;
      const ours = request.cosigners.length > 0 ? [deps.gasWallet] : [];
      if (!maker) return { ours };
      const until = (maker.expireAt - MAKERS_SECONDS) * 1_000;
      return { ours: [...ours, maker.address], delegate: { deliver: deps.deliver(maker), until } };
    },
  });
  return isRefusal(ended) ? answerRefusal(deps, amountsOf, ended, maker !== undefined) : answer(deps, amountsOf, ended);
}

/** Gives errors of the schema and the parser the contract's code. */
function withExecuteCode(error: unknown, body: unknown): unknown {
  const { code: name, details } = error as { code?: unknown; details?: Record<string, unknown> };
  if (name === 'FST_ERR_CTP_INVALID_JSON_BODY') return refuse(-2, 'The body is not valid JSON');
  if (name !== 'INVALID_REQUEST' || details?.code !== undefined) return error;
  if (details?.signedTransaction === undefined) return refuse(-4, (error as Error).message);
  // Too long to be a transaction is not the same as none.
  const isThere = typeof (body as Partial<ExecuteBody>).signedTransaction === 'string';
  return refuse(isThere ? -2 : -5, (error as Error).message);
}

function refuse(code: number, message: string): AppError {
  return new AppError('INVALID_REQUEST', { message, details: { code } });
}

async function answerRefusal(
  deps: SwapDeps,
  amountsOf: LandedAmounts,
  refusal: Refusal,
  byMaker: boolean,
): Promise<ExecuteAnswer> {
  switch (refusal.reason) {
    case 'undecodable':
      throw refuse(-2, 'Failed to decode signed transaction');
    case 'unknown-request':
    case 'expired-request':
      throw refuse(-1, 'Order not found, it might have expired');
    case 'message-changed':
      throw refuse(-3, 'signedTransaction: its message is not the one of the order; sign the order as it was given');
    case 'missing-signature':
      return failed(signatureProblem(refusal, byMaker ? RFQ.invalidPayload.code : NOT_SIGNED));
    case 'invalid-signature':
      return failed(signatureProblem(refusal, byMaker ? RFQ.invalidPayload.code : INVALID));
    case 'too-late':
      return failed(byMaker ? RFQ.quoteExpired : EXPIRED);
    case 'reserved':
      return failed({ code: INVALID, message: refusal.error.message });
    case 'would-fail': {
      // The client may ask for another order now, so this one must not swap when it is posted again.
      const { request, transaction, err } = refusal;
      return answer(deps, amountsOf, await deps.landing.fail(request, transaction, err));
    }
  }
}

function signatureProblem(bad: BadTransaction, code: number): Explanation {
  return { code, message: explainBadTransaction(bad) };
}

/** Derived from the final row and the chain, not from this call, so every caller gets the same answer. */
async function answer({ programs }: SwapDeps, amountsOf: LandedAmounts, row: LedgerRow): Promise<ExecuteAnswer> {
  const known = { ...(row.signature && { signature: row.signature }), slot: row.slot?.toString() ?? '0' };
  if (row.state !== 'landed') {
    const why =
      row.state === 'failed' && row.wire
        ? explainSwap(row.error, row.wire, programs, readPayload(row).outputMint as Address)
        : explainEnd(row);
    return { ...failed(why), ...known };
  }
  // The landing is certain, and clients can read the amounts from the chain themselves.
  return { status: 'Success', code: 0, ...known, ...(await amountsOf(row)) };
}

function failed({ code, message }: Explanation): ExecuteAnswer {
  return { status: 'Failed', code, error: message, slot: '0' };
}
