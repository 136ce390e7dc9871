import { type Static, Type } from 'typebox';
import { transactionText } from '../../lib/transaction-text.js';
import { VENUE_LABELS } from '../../routing/aggregator/index.js';
import { ROUTER_IDS, type RouterId } from '../../routing/router.js';

const optional = Type.Optional;
const text = (description?: string) => Type.String(description === undefined ? {} : { description });
const optionalText = (description: string) => optional(Type.String({ description }));
const nullableText = (description: string) => Type.Union([Type.String(), Type.Null()], { description });
const lamports = (least: number, description: string) =>
  optional(Type.Integer({ minimum: least, maximum: Number.MAX_SAFE_INTEGER, description }));
const Router = Type.Unsafe<RouterId>(Type.Union(ROUTER_IDS.map((id) => Type.Literal(id))));

export const OrderQuery = Type.Object({
  inputMint: text(),
  outputMint: text(),
  amount: text('Of the input, in its smallest unit'),
  taker: optionalText('The wallet that swaps; without it the answer is a quote only'),
  receiver: optionalText('The wallet that gets the output, by default the taker; not a token account'),
  payer: optionalText('Pays network fees and rent in place of the taker; both sign'),
  closeAuthority: optionalText(
    "Only with payer: who may close the taker's token account, where this swap makes it and it is not of SOL, for good; while it is empty, no trigger order that would pay into it is made. By default the taker",
  ),
  referralAccount: optionalText('The integrator that gets the fee; together with referralFee'),
  referralFee: optional(Type.Integer({ minimum: 50, maximum: 255, description: 'Basis points' })),
  excludeRouters: optionalText(`Comma list of ${ROUTER_IDS.join(', ')}`),
  excludeDexes: optionalText(`For the aggregator only: comma list of ${VENUE_LABELS.join(', ')}, with + for a space`),
  slippageBps: optional(Type.Integer({ minimum: 0, maximum: 10_000, description: 'Instead of automatic slippage' })),
  broadcastFeeType: optional(
    Type.Union([Type.Literal('maxCap'), Type.Literal('exactFee')], {
      description: 'Whether priorityFeeLamports is the most that is paid (default) or exactly what is paid',
    }),
  ),
  priorityFeeLamports: lamports(1, 'Priority fee'),
  jitoTipLamports: lamports(1_000, 'Tip; left out where this server has no tip accounts'),
});
export type OrderQuery = Static<typeof OrderQuery>;

const RoutingItem = Type.Object({
  swapInfo: Type.Object({
    ammKey: text(),
    label: text(),
    inputMint: text(),
    outputMint: text(),
    inAmount: text(),
    outAmount: text(),
    feeAmount: text('What of inAmount the venue keeps as its fee'),
    feeMint: text('The hop’s input'),
  }),
  percent: Type.Number(),
  bps: Type.Integer(),
  usdValue: optional(Type.Number()),
});

export const OrderAnswer = Type.Object(
  {
    mode: Type.Union([Type.Literal('ultra'), Type.Literal('manual')]),
    swapMode: Type.Literal('ExactIn'),
    inputMint: text(),
    outputMint: text(),
    inAmount: text('Leaves the taker, a fee on the input included'),
    outAmount: text('Arrives, after a fee on the output'),
    otherAmountThreshold: text('The least that arrives'),
    inUsdValue: optional(Type.Number()),
    outUsdValue: optional(Type.Number()),
    swapUsdValue: optional(Type.Number()),
    priceImpact: Type.Number({ description: 'Loss by moving the market, in percent' }),
    priceImpactPct: text('The same as a ratio; deprecated'),
    slippageBps: Type.Integer(),
    routePlan: Type.Array(RoutingItem),
    referralAccount: optional(text()),
    feeMint: text(),
    feeBps: Type.Integer({ description: 'All that is taken, gas that is paid for the taker included' }),
    platformFee: Type.Object({ amount: text(), feeBps: Type.Integer(), feeMint: text() }),
    signatureFeeLamports: Type.Integer(),
    signatureFeePayer: nullableText('Null without a transaction'),
    prioritizationFeeLamports: Type.Integer({ description: 'Priority fee and tip' }),
    prioritizationFeePayer: nullableText('Null without a transaction'),
    rentFeeLamports: Type.Integer({ description: 'Rent that stays in new accounts' }),
    rentFeePayer: nullableText('Null without a transaction'),
    swapType: Type.Union([Type.Literal('aggregator'), Type.Literal('rfq')]),
    router: Router,
    transaction: nullableText('Base64, unsigned; null without a taker, empty when errorCode says why'),
    gasless: Type.Boolean({ description: 'Somebody else than the taker pays the network fee' }),
    requestId: text(),
    totalTime: Type.Integer({ description: 'Milliseconds' }),
    taker: nullableText('Null for a quote only'),
    quoteId: optional(text()),
    maker: optional(text()),
    expireAt: optional(text('Unix seconds: signed by then, it is still given to the market maker')),
    lastValidBlockHeight: optional(text()),
    errorCode: optional(
      Type.Integer({
        description:
          '1: not enough of the input. 2: not enough SOL for fees and rent. 3: too small a trade for gasless; of a market maker: the quote could not be made a transaction',
      }),
    ),
    errorMessage: optional(text()),
    error: optional(text('The same text')),
  },
  { $id: 'SwapOrder' },
);
export type OrderAnswer = Static<typeof OrderAnswer>;

export const ExecuteBody = Type.Object({
  // Both are required, but optional in the schema: the contract has its own code for each missing one.
  signedTransaction: optional(transactionText('Required. Base64 of the signed transaction')),
  requestId: optional(Type.String({ maxLength: 100, description: 'Required' })),
});
export type ExecuteBody = Static<typeof ExecuteBody>;

export const ExecuteAnswer = Type.Object(
  {
    status: Type.Union([Type.Literal('Success'), Type.Literal('Failed')]),
    code: Type.Integer({
      description:
        '0: landed. Above 0: the error of a program, 6001 being slippage. -1000 to -1999: could not land. -2000 to -2999: the market maker',
    }),
    signature: optional(Type.String()),
    slot: Type.String({ description: '0 where it has not landed' }),
    error: optional(Type.String()),
    totalInputAmount: optional(Type.String({ description: "What left the taker's wallet" })),
    totalOutputAmount: optional(
      Type.String({
        description:
          "What the receiver got; of SOL by a program of another company less the rents that it took of the taker's wallet, so that it may be below 0",
      }),
    ),
    inputAmountResult: optional(Type.String({ description: 'What was swapped, without a fee on the input' })),
    outputAmountResult: optional(Type.String({ description: 'What came out, before a fee on the output' })),
    swapEvents: optional(
      Type.Array(
        Type.Object({
          inputMint: Type.String(),
          inputAmount: Type.String(),
          outputMint: Type.String(),
          outputAmount: Type.String(),
        }),
      ),
    ),
  },
  { $id: 'SwapExecution' },
);
export type ExecuteAnswer = Static<typeof ExecuteAnswer>;
