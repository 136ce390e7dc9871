import type { Address } from '@slipway/wire';

/** USD prices to quote at: those of the source, unless a price was set that the source does not report yet. */
export interface QuotedPrices {
  /** USD for one whole token. */
  usd(mint: Address): number | undefined;
  /** Holds until the source reports the same. */
  quoteAt(mint: Address, usd: number): void;
}

export function createQuotedPrices(source: (mint: Address) => number | undefined): QuotedPrices {
  const ahead = new Map<Address, number>();
  return {
    usd(mint) {
      const [set, known] = [ahead.get(mint), source(mint)];
      if (set === undefined || set === known) {
        ahead.delete(mint);
        return known;
      }
      return set;
    },
    quoteAt: (mint, usd) => void ahead.set(mint, usd),
  };
}

interface PricedToken {
  /** USD for one whole token; above 0. */
  usd: number;
  decimals: number;
}

const BPS = 10_000n;

/** The output for `amount`, `spreadBps` less than it is worth; rounded down. */
export function outputFor(amount: bigint, input: PricedToken, output: PricedToken, spreadBps: number): bigint {
  const { numerator, denominator } = rateOf(input, output);
  return (amount * numerator * (BPS - BigInt(spreadBps))) / (denominator * BPS);
}

/** The smallest input for which `outputFor` gives `amount`. */
export function inputFor(amount: bigint, input: PricedToken, output: PricedToken, spreadBps: number): bigint {
  const { numerator, denominator } = rateOf(input, output);
  const per = numerator * (BPS - BigInt(spreadBps));
  return (amount * denominator * BPS + per - 1n) / per;
}

/** Smallest units of the output for one of the input. */
function rateOf(input: PricedToken, output: PricedToken): { numerator: bigint; denominator: bigint } {
  const [inUsd, outUsd] = [fractionOf(input.usd), fractionOf(output.usd)];
  return {
    numerator: inUsd.numerator * outUsd.denominator * 10n ** BigInt(output.decimals),
    denominator: inUsd.denominator * outUsd.numerator * 10n ** BigInt(input.decimals),
  };
}

/** A price above 0 as a fraction, to the 15 digits that a number reliably holds. */
function fractionOf(usd: number): { numerator: bigint; denominator: bigint } {
  const [digits, exponent] = usd.toExponential(14).split('e') as [string, string];
  const numerator = BigInt(digits.replace('.', ''));
  const power = Number(exponent) - 14;
  return power < 0
    ? { numerator, denominator: 10n ** BigInt(-power) }
    : { numerator: numerator * 10n ** BigInt(power), denominator: 1n };
}
