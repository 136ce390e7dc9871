import type { Chain } from './chain.js';
import type { SimulationOutcome } from './simulation.js';

/** How long a measured cost is trusted: a program may be upgraded at any time. */
const TRUST_MS = 10 * 60_000;

/** Compute units of a transaction of that shape, or the outcome of the simulation if it fails. */
export type UnitMeter = (shape: string, sample: () => Uint8Array) => Promise<number | SimulationOutcome>;

/**
 * Measures what a transaction of a certain shape costs by simulating one, and remembers it: transactions of one shape
 * (same instructions, same kinds of accounts) cost the same.
 */
export function createUnitMeter(deps: { chain: Chain; steadyNow: () => number }): UnitMeter {
  const known = new Map<string, { units: number; until: number }>();
  return async (shape, sample) => {
    const measured = known.get(shape);
    if (measured && measured.until > deps.steadyNow()) return measured.units;
    const outcome = await deps.chain.simulate(sample(), { sigVerify: false });
    if (outcome.err !== null) return outcome;
    known.set(shape, { units: outcome.unitsConsumed, until: deps.steadyNow() + TRUST_MS });
    return outcome.unitsConsumed;
  };
}
