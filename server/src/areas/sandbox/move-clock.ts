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
  const { unixTimestamp } = await chain.rpc.call<{ unixTimestamp: number }>('localnet_advanceClock', [seconds]);
  const offset = await store.transaction((tx) => advanceClockOffset(tx, Math.round(seconds * 1_000)));
  clock.setOffset(offset);
  await deps.stored.stamp();
  chain.forget();
  await deps.runDue();
  return { unixTimestamp };
}
