import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';
import { Loop } from '../keeper/loop.js';
import { cached } from '../lib/single-flight.js';
import type { KeyPort, RemoteSigner } from '../signer/index.js';
import type { Stop, Stops } from '../store/stops.js';

/** With what is known of the stops at most so old again, the signer hears of one within a second. */
const INTERVAL_MS = 300;
/**
 * A stop is said again, for a signer that has lost it; that nothing is stopped, once: another copy may have said a stop again just
 * after it was over, and then ended. Not more often: a copy that does not know of a new stop yet would take it back.
 */
const AGAIN_MS = 5_000;
const MOST_WHY = 500;
/** What a copy can tell a signer: it crafts nothing. */
const PASSED_ON = ['fills', 'all'] as const;

type Said = Parameters<RemoteSigner['hearStops']>[0];

/**
 * Tells a signer of its own what the operator has stopped, and when that is over, so that it signs nothing for a copy that
 * does not obey.
 */
export function passStopsOn({
  signer,
  stops,
  steadyNow,
  log,
}: {
  signer: Pick<RemoteSigner, 'hearStops'>;
  stops: Pick<Stops, 'list'>;
  steadyNow: () => number;
  log: Logger;
}): { close(): Promise<void> } {
  let heard: { said: Said; at: number; isAgain: boolean } | undefined;
  const passing = new Loop(
    async () => {
      const said = saidOf(await stops.list());
      const isAgain = heard !== undefined && isSame(heard.said, said);
      if (heard !== undefined && isAgain) {
        const isDone = heard.isAgain && Object.keys(said).length === 0;
        if (isDone || steadyNow() - heard.at < AGAIN_MS) return;
      }
      const holds = await signer.hearStops(said);
      // What is taken back too soon after it was said still holds: it is taken back the next time.
      heard = isSame(holds, said) ? { said, at: steadyNow(), isAgain } : undefined;
    },
    {
      intervalMs: INTERVAL_MS,
      log,
      failure: 'the signer cannot be told what is stopped; will try again',
      logsFirstFailureOnly: true,
    },
  );
  passing.start();
  return passing;
}

function saidOf(stopped: readonly Stop[]): Said {
  const said = PASSED_ON.flatMap((what) => {
    const why = stopped.find((stop) => stop.what === what)?.why;
    return why === undefined ? [] : [[what, why.trim().slice(0, MOST_WHY) || 'no reason given']];
  });
  return Object.fromEntries(said);
}

const isSame = (one: Said, other: Said): boolean => PASSED_ON.every((what) => one[what] === other[what]);

/** How old what a scrape shows of the signer may be. */
const KEPT_MS = 1_000;

/** What a scrape shows of the signer; nothing new while one of its own is away. */
export function registerSignerMetrics(
  signer: Pick<KeyPort, 'state'>,
  registry: Registry,
  steadyNow: () => number,
): void {
  const state = cached(() => signer.state(), KEPT_MS, steadyNow);
  new Gauge({
    name: 'slipway_signer_stopped',
    help: 'Whether the signer itself has stopped this (1) or not (0), by its own operator or because copies have said so',
    labelNames: ['what'],
    registers: [registry],
    async collect() {
      const found = await state().catch(() => undefined);
      if (found === undefined) return;
      for (const what of PASSED_ON) this.set({ what }, found.stopped.some((stop) => stop.what === what) ? 1 : 0);
    },
  });
  new Gauge({
    name: 'slipway_signer_warnings',
    help: 'How many things its operator should do at the signer: "slipway doctor" names them',
    registers: [registry],
    async collect() {
      const found = await state().catch(() => undefined);
      if (found !== undefined) this.set(found.warnings.length + (found.fault === undefined ? 0 : 1));
    },
  });
}
