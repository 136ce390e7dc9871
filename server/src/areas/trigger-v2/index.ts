import type { FastifyInstance } from 'fastify';
import { challenge } from './challenge.js';
import type { TriggerV2Deps } from './deps.js';
import { ChallengeAnswer, ChallengeBody, VaultAnswer, VerifyAnswer, VerifyBody } from './schema.js';
import { registerVault, showVault } from './vault.js';
import { verify } from './verify.js';

export type { TriggerV2Deps } from './deps.js';
export { createLoginTokens, type LoginTokens } from './login-token.js';

const PREFIX = '/trigger/v2';
const tags = ['Trigger v2'];

export function registerTriggerV2(app: FastifyInstance, deps: TriggerV2Deps): void {
  registerLogin(app, deps);
  const config = { shape: 'trigger-v2', auth: 'wallet' } as const;
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

function registerLogin(app: FastifyInstance, deps: TriggerV2Deps): void {
  const config = { shape: 'trigger-v2', auth: 'key' } as const;
  app.post<{ Body: ChallengeBody }>(
    `${PREFIX}/auth/challenge`,
    {
      config,
      schema: {
        tags,
        summary: 'Something for a wallet to sign, to log in',
        body: ChallengeBody,
        response: { 200: ChallengeAnswer },
      },
    },
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
