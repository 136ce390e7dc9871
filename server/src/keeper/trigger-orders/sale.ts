import type { Address } from '@slipway/wire';
import type { TriggerOrderRow } from '../../store/trigger-orders.js';
import type { Leg } from '../../trigger-orders/order.js';
import { type OrderContext, orderContext } from '../../trigger-orders/order-context.js';

/** What a fill of an order's fired leg sells, from where, for what, and by which terms. */
export interface Sale {
  orderId: string;
  wallet: Address;
  vault: Address;
  inputMint: Address;
  outputMint: Address;
  /** Token account whose owner is the vault. */
  source: Address;
  /** All that is left to be sold, in the smallest unit of the input. */
  amount: bigint;
  /** Where the output stays in the vault, its account there; else it goes to the wallet. */
  vaultOutput: Address | undefined;
  /** What its owner allows a fill to lose; null: automatic. */
  slippageBps: number | null;
  /** What the fill is for its owner. */
  context: OrderContext;
  /** Fills in a row that have failed. */
  failures: number;
}

export function saleOf(order: TriggerOrderRow): Sale {
  const { id, wallet, vault, progress } = order;
  const leg = progress.fired ?? 'entry';
  return {
    orderId: id,
    wallet: wallet as Address,
    vault: vault as Address,
    ...soldOf(order),
    slippageBps: slippageOf(order, leg),
    context: orderContext(leg, { ...order, condition: conditionOf(order, leg) }),
    failures: progress.failures,
  };
}

/** An exit sells what the entry has bought, back into what was deposited. */
function soldOf(order: TriggerOrderRow): Pick<Sale, 'inputMint' | 'outputMint' | 'source' | 'amount' | 'vaultOutput'> {
  const { progress } = order;
  const [inputMint, outputMint] = [order.inputMint as Address, order.outputMint as Address];
  const outputAccount = (order.outputAccount as Address | null) ?? undefined;
  if (progress.stage === 'exit' && progress.exit && outputAccount) {
    const amount = progress.exit.remaining;
    return { inputMint: outputMint, outputMint: inputMint, source: outputAccount, amount, vaultOutput: undefined };
  }
  const vaultOutput = progress.type === 'otoco' ? outputAccount : undefined;
  return {
    inputMint,
    outputMint,
    source: order.inputAccount as Address,
    amount: progress.entry.remaining,
    vaultOutput,
  };
}

function slippageOf({ slippageBps, tpSlippageBps, slSlippageBps }: TriggerOrderRow, leg: Leg): number | null {
  return { entry: slippageBps, take_profit: tpSlippageBps, stop_loss: slSlippageBps }[leg];
}

/** The condition that the price has met when a leg fires. */
function conditionOf(order: TriggerOrderRow, leg: Leg): 'above' | 'below' {
  if (leg === 'entry') return order.triggerCondition ?? 'above';
  return leg === 'take_profit' ? 'above' : 'below';
}
