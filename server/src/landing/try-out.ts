import { randomInt } from 'node:crypto';
import { type Bid, type Chain, ChainUnavailable, type SimulationOutcome } from '../chain/index.js';
import { MAX_COMPUTE_UNITS, UNITS_APART, unitLimitFrom } from '../crafting/budget.js';
import { craftSwap, type Swap } from '../crafting/swap.js';
import type { Budget, Crafted } from '../crafting/transaction.js';
import { checkEffects } from './effects.js';
import { INCONCLUSIVE } from './preflight.js';

/** A transaction that succeeds on the chain as it is now. */
export interface Working {
  crafted: Crafted;
  lastValidBlockHeight: bigint;
  /** Whether this very message was simulated, and not one with another budget. */
  isSimulated: boolean;
}

export type TriedOut =
  | Working
  /** The RPC's error with the programs' logs, and what was simulated. */
  | { err: unknown; logs: string[]; sample: Crafted };

/** What is read to try a transaction out; an area may replace some of it. */
export type TryOutChain = Pick<Chain, 'latestBlockhash' | 'computeUnitPrice' | 'simulate'>;

export interface TryOutOptions {
  /** The budget for the consumed compute units; `usualBudget` unless a client asked for another price. */
  budgetOf?: (units: number, usualPrice: bigint, more: number) => Budget;
  /** Compute units that the transaction may use beyond those of the simulation, as its router says. */
  moreUnits?: number;
  /** Simulates the sample; replaced where its effects must be checked as well. */
  simulate?: (sample: Crafted) => Promise<SimulationOutcome>;
  /** What it bids beyond the usual price; for what we send ourselves. */
  bid?: Bid;
  /** What transactions of this shape have consumed: if that is about right, one simulation is enough. */
  seen?: SeenUnits;
}

/** What the last transaction of a shape has consumed. */
export interface SeenUnits {
  units: number | undefined;
}

/** With at least this share of the units seen, a transaction pays for about what it consumes. */
const ABOUT = 0.8;

/**
 * The limit varies at random, so that two transactions with the same content differ in their bytes. `more`: units that
 * may be used beyond those of the simulation.
 */
export function usualBudget(units: number, computeUnitPrice: bigint, more = 0): Budget {
  return { computeUnitLimit: unitLimitFrom(units, { apart: randomInt(UNITS_APART), more }), computeUnitPrice };
}

/**
 * Crafts a transaction twice: first to simulate what it does and costs, then with the budget that follows from that.
 * Not needed for transactions with a fixed budget (launches) or constant costs (payments of express, by
 * `createUnitMeter`).
 * @throws TransactionTooLarge, CraftCheckFailed; ChainUnavailable also where the node that simulates is behind the one that told the blockhash
 */
export async function tryOut(
  chain: TryOutChain,
  craft: (blockhash: string, budget: Budget) => Crafted,
  options: TryOutOptions = {},
): Promise<TriedOut> {
  const { budgetOf = usualBudget, moreUnits = 0, seen = { units: undefined }, bid } = options;
  const { simulate = ({ wire }: Crafted) => chain.simulate(wire, { sigVerify: false }) } = options;
  const [first, usualPrice] = await Promise.all([chain.latestBlockhash(), chain.computeUnitPrice(undefined, bid)]);
  if (seen.units !== undefined) {
    const crafted = craft(first.blockhash, budgetOf(seen.units, usualPrice, moreUnits));
    const { err, unitsConsumed } = await simulate(crafted);
    const isAbout = unitsConsumed <= seen.units && unitsConsumed >= seen.units * ABOUT;
    if (err === null && isAbout)
      return { crafted, lastValidBlockHeight: first.lastValidBlockHeight, isSimulated: true };
  }
  const sample = craft(first.blockhash, { computeUnitLimit: MAX_COMPUTE_UNITS, computeUnitPrice: 0n });
  let outcome = await simulate(sample);
  // Of several nodes behind one address, the next one may not be behind.
  if (INCONCLUSIVE.has(outcome.err)) outcome = await simulate(sample);
  const { err, logs, unitsConsumed } = outcome;
  if (INCONCLUSIVE.has(err)) throw new ChainUnavailable(`the node cannot try a transaction out now: ${err}`);
  if (err !== null) return { err, logs, sample };
  seen.units = unitsConsumed;
  const { blockhash, lastValidBlockHeight } = await chain.latestBlockhash();
  const crafted = craft(blockhash, budgetOf(unitsConsumed, usualPrice, moreUnits));
  return { crafted, lastValidBlockHeight, isSimulated: false };
}

/** `tryOut` for a swap; the effects of a trade through a third-party program are compared with the request. */
export function tryOutSwap(
  chain: Chain,
  swap: Swap,
  options: Pick<TryOutOptions, 'budgetOf' | 'bid' | 'seen'> = {},
): Promise<TriedOut> {
  const craft = (blockhash: string, budget: Budget) => craftSwap(swap, blockhash, budget);
  const { foreign, moreUnits = 0 } = swap.trade;
  if (!foreign) return tryOut(chain, craft, { ...options, moreUnits });
  return tryOut(chain, craft, { ...options, simulate: (sample) => checkEffects(chain, swap, sample) });
}
