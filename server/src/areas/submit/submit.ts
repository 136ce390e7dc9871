import {
  decodeMessage,
  decompileInstructions,
  MAX_TRANSACTION_SIZE,
  parseSystemTransfer,
  transactionSignature,
} from '@slipway/wire';
import { AppError, plainError } from '../../errors/index.js';
import {
  checkSignatures,
  explainBadTransaction,
  isBadTransaction,
  lifetimeOf,
  NotAccepted,
  readSigned,
  type SignedTransaction,
} from '../../landing/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { findBySignature } from '../../store/ledger.js';
import type { SubmitDeps } from './deps.js';
import { SubmitAnswer, SubmitBody } from './schema.js';

export function registerSubmitTransaction(app: TypedServer, deps: SubmitDeps): void {
  app.post(
    '/tx/v1/submit',
    {
      config: { errorShape: plainError, auth: 'key', bucket: 'execute' },
      schema: {
        tags: ['Transaction submit'],
        summary: 'Land a fully signed transaction',
        description:
          'Answered as soon as one way of sending has accepted it. The service sends it again until it lands or can never land.',
        body: SubmitBody,
        response: { 200: SubmitAnswer },
      },
    },
    ({ body }) => submit(deps, body),
  );
}

/** Takes over a fully signed transaction, and answers as soon as one RPC has accepted it. */
export async function submit(deps: SubmitDeps, { signedTransaction }: SubmitBody): Promise<SubmitAnswer> {
  if (signedTransaction.length > Math.ceil(MAX_TRANSACTION_SIZE / 3) * 4) {
    throw invalid(`larger than the ${MAX_TRANSACTION_SIZE} bytes that the chain takes`);
  }
  const signed = readSigned(signedTransaction);
  if (isBadTransaction(signed)) throw invalid(explainBadTransaction(signed));
  const refusal = checkSignatures(signed);
  if (refusal) throw invalid(explainBadTransaction(refusal));
  const signature = transactionSignature(signed.transaction);
  if (await findBySignature(deps.store, signature)) return { signature };
  requireTip(deps, signed);
  const aliveAt = await requireAlive(deps, signed);
  try {
    return { signature: await deps.landing.submit(signed.transaction, signed.signers[0]!, aliveAt) };
  } catch (error) {
    if (!(error instanceof NotAccepted)) throw error;
    if (error.definite) throw invalid(`not accepted: ${error.message}`);
    throw new AppError('CHAIN_UNAVAILABLE', {
      message:
        'The transaction may not have left yet; it is sent again until it lands or expires. Ask GET /tx/v1/status/{signature}',
      cause: error,
    });
  }
}

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

/**
 * Refuses a transaction that can never land, while the reason can still be told. Returns a slot at which it could land;
 * 0 if that is not known.
 */
async function requireAlive({ chain }: SubmitDeps, { transaction }: SignedTransaction): Promise<bigint> {
  const lifetime = lifetimeOf(transaction.message);
  if (lifetime.kind !== 'blockhash') return 0n;
  const { valid, slot } = await chain.isBlockhashValid(lifetime.blockhash);
  if (!valid) throw invalid('its blockhash is unknown or has expired; sign again with a new one');
  return slot;
}
