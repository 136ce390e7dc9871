import type { FastifyInstance } from 'fastify';
import type { SwapDeps } from './deps.js';
import { execute, withExecuteCode } from './execute.js';
import { createFeeAccounts } from './fee-accounts.js';
import { order } from './order.js';
import { ExecuteAnswer, ExecuteBody, OrderAnswer, OrderQuery } from './schema.js';
import { createTokenAges } from './token-age.js';

export { AREA as SWAP_AREA, type SwapDeps } from './deps.js';
export { registerSwapReads, type SwapReadsDeps } from './reads.js';
export { swapSettlement } from './settlement.js';
export { createTokenList } from './token-list.js';

const PREFIX = '/ultra/v1';

export function registerSwap(app: FastifyInstance, deps: SwapDeps): void {
  const tags = ['Swap'];
  const config = { shape: 'plain', auth: 'key' } as const;
  const sources = {
    accounts: createFeeAccounts({ ...deps, receiver: deps.fees.receiver }),
    isNew: createTokenAges({ ...deps, rpc: deps.chain.rpc }),
  };
  app.get<{ Querystring: OrderQuery }>(
    `${PREFIX}/order`,
    {
      config,
      schema: {
        tags,
        summary: 'Quote a swap, with the transaction for a taker',
        querystring: OrderQuery,
        response: { 200: OrderAnswer },
      },
    },
    (request) => order(deps, sources, request.query),
  );
  app.post<{ Body: ExecuteBody }>(
    `${PREFIX}/execute`,
    {
      config: { ...config, bucket: 'execute' },
      errorHandler: (error, _request, reply) => reply.send(withExecuteCode(error)),
      schema: { tags, summary: 'Land a signed order', body: ExecuteBody, response: { 200: ExecuteAnswer } },
    },
    (request) => execute(deps, request.body),
  );
}
