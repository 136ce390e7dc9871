import type { Logger } from 'pino';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { type CallBudget, PURPOSES, type Rpc, RpcError, Throttled } from '../chain/index.js';
import { Loop } from '../keeper/loop.js';

const PER_PURPOSE = ['rpc', 'purpose'] as const;
const SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const SLOTS_INTERVAL_MS = 10_000;

/** Measures the calls to an RPC by method and outcome, without the time that they wait for the budget. */
export function createRpcMeter(registry: Registry): (rpc: Rpc) => Rpc {
  const durations = new Histogram({
    name: 'slipway_rpc_call_duration_seconds',
    help: 'Time until an RPC answers, by method and outcome: answered, refused, throttled, or failed',
    labelNames: ['rpc', 'method', 'outcome'],
    buckets: SECONDS,
    registers: [registry],
  });
  return ({ name, call }) => ({
    name,
    async call(method, params) {
      const end = durations.startTimer({ rpc: name, method });
      try {
        const answer = await call<never>(method, params);
        end({ outcome: 'answered' });
        return answer;
      } catch (error) {
        const outcome = error instanceof RpcError ? 'refused' : error instanceof Throttled ? 'throttled' : 'failed';
        end({ outcome });
        throw error;
      }
    },
  });
}

/** Keeps `slipway_rpc_slot` up to date: a node that falls behind the others, or stands still, shows there. */
export function startSlotReadings(rpcs: readonly Rpc[], { registry, log }: { registry: Registry; log: Logger }) {
  const slots = new Gauge({
    name: 'slipway_rpc_slot',
    help: 'The slot that an RPC has confirmed last, as of the last 10 s',
    labelNames: ['rpc'],
    registers: [registry],
  });
  const readings = new Loop(
    async () => {
      const read = async (rpc: Rpc) =>
        slots.set({ rpc: rpc.name }, Number(await rpc.call('getSlot', [{ commitment: 'confirmed' }])));
      const failed = (await Promise.allSettled(rpcs.map(read))).find(({ status }) => status === 'rejected');
      if (failed?.status === 'rejected') throw failed.reason;
    },
    {
      intervalMs: SLOTS_INTERVAL_MS,
      log,
      failure: "an RPC's slot cannot be read; will try again",
      logsFirstFailureOnly: true,
    },
  );
  readings.start();
  return readings;
}

/** How the calls of the chain keep within their budget, by RPC and purpose. */
export function registerRpcMetrics(budgets: readonly CallBudget[], registry: Registry): void {
  const counted = [
    ['calls', 'slipway_rpc_calls_total', 'Calls made to an RPC'],
    ['waited', 'slipway_rpc_waits_total', 'Calls to an RPC that had to wait for the budget of calls a second'],
    ['refused', 'slipway_rpc_refusals_total', 'Calls to an RPC that were not made, because too many waited'],
  ] as const;
  for (const [count, name, help] of counted) {
    new Counter({
      name,
      help,
      labelNames: PER_PURPOSE,
      registers: [registry],
      collect() {
        this.reset();
        each(budgets, (budget, rpc, purpose) => this.inc({ rpc, purpose }, budget.counts(purpose)[count]));
      },
    });
  }
  new Gauge({
    name: 'slipway_rpc_waiting',
    help: 'Calls to an RPC that wait now',
    labelNames: PER_PURPOSE,
    registers: [registry],
    collect() {
      each(budgets, (budget, rpc, purpose) => this.set({ rpc, purpose }, budget.waiting(purpose)));
    },
  });
  new Gauge({
    name: 'slipway_rpc_limit',
    help: 'Calls a second that may be made to an RPC; below rpc.callsPerSecond while it throttles all of them',
    labelNames: PER_PURPOSE,
    registers: [registry],
    collect() {
      each(budgets, (budget, rpc, purpose) => this.set({ rpc, purpose }, budget.limit(purpose)));
    },
  });
}

function each(
  budgets: readonly CallBudget[],
  visit: (budget: CallBudget, rpc: string, purpose: (typeof PURPOSES)[number]) => void,
): void {
  for (const budget of budgets) for (const purpose of PURPOSES) visit(budget, budget.name, purpose);
}
