import type { FastifyInstance } from 'fastify';
import { plainError } from '../../errors/index.js';
import { simulatedEvents } from '../../scores/index.js';
import type { Area } from '../area.js';
import { airdrop } from './airdrop.js';
import { moveClock } from './clock.js';
import type { SandboxDeps } from './deps.js';
import { info } from './info.js';
import { setPrice } from './prices.js';
import { AirdropAnswer, AirdropBody, ClockAnswer, ClockBody, InfoAnswer, PriceAnswer, PriceBody } from './schema.js';

export type { SandboxDeps } from './deps.js';

export const sandboxArea: Area = {
  name: 'sandbox',
  tag: 'Sandbox',
  errorShape: plainError,
  register(server, { config, store, clock, chain, node, prices, sandbox, runDue }) {
    if (!sandbox) return;
    registerSandbox(server, {
      chain,
      store,
      clock,
      prices,
      stored: sandbox.stored,
      movePrice: sandbox.movePrice,
      rpcUrl: node.rpcUrl,
      wsUrl: node.wsUrl ?? '',
      apiKey: sandbox.apiKey,
      platformToken: config.tokens.platform.mint,
      platformStable: config.tokens.stable.mint,
      gameEventIds: simulatedEvents,
      runDue,
    });
  },
};

/** Routes that only a sandbox has: elsewhere they are not registered and answer 404. */
export function registerSandbox(app: FastifyInstance, deps: SandboxDeps): void {
  const config = { errorShape: plainError, auth: 'key' } as const;
  const tags = ['Sandbox'];
  app.get(
    '/sandbox/info',
    { config, schema: { tags, summary: 'Wallets, mints and addresses', response: { 200: InfoAnswer } } },
    () => info(deps),
  );
  app.post<{ Body: AirdropBody }>(
    '/sandbox/airdrop',
    { config, schema: { tags, summary: 'Fund a wallet', body: AirdropBody, response: { 200: AirdropAnswer } } },
    (request) => airdrop(deps, request.body),
  );
  app.post<{ Body: PriceBody }>(
    '/sandbox/prices',
    { config, schema: { tags, summary: 'Move a price', body: PriceBody, response: { 200: PriceAnswer } } },
    (request) => setPrice(deps, request.body),
  );
  app.post<{ Body: ClockBody }>(
    '/sandbox/clock',
    { config, schema: { tags, summary: 'Move time forward', body: ClockBody, response: { 200: ClockAnswer } } },
    (request) => moveClock(deps, request.body),
  );
}
