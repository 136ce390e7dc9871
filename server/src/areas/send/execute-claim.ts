import { AppError } from '../../errors/index.js';
import {
  accept,
  calledBy,
  EXPIRED,
  explain,
  explainBadTransaction,
  explainEnd,
  isRefusal,
  type Refusal,
} from '../../landing/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import type { LedgerRow } from '../../store/ledger.js';
import { CLAIM_AREA, type SendDeps, sendRoute, tags } from './deps.js';
import { refuse } from './list-invites.js';
import { ExecuteClaimAnswer, ExecuteClaimBody } from './schema.js';
import { whyNot } from './try-out.js';

const TOO_LATE = 'signedTransaction: its blockhash has expired; craft another claim';
const NOTHING_LEFT =
  'The service has too little SOL to pay for claims at the moment: nothing was sent; try again later';

export function registerExecuteClaim(app: TypedServer, deps: SendDeps): void {
  app.post(
    '/send/v1/execute-claim',
    {
      config: { ...sendRoute, bucket: 'execute' },
      schema: {
        tags,
        summary: 'Land a claim that the key of the invite has signed',
        description:
          "Adds the signature of the service's keeper, who pays the fee, and lands it. Post it again for the same answer.",
        body: ExecuteClaimBody,
        response: { 200: ExecuteClaimAnswer },
      },
    },
    (request) => executeClaim(calledBy(deps, request), request.body),
  );
}

/**
 * Lands a signed claim. Only who has the invite's key gets this far, and the keeper signs what would succeed now.
 * @throws AppError if it has not landed
 */
export async function executeClaim(deps: SendDeps, body: ExecuteClaimBody): Promise<ExecuteClaimAnswer> {
  const ended = await accept(deps, {
    area: CLAIM_AREA,
    base64: body.signedTransaction,
    request: body.requestId,
    terms: () => ({ ours: [deps.signer.address('keeper')] }),
    async prepare() {
      if (!(await deps.keeperWallet.leavesFills())) throw new AppError('SIGNER_HOLDS', { message: NOTHING_LEFT });
    },
  });
  if (isRefusal(ended)) throw refused(ended);
  if (ended.state === 'landed') return { signature: ended.signature! };
  throw refuse(`the claim has not landed: ${whyNotLanded(ended)}; craft another one`);
}

function whyNotLanded(row: LedgerRow): string {
  return row.state === 'failed' ? whyNot(row.error) : explainEnd(row).message;
}

function refused(refusal: Refusal): AppError {
  switch (refusal.reason) {
    case 'unknown-request':
    case 'expired-request':
      return refuse('requestId: unknown or too old; craft another claim');
    case 'too-late':
      return refuse(TOO_LATE);
    case 'reserved':
      return new AppError('RATE_LIMITED', { message: refusal.error.message });
    case 'would-fail':
      // The keeper signs nothing that has only some blocks left, either.
      return refuse(explain(refusal.err) === EXPIRED ? TOO_LATE : whyNot(refusal.err));
    default:
      return refuse(`signedTransaction: ${explainBadTransaction(refusal)}`);
  }
}
