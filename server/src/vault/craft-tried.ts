import type { Address, Instruction } from '@slipway/wire';
import type { Chain } from '../chain/index.js';
import { MAX_COMPUTE_UNITS, unitLimitFrom } from '../crafting/budget.js';
import { type Budget, type Crafted, craftTransaction } from '../crafting/transaction.js';

export interface CraftTriedDeps {
  chain: Chain;
  /** What an error of the chain means, in words. */
  explain(error: unknown): string;
}

/** The transaction of these instructions, after a simulation of it has succeeded; or why it would fail. */
export async function craftTried(
  { chain, explain }: CraftTriedDeps,
  payer: { name: 'gas' | 'keeper'; wallet: Address },
  instructions: Instruction[],
): Promise<{ crafted: Crafted; lastValidBlockHeight: bigint } | { refused: string }> {
  const [{ blockhash, lastValidBlockHeight }, computeUnitPrice] = await Promise.all([
    chain.latestBlockhash(),
    chain.computeUnitPrice(),
  ]);
  const craft = (budget: Budget) => craftTransaction({ feePayer: payer.wallet, instructions, blockhash, budget });
  const trial = craft({ computeUnitLimit: MAX_COMPUTE_UNITS, computeUnitPrice: 0n });
  const { err, unitsConsumed } = await chain.simulate(trial.wire, { sigVerify: false });
  if (err === 'AccountNotFound' || err === 'InsufficientFundsForFee') {
    return {
      refused: `the ${payer.name} wallet ${payer.wallet} has too little SOL to pay the fee: send it some, then try again`,
    };
  }
  if (err !== null) return { refused: explain(err) };
  return { crafted: craft({ computeUnitLimit: unitLimitFrom(unitsConsumed), computeUnitPrice }), lastValidBlockHeight };
}
