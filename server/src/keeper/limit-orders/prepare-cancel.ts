import { cancelOrder } from '@slipway/programs';
import type { Address } from '@slipway/wire';
import { craftTransaction } from '../../crafting/transaction.js';
import { explain, tryOut } from '../../landing/index.js';
import { refundAccountOf } from './accounts.js';
import { blocked, type LimitOrderDeps, notYet, type Prepared, type Skipped } from './deps.js';
import { isExpired } from './plan.js';
import { orderNow } from './prepare-fill.js';

/** Crafts and simulates the transaction that returns an expired order's funds to its maker. */
export async function prepareCancel(deps: LimitOrderDeps, address: Address, expired = 0): Promise<Prepared | Skipped> {
  const { chain, taker, addresses } = deps;
  const order = await orderNow(deps, address);
  if (!order || !isExpired(order, deps.clock.now())) return notYet('it is not open any more');
  const makerInputMintAccount = await refundAccountOf(deps, order);
  if (typeof makerInputMintAccount === 'object') return makerInputMintAccount;
  const { maker, inputMint, inputTokenProgram, inputMintReserve } = order;
  const accounts = { signer: taker, maker, order: address, inputMintReserve, inputMint, inputTokenProgram };
  const instructions = [
    cancelOrder({ ...accounts, ...(makerInputMintAccount && { makerInputMintAccount }) }, addresses),
  ];
  const tried = await tryOut(
    chain,
    (blockhash, budget) => craftTransaction({ feePayer: taker, instructions, blockhash, budget }),
    { bid: { expired } },
  );
  if ('err' in tried) return blocked(explain(tried.err).message);
  const detail = { returned: `${order.makingAmount}` };
  return { kind: 'cancel', ...tried, maker, venues: [], detail };
}
