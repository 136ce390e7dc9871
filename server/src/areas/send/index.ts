import type { FastifyInstance } from 'fastify';
import { plainError } from '../../errors/index.js';
import type { Area } from '../area.js';
import { craftClaim } from './craft-claim.js';
import { craftClawback } from './craft-clawback.js';
import { craftSend } from './craft-send.js';
import type { SendDeps } from './deps.js';
import { listHistory, listPending } from './list-invites.js';
import {
  CraftClaimAnswer,
  CraftClaimBody,
  CraftClawbackAnswer,
  CraftClawbackBody,
  CraftSendAnswer,
  CraftSendBody,
  InvitesAnswer,
  InvitesQuery,
} from './schema.js';

export type { SendDeps } from './deps.js';

export const sendArea: Area = {
  name: 'send',
  tag: 'Send',
  errorShape: plainError,
  register(server, { config, store, clock, chain, signer, invites }) {
    registerSend(server, { store, clock, chain, signer, index: invites, program: config.programs.invite });
  },
};

const PREFIX = '/send/v1';

export function registerSend(app: FastifyInstance, deps: SendDeps): void {
  const config = { errorShape: plainError, auth: 'key' } as const;
  const tags = ['Send'];
  const crafting = (summary: string, description: string, body: object, answer: object) => ({
    config,
    schema: { tags, summary, description, body, response: { 200: answer } },
  });
  app.addSchema(InvitesAnswer);
  const listing = (summary: string) => ({
    config,
    schema: { tags, summary, querystring: InvitesQuery, response: { 200: { $ref: 'Invites#' } } },
  });
  const land = 'Send it, signed, with POST /tx/v1/submit or to any RPC.';
  app.post<{ Body: CraftSendBody }>(
    `${PREFIX}/craft-send`,
    crafting('Craft an invite: SOL or tokens for whoever gets the code', land, CraftSendBody, CraftSendAnswer),
    (request) => craftSend(deps, request.body),
  );
  app.post<{ Body: CraftClawbackBody }>(
    `${PREFIX}/craft-clawback`,
    crafting('Craft the taking back of an invite', land, CraftClawbackBody, CraftClawbackAnswer),
    (request) => craftClawback(deps, request.body),
  );
  app.post<{ Body: CraftClaimBody }>(
    `${PREFIX}/craft-claim`,
    crafting('Craft the claim of an invite, signed by the keeper', land, CraftClaimBody, CraftClaimAnswer),
    (request) => craftClaim(deps, request.body),
  );
  app.get<{ Querystring: InvitesQuery }>(
    `${PREFIX}/pending-invites`,
    listing('Open invites of a sender, the newest first'),
    (request) => listPending(deps, request.query),
  );
  app.get<{ Querystring: InvitesQuery }>(
    `${PREFIX}/invite-history`,
    listing('Invites that were claimed, taken back or have expired, of their sender or receiver'),
    (request) => listHistory(deps, request.query),
  );
}
