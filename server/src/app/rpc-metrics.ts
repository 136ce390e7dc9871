import { Counter, Gauge, type Registry } from 'prom-client';
import { type CallBudget, PURPOSES } from '../chain/index.js';

const PER_PURPOSE = ['rpc', 'purpose'] as const;

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
    help: 'Calls a second that may be made to an RPC; below rpc.callsPerSecond while it throttles',
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
