import type { FastifyInstance } from 'fastify';
import { plainError } from '../../errors/index.js';
import type { Area } from '../area.js';
import { AREA, type SwapDeps } from './deps.js';
import { execute, withExecuteCode } from './execute.js';
import { createFeeAccounts } from './fee-accounts.js';
import { registerListRouters } from './list-routers.js';
import { order } from './order.js';
import { ExecuteAnswer, ExecuteBody, OrderAnswer, OrderQuery } from './schema.js';
import { swapSettlement } from './settlement.js';
import { createTokenAges } from './token-age.js';

export type { SwapDeps } from './deps.js';

export const swapArea: Area = {
  name: AREA,
  tag: 'Swap',
  errorShape: plainError,
  settlement: (clock) => ({ [AREA]: swapSettlement(clock) }),
  register(server, services) {
    const { config, log, clock, steadyNow, store, ledger, chain, prices, landing, routing, makers, signer } = services;
    const { platform } = config.tokens;
    const { swap, programs, submit } = config;
    const gasWallet = signer.address('gas');
    registerSwap(server, {
      log,
      clock,
      steadyNow,
      store,
      chain,
      prices,
      landing,
      routing,
      programs,
      gasWallet,
      remember: ledger.remember,
      findRequest: ledger.findRequest,
      deliver: makers.deliver,
      fees: {
        table: swap.feeBps,
        receiver: swap.feeReceiver ?? gasWallet,
        platform: platform.mint,
        stables: services.stables,
        lsts: new Set(swap.lsts),
        blueChips: new Set(swap.blueChips),
      },
      gasless: swap.gasless,
      tipAccounts: submit.tipAccounts,
    });
  },
};

const PREFIX = '/ultra/v1';

export function registerSwap(app: FastifyInstance, deps: SwapDeps): void {
  const tags = ['Swap'];
  const config = { errorShape: plainError, auth: 'key' } as const;
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
  registerListRouters(app, deps.routing.routers);
}
