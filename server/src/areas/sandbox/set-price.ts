import { AppError, requireAddress } from '../../errors/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { chainInfo } from '../../sandbox/index.js';
import type { SandboxDeps } from './deps.js';
import { sandboxRoute, tags } from './deps.js';
import { PriceAnswer, PriceBody } from './schema.js';

const FORK_NOTE = 'The pools of the chain that is forked do not follow; those of this sandbox were moved';

export function registerSetPrice(app: TypedServer, deps: SandboxDeps): void {
  app.post(
    '/sandbox/prices',
    {
      config: { ...sandboxRoute, errors: { 404: 'The sandbox has no price of this mint' } },
      schema: {
        tags,
        summary: 'Move a price',
        description: 'Pools and market makers follow before the answer; trigger orders see the new price after that.',
        body: PriceBody,
        response: { 200: PriceAnswer },
      },
    },
    ({ body }) => setPrice(deps, body),
  );
}

/** Moves the price of a token of this sandbox, and everything that follows it. */
export async function setPrice(
  { chain, movePrice }: Pick<SandboxDeps, 'chain' | 'movePrice'>,
  { mint, usd }: PriceBody,
): Promise<PriceAnswer> {
  const address = requireAddress('mint', mint);
  const { mints, forkHost } = await chainInfo(chain);
  if (!mints.some((each) => each.mint === address)) {
    throw new AppError('NOT_FOUND', {
      message: 'mint: unknown here; GET /sandbox/info lists the mints that have a price',
    });
  }
  await movePrice(address, usd);
  return { mint: address, usd, ...(forkHost !== null && { note: FORK_NOTE }) };
}
