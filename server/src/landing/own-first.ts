import { type Rpc, Throttled } from '../chain/index.js';

/** A little longer than until what was refused is sent again. */
const HELD_MS = 600;
/** One of the others is sent in so long, however many of ours are refused. */
const OTHER_MS = 1_000;

/**
 * Two ways to send by the same RPC: for what the keepers send, and for what clients post. Many plans take only so many sends in a
 * second, whose ever they are: while some of the keepers' are refused, what clients post gives way. Not while only its own is: it
 * would use less than the plan takes, so that what was refused in a busy moment would never be made up for.
 */
export function ownFirst(rpc: Rpc, steadyNow: () => number): { own: Rpc; others: Rpc } {
  let heldUntil = Number.NEGATIVE_INFINITY;
  let sentAt = Number.NEGATIVE_INFINITY;
  const own: Rpc = {
    name: rpc.name,
    async call<T>(method: string, params: unknown[]): Promise<T> {
      try {
        return await rpc.call<T>(method, params);
      } catch (error) {
        if (error instanceof Throttled) heldUntil = steadyNow() + HELD_MS;
        throw error;
      }
    },
  };
  const others: Rpc = {
    name: rpc.name,
    async call<T>(method: string, params: unknown[]): Promise<T> {
      const now = steadyNow();
      if (now < heldUntil && now < sentAt + OTHER_MS)
        throw new Throttled(`${rpc.name}: it takes no more at the moment, and what the keepers send goes first`, 0);
      sentAt = now;
      return rpc.call<T>(method, params);
    },
  };
  return { own, others };
}
