import { cancelOrder } from '@slipway/programs';
import type { Address } from '@slipway/wire';
import { MAX_COMPUTE_UNITS, unitLimitFrom } from '../../crafting/budget.js';
import { craftTransaction } from '../../crafting/transaction.js';
import { explain } from '../../landing/index.js';
import { refundAccountOf } from './accounts.js';
import { inTheWay, type LimitOrderDeps, notNow, type Prepared, type Skipped } from './deps.js';
import { isExpired } from './plan.js';
import { orderNow } from './prepare-fill.js';

/** Makes the transaction that gives an expired order's maker everything back, and tries it out. */
export async function prepareCancel(deps: LimitOrderDeps, address: Address): Promise<Prepared | Skipped> {
  const { chain, taker, addresses } = deps;
  const order = await orderNow(deps, address);
  if (!order || !isExpired(order, deps.clock.now())) return notNow('it is not open any more');
  const makerInputMintAccount = await refundAccountOf(deps, order);
  if (typeof makerInputMintAccount === 'object') return makerInputMintAccount;
  const { maker, inputMint, inputTokenProgram, inputMintReserve } = order;
  const accounts = { signer: taker, maker, order: address, inputMintReserve, inputMint, inputTokenProgram };
  const instructions = [
    cancelOrder({ ...accounts, ...(makerInputMintAccount && { makerInputMintAccount }) }, addresses),
  ];
  const craft = (blockhash: string, computeUnitLimit: number, computeUnitPrice: bigint) =>
    craftTransaction({ feePayer: taker, instructions, blockhash, budget: { computeUnitLimit, computeUnitPrice } });
  const first = await chain.latestBlockhash();
  const sample = craft(first.blockhash, MAX_COMPUTE_UNITS, 0n);
  const { err, unitsConsumed } = await chain.simulate(sample.wire, { sigVerify: false });
  if (err !== null) return inTheWay(explain(err).message);
  const { blockhash, lastValidBlockHeight } = await chain.latestBlockhash();
  const crafted = craft(blockhash, unitLimitFrom(unitsConsumed), await chain.computeUnitPrice());
  const detail = { returned: `${order.makingAmount}` };
  return { kind: 'cancel', crafted, lastValidBlockHeight, maker, venues: [], detail };
}
