import { type Address, holdsSol, WRAPPED_SOL_MINT } from '@slipway/wire';
import type { PendingFill } from '../../store/trigger-order-fills.js';
import type { TriggerOrderRow } from '../../store/trigger-orders.js';
import type { Leg } from '../../trigger-orders/order.js';
import { type OrderContext, orderContext } from '../../trigger-orders/order-context.js';

/** What a fill of an order's fired leg sells, from which account, for what, and on which terms. */
export interface Sale {
  orderId: string;
  wallet: Address;
  vault: Address;
  inputMint: Address;
  outputMint: Address;
  /** A token account owned by the vault. */
  source: Address;
  /** What is left to sell, in the smallest unit of the input. */
  amount: bigint;
  /** The output's account in the vault, if the output stays there; undefined if it goes to the wallet. */
  vaultOutput: Address | undefined;
  /**
   * Whether the rent of the source, once it is empty, may pay for an account of the wallet: the signer lets the keeper have it of
   * SOL only where all of the deposit is sold at once, because closing pays out what is left. Only SOL of SPL Token can be paid to
   * the wallet before.
   */
  paysForAccount: boolean;
  /** The slippage that the owner allows; null: automatic. */
  slippageBps: number | null;
  /** What the fill means to its owner. */
  context: OrderContext;
  /** Failed fills in a row. */
  failures: number;
}

export function saleOf(order: TriggerOrderRow): Sale {
  const { id, wallet, vault, progress } = order;
  const leg = progress.fired ?? 'entry';
  const sold = soldOf(order);
  const isEntry = sold.source === order.inputAccount;
  return {
    orderId: id,
    wallet: wallet as Address,
    vault: vault as Address,
    ...sold,
    paysForAccount:
      !holdsSol(sold.inputMint) ||
      (sold.inputMint === WRAPPED_SOL_MINT && isEntry && sold.amount === progress.entry.initial),
    slippageBps: slippageOf(order, leg),
    context: orderContext(leg, { ...order, condition: conditionOf(order, leg) }),
    failures: progress.failures,
  };
}

/**
 * What was there to be sold when a fill was prepared. Its row may say more, as an old one, or after a false word of a node; and what
 * others had sent there does not count.
 */
export const thereBefore = ({ amount }: Sale, { held = amount }: PendingFill): bigint =>
  held < amount ? held : amount;

/** An exit sells what the entry bought, back into the deposited token. */
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

/** The condition under which a leg fires. */
function conditionOf(order: TriggerOrderRow, leg: Leg): 'above' | 'below' {
  if (leg === 'entry') return order.triggerCondition ?? 'above';
  return leg === 'take_profit' ? 'above' : 'below';
}
