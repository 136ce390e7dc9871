import type { FastifyInstance } from 'fastify';
import type { Area } from '../area.js';
import { cancelOrder, cancelOrders } from './cancel-order.js';
import { createOrder } from './create-order.js';
import { AREA, type TriggerV1Deps } from './deps.js';
import { triggerV1Error } from './error-shape.js';
import { execute } from './execute.js';
import { getTriggerOrders } from './get-trigger-orders.js';
import {
  CancelOrderAnswer,
  CancelOrderBody,
  CancelOrdersAnswer,
  CancelOrdersBody,
  CreateOrderAnswer,
  CreateOrderBody,
  ExecuteAnswer,
  ExecuteBody,
  TriggerOrdersAnswer,
  TriggerOrdersQuery,
} from './schema.js';

export type { TriggerV1Deps } from './deps.js';

export const triggerV1Area: Area = {
  name: AREA,
  tag: 'Limit orders',
  errorShape: triggerV1Error,
  register(server, services) {
    const { stables, log, clock, store, ledger, chain, prices, landing, signer, limitOrders } = services;
    registerTriggerV1(server, {
      log,
      clock,
      store,
      chain,
      prices,
      landing,
      ...limitOrders,
      remember: ledger.remember,
      findRequest: ledger.findRequest,
      stables,
      gasWallet: signer.address('gas'),
    });
  },
};

const PREFIX = '/trigger/v1';

export function registerTriggerV1(app: FastifyInstance, deps: TriggerV1Deps): void {
  const tags = ['Limit orders'];
  const config = { errorShape: triggerV1Error, auth: 'key' } as const;
  const crafting = (summary: string, body: object, answer: object) => ({
    config,
    schema: { tags, summary, body, response: { 200: answer } },
  });
  app.post<{ Body: CreateOrderBody }>(
    `${PREFIX}/createOrder`,
    crafting('Craft the opening of a limit order', CreateOrderBody, CreateOrderAnswer),
    (request) => createOrder(deps, request.body),
  );
  app.post<{ Body: CancelOrderBody }>(
    `${PREFIX}/cancelOrder`,
    crafting('Craft the cancelling of a limit order', CancelOrderBody, CancelOrderAnswer),
    (request) => cancelOrder(deps, request.body),
  );
  app.post<{ Body: CancelOrdersBody }>(
    `${PREFIX}/cancelOrders`,
    crafting('Craft the cancelling of several limit orders', CancelOrdersBody, CancelOrdersAnswer),
    (request) => cancelOrders(deps, request.body),
  );
  app.post<{ Body: ExecuteBody }>(
    `${PREFIX}/execute`,
    {
      config: { ...config, bucket: 'execute' },
      schema: { tags, summary: 'Land a signed transaction', body: ExecuteBody, response: { 200: ExecuteAnswer } },
    },
    (request) => execute(deps, request.body),
  );
  app.get<{ Querystring: TriggerOrdersQuery }>(
    `${PREFIX}/getTriggerOrders`,
    {
      config,
      schema: {
        tags,
        summary: "A wallet's limit orders and their fills",
        querystring: TriggerOrdersQuery,
        response: { 200: TriggerOrdersAnswer },
      },
    },
    (request) => getTriggerOrders(deps, request.query),
  );
}
