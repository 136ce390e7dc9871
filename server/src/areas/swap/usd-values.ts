import type { Address } from '@slipway/wire';
import { roundedUsd, usdValue } from '../../lib/decimal.js';
import type { Hop, Quote } from '../../routing/router.js';
import type { SwapDeps } from './deps.js';
import type { Inquiry } from './swap-order.js';

/** What an amount of a token, in its smallest unit, is worth in USD; undefined without a price. */
export type UsdOf = (mint: Address, amount: bigint) => number | undefined;

interface UsdValues {
  input: number | undefined;
  output: number | undefined;
  /** As the hops of the quote are ordered. */
  hops: (number | undefined)[];
}

type Traded = Pick<Quote, 'inAmount' | 'outAmount' | 'hops'>;

/** The values of the tokens of a route, with those between its ends only where neither end has a price. */
export async function readValues(
  { chain, shownUsd }: Pick<SwapDeps, 'chain' | 'shownUsd'>,
  { input, output }: Pick<Inquiry, 'input' | 'output'>,
  quote: Traded,
): Promise<UsdOf> {
  const decimals = new Map([input, output].map((token) => [token.mint, token.decimals]));
  if ([...decimals.keys()].every((mint) => shownUsd(mint) === undefined)) {
    for (const mint of middlesOf(quote, output.mint)) {
      const facts = shownUsd(mint) !== undefined && (await chain.mint(mint));
      if (facts) decimals.set(mint, facts.decimals);
    }
  }
  return (mint, amount) => {
    const [usd, places] = [shownUsd(mint), decimals.get(mint)];
    return usd === undefined || places === undefined ? undefined : usdValue(amount, places, usd);
  };
}

/**
 * What a trade and its hops are worth in USD. Both sides of a trade are worth the same, so one price is enough: of the
 * input, of the output, or else of a token between them.
 */
export function usdValuesOf(quote: Traded, input: Address, output: Address, usdOf: UsdOf): UsdValues {
  const [inUsd, outUsd] = [usdOf(input, quote.inAmount), usdOf(output, quote.outAmount)];
  const carried = inUsd ?? outUsd ?? middleUsd(quote.hops, input, output, usdOf);
  return {
    input: rounded(inUsd ?? carried),
    output: rounded(outUsd ?? carried),
    hops: carried === undefined ? quote.hops.map(() => undefined) : hopValues(quote, input, carried).map(rounded),
  };
}

/** The tokens of a quote's route between its input and its output. */
function middlesOf({ hops }: Traded, output: Address): Address[] {
  return [...new Set(hops.map(({ outputMint }) => outputMint))].filter((mint) => mint !== output);
}

/** What the whole trade is worth by a token that its first or its last hops trade for. */
function middleUsd(hops: readonly Hop[], input: Address, output: Address, usdOf: UsdOf): number | undefined {
  const first = hops.filter(({ inputMint }) => inputMint === input);
  const last = hops.filter(({ outputMint }) => outputMint === output);
  return (
    wholeOf(first.map((hop) => ({ share: hop.inAmount, usd: usdOf(hop.outputMint, hop.outAmount) }))) ??
    wholeOf(last.map((hop) => ({ share: hop.outAmount, usd: usdOf(hop.inputMint, hop.inAmount) })))
  );
}

/** The sum of all parts, of which some have no known value. */
function wholeOf(parts: { share: bigint; usd: number | undefined }[]): number | undefined {
  const known = parts.filter(({ usd }) => usd !== undefined);
  const sum = (of: typeof parts) => of.reduce((total, { share }) => total + Number(share), 0);
  if (sum(known) === 0) return undefined;
  return (known.reduce((total, { usd }) => total + usd!, 0) * sum(parts)) / sum(known);
}

/** Each hop takes its part of the value that has come to its input. */
function hopValues({ inAmount, hops }: Traded, input: Address, usd: number): (number | undefined)[] {
  const arrived = new Map([[input, { amount: Number(inAmount), usd }]]);
  return hops.map((hop) => {
    const source = arrived.get(hop.inputMint);
    if (!source) return undefined;
    const value = (source.usd * Number(hop.inAmount)) / source.amount;
    const target = arrived.get(hop.outputMint) ?? { amount: 0, usd: 0 };
    arrived.set(hop.outputMint, { amount: target.amount + Number(hop.outAmount), usd: target.usd + value });
    return value;
  });
}

function rounded(usd: number | undefined): number | undefined {
  return usd === undefined ? undefined : roundedUsd(usd);
}
