import type { Chain, SimulationOutcome } from '../chain/index.js';
import { MAX_COMPUTE_UNITS } from '../crafting/budget.js';
import { craftSwap, type Swap } from '../crafting/swap.js';
import type { Budget, Crafted } from '../crafting/transaction.js';
import { checkEffects } from './effects.js';

export type TriedOut = { crafted: Crafted; lastValidBlockHeight: bigint } | { err: unknown };
type BudgetOf = (units: number, usualPrice: bigint) => Budget;

/**
 * Makes a transaction twice: to see on the chain as it is now what it does and costs, and then with the budget that
 * follows from that. `err`: how it would fail, as the RPC says it.
 * @throws TransactionTooLarge, CraftCheckFailed
 */
export async function tryOut(
  chain: Chain,
  craft: (blockhash: string, budget: Budget) => Crafted,
  budgetOf: BudgetOf,
  simulate: (sample: Crafted) => Promise<SimulationOutcome> = ({ wire }) => chain.simulate(wire, { sigVerify: false }),
): Promise<TriedOut> {
  const [first, usualPrice] = await Promise.all([chain.latestBlockhash(), chain.computeUnitPrice()]);
  const sample = craft(first.blockhash, { computeUnitLimit: MAX_COMPUTE_UNITS, computeUnitPrice: 0n });
  const { err, unitsConsumed } = await simulate(sample);
  if (err !== null) return { err };
  const { blockhash, lastValidBlockHeight } = await chain.latestBlockhash();
  return { crafted: craft(blockhash, budgetOf(unitsConsumed, usualPrice)), lastValidBlockHeight };
}

/** As `tryOut`, of a swap; what a trade of another company's program does is compared with what was asked. */
export function tryOutSwap(chain: Chain, swap: Swap, budgetOf: BudgetOf): Promise<TriedOut> {
  const craft = (blockhash: string, budget: Budget) => craftSwap(swap, blockhash, budget);
  if (!swap.trade.foreign) return tryOut(chain, craft, budgetOf);
  return tryOut(chain, craft, budgetOf, (sample) => checkEffects(chain, swap, sample));
}
