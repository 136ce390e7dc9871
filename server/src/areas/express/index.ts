import type { FastifyInstance } from 'fastify';
import { checkEligibility } from './check-eligibility.js';
import { craftTxn } from './craft-txn.js';
import type { ExpressDeps } from './deps.js';
import { execute } from './execute.js';
import {
  CraftTxnAnswer,
  CraftTxnQuery,
  EligibilityAnswer,
  EligibilityQuery,
  ExecuteAnswer,
  ExecuteBody,
} from './schema.js';

export { AREA as EXPRESS_AREA, type ExpressDeps } from './deps.js';
export { expressSettlement } from './settlement.js';

const PREFIX = '/tokens/v2/verify/express';

export function registerExpress(app: FastifyInstance, deps: ExpressDeps): void {
  const config = { shape: 'express', auth: 'key' } as const;
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
