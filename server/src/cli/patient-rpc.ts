import { setTimeout as sleep } from 'node:timers/promises';
import { type Rpc, Throttled } from '../chain/index.js';

/** Between the first refusal and the next try, in milliseconds; twice as long each time. */
const FIRST_PAUSE_MS = 250;
const MOST_TRIES = 8;

/**
 * The same endpoint, for a command that goes through all wallets: what it refuses because it is asked too much is asked again, for
 * half a minute.
 */
export function patientRpc(rpc: Rpc, pause: (milliseconds: number) => Promise<unknown> = sleep): Rpc {
  return {
    name: rpc.name,
    async call<T>(method: string, params: unknown[]): Promise<T> {
      for (let tries = 1; ; tries++) {
        try {
          return await rpc.call<T>(method, params);
        } catch (error) {
          if (!(error instanceof Throttled) || tries === MOST_TRIES) throw error;
          await pause(Math.max(error.retryAfterMs, FIRST_PAUSE_MS * 2 ** (tries - 1)));
        }
      }
    },
  };
}
