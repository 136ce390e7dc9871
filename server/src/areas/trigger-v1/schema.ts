import { type Static, Type } from 'typebox';
import { transactionText } from '../../lib/transaction-text.js';

const optional = Type.Optional;
const text = (description?: string) => Type.String(description === undefined ? {} : { description });
const optionalText = (description?: string) => optional(text(description));
const computeUnitPrice = optionalText(
  'Micro-lamports a compute unit; auto, the default: what 95 % of recent transactions do not exceed',
);
const Code = Type.Literal(0);

export const CreateOrderBody = Type.Object({
  inputMint: text(),
  outputMint: text(),
  maker: text('The wallet whose order it is'),
  payer: text('Pays the network fee and the rents; may be the maker. Both sign'),
  params: Type.Object({
    makingAmount: text('Of the input, in its smallest unit; worth at least 5 USD'),
    takingAmount: text('What the maker gets for all of it, in the smallest unit of the output'),
    expiredAt: optionalText('Unix seconds, not milliseconds, from which on it cannot be filled; left out: never'),
    slippageBps: optionalText('How much less than asked the maker accepts, 0 (the default) to 9999'),
    feeBps: optionalText('What the taker pays on top for the integrator; needs feeAccount; default 0'),
  }),
  computeUnitPrice,
  feeAccount: optionalText("The token account, of the output, that the order's fee goes to"),
  wrapAndUnwrapSol: optional(
    Type.Boolean({
      description:
        'true, the default: SOL is taken from the wallet and paid to it as SOL; false: wrapped SOL, of its associated token account',
    }),
  ),
});
export type CreateOrderBody = Static<typeof CreateOrderBody>;

export const CreateOrderAnswer = Type.Object(
  { requestId: text(), transaction: text('Base64, unsigned'), order: text("The order's account"), code: Code },
  { $id: 'CreatedOrder' },
);
export type CreateOrderAnswer = Static<typeof CreateOrderAnswer>;

export const CancelOrderBody = Type.Object({ maker: text(), order: text("The order's account"), computeUnitPrice });
export type CancelOrderBody = Static<typeof CancelOrderBody>;

export const CancelOrderAnswer = Type.Object(
  { requestId: text(), transaction: text('Base64, unsigned'), order: text(), code: Code },
  { $id: 'CancelledOrder' },
);
export type CancelOrderAnswer = Static<typeof CancelOrderAnswer>;

export const CancelOrdersBody = Type.Object({
  maker: text(),
  orders: optional(
    Type.Array(Type.String(), { maxItems: 50, description: 'Left out or empty: the 50 oldest that are open' }),
  ),
  computeUnitPrice,
});
export type CancelOrdersBody = Static<typeof CancelOrdersBody>;

export const CancelOrdersAnswer = Type.Object(
  {
    requestId: text(),
    transactions: Type.Array(Type.String(), { description: 'Base64, unsigned; each is executed under the request id' }),
    skipped: optional(
      Type.Array(Type.Object({ order: text(), cause: text() }), {
        description: 'Orders that are in none of the transactions, and why; left out where there are none',
      }),
    ),
    code: Code,
  },
  { $id: 'CancelledOrders' },
);
export type CancelOrdersAnswer = Static<typeof CancelOrdersAnswer>;

export const ExecuteBody = Type.Object({
  requestId: Type.String({ minLength: 1, maxLength: 100 }),
  signedTransaction: transactionText('Base64 of the signed transaction'),
});
export type ExecuteBody = Static<typeof ExecuteBody>;

export const ExecuteAnswer = Type.Object(
  {
    signature: text(),
    status: Type.Literal('Success'),
    order: optional(text('Left out where several orders were cancelled at once')),
    code: Code,
  },
  { $id: 'ExecutedOrder' },
);
export type ExecuteAnswer = Static<typeof ExecuteAnswer>;

export const TriggerOrdersQuery = Type.Object({
  user: text('The maker'),
  orderStatus: Type.Union([Type.Literal('active'), Type.Literal('history')]),
  page: optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: '10 orders a page; default 1' })),
  includeFailedTx: optional(
    Type.Union([Type.Literal('true'), Type.Literal('false')], {
      description: 'In the history: also orders that the chain has refused to open; default false',
    }),
  ),
  inputMint: optionalText('Only orders with this input'),
  outputMint: optionalText('Only orders with this output'),
});
export type TriggerOrdersQuery = Static<typeof TriggerOrdersQuery>;

const Trade = Type.Object({
  orderKey: text(),
  keeper: text('Who has filled it'),
  inputMint: text(),
  outputMint: text(),
  inputAmount: optionalText(),
  outputAmount: optionalText('What the maker got'),
  rawInputAmount: text(),
  rawOutputAmount: text(),
  feeMint: text(),
  feeAmount: optionalText('What the keeper paid on top'),
  rawFeeAmount: text(),
  txId: text(),
  confirmedAt: text(),
  action: Type.Literal('Fill'),
  productMeta: Type.Null(),
});

const TriggerOrder = Type.Object({
  userPubkey: text(),
  orderKey: text(),
  inputMint: text(),
  outputMint: text(),
  makingAmount: optionalText(
    'In whole tokens, as the amounts that do not begin with raw: those are left out where the node does not show the mint',
  ),
  takingAmount: optionalText(),
  remainingMakingAmount: optionalText(),
  remainingTakingAmount: optionalText(),
  rawMakingAmount: text('In the smallest unit'),
  rawTakingAmount: text(),
  rawRemainingMakingAmount: text(),
  rawRemainingTakingAmount: text(),
  slippageBps: text(),
  expiredAt: Type.Union([Type.String(), Type.Null()]),
  createdAt: text(),
  updatedAt: text(),
  status: Type.Union([
    Type.Literal('Open'),
    Type.Literal('Completed'),
    Type.Literal('Cancelled'),
    Type.Literal('Expired'),
    Type.Literal('Failed'),
    Type.Literal('Closed'),
  ]),
  openTx: text('Empty where it is older than the history of the chain'),
  closeTx: text('Empty while it is open, or not known'),
  programVersion: text("The program's address"),
  trades: Type.Array(Trade),
});

export const TriggerOrdersAnswer = Type.Object(
  {
    user: text(),
    orderStatus: TriggerOrdersQuery.properties.orderStatus,
    orders: Type.Array(TriggerOrder),
    totalPages: Type.Integer(),
    page: Type.Integer(),
    hasMoreData: Type.Boolean(),
  },
  { $id: 'TriggerOrders' },
);
export type TriggerOrdersAnswer = Static<typeof TriggerOrdersAnswer>;
export type TriggerOrder = TriggerOrdersAnswer['orders'][number];
