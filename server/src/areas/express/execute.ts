import { isDeepStrictEqual } from 'node:util';
import { type Address, isAddress } from '@slipway/wire';
import { AppError, errorTable, requireAddress, requireAmount } from '../../errors/index.js';
import {
  accept,
  calledBy,
  EXPIRED,
  type Explanation,
  explain,
  explainBadTransaction,
  isRefusal,
  type Refusal,
  SLIPPAGE,
} from '../../landing/index.js';
import { uuidv7 } from '../../lib/ids.js';
import type { TypedServer } from '../../lib/typed-server.js';
import type { LedgerRow } from '../../store/ledger.js';
import type { Asked, NewVerification, VerificationKind } from '../../store/verifications.js';
import { type Currency, readCurrency } from './currency.js';
import { AREA, type ExpressDeps, expressRoute, tags } from './deps.js';

import { letOthersPay } from './give-way.js';
import { readPayload } from './payload.js';
import { ExecuteAnswer, ExecuteBody } from './schema.js';

const PAID_FOR_ANOTHER = `${errorTable.PAID_FOR_ANOTHER.message}: it was posted before with another token, handle, text or metadata`;

export function registerExecute(app: TypedServer, deps: ExpressDeps): void {
  app.post(
    '/tokens/v2/verify/express/execute',
    {
      config: {
        ...expressRoute,
        bucket: 'execute',
        paysForBody: 'json',
        errors: {
          409: 'The token is verified already, or a request for it exists; with code PAID_FOR_ANOTHER, the payment has landed for another request',
        },
      },
      // All texts at their limits, in any script.
      bodyLimit: 256 * 1024,
      schema: {
        tags,
        summary: 'Land the signed payment and record the request',
        description:
          'Lands the payment at most once, and records the request with it. The same post gets the same answer, also when it comes later.',
        body: ExecuteBody,
        response: { 200: ExecuteAnswer },
      },
    },
    (request) => execute(calledBy(deps, request), request.body),
  );
}

/** Lands a signed payment and records what was paid for. */
export async function execute(deps: ExpressDeps, body: ExecuteBody): Promise<ExecuteAnswer> {
  const sender = requireAddress('senderAddress', body.senderAddress);
  const kinds = kindsAskedFor(body);
  const currency = readCurrency(body.paymentCurrency ?? 'PLATFORM_TOKEN', {
    platform: deps.platform.symbol,
    stable: deps.stable.symbol,
  });
  const ended = await accept(deps, {
    area: AREA,
    base64: body.transaction,
    request: body.requestId,
    terms(request) {
      requireSame(request, sender, currency, body.paymentAmount);
      return { ours: request.cosigners.length > 0 ? [deps.gasWallet] : [] };
    },
    // The tokens are reserved in the same store transaction that claims the right to send: of two payers, only one
    // pays.
    async prepare(request): Promise<NewVerification[]> {
      const tokenId = await requireMint(deps, body.tokenId);
      if (kinds.includes('verification') && deps.tokens.has(tokenId)) {
        throw new AppError('ELIGIBILITY_CONFLICT', { message: 'This token is verified already' });
      }
      await letOthersPay(deps, tokenId, kinds);
      return kinds.map((kind) => newVerification(deps, askedFor(kind, body), request));
    },
  });
  if (isRefusal(ended)) return answerRefusal(ended);
  return answer(
    deps,
    kinds.map((kind) => askedFor(kind, body)),
    ended,
  );
}

/** An empty handle asks for no verification, absent metadata for no metadata request. */
function kindsAskedFor({ twitterHandle, tokenMetadata, tokenId }: ExecuteBody): VerificationKind[] {
  if (tokenMetadata && tokenMetadata.tokenId !== tokenId) {
    throw new AppError('INVALID_REQUEST', { message: 'tokenMetadata.tokenId: expected the same mint as tokenId' });
  }
  const kinds: VerificationKind[] = [];
  if (twitterHandle.trim() !== '') kinds.push('verification');
  if (tokenMetadata) kinds.push('metadata');
  if (kinds.length === 0) {
    throw new AppError('INVALID_REQUEST', {
      message: 'twitterHandle: expected a handle, or tokenMetadata for a metadata request alone',
    });
  }
  return kinds;
}

/** Checks that the payment was crafted for what is posted with it. */
function requireSame(request: LedgerRow, sender: Address, currency: Currency, paymentAmount: string | undefined): void {
  if (request.wallet !== sender) {
    throw new AppError('EXPRESS_UNAUTHORIZED', {
      message: 'senderAddress: the transaction was crafted for another wallet',
    });
  }
  const crafted = readPayload(request).currency;
  if (crafted !== currency) {
    const message = `paymentCurrency: the transaction was crafted with ${crafted}, and this says ${currency}`;
    throw new AppError('INVALID_REQUEST', { message });
  }
  if (currency !== 'PLATFORM_TOKEN') {
    if (paymentAmount === undefined) {
      const expected = `required with paymentCurrency ${currency}: the quotedInputAmount of craft-txn`;
      throw new AppError('INVALID_REQUEST', {
        message: `paymentAmount: ${expected}`,
        details: { paymentAmount: expected },
      });
    }
    requireAmount('paymentAmount', paymentAmount);
  }
}

async function requireMint({ chain }: ExpressDeps, tokenId: string): Promise<Address> {
  if (isAddress(tokenId) && (await chain.mint(tokenId))) return tokenId;
  throw new AppError('INVALID_TOKEN_ID');
}

function askedFor(kind: VerificationKind, body: ExecuteBody): Asked {
  return {
    kind,
    tokenId: body.tokenId,
    twitterHandle: body.twitterHandle.trim() || null,
    senderTwitterHandle: body.senderTwitterHandle ?? null,
    description: body.description || null,
    // As the database gives it back.
    metadata: kind === 'metadata' ? JSON.parse(JSON.stringify(body.tokenMetadata)) : null,
  };
}

function newVerification({ clock }: ExpressDeps, asked: Asked, request: LedgerRow): NewVerification {
  const { currency, amount, paid = amount } = readPayload(request);
  return {
    ...asked,
    id: uuidv7(clock),
    requestId: request.id,
    payer: request.wallet,
    paymentCurrency: currency,
    // Not what the client says: the operator decides by it.
    paymentAmount: BigInt(paid),
    createdAt: new Date(clock.now()),
  };
}

function answerRefusal(refusal: Refusal): ExecuteAnswer {
  switch (refusal.reason) {
    case 'unknown-request':
    case 'expired-request':
      throw new AppError('TRANSACTION_EXPIRED', {
        message: 'Transaction expired: the requestId is unknown or too old; craft a new one',
      });
    case 'too-late':
      throw new AppError('TRANSACTION_EXPIRED');
    case 'reserved':
      if (refusal.error.bar) throw new AppError('RATE_LIMITED', { message: refusal.error.message });
      throw new AppError('ELIGIBILITY_CONFLICT', { message: refusal.error.message });
    case 'would-fail': {
      const { code, message } = explainPayment(refusal.err);
      const nothingMade = { totalTime: 0, verificationCreated: false, metadataCreated: false };
      return { status: 'Failed', code, error: `Not sent: ${message}`, ...nothingMade };
    }
    default:
      throw new AppError('INVALID_PAYLOAD', { message: `transaction: ${explainBadTransaction(refusal)}` });
  }
}

/** In a payment, only the swap to the platform token can fail with that number. */
function explainPayment(err: unknown): Explanation {
  const explained = explain(err);
  return explained.code === SLIPPAGE.code ? SLIPPAGE : explained;
}

/**
 * Derived from the final row and the stored records, not from this call, so every caller of the same gets the same answer. Who asks
 * for something else must not hear that it was made: what a payment is for stands nowhere in it, and the first post has said so.
 */
async function answer({ paidFor }: ExpressDeps, asked: readonly Asked[], row: LedgerRow): Promise<ExecuteAnswer> {
  const paid = row.state === 'landed' ? await paidFor(row.id) : [];
  const isSame =
    asked.length === paid.length && asked.every((each) => paid.some((one) => isDeepStrictEqual(one.asked, each)));
  if (paid.length > 0 && !isSame) throw new AppError('PAID_FOR_ANOTHER', { message: PAID_FOR_ANOTHER });
  const kinds = paid.filter(({ isMade }) => isMade).map((each) => each.asked.kind);
  const common = {
    totalTime: (row.settledAt?.getTime() ?? 0) - (row.sentAt?.getTime() ?? 0),
    verificationCreated: kinds.includes('verification'),
    metadataCreated: kinds.includes('metadata'),
    ...(row.signature !== null && { signature: row.signature }),
  };
  if (row.state === 'landed') return { status: 'Success', code: 0, ...common };
  const { code, message } = row.state === 'failed' ? explainPayment(row.error) : EXPIRED;
  return { status: 'Failed', code, error: message, ...common };
}
