import { MAKERS_SECONDS } from '../../routing/makers/index.js';
import type { Hop } from '../../routing/router.js';
import { leastOutput, type Obstacle, type Ready, slippageBpsOf } from './attempt.js';
import type { SwapDeps } from './deps.js';
import type { OrderAnswer } from './schema.js';
import type { Candidate, Inquiry } from './swap-order.js';
import { type UsdOf, usdValuesOf } from './usd-values.js';

interface OrderOutcome extends Inquiry {
  deps: SwapDeps;
  candidate: Candidate;
  /** Of the tokens of the route. */
  usdOf: UsdOf;
  /** The transaction, or why there is none; neither for a quote only. */
  ready?: Ready;
  obstacle?: Obstacle;
}

export function orderAnswer(outcome: OrderOutcome): OrderAnswer {
  const { deps, asked, input, output, requestId, candidate, ready, obstacle } = outcome;
  const { quote, terms } = candidate;
  const { taker } = asked;
  const slippageBps = taker ? slippageBpsOf(candidate, asked.manual) : 0;
  const least = taker ? leastOutput(quote.outAmount, slippageBps) : quote.outAmount;
  const usd = usdValuesOf(quote, input.mint, output.mint, outcome.usdOf);
  return {
    mode: asked.manual ? 'manual' : 'ultra',
    swapMode: 'ExactIn',
    inputMint: input.mint,
    outputMint: output.mint,
    inAmount: quote.inAmount.toString(),
    outAmount: quote.outAmount.toString(),
    otherAmountThreshold: least.toString(),
    ...(usd.input !== undefined && { inUsdValue: usd.input, swapUsdValue: usd.input }),
    ...(usd.output !== undefined && { outUsdValue: usd.output }),
    priceImpact: Number((quote.priceImpact * 100).toFixed(10)),
    priceImpactPct: plain(quote.priceImpact),
    slippageBps,
    routePlan: quote.hops.map((hop, index) => routingItem(hop, usd.hops[index])),
    ...(asked.referral && { referralAccount: asked.referral.account }),
    feeMint: terms.mint,
    feeBps: terms.bps,
    platformFee: platformFee(candidate),
    ...gas(outcome),
    swapType: quote.maker ? 'rfq' : 'aggregator',
    router: quote.router,
    transaction: taker ? (ready ? Buffer.from(ready.crafted.wire).toString('base64') : '') : null,
    gasless: ready !== undefined && ready.swap.feePayer !== taker,
    requestId,
    totalTime: Math.round(deps.steadyNow() - outcome.started),
    taker: taker ?? null,
    ...(quote.maker && {
      quoteId: quote.maker.quoteId,
      maker: quote.maker.address,
      expireAt: (quote.maker.expireAt - MAKERS_SECONDS).toString(),
    }),
    ...(ready && { lastValidBlockHeight: ready.lastValidBlockHeight.toString() }),
    ...(obstacle && { errorCode: obstacle.code, errorMessage: obstacle.message, error: obstacle.message }),
  };
}

type Gas = Pick<
  OrderAnswer,
  | 'signatureFeeLamports'
  | 'signatureFeePayer'
  | 'prioritizationFeeLamports'
  | 'prioritizationFeePayer'
  | 'rentFeeLamports'
  | 'rentFeePayer'
>;

function gas({ ready }: OrderOutcome): Gas {
  return {
    signatureFeeLamports: Number(ready?.signatureLamports ?? 0),
    signatureFeePayer: ready?.swap.feePayer ?? null,
    prioritizationFeeLamports: Number(ready?.priorityLamports ?? 0),
    prioritizationFeePayer: ready?.swap.feePayer ?? null,
    rentFeeLamports: Number(ready?.rentLamports ?? 0),
    rentFeePayer: ready?.swap.rentPayer ?? null,
  };
}

/** The share that pays the gas wallet counts in `feeBps` only. */
function platformFee({ quote, terms }: Candidate): OrderAnswer['platformFee'] {
  const { bps, platformBps, mint } = terms;
  const amount = bps === platformBps ? quote.feeAmount : (quote.feeAmount * BigInt(platformBps)) / BigInt(bps);
  return { amount: amount.toString(), feeBps: platformBps, feeMint: mint };
}

function routingItem(hop: Hop, usdValue: number | undefined): OrderAnswer['routePlan'][number] {
  return {
    swapInfo: {
      ammKey: hop.venue,
      label: hop.label,
      inputMint: hop.inputMint,
      outputMint: hop.outputMint,
      inAmount: hop.inAmount.toString(),
      outAmount: hop.outAmount.toString(),
      feeAmount: hop.fee.toString(),
      feeMint: hop.inputMint,
    },
    percent: hop.bps / 100,
    bps: hop.bps,
    ...(usdValue !== undefined && { usdValue }),
  };
}

/** In decimals, never with an exponent. */
function plain(value: number): string {
  const text = value.toFixed(12);
  return text.replace(/\.?0+$/, '') || '0';
}
