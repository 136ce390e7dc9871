import { CLOCK_SYSVAR } from '@slipway/wire';
import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';
import { ChainUnavailable, createAccountReader, type Rpc, readClock } from '../chain/index.js';
import type { Clock } from '../lib/clock.js';
import { cached } from '../lib/single-flight.js';
import { waitAtMost } from '../lib/wait-at-most.js';

/** In milliseconds. The chain's clock is some seconds behind, and stands while the chain does. */
const MOST_AHEAD = 5 * 60_000;
const KEPT_MS = 60_000;
/** A node that takes longer is not heard. */
const WAIT_MS = 5_000;

/** Unix milliseconds. Rejects while nobody knows. */
export type AgreedTime = () => Promise<number>;

interface AgreedTimeDeps {
  clock: Clock;
  steadyNow: () => number;
  /** None where the chain's time is that of this machine. */
  nodes: readonly Rpc[];
  registry: Registry;
  log: Logger;
}

/**
 * The time up to which what does not come back is ended. That of this machine, which may be wrong, and then so is that of a database
 * beside it; so it is no more than five minutes after the chain's. Of several nodes, the one with the latest counts: a single one
 * that lags or lies puts nothing off.
 */
export function createAgreedTime({ clock, steadyNow, nodes, registry, log }: AgreedTimeDeps): AgreedTime {
  const gauge = new Gauge({
    name: 'slipway_clock_ahead_seconds',
    help: "How far this machine's clock is ahead of the chain's",
    registers: [registry],
  });
  const readers = nodes.map((rpc) => createAccountReader(rpc));
  const read = async () => {
    const times: number[] = [];
    const readings = readers.map(async (account) => {
      const time = readClock(await account(CLOCK_SYSVAR))?.unixTimestamp;
      if (time !== undefined) times.push(Number(time));
    });
    await waitAtMost(
      WAIT_MS,
      Promise.allSettled(readings).then(() => {}),
    );
    if (times.length === 0) throw new ChainUnavailable("no node tells the chain's time");
    const latest = Math.max(...times) * 1_000;
    const ahead = clock.now() - latest;
    gauge.set(ahead / 1_000);
    if (ahead > MOST_AHEAD) {
      const seconds = Math.round(ahead / 1_000);
      log.warn(
        { seconds },
        "the clock is far ahead of the chain's: what would have ended since is not expired or deleted",
      );
    }
    return latest;
  };
  const latest = cached(read, KEPT_MS, steadyNow);
  return async () => (nodes.length === 0 ? clock.now() : Math.min(clock.now(), (await latest()) + MOST_AHEAD));
}
