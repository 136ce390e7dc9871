import type { FastifyInstance } from 'fastify';
import type { Area } from '../area.js';
import { cancelOrder, confirmCancel } from './cancel-order.js';
import { challenge } from './challenge.js';
import { craftOrderDeposit } from './craft-deposit.js';
import { createOrder } from './create-order.js';
import { DEPOSIT_AREA, type TriggerV2Deps, WITHDRAWAL_AREA } from './deps.js';
import { editOrder } from './edit-order.js';
import { triggerV2Error } from './error-shape.js';
import { history, showOrder } from './history.js';
import {
  CancelAnswer,
  ChallengeAnswer,
  ChallengeBody,
  ConfirmBody,
  Confirmed,
  DepositAnswer,
  DepositBody,
  EditAnswer,
  EditBody,
  HistoryAnswer,
  HistoryQuery,
  HistoryRow,
  OrderBody,
  OrderCreated,
  OrderParams,
  VaultAnswer,
  VerifyAnswer,
  VerifyBody,
} from './schema.js';
import { depositSettlement, withdrawalSettlement } from './settlement.js';
import { registerVault, showVault } from './vault.js';
import { verify } from './verify.js';

export type { TriggerV2Deps } from './deps.js';

export const triggerV2Area: Area = {
  name: 'trigger-v2',
  tag: 'Trigger v2',
  errorShape: triggerV2Error,
  settlement: () => ({ [DEPOSIT_AREA]: depositSettlement, [WITHDRAWAL_AREA]: withdrawalSettlement }),
  register(server, services) {
    const { config, stables, clock, store, ledger, signer, logins, chain, prices, landing, publicUrl } = services;
    registerTriggerV2(server, {
      clock,
      store,
      signer,
      logins,
      chain,
      prices,
      landing,
      remember: ledger.remember,
      findRequest: ledger.findRequest,
      stables,
      challengePrefix: () => config.challengePrefix ?? loginWords(publicUrl()),
    });
  },
};

/** Names this service, so that what is signed for another one is no login here. */
function loginWords(publicUrl: string): string {
  return `Sign this message to authenticate with Slipway at ${new URL(publicUrl).host} that you are the owner of`;
}

const PREFIX = '/trigger/v2';
const tags = ['Trigger v2'];

export function registerTriggerV2(app: FastifyInstance, deps: TriggerV2Deps): void {
  registerLogin(app, deps);
  registerVaults(app, deps);
  registerOrders(app, deps);
  registerHistory(app, deps);
}

function registerLogin(app: FastifyInstance, deps: TriggerV2Deps): void {
  const config = { errorShape: triggerV2Error, auth: 'key' } as const;
  const asked = { tags, summary: 'Something for a wallet to sign, to log in' };
  app.post<{ Body: ChallengeBody }>(
    `${PREFIX}/auth/challenge`,
    { config, schema: { ...asked, body: ChallengeBody, response: { 200: ChallengeAnswer } } },
    (request) => challenge(deps, request.body),
  );
  app.post<{ Body: VerifyBody }>(
    `${PREFIX}/auth/verify`,
    {
      config,
      schema: { tags, summary: 'Log in with what was signed', body: VerifyBody, response: { 200: VerifyAnswer } },
    },
    (request) => verify(deps, request.body),
  );
}

const config = { errorShape: triggerV2Error, auth: 'wallet' } as const;

function registerVaults(app: FastifyInstance, deps: TriggerV2Deps): void {
  app.get(
    `${PREFIX}/vault`,
    { config, schema: { tags, summary: 'The vault of the wallet', response: { 200: VaultAnswer } } },
    (request) => showVault(deps, request.wallet),
  );
  app.get(
    `${PREFIX}/vault/register`,
    { config, schema: { tags, summary: 'Make the vault of the wallet', response: { 200: VaultAnswer } } },
    (request) => registerVault(deps, request.wallet),
  );
}

function registerOrders(app: FastifyInstance, deps: TriggerV2Deps): void {
  const executing = { ...config, bucket: 'execute' } as const;
  const deposit = { tags, summary: 'Craft the deposit that pays for an order' };
  app.post<{ Body: DepositBody }>(
    `${PREFIX}/deposit/craft`,
    { config, schema: { ...deposit, body: DepositBody, response: { 200: DepositAnswer } } },
    (request) => craftOrderDeposit(deps, request.wallet, request.body),
  );
  const create = { tags, summary: 'Create an order, and land its signed deposit' };
  app.post<{ Body: OrderBody }>(
    `${PREFIX}/orders/price`,
    { config: executing, schema: { ...create, body: OrderBody, response: { 200: OrderCreated } } },
    (request) => createOrder(deps, request.wallet, request.body),
  );
  const edit = { tags, summary: 'Change the terms of an open order', params: OrderParams };
  app.patch<{ Params: OrderParams; Body: EditBody }>(
    `${PREFIX}/orders/price/:orderId`,
    { config, schema: { ...edit, body: EditBody, response: { 200: EditAnswer } } },
    (request) => editOrder(deps, request.wallet, request.params.orderId, request.body),
  );
  const cancel = { tags, summary: 'Cancel an order, and craft the withdrawal of its funds', params: OrderParams };
  app.post<{ Params: OrderParams }>(
    `${PREFIX}/orders/price/cancel/:orderId`,
    { config, schema: { ...cancel, response: { 200: CancelAnswer } } },
    (request) => cancelOrder(deps, request.wallet, request.params.orderId),
  );
  const confirm = { tags, summary: 'Land the signed withdrawal of a cancelled order', params: OrderParams };
  app.post<{ Params: OrderParams; Body: ConfirmBody }>(
    `${PREFIX}/orders/price/confirm-cancel/:orderId`,
    { config: executing, schema: { ...confirm, body: ConfirmBody, response: { 200: Confirmed } } },
    (request) => confirmCancel(deps, request.wallet, request.params.orderId, request.body),
  );
}

function registerHistory(app: FastifyInstance, deps: TriggerV2Deps): void {
  const list = { tags, summary: 'The orders of the wallet', querystring: HistoryQuery };
  app.get<{ Querystring: HistoryQuery }>(
    `${PREFIX}/orders/history`,
    { config, schema: { ...list, response: { 200: HistoryAnswer } } },
    (request) => history(deps, request.wallet, request.query),
  );
  const one = { tags, summary: 'One order of the wallet', params: OrderParams };
  app.get<{ Params: OrderParams }>(
    `${PREFIX}/orders/history/:orderId`,
    { config, schema: { ...one, response: { 200: HistoryRow } } },
    (request) => showOrder(deps, request.wallet, request.params.orderId),
  );
}
