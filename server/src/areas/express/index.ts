import type { FastifyInstance } from 'fastify';
import { createUnitMeter } from '../../chain/index.js';
import type { Area } from '../area.js';
import { checkEligibility } from './check-eligibility.js';
import { craftTxn } from './craft-txn.js';
import { AREA, type ExpressDeps } from './deps.js';
import { expressError } from './error-shape.js';
import { execute } from './execute.js';
import {
  CraftTxnAnswer,
  CraftTxnQuery,
  EligibilityAnswer,
  EligibilityQuery,
  ExecuteAnswer,
  ExecuteBody,
} from './schema.js';
import { expressSettlement } from './settlement.js';

export type { ExpressDeps } from './deps.js';

export const expressArea: Area = {
  name: AREA,
  tag: 'Express verification',
  errorShape: expressError,
  settlement: () => ({ [AREA]: expressSettlement }),
  register(server, services) {
    const { config, store, clock, chain, prices, landing, ledger, signer, routing } = services;
    registerExpress(server, {
      store,
      clock,
      chain,
      prices,
      landing,
      routing,
      unitsOf: createUnitMeter(services),
      programs: config.programs,
      gasWallet: signer.address('gas'),
      ...config.tokens,
      ...ledger,
      ...config.express,
    });
  },
};

const PREFIX = '/tokens/v2/verify/express';

export function registerExpress(app: FastifyInstance, deps: ExpressDeps): void {
  const config = { errorShape: expressError, auth: 'key' } as const;
  const tags = ['Express verification'];
  app.get<{ Querystring: CraftTxnQuery }>(
    `${PREFIX}/craft-txn`,
    {
      config,
      schema: {
        tags,
        summary: 'Craft the payment of a verification',
        querystring: CraftTxnQuery,
        response: { 200: CraftTxnAnswer },
      },
    },
    (request) => craftTxn(deps, request.query),
  );
  app.get<{ Querystring: EligibilityQuery }>(
    `${PREFIX}/check-eligibility`,
    {
      config,
      schema: {
        tags,
        summary: 'What may be requested for a token',
        querystring: EligibilityQuery,
        response: { 200: EligibilityAnswer },
      },
    },
    (request) => checkEligibility(deps, request.query),
  );
  app.post<{ Body: ExecuteBody }>(
    `${PREFIX}/execute`,
    {
      config: { ...config, bucket: 'execute' },
      schema: {
        tags,
        summary: 'Land the signed payment and record the request',
        body: ExecuteBody,
        response: { 200: ExecuteAnswer },
      },
    },
    (request) => execute(deps, request.body),
  );
}
