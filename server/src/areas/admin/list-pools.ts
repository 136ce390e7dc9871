import { AppError, requireAddress } from '../../errors/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { type AdminDeps, adminRoute } from './deps.js';
import { PoolsPage, PoolsQuery } from './watch-schema.js';

export function registerListPools(app: TypedServer, { pools, tokenList = new Map() }: AdminDeps): void {
  const mintOf = (token: string) =>
    [...tokenList.values()].find(({ symbol }) => symbol.toLowerCase() === token.toLowerCase())?.mint ??
    requireAddress('token', token);
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
    async ({ query: { token, limit } }) => {
      if (!pools) throw new AppError('CONFLICT', { message: 'No service runs: pools are watched by a running one' });
      const page = pools({ mint: token === undefined ? undefined : mintOf(token), most: limit });
      return {
        count: page.count,
        pools: page.pools.map(({ sides, price, feeShare, refusal, ...pool }) => ({
          ...pool,
          tokens: sides.map(({ mint, decimals, reserve }) => ({
            mint,
            symbol: tokenList.get(mint)?.symbol ?? null,
            decimals: decimals ?? null,
            reserve: reserve === undefined ? null : BigInt(Math.floor(reserve)).toString(),
          })),
          price: price ?? null,
          feePercent: feeShare === undefined ? null : feeShare * 100,
          refusal: refusal ?? null,
        })),
      };
    },
  );
}
