import { type Address, associatedTokenRent, WRAPPED_SOL_MINT } from '@slipway/wire';
import { LAMPORTS_PER_SIGNATURE } from '../../crafting/transaction.js';
import { usdValue } from '../../lib/decimal.js';
import { uncontradictedUsd } from '../../prices/index.js';
import { readMint } from '../../routing/aggregator/index.js';
import type { Token } from '../../routing/router.js';
import type { FeeSources, SwapDeps } from './deps.js';
import { defaultFee, mayBeNew, paysForGas } from './fees.js';
import type { Candidate, Inquiry, Order, Terms } from './swap-order.js';
import type { Wallets } from './wallets.js';

/** Gasless, if the operator enables it: for takers with less than this, in trades worth at least this many USD. */
const POOR_LAMPORTS = 10_000_000n;
export const GASLESS_MIN_USD = 10;
/** More than a swap of several hops uses, so that the gas wallet recovers what it pays. */
const GASLESS_UNITS = 400_000n;
/** How much a trade may lose, slippage included, while a fee on its output still pays the gas. */
const LOSS_BPS = 500;
/** The most of a trade that pays its gas, whatever is said of prices: of 10 USD, the rent of one account is 6 % at 300 USD for a SOL. */
const MOST_FOR_GAS_BPS = 1_000;
/** How many times what the gas may cost is taken for it, in whole basis points. */
const MOST_TIMES_GAS = 2;

/** The fee of an order: the integrator's if its account can receive it, else the operator's, else none. */
export async function termsOf(
  { fees, chain }: SwapDeps,
  { accounts, isNew }: FeeSources,
  { asked: { referral }, input, output }: Inquiry,
  wallets?: Wallets,
): Promise<Terms> {
  const ages = [input.mint, output.mint].filter((each) => mayBeNew(fees, each)).map((each) => isNew(chain.rpc, each));
  const hasNew = (await Promise.all(ages)).includes(true);
  const { side, mint, bps } = defaultFee(fees, input.mint, output.mint, hasNew);
  const token = side === 'input' ? input : output;
  // The fee account must not be the source or the destination: the program refuses one account in two places.
  const isParty = (account: Address | undefined) =>
    account !== undefined && (account === wallets?.source?.account || account === wallets?.destination?.account);
  const integrators = referral && (await accounts.ofReferral(chain, referral.account, token));
  if (referral && integrators && !isParty(integrators)) {
    return { side, mint, bps: referral.bps, platformBps: referral.bps, account: integrators };
  }
  const operators = await accounts.ofOperator(chain, token);
  if (!operators || isParty(operators)) return { side, mint, bps: 0, platformBps: 0 };
  return { side, mint, bps, platformBps: bps, account: operators };
}

/** Whether the gas wallet may pay for this taker, whatever the size of the trade. */
export function mayBeGasless(deps: SwapDeps, { asked, wallets }: Order): boolean {
  if (!deps.gasless || asked.payer || asked.referral || asked.manual) return false;
  return wallets.lamports.taker < POOR_LAMPORTS;
}

/** What the gas wallet pays: all of the gas or, with a market maker, only the rent of the output's account. */
export type Sponsored = 'gas' | 'rent';

/**
 * The terms on which the gas wallet pays and recovers its cost through a higher fee. Undefined if the trade is too
 * small, a price is unknown, no account can receive the fee, or the gas wallet is nearly empty. `coversGas` says
 * whether the fee of a quote on these terms is worth the gas.
 */
export async function gaslessTerms(deps: SwapDeps, order: Order, sponsored: Sponsored): Promise<Terms | undefined> {
  const { chain, prices, fees } = deps;
  const { output, wallets, terms } = order;
  const tradeUsd = tradeUsdOf(deps, order);
  const solUsd = uncontradictedUsd(prices, { mint: WRAPPED_SOL_MINT });
  if (tradeUsd === undefined || solUsd === undefined || !terms.account) return undefined;
  if (tradeUsd < GASLESS_MIN_USD || !paysForGas(fees, terms.mint)) return undefined;
  const makesAccount = wallets.destination?.exists === false;
  // Of a mint that pools do not trade, as market makers may, an account can be larger than is counted here.
  if (makesAccount && readMint(await chain.account(output.mint))?.unsupported !== undefined) return undefined;
  const rent = makesAccount ? associatedTokenRent(output.tokenProgram) : 0n;
  const price = sponsored === 'gas' ? await chain.computeUnitPrice() : 0n;
  const networkFee = 2n * LAMPORTS_PER_SIGNATURE + (GASLESS_UNITS * price) / 1_000_000n + 1n;
  const maxLamports = sponsored === 'gas' ? networkFee + rent : rent;
  const taxedUsd = terms.side === 'input' ? tradeUsd : (tradeUsd * (10_000 - LOSS_BPS)) / 10_000;
  const gasBps = shareBps(usdValue(maxLamports, 9, solUsd), taxedUsd);
  // It also lends the rent of temporary accounts.
  const isRich = wallets.lamports.gasWallet > 10n * POOR_LAMPORTS + maxLamports;
  if (!isRich || gasBps > MOST_FOR_GAS_BPS) return undefined;
  return { ...terms, bps: terms.bps + gasBps, gasless: { maxLamports } };
}

const shareBps = (usd: number, ofUsd: number) => Math.ceil((usd / ofUsd) * 10_000);

/** The value of the input in USD by any source: good enough for a minimum, never for spending. */
function tradeUsdOf({ prices }: SwapDeps, { asked, input }: Inquiry): number | undefined {
  const usd = prices.usd(input.mint);
  return usd === undefined ? undefined : usdValue(asked.amount, input.decimals, usd);
}

/** Whether a trade is too small to be gasless. */
export function isTooSmallForGasless(deps: SwapDeps, inquiry: Inquiry): boolean {
  const usd = tradeUsdOf(deps, inquiry);
  return usd !== undefined && usd < GASLESS_MIN_USD;
}

/**
 * Whether the fee repays the `lamports` that the gas wallet spends on a quote, even if only the minimum output `least`
 * comes out, and the side that pays the fee is worth a gasless trade. Nor may it be far more than the gas: it was worked out by what
 * any source, and so any pool, says of the input.
 */
export function coversGas(
  { prices, fees }: SwapDeps,
  { quote, terms }: Candidate,
  token: Token,
  least: bigint,
  lamports: bigint,
): boolean {
  const usd = uncontradictedUsd(prices, token);
  const solUsd = uncontradictedUsd(prices, { mint: WRAPPED_SOL_MINT });
  if (usd === undefined || solUsd === undefined || !paysForGas(fees, terms.mint)) return false;
  if (!terms.gasless || lamports > terms.gasless.maxLamports) return false;
  const usdOf = (amount: bigint) => usdValue(amount, token.decimals, usd);
  const isOutput = terms.side === 'output';
  const taxed = isOutput ? quote.outAmount + quote.feeAmount : quote.inAmount;
  const leastUsd = isOutput ? (GASLESS_MIN_USD * (10_000 - LOSS_BPS)) / 10_000 : GASLESS_MIN_USD;
  if (usdOf(taxed) < leastUsd) return false;
  const gasBps = terms.bps - terms.platformBps;
  if (gasBps > MOST_TIMES_GAS * shareBps(usdValue(terms.gasless.maxLamports, 9, solUsd), usdOf(taxed))) return false;
  const forGas = (quote.feeAmount * BigInt(gasBps)) / BigInt(terms.bps);
  const atLeast = isOutput ? (forGas * least) / quote.outAmount : forGas;
  return usdOf(atLeast) >= usdValue(lamports, 9, solUsd);
}
