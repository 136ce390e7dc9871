import { roundedUsd } from '../../lib/decimal.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { chainInfo } from '../../sandbox/index.js';
import type { SandboxDeps } from './deps.js';
import { sandboxRoute, tags } from './deps.js';
import { InfoAnswer } from './schema.js';

export function registerInfo(app: TypedServer, deps: SandboxDeps): void {
  app.get(
    '/sandbox/info',
    {
      config: { ...sandboxRoute, opensHere: true },
      schema: {
        tags,
        summary: 'Wallets, mints and addresses',
        description: 'Everything that a program needs to use this sandbox, the secret keys of its wallets included.',
        response: { 200: InfoAnswer },
      },
    },
    ({ headers }) => info(deps, headers['x-api-key']),
  );
}

/** Everything that a developer needs to begin: URLs, wallets, mints and programs. */
export async function info(deps: SandboxDeps, key: unknown): Promise<InfoAnswer> {
  const { wallets, mints, programs, unixTimestamp } = await chainInfo(deps.chain);
  return {
    rpcUrl: deps.node.rpcUrl(),
    wsUrl: deps.node.wsUrl(),
    // Whoever has come with a key of his own is not told the one that opens everything.
    apiKey: typeof key === 'string' ? key : deps.apiKey,
    unixTimestamp,
    platformToken: deps.platformToken,
    platformStable: deps.platformStable,
    programs,
    gameEventIds: [...deps.gameEventIds],
    wallets,
    mints: mints.map(({ symbol, mint, decimals }) => {
      const usdPrice = deps.prices.usd(mint);
      return { symbol, mint, decimals, ...(usdPrice !== undefined && { usdPrice: roundedUsd(usdPrice) }) };
    }),
  };
}
