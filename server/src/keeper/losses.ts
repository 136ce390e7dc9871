import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';
import type { Landing } from '../landing/index.js';
import type { KeeperLoop } from './keeper.js';
import { Loop } from './loop.js';

const INTERVAL_MS = 10_000;
/** An operator hears of losses at this part of a purse's total, so long before it bars anybody. */
const ALARM = 0.2;

/** 1: an alarm; 2: the total is reached. */
type Level = 0 | 1 | 2;

export interface LossReadings extends KeeperLoop {
  /** Which of our wallets' purses lose much or are spent, by the last reading; undefined if none does. */
  readonly alarm: string | undefined;
}

/** Reads every ten seconds what our wallets have lost on failed transactions. Says once when they are many, or too many. */
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
  const levels = new Map<string, Level>();
  const readings = new Loop(
    async () => {
      for (const { name, lost, most } of await landing.losses()) {
        gauge.set({ purse: name }, lost);
        const before = levels.get(name) ?? 0;
        const now = lost >= most ? 2 : lost >= most * ALARM ? 1 : 0;
        levels.set(name, now);
        const of = { purse: name, lost, most };
        if (now === 2 && before < 2) log.error(of, 'too many transactions failed at our cost within an hour');
        else if (now === 1 && before === 0) log.warn(of, 'many transactions failed at our cost within an hour');
        else if (now < 2 && before === 2) log.info(of, 'transactions are paid for again');
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
    get alarm() {
      const told = ([2, 1] as const).flatMap((wanted) => {
        const names = [...levels].filter(([, level]) => level === wanted).map(([name]) => name);
        const much = wanted === 2 ? 'too many' : 'many';
        if (names.length === 0) return [];
        return [`${much} transactions failed within an hour at the cost of: ${names.join(', ')}`];
      });
      return told.length > 0 ? `${told.join('; ')}; see docs/operations.md` : undefined;
    },
    runDue: async () => {
      await readings.tick();
    },
    close: async () => {
      await readings.close();
    },
  };
}
