import { decodeMessage, decompileInstructions, parseSystemTransfer, transactionSignature } from '@slipway/wire';
import type { FastifyRequest } from 'fastify';
import { AppError, plainError } from '../../errors/index.js';
import {
  CannotLand,
  checkSignatures,
  explainBadTransaction,
  isBadTransaction,
  NotAccepted,
  readSigned,
  type SignedTransaction,
} from '../../landing/index.js';
import { type Guest, NoPlace } from '../../lib/places.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { findSent, isGivenUp } from '../../store/ledger.js';
import type { SubmitDeps } from './deps.js';
import { SubmitAnswer, SubmitBody } from './schema.js';

/** To check three takes about as long as all else that a call does. */
const SIGNATURES_A_CALL = 3;

export function registerSubmitTransaction(app: TypedServer, deps: SubmitDeps): void {
  app.post(
    '/tx/v1/submit',
    {
      config: {
        errorShape: plainError,
        auth: 'key',
        bucket: 'execute',
        errors: { 429: 'Too many transactions of this key are under way: try again when some have ended' },
      },
      schema: {
        tags: ['Transaction submit'],
        summary: 'Land a fully signed transaction',
        description:
          'Answered as soon as one way of sending has accepted it. The service sends it again, less and less often, until it lands or can never land, one with a durable nonce for five minutes; what fails as the chain is now is sent again only once it would succeed. A transaction whose fee payer cannot pay the fee is refused. Each three signatures count as a call.',
        body: SubmitBody,
        response: { 200: SubmitAnswer },
      },
    },
    async (request) => {
      const signed = readPosted(request.body);
      await pay(request, signed);
      return submit(deps, signed, request.payer!, request.apiKey?.id);
    },
  );
}

/** @throws AppError INVALID_REQUEST where it is no transaction */
export function readPosted({ signedTransaction }: SubmitBody): SignedTransaction {
  const signed = readSigned(signedTransaction);
  if (isBadTransaction(signed)) throw invalid(explainBadTransaction(signed));
  return signed;
}

/** @throws AppError RATE_LIMITED where fewer calls are left */
async function pay(request: Pick<FastifyRequest, 'charge'>, { transaction }: SignedTransaction): Promise<void> {
  const signatures = transaction.signatures.length;
  const calls = Math.ceil(signatures / SIGNATURES_A_CALL);
  if ((await request.charge(calls - 1))?.allowed !== false) return;
  const message = `Too many requests: ${signatures} signatures count as ${calls} calls, and fewer are left; wait`;
  throw new AppError('RATE_LIMITED', { message });
}

/** Takes over a fully signed transaction, and answers as soon as one RPC has accepted it. */
export async function submit(
  deps: SubmitDeps,
  signed: SignedTransaction,
  caller: Guest,
  apiKey?: string,
): Promise<SubmitAnswer> {
  const refusal = checkSignatures(signed);
  if (refusal) throw invalid(explainBadTransaction(refusal));
  const signature = transactionSignature(signed.transaction);
  const known = await findSent(deps.store, signature);
  // To post the same again is the one way to have what has a durable nonce land once.
  if (known && !isGivenUp(known)) return { signature };
  requireTip(deps, signed);
  try {
    return { signature: await deps.landing.submit(signed, caller, apiKey) };
  } catch (error) {
    throw toAppError(error);
  }
}

function toAppError(error: unknown): unknown {
  if (error instanceof CannotLand) return invalid(error.message);
  if (error instanceof NoPlace) return new AppError(tooMany[error.whose]);
  if (!(error instanceof NotAccepted)) return error;
  if (error.definite) return invalid(`not accepted: ${error.message}`);
  return new AppError('CHAIN_UNAVAILABLE', {
    message:
      'The transaction may not have left yet; it is sent again until it lands or expires. Ask GET /tx/v1/status/{signature}',
    cause: error,
  });
}

const tooMany = { guest: 'TOO_MANY_OF_KEY', all: 'TOO_MANY_IN_ALL' } as const;

function invalid(detail: string): AppError {
  return new AppError('INVALID_REQUEST', { message: `signedTransaction: ${detail}` });
}

function requireTip({ minTipLamports, tipAccounts }: SubmitDeps, { transaction }: SignedTransaction): void {
  if (minTipLamports === 0n) return;
  const decoded = decodeMessage(transaction.message);
  const known = decoded.accounts.length;
  // A tip is a plain transfer; an instruction that uses lookup tables is not.
  const plain = decoded.instructions.filter((each) => each.accountIndexes.every((index) => index < known));
  const transfers = decompileInstructions({ ...decoded, instructions: plain, lookups: [] }).map(parseSystemTransfer);
  const paid = transfers.some((each) => each && each.lamports >= minTipLamports && tipAccounts.includes(each.to));
  if (!paid) {
    throw invalid(
      `expected a System transfer of at least ${minTipLamports} lamports to one of the tip accounts: ${tipAccounts.join(', ')}`,
    );
  }
}
