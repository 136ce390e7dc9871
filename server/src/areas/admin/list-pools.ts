import { AppError } from '../../errors/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { PoolsPage, PoolsQuery, poolsPage } from '../../routing/aggregator/index.js';
import { type AdminDeps, adminRoute } from './deps.js';

export function registerListPools(app: TypedServer, { pools, tokenList = new Map() }: AdminDeps): void {
  app.get(
    '/admin/v1/pools',
    {
      config: adminRoute,
      schema: {
        tags: ['Admin'],
        summary: 'List the pools that swaps are routed over',
        description:
          'What this copy watches, the deepest first, with what can be traded and at which price; those that nobody can trade with now come last, with the reason.',
        querystring: PoolsQuery,
        response: { 200: PoolsPage },
      },
    },
    async ({ query }) => {
      if (!pools) throw new AppError('CONFLICT', { message: 'No service runs: pools are watched by a running one' });
      return poolsPage(pools, tokenList, query);
    },
  );
}
