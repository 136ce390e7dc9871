import { type Address, isAddress, missingSigners, transactionSignature } from '@slipway/wire';
import { AppError, requireAddress, requireAmount } from '../../errors/index.js';
import {
  checkAgainstCrafted,
  EXPIRED,
  type Explanation,
  explain,
  isRefusal,
  type Refusal,
  ReservationRefused,
  readSigned,
  type SignedTransaction,
  SLIPPAGE,
  WouldFail,
} from '../../landing/index.js';
import { uuidv7 } from '../../lib/ids.js';
import type { LedgerRow } from '../../store/ledger.js';
import type { NewVerification, VerificationKind } from '../../store/verifications.js';
import { type Currency, readCurrency } from './currency.js';
import { AREA, type ExpressDeps } from './deps.js';
import type { ExecuteAnswer, ExecuteBody } from './schema.js';

/** Lands a signed payment and records what was paid for. */
export async function execute(deps: ExpressDeps, body: ExecuteBody): Promise<ExecuteAnswer> {
  const sender = requireAddress('senderAddress', body.senderAddress);
  const kinds = kindsAskedFor(body);
  const currency = readCurrency(body.paymentCurrency ?? 'PLATFORM_TOKEN', {
    platform: deps.platform.symbol,
    stable: deps.stable.symbol,
  });
  const signed = readSigned(body.transaction);
  if (isRefusal(signed)) throw refuse(signed);
  const request = await findExpressRequest(deps, body.requestId, sender, currency, body.paymentAmount);
  const refusal = checkAgainstCrafted(signed, request, deps.gasless ? [deps.gasWallet] : []);
  if (refusal) throw refuse(refusal);

  if (request.state !== 'crafted') return answer(deps, await deps.landing.execute(request, signed.transaction));
  const isDead = (await deps.chain.blockHeight()) > request.lastValidBlockHeight;
  if (isDead && !(await isOnChain(deps, signed))) throw new AppError('TRANSACTION_EXPIRED');
  const tokenId = await requireMint(deps, body.tokenId);
  return land(
    deps,
    request,
    signed,
    kinds.map((kind) => newVerification(deps, kind, tokenId, request, body)),
  );
}

/** Whether its owner has landed the payment in another way: then it only has to be recorded. */
async function isOnChain({ chain }: ExpressDeps, { transaction }: SignedTransaction): Promise<boolean> {
  if (missingSigners(transaction).length > 0) return false;
  const { found } = await chain.statuses([transactionSignature(transaction)], { history: true });
  return found[0] !== undefined;
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

async function findExpressRequest(
  { findRequest, clock }: ExpressDeps,
  id: string,
  sender: Address,
  currency: Currency,
  paymentAmount: string | undefined,
): Promise<LedgerRow> {
  const request = await findRequest(id);
  if (!request || request.area !== AREA || request.expiresAt.getTime() < clock.now()) {
    throw new AppError('TRANSACTION_EXPIRED', {
      message: 'Transaction expired: the requestId is unknown or too old; craft a new one',
    });
  }
  if (request.wallet !== sender) {
    throw new AppError('EXPRESS_UNAUTHORIZED', {
      message: 'senderAddress: the transaction was crafted for another wallet',
    });
  }
  const crafted = (request.payload as { currency: Currency }).currency;
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
  return request;
}

async function requireMint({ chain }: ExpressDeps, tokenId: string): Promise<Address> {
  if (isAddress(tokenId) && (await chain.mint(tokenId))) return tokenId;
  throw new AppError('INVALID_TOKEN_ID');
}

function newVerification(
  { clock }: ExpressDeps,
  kind: VerificationKind,
  tokenId: Address,
  request: LedgerRow,
  body: ExecuteBody,
): NewVerification {
  const { currency, amount } = request.payload as { currency: Currency; amount: string };
  return {
    id: uuidv7(clock),
    tokenId,
    kind,
    requestId: request.id,
    payer: request.wallet,
    twitterHandle: body.twitterHandle.trim() || null,
    senderTwitterHandle: body.senderTwitterHandle ?? null,
    description: body.description || null,
    metadata: kind === 'metadata' ? body.tokenMetadata : null,
    paymentCurrency: currency,
    paymentAmount: BigInt(body.paymentAmount ?? amount),
    createdAt: new Date(clock.now()),
  };
}

/** The tokens are reserved in the same store transaction that claims the right to send: of two payers, one pays. */
async function land(
  deps: ExpressDeps,
  request: LedgerRow,
  signed: SignedTransaction,
  wanted: NewVerification[],
): Promise<ExecuteAnswer> {
  try {
    return await answer(deps, await deps.landing.execute(request, signed.transaction, wanted));
  } catch (error) {
    if (error instanceof ReservationRefused) throw new AppError('ELIGIBILITY_CONFLICT', { message: error.message });
    if (!(error instanceof WouldFail)) throw error;
    const { code, message } = explainPayment(error.err);
    return {
      status: 'Failed',
      code,
      error: `Not sent: ${message}`,
      totalTime: 0,
      verificationCreated: false,
      metadataCreated: false,
    };
  }
}

/** In a payment, only the swap to the platform token has a program error of that number. */
function explainPayment(err: unknown): Explanation {
  const explained = explain(err);
  return explained.code === SLIPPAGE.code ? SLIPPAGE : explained;
}

function refuse(refusal: Refusal): AppError {
  switch (refusal.reason) {
    case 'undecodable':
      return new AppError('INVALID_PAYLOAD', { message: `transaction: ${refusal.detail}` });
    case 'message-changed':
      return new AppError('INVALID_PAYLOAD', {
        message: 'transaction: its message is not the one that was crafted for this requestId',
      });
    case 'missing-signature':
      return new AppError('INVALID_PAYLOAD', { message: `transaction: the signature of ${refusal.signer} is missing` });
    case 'invalid-signature':
      return new AppError('INVALID_PAYLOAD', {
        message: `transaction: the signature of ${refusal.signer} does not match`,
      });
  }
}

/** The same for everybody who asks: it is read from the final row and from the record, not from this call. */
async function answer({ kindsOf }: ExpressDeps, row: LedgerRow): Promise<ExecuteAnswer> {
  const kinds = row.state === 'landed' ? await kindsOf(row.id) : [];
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
