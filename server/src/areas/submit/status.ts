import { base58Decode } from '@slipway/wire';
import { AppError, plainError } from '../../errors/index.js';
import { explainEnd } from '../../landing/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { findBySignature, type LedgerRow } from '../../store/ledger.js';
import type { SubmitDeps } from './deps.js';
import { StatusAnswer, StatusParams } from './schema.js';

export function registerStatus(app: TypedServer, deps: SubmitDeps): void {
  app.get(
    '/tx/v1/status/:signature',
    {
      config: {
        errorShape: plainError,
        auth: 'key',
        errors: { 404: 'This transaction was not submitted here' },
      },
      schema: {
        tags: ['Transaction submit'],
        summary: 'What has become of a transaction',
        description: 'Of a transaction that was posted to `submit`.',
        params: StatusParams,
        response: { 200: StatusAnswer },
      },
    },
    ({ params }) => status(deps, params),
  );
}

/** What has become of a transaction that was submitted or executed here. */
export async function status({ store }: Pick<SubmitDeps, 'store'>, { signature }: StatusParams): Promise<StatusAnswer> {
  if (base58Decode(signature)?.length !== 64) {
    throw new AppError('INVALID_REQUEST', {
      message: 'signature: expected a transaction signature in base58 (64 bytes)',
    });
  }
  const row = await findBySignature(store, signature);
  if (!row) throw new AppError('NOT_FOUND', { message: 'This transaction was not submitted here' });
  if (row.state === 'sending' || row.state === 'crafted') return { signature, status: 'pending', slot: null };
  return {
    signature,
    status: row.state,
    slot: row.slot?.toString() ?? null,
    ...((row.state === 'failed' || row.error !== null) && errorOf(row)),
  };
}

function errorOf(row: LedgerRow): Pick<StatusAnswer, 'error' | 'code'> {
  const { code, message } = explainEnd(row);
  return { error: message, code };
}
