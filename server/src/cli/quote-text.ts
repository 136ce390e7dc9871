import type { Answer, SwapOrder } from '@slipway/client';
import { decimalString } from '../lib/decimal.js';
import { unitsOf } from './amount.js';
import { onOneLine } from './plain.js';

export type Token = Pick<Answer<'get', '/tokens/v2/search'>[number], 'id' | 'symbol' | 'decimals' | 'isVerified'>;

export type TokenOf = (mint: string) => Token | undefined;

type Hop = SwapOrder['routePlan'][number];

const PRICE_DIGITS = 9;

/** An order as lines of a label and a text. */
export function describeOrder(order: SwapOrder, tokenOf: TokenOf): string {
  const { inputMint, outputMint, inAmount, outAmount, otherAmountThreshold, priceImpact } = order;
  const show = (amount: string, mint: string): string => amountOf(amount, mint, tokenOf(mint));
  const lines: [name: string, text: string | undefined][] = [
    ['Router', `${order.router} (${order.swapType})`],
    ...order.routePlan.map((hop, index): [string, string] => [index === 0 ? 'Route' : '', hopText(hop, show)]),
    ['Price', priceText(order, tokenOf)],
    ['At least', `${show(otherAmountThreshold, outputMint)}, slippage ${bpsText(order.slippageBps)}`],
    ['Value', valueText(order)],
    ['Price impact', priceImpact === undefined ? undefined : `${Number(priceImpact.toFixed(4))} %`],
    ['Fee', feeText(order, show)],
    ['Network', networkText(order)],
    ...[inputMint, outputMint].map((mint): [string, string | undefined] => ['Not verified', unverified(tokenOf(mint))]),
    ['Not possible', order.transaction === '' ? (order.errorMessage ?? 'no transaction can be made') : undefined],
  ];
  const shown = lines.filter(([, text]) => text !== undefined).map(([name, text]) => `  ${name.padEnd(14)}${text}`);
  return [`${show(inAmount, inputMint)} -> ${show(outAmount, outputMint)}`, ...shown].map(onOneLine).join('\n');
}

function amountOf(amount: string, mint: string, token: Token | undefined): string {
  if (token === undefined) return `${amount} of the smallest unit of ${mint}`;
  return `${decimalString(unitsOf(amount), token.decimals)} ${token.symbol || mint}`;
}

/** Says which mint a symbol stands for, where nobody vouches for it. */
function unverified(token: Token | undefined): string | undefined {
  if (token === undefined || token.isVerified) return undefined;
  return `${token.symbol || 'this token'} is ${token.id}: anybody may have given it this name`;
}

function hopText({ swapInfo, percent }: Hop, show: (amount: string, mint: string) => string): string {
  const { label, inAmount, inputMint, outAmount, outputMint } = swapInfo;
  return `${show(inAmount, inputMint)} -> ${show(outAmount, outputMint)}, ${percent} % by ${label}`;
}

/** The output for one whole token of the input. */
function priceText({ inputMint, outputMint, inAmount, outAmount }: SwapOrder, tokenOf: TokenOf): string | undefined {
  const [input, output] = [tokenOf(inputMint), tokenOf(outputMint)];
  if (input === undefined || output === undefined || unitsOf(inAmount) === 0n) return undefined;
  const scaled = unitsOf(outAmount) * 10n ** BigInt(input.decimals + PRICE_DIGITS);
  const price = scaled / (unitsOf(inAmount) * 10n ** BigInt(output.decimals));
  return `1 ${input.symbol || inputMint} = ${decimalString(price, PRICE_DIGITS)} ${output.symbol || outputMint}`;
}

function valueText({ inUsdValue, outUsdValue }: SwapOrder): string | undefined {
  if (inUsdValue === undefined || outUsdValue === undefined) return undefined;
  return `${inUsdValue.toFixed(2)} USD -> ${outUsdValue.toFixed(2)} USD`;
}

function feeText(order: SwapOrder, show: (amount: string, mint: string) => string): string {
  const amount = order.platformFee?.amount;
  const shown = amount === undefined || order.feeMint === undefined ? '' : `, ${show(amount, order.feeMint)}`;
  return `${bpsText(order.feeBps)}${shown}`;
}

/** The network's cost; unknown without a taker. */
function networkText(order: SwapOrder): string | undefined {
  if (!order.transaction) return undefined;
  const sol = (lamports: number) => `${decimalString(BigInt(lamports), 9)} SOL`;
  const fees = sol(order.signatureFeeLamports + order.prioritizationFeeLamports);
  return `${fees} in fees, ${sol(order.rentFeeLamports)} in rent${order.gasless ? ', gasless' : ''}`;
}

const bpsText = (bps: number): string => `${Number((bps / 100).toFixed(4))} %`;
