import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';
import type { Landing } from '../landing/index.js';
import type { KeeperLoop } from './keeper.js';
import { Loop } from './loop.js';

const INTERVAL_MS = 10_000;

export interface LossReadings extends KeeperLoop {
  /** Which of our wallets' purses are spent, and what that stops, by the last reading; undefined if none is. */
  readonly stopped: string | undefined;
}

/** Reads every ten seconds what our wallets have lost on failed transactions. Says once when a bound stops them. */
export function startLossReadings({
  landing,
  registry,
  log,
}: {
  landing: Pick<Landing, 'losses'>;
  registry: Registry;
  log: Logger;
}): LossReadings {
  const gauge = new Gauge({
    name: 'slipway_lost_transactions',
    help: "Transactions of the last hour that failed on the chain at the service's cost, by purse",
    labelNames: ['purse'],
    registers: [registry],
  });
  const stopped = new Set<string>();
  const readings = new Loop(
    async () => {
      for (const { name, lost, most } of await landing.losses()) {
        gauge.set({ purse: name }, lost);
        const wasStopped = stopped.has(name);
        if (lost >= most) stopped.add(name);
        else stopped.delete(name);
        if (lost >= most && !wasStopped) {
          log.error({ purse: name, lost }, 'too many transactions failed at our cost within an hour: none is paid for');
        } else if (wasStopped && lost < most) log.info({ purse: name, lost }, 'transactions are paid for again');
      }
    },
    {
      intervalMs: INTERVAL_MS,
      log,
      failure: 'what the wallets have lost cannot be read; will try again',
      logsFirstFailureOnly: true,
    },
  );
  readings.start();
  return {
    get stopped() {
      if (stopped.size === 0) return undefined;
      return `too many transactions failed within an hour at the cost of: ${[...stopped].join(', ')}; see docs/operations.md`;
    },
    runDue: async () => {
      await readings.tick();
    },
    close: async () => {
      await readings.close();
    },
  };
}
