import type { Address } from '@slipway/wire';
import { automaticSlippageBps } from '../../routing/slippage.js';
import type { TriggerOrderRow } from '../../store/trigger-orders.js';
import type { Leg } from '../../trigger-orders/order.js';
import type { FiringTerms } from '../../trigger-orders/order-triggers.js';

/** What a fill of an order sells, from where, and for what. */
export interface Sale {
  inputMint: Address;
  outputMint: Address;
  /** Token account whose owner is the vault. */
  source: Address;
  /** All that is left to be sold, in the smallest unit of the input. */
  amount: bigint;
  /** Where the output stays in the vault, its account there; else it goes to the wallet. */
  vaultOutput: Address | undefined;
}

/** An exit sells what the entry has bought, back into what was deposited. */
export function saleOf(order: TriggerOrderRow): Sale {
  const { progress, outputAccount } = order;
  const [inputMint, outputMint] = [order.inputMint as Address, order.outputMint as Address];
  if (progress.stage === 'exit' && progress.exit && outputAccount !== null) {
    const amount = progress.exit.remaining;
    return {
      ...{ inputMint: outputMint, outputMint: inputMint },
      ...{ source: outputAccount as Address, amount, vaultOutput: undefined },
    };
  }
  const keeps = progress.type === 'otoco' && outputAccount !== null;
  return {
    ...{ inputMint, outputMint, source: order.inputAccount as Address, amount: progress.entry.remaining },
    vaultOutput: keeps ? (outputAccount as Address) : undefined,
  };
}

export function firingTermsOf(order: TriggerOrderRow): FiringTerms {
  const { type, stage, fired } = order.progress;
  return { ...order, type, stage, fired };
}

/** The condition that the price has met when a leg fires. */
export function conditionOf(order: TriggerOrderRow, leg: Leg): 'above' | 'below' {
  if (leg === 'entry') return order.triggerCondition ?? 'above';
  return leg === 'take_profit' ? 'above' : 'below';
}

/** Basis points that a fill may lose against quote and price; automatic where the owner said nothing. */
export function slippageOf(order: TriggerOrderRow, leg: Leg, priceImpact: number): bigint {
  const asked = {
    entry: order.slippageBps,
    take_profit: order.tpSlippageBps,
    stop_loss: order.slSlippageBps,
  }[leg];
  return BigInt(asked ?? automaticSlippageBps(priceImpact));
}

/** What an amount is worth in another token by the prices of one whole token of each; rounded down. */
export function worthIn(
  amount: bigint,
  input: { usd: number; decimals: number },
  output: { usd: number; decimals: number },
): bigint {
  const [from, to] = [fractionOf(input.usd), fractionOf(output.usd)];
  return (
    (amount * from.numerator * to.denominator * 10n ** BigInt(output.decimals)) /
    (from.denominator * to.numerator * 10n ** BigInt(input.decimals))
  );
}

/** A positive number as a fraction of 15 digits. */
function fractionOf(value: number): { numerator: bigint; denominator: bigint } {
  const [digits = '', exponent = '0'] = value.toExponential(14).split('e');
  const numerator = BigInt(digits.replace('.', ''));
  const power = Number(exponent) - 14;
  return power >= 0
    ? { numerator: numerator * 10n ** BigInt(power), denominator: 1n }
    : { numerator, denominator: 10n ** BigInt(-power) };
}
