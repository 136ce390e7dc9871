import { RpcError } from '../../chain/index.js';
import { AppError } from '../../errors/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { advanceClockOffset } from '../../store/clock-offset.js';
import type { SandboxDeps } from './deps.js';
import { sandboxRoute, tags } from './deps.js';
import { ClockAnswer, ClockBody } from './schema.js';

export function registerMoveClock(app: TypedServer, deps: SandboxDeps): void {
  app.post(
    '/sandbox/clock',
    {
      config: sandboxRoute,
      schema: {
        tags,
        summary: 'Move time forward',
        description:
          'Blockhashes, challenges, tokens and orders expire as they would. Answered when the work that is then due has run.',
        body: ClockBody,
        response: { 200: ClockAnswer },
      },
    },
    ({ body }) => moveClock(deps, body),
  );
}

/** Moves the chain's clock and the service's forward together, and answers when what has come due is done. */
export async function moveClock(deps: SandboxDeps, { seconds }: ClockBody): Promise<ClockAnswer> {
  const { chain, store, clock } = deps;
  // By as much as the chain has moved: it moves by whole slots, and would run away from who moves it a little at a time.
  const { unixTimestamp, milliseconds } = await advance(deps, seconds);
  const offset = await store.transaction((tx) => advanceClockOffset(tx, milliseconds));
  clock.setOffset(offset);
  await deps.stored.stamp();
  chain.forget();
  await deps.runDue();
  return { unixTimestamp };
}

/** @throws AppError INVALID_REQUEST for a time that the chain refuses */
async function advance(
  { chain }: SandboxDeps,
  seconds: number,
): Promise<{ unixTimestamp: number; milliseconds: number }> {
  try {
    return await chain.rpc.call('localnet_advanceClock', [seconds]);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    throw new AppError('INVALID_REQUEST', { message: `The chain refused to move time: ${error.message}` });
  }
}
