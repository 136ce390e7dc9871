import type { Address } from '@slipway/wire';
import { isOfOtherUnits, OTHER_UNITS } from '../../prices/index.js';
import type { FillReadings } from '../../routing/fill-readings.js';
import type { Quote, QuoteRequest, Token } from '../../routing/router.js';
import { automaticSlippageBps } from '../../routing/slippage.js';
import { type Worth, worthOf } from '../../trigger-orders/tick.js';
import type { TriggerKeeperDeps } from './deps.js';
import type { Market, Skipped } from './offers.js';
import type { Sale } from './sale.js';

const BPS = 10_000n;
/** No fill sells or leaves less than 5 USD: half of the smallest order. */
const LEAST_PART = { amount: 5n, token: { usd: 1, decimals: 0 } };

interface Priced {
  usd: number;
  decimals: number;
}

/**
 * The market of a sale, usable until the signal aborts; or why there is no price of what
 * it sells or buys that orders may use.
 */
export function marketOf(
  deps: Pick<TriggerKeeperDeps, 'router' | 'prices' | 'clock' | 'maxBelowFairBps'>,
  sale: Sale,
  { input, output }: { input: Token; output: Token },
  signal: AbortSignal,
  { readings, ...pools }: { readings: FillReadings } & Pick<QuoteRequest, 'excludePools' | 'onlyPools'>,
): Market | Skipped {
  const { router, maxBelowFairBps } = deps;
  const [from, to] = [worthInOrders(deps, input), worthInOrders(deps, output)];
  if ('unknown' in from) return { skipped: from.unknown, isLater: true };
  if ('unknown' in to) return { skipped: to.unknown, isLater: true };
  const sold = { usd: from.highUsd, decimals: input.decimals };
  const bought = { usd: to.lowUsd, decimals: output.decimals };
  const doubts = [from.doubt, to.doubt].filter((doubt) => doubt !== undefined);
  const common = {
    input,
    output,
    owner: sale.vault,
    forFill: readings,
    excludeVenues: new Set<string>(),
    excludePools: new Set<Address>(),
    ...pools,
  };
  const fair: Market['fair'] = (amount, lessBps) => worthIn(amount, sold, bought, lessBps);
  return {
    quote: (amount) => router.quote({ ...common, mode: 'exact-in', amount }, signal),
    slippage: (quote) => BigInt(Math.min(maxBelowFairBps, sale.slippageBps ?? automaticBps(quote, fair))),
    fair,
    leastPart: worthIn(LEAST_PART.amount, LEAST_PART.token, sold),
    doubts,
  };
}

/** A pool that gives more than the prices say may be gone when the fill lands: its price impact is no reason to get less. */
function automaticBps(quote: Quote, fair: Market['fair']): number {
  const lacking = 1 - Number(quote.outAmount) / Number(fair(quote.inAmount, 0n));
  return automaticSlippageBps({ ...quote, priceImpact: Math.min(quote.priceImpact, lacking) });
}

function worthInOrders(deps: Pick<TriggerKeeperDeps, 'prices' | 'clock'>, token: Token): Worth | { unknown: string } {
  const price = deps.prices.forOrders(token.mint);
  if ('none' in price) return { unknown: price.why };
  // The very price that the floor is made of: a feed that is silent for a moment must not hide which units it speaks of.
  if (isOfOtherUnits(price, token)) return { unknown: `${token.mint}: ${OTHER_UNITS}` };
  return worthOf(deps, token.mint, price);
}

/** What an amount is worth in another token, by the prices of both, less some basis points; rounded up. */
function worthIn(amount: bigint, input: Priced, output: Priced, lessBps = 0n): bigint {
  const [from, to] = [fractionOf(input.usd), fractionOf(output.usd)];
  const worth = amount * (BPS - lessBps) * from.numerator * to.denominator * 10n ** BigInt(output.decimals);
  const unit = BPS * from.denominator * to.numerator * 10n ** BigInt(input.decimals);
  return (worth + unit - 1n) / unit;
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
