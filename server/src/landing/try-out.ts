import { randomInt } from 'node:crypto';
import type { Chain, SimulationOutcome } from '../chain/index.js';
import { MAX_COMPUTE_UNITS, UNITS_APART, unitLimitFrom } from '../crafting/budget.js';
import { craftSwap, type Swap } from '../crafting/swap.js';
import type { Budget, Crafted } from '../crafting/transaction.js';
import { checkEffects } from './effects.js';

/** A transaction that succeeds on the chain as it is now. */
export interface Working {
  crafted: Crafted;
  lastValidBlockHeight: bigint;
}

export type TriedOut =
  | Working
  /** How it would fail, as the RPC says it, and what was simulated. */
  | { err: unknown; sample: Crafted };

/** What is read to try a transaction out; an area may answer for one of them itself. */
export type TryOutChain = Pick<Chain, 'latestBlockhash' | 'computeUnitPrice' | 'simulate'>;

export interface TryOutOptions {
  /** The budget for the compute units that were used; `usualBudget` unless a client has asked for another price. */
  budgetOf?: (units: number, usualPrice: bigint) => Budget;
  /** How the sample is judged; by its own success unless what it does has to be looked at. */
  simulate?: (sample: Crafted) => Promise<SimulationOutcome>;
}

/** With a limit that differs from time to time, so that two transactions of the same content are not the same bytes. */
export function usualBudget(units: number, computeUnitPrice: bigint): Budget {
  return { computeUnitLimit: unitLimitFrom(units, randomInt(UNITS_APART)), computeUnitPrice };
}

/**
 * Makes a transaction twice: to see on the chain as it is now what it does and costs, and then with the budget that
 * follows from that. What has a fixed budget (launches), or the same costs each time (payments of express, by
 * `createUnitMeter`), is not made twice.
 * @throws TransactionTooLarge, CraftCheckFailed
 */
export async function tryOut(
  chain: TryOutChain,
  craft: (blockhash: string, budget: Budget) => Crafted,
  options: TryOutOptions = {},
): Promise<TriedOut> {
  const { budgetOf = usualBudget, simulate = ({ wire }) => chain.simulate(wire, { sigVerify: false }) } = options;
  const [first, usualPrice] = await Promise.all([chain.latestBlockhash(), chain.computeUnitPrice()]);
  const sample = craft(first.blockhash, { computeUnitLimit: MAX_COMPUTE_UNITS, computeUnitPrice: 0n });
  const { err, unitsConsumed } = await simulate(sample);
  if (err !== null) return { err, sample };
  const { blockhash, lastValidBlockHeight } = await chain.latestBlockhash();
  return { crafted: craft(blockhash, budgetOf(unitsConsumed, usualPrice)), lastValidBlockHeight };
}

/** As `tryOut`, of a swap; what a trade of another company's program does is compared with what was asked. */
export function tryOutSwap(chain: Chain, swap: Swap, options: Pick<TryOutOptions, 'budgetOf'> = {}): Promise<TriedOut> {
  const craft = (blockhash: string, budget: Budget) => craftSwap(swap, blockhash, budget);
  if (!swap.trade.foreign) return tryOut(chain, craft, options);
  return tryOut(chain, craft, { ...options, simulate: (sample) => checkEffects(chain, swap, sample) });
}
