import type { TypedServer } from '../../lib/typed-server.js';
import { PoolsPage, PoolsQuery, poolsPage } from '../../routing/aggregator/index.js';
import type { SandboxDeps } from './deps.js';
import { sandboxRoute, tags } from './deps.js';

export function registerListPools(app: TypedServer, { pools, tokenList }: SandboxDeps): void {
  app.get(
    '/sandbox/pools',
    {
      config: sandboxRoute,
      schema: {
        tags,
        summary: 'Pools that swaps are routed over',
        description:
          'The deepest first, with what can be traded and at which price; those that nobody can trade with now come last, with the reason.',
        querystring: PoolsQuery,
        response: { 200: PoolsPage },
      },
    },
    async ({ query }) => poolsPage(pools, tokenList, query),
  );
}
