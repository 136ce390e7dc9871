import { AppError } from '../../errors/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { findTransaction } from '../../store/operator-views.js';
import { type AdminDeps, adminRoute } from './deps.js';
import { RequestParams, RequestStory } from './watch-schema.js';

export function registerShowRequest(app: TypedServer, { store, onChain }: AdminDeps): void {
  app.get(
    '/admin/v1/requests/:id',
    {
      config: { ...adminRoute, errors: { 404: 'There is no request with this id or signature' } },
      schema: {
        tags: ['Admin'],
        summary: 'Show what has become of a transaction, from craft to chain',
        description: 'By its request id or its signature: what the service knows of it, and what the chain says.',
        params: RequestParams,
        response: { 200: RequestStory },
      },
    },
    async ({ params: { id } }) => {
      const row = await findTransaction(store, id);
      if (!row) throw new AppError('NOT_FOUND', { message: 'There is no request with this id or signature' });
      const { createdAt, expiresAt, sentAt, settledAt, lastValidBlockHeight, slot, error, ...facts } = row;
      return {
        ...facts,
        lastValidBlockHeight: Number(lastValidBlockHeight),
        slot: slot === null ? null : Number(slot),
        error: error === null ? null : JSON.stringify(error),
        craftedAt: createdAt.toISOString(),
        expiresAt: expiresAt.toISOString(),
        sentAt: sentAt?.toISOString() ?? null,
        settledAt: settledAt?.toISOString() ?? null,
        // The chain may be away; what the service knows is told all the same.
        chain: row.signature === null ? null : ((await onChain?.(row.signature).catch(() => undefined)) ?? null),
      };
    },
  );
}
