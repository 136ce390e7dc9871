import { AppError } from '../../errors/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { decide, findPayment } from '../../store/verifications.js';
import { type AdminDeps, allowNoBody, operateRoute } from './deps.js';
import { DecisionBody, IdParams, Verification } from './schema.js';
import { showVerification } from './show-verification.js';

export function registerDecideVerification(app: TypedServer, deps: AdminDeps): void {
  registerDecision(app, deps, 'approve', 'approved', 'Approve a paid verification request');
  registerDecision(app, deps, 'reject', 'rejected', 'Reject a paid verification request');
}

function registerDecision(
  app: TypedServer,
  { store, clock, whyNotPaid }: AdminDeps,
  verb: string,
  decision: 'approved' | 'rejected',
  summary: string,
): void {
  app.post(
    `/admin/v1/verifications/:id/${verb}`,
    {
      config: {
        ...operateRoute,
        errors: {
          404: 'There is no request with this id',
          409: 'The request is not pending, or is to be approved and its payment is not final, or has not brought the price',
        },
      },
      preValidation: allowNoBody,
      schema: {
        tags: ['Admin'],
        summary,
        description: 'The token follows the decision in search, shield and check-eligibility at once.',
        params: IdParams,
        body: DecisionBody,
        response: { 200: Verification },
      },
    },
    async ({ params, body }) => {
      // An approval is seen by everybody at once. Landing tells of a payment at `confirmed`, which a fork can undo.
      const paid = decision === 'approved' ? await findPayment(store, params.id) : undefined;
      const why = paid && (await whyNotPaid(paid));
      if (why !== undefined) throw new AppError('CONFLICT', { message: `The request cannot be approved: ${why}` });
      const decided = await store.transaction((tx) =>
        decide(tx, params.id, decision, { at: new Date(clock.now()), note: body.note ?? null, paid: paid?.signature }),
      );
      if (decided === 'not-found') throw new AppError('NOT_FOUND', { message: 'There is no request with this id' });
      if (decided === 'not-pending') {
        throw new AppError('CONFLICT', { message: 'Only a request in the state pending can be decided' });
      }
      return showVerification(decided);
    },
  );
}
