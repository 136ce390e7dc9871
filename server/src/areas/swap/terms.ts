import { type Address, associatedTokenRent, WRAPPED_SOL_MINT } from '@slipway/wire';
import { LAMPORTS_PER_SIGNATURE } from '../../crafting/transaction.js';
import { usdValue } from '../../lib/decimal.js';
import { trustedUsd } from '../../prices/index.js';
import type { Token } from '../../routing/router.js';
import type { FeeSources, SwapDeps } from './deps.js';
import { defaultFee, mayBeNew, paysForGas } from './fees.js';
import type { Candidate, Inquiry, Order, Terms } from './swap-order.js';
import type { Wallets } from './wallets.js';

/** A taker with less does not pay gas, where the trade is worth this much and the operator has turned it on. */
const POOR_LAMPORTS = 10_000_000n;
export const GASLESS_MIN_USD = 10;
/** More than a swap of several hops takes: what the gas wallet gets back must cover what it pays. */
const GASLESS_UNITS = 400_000n;
/** What a trade may lose on its way, slippage included, before a fee on its output no longer pays the gas. */
const LOSS_BPS = 500;

/** The fee of an order: the integrator's where its account can take it, else the operator's, else none. */
export async function termsOf(
  { fees }: SwapDeps,
  { accounts, isNew }: FeeSources,
  { asked: { referral }, input, output }: Inquiry,
  wallets?: Wallets,
): Promise<Terms> {
  const ages = [input.mint, output.mint].filter((each) => mayBeNew(fees, each)).map(isNew);
  const hasNew = (await Promise.all(ages)).includes(true);
  const { side, mint, bps } = defaultFee(fees, input.mint, output.mint, hasNew);
  const token = side === 'input' ? input : output;
  // Who is paid cannot pay: the program refuses one account in two places.
  const isParty = (account: Address | undefined) =>
    account !== undefined && (account === wallets?.source?.account || account === wallets?.destination?.account);
  const integrators = referral && (await accounts.ofReferral(referral.account, token));
  if (referral && integrators && !isParty(integrators)) {
    return { side, mint, bps: referral.bps, platformBps: referral.bps, account: integrators };
  }
  const operators = await accounts.ofOperator(token);
  if (!operators || isParty(operators)) return { side, mint, bps: 0, platformBps: 0 };
  return { side, mint, bps, platformBps: bps, account: operators };
}

/** Whether the gas wallet may pay for this taker, the size of the trade apart. */
export function mayBeGasless(deps: SwapDeps, { asked, wallets }: Order): boolean {
  if (!deps.gasless || asked.payer || asked.referral || asked.manual) return false;
  return wallets.lamports.taker < POOR_LAMPORTS;
}

/** What the gas wallet is asked for: all of the gas, or only the rent of the output's account, with a market maker. */
export type Sponsored = 'gas' | 'rent';

/**
 * The terms on which the gas wallet pays: its cost comes back as a higher fee. Undefined where that cannot be, because
 * the trade is too small, a price is not known, no account takes the fee, or the gas wallet is empty. Whether the fee of
 * a quote on these terms is worth the gas, `coversGas` says.
 */
export async function gaslessTerms(deps: SwapDeps, order: Order, sponsored: Sponsored): Promise<Terms | undefined> {
  const { chain, prices, fees } = deps;
  const { output, wallets, terms } = order;
  const tradeUsd = tradeUsdOf(deps, order);
  const solUsd = trustedUsd(prices, WRAPPED_SOL_MINT);
  if (tradeUsd === undefined || solUsd === undefined || !terms.account) return undefined;
  if (tradeUsd < GASLESS_MIN_USD || !paysForGas(fees, terms.mint)) return undefined;
  const rent = wallets.destination && !wallets.destination.exists ? associatedTokenRent(output.tokenProgram) : 0n;
  const price = sponsored === 'gas' ? await chain.computeUnitPrice() : 0n;
  const networkFee = 2n * LAMPORTS_PER_SIGNATURE + (GASLESS_UNITS * price) / 1_000_000n + 1n;
  const maxLamports = sponsored === 'gas' ? networkFee + rent : rent;
  const taxedUsd = terms.side === 'input' ? tradeUsd : (tradeUsd * (10_000 - LOSS_BPS)) / 10_000;
  const bps = terms.bps + Math.ceil((usdValue(maxLamports, 9, solUsd) / taxedUsd) * 10_000);
  // Beside what it pays, it lends the rent of temporary accounts.
  const isRich = wallets.lamports.gasWallet > 10n * POOR_LAMPORTS + maxLamports;
  return isRich && bps < 10_000 ? { ...terms, bps, gasless: { maxLamports } } : undefined;
}

/** What is swapped, in USD by any source: enough to say what is too little, never to spend by. */
function tradeUsdOf({ prices }: SwapDeps, { asked, input }: Inquiry): number | undefined {
  const usd = prices.usd(input.mint);
  return usd === undefined ? undefined : usdValue(asked.amount, input.decimals, usd);
}

/** Whether its size alone keeps a trade from being gasless. */
export function isTooSmallForGasless(deps: SwapDeps, inquiry: Inquiry): boolean {
  const usd = tradeUsdOf(deps, inquiry);
  return usd !== undefined && usd < GASLESS_MIN_USD;
}

/**
 * Whether the gas wallet gets back at least the `lamports` that it spends on a quote, also where no more than `least`
 * of its output comes out, and the side that the fee is taken from is worth a gasless trade.
 */
export function coversGas(
  { prices, fees }: SwapDeps,
  { quote, terms }: Candidate,
  token: Token,
  least: bigint,
  lamports: bigint,
): boolean {
  const usd = trustedUsd(prices, terms.mint);
  const solUsd = trustedUsd(prices, WRAPPED_SOL_MINT);
  if (usd === undefined || solUsd === undefined || !paysForGas(fees, terms.mint)) return false;
  const usdOf = (amount: bigint) => usdValue(amount, token.decimals, usd);
  const isOutput = terms.side === 'output';
  const taxed = isOutput ? quote.outAmount + quote.feeAmount : quote.inAmount;
  const leastUsd = isOutput ? (GASLESS_MIN_USD * (10_000 - LOSS_BPS)) / 10_000 : GASLESS_MIN_USD;
  if (usdOf(taxed) < leastUsd) return false;
  const forGas = (quote.feeAmount * BigInt(terms.bps - terms.platformBps)) / BigInt(terms.bps);
  const atLeast = isOutput ? (forGas * least) / quote.outAmount : forGas;
  return usdOf(atLeast) >= usdValue(lamports, 9, solUsd);
}
