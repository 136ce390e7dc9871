import { type Static, Type } from 'typebox';
import { transactionText } from '../../lib/transaction-text.js';

const LoginType = Type.Union([Type.Literal('message'), Type.Literal('transaction')]);

export const ChallengeBody = Type.Object({ walletPubkey: Type.String(), type: LoginType });
export type ChallengeBody = Static<typeof ChallengeBody>;

export const ChallengeAnswer = Type.Object(
  {
    type: LoginType,
    challenge: Type.Optional(Type.String({ description: 'Of the type message: the text to sign' })),
    transaction: Type.Optional(
      Type.String({ description: 'Of the type transaction: base64 of what to sign. It can never land on a chain' }),
    ),
  },
  { $id: 'LoginChallenge' },
);
export type ChallengeAnswer = Static<typeof ChallengeAnswer>;

export const VerifyBody = Type.Object({
  type: LoginType,
  walletPubkey: Type.String(),
  signature: Type.Optional(Type.String({ description: 'Of the type message: base58 of the signature of the text' })),
  signedTransaction: Type.Optional(transactionText('Of the type transaction: base64')),
});
export type VerifyBody = Static<typeof VerifyBody>;

export const VerifyAnswer = Type.Object(
  {
    token: Type.String({ description: 'JWT (EdDSA) for the header Authorization: Bearer; lives 24 hours' }),
    authMode: Type.Literal('access_only', { description: 'The token can edit and cancel, and never move funds' }),
  },
  { $id: 'Login' },
);
export type VerifyAnswer = Static<typeof VerifyAnswer>;

export const LogoutAnswer = Type.Object(
  { loggedOut: Type.Literal(true, { description: 'No token from before is good any more' }) },
  { $id: 'Logout' },
);

export const VaultAnswer = Type.Object(
  {
    userPubkey: Type.String(),
    vaultPubkey: Type.String({ description: 'Receives the deposits of the wallet' }),
    privyVaultId: Type.String({ description: 'The id of the vault' }),
  },
  { $id: 'Vault' },
);
export type VaultAnswer = Static<typeof VaultAnswer>;

const SubType = Type.Union([Type.Literal('single'), Type.Literal('oco'), Type.Literal('otoco')]);
const amount = (description: string) => Type.String({ description: `${description}, in the smallest unit` });
const usd = Type.Number({ exclusiveMinimum: 0, maximum: 1e15, description: 'USD for one whole token' });
const bps = Type.Integer({
  minimum: 0,
  maximum: 10_000,
  description: 'Basis points. No fill loses more against the prices than the operator allows, 3000 by default',
});
const milliseconds = Type.Integer({ minimum: 0, maximum: 8.64e15, description: 'Unix milliseconds' });

export const DepositBody = Type.Object({
  inputMint: Type.String(),
  outputMint: Type.String(),
  userAddress: Type.String({ description: 'The logged-in wallet' }),
  amount: amount('What to deposit'),
  orderType: Type.Literal('price'),
  orderSubType: SubType,
});
export type DepositBody = Static<typeof DepositBody>;

export const DepositAnswer = Type.Object(
  {
    transaction: Type.String({ description: 'Base64 of the unsigned transaction' }),
    requestId: Type.String({ description: 'Names the deposit when the order is created' }),
    receiverAddress: Type.String({ description: 'The vault' }),
    mint: Type.String(),
    amount: amount('Deposited'),
    tokenDecimals: Type.Integer(),
    inputTokenAccount: Type.String({ description: 'The token account of the order, owned by the vault' }),
    outputTokenAccount: Type.Optional(Type.String({ description: 'Of otoco orders: where the entry is filled to' })),
  },
  { $id: 'TriggerDeposit' },
);
export type DepositAnswer = Static<typeof DepositAnswer>;

const Terms = {
  triggerCondition: Type.Optional(Type.Union([Type.Literal('above'), Type.Literal('below')])),
  triggerPriceUsd: Type.Optional(usd),
  trailingBps: Type.Optional(Type.Integer({ minimum: 50, maximum: 9_000, description: 'Basis points' })),
  tpPriceUsd: Type.Optional(usd),
  slPriceUsd: Type.Optional(usd),
  slippageBps: Type.Optional(bps),
  tpSlippageBps: Type.Optional(bps),
  slSlippageBps: Type.Optional(bps),
};

export const OrderBody = Type.Object({
  orderType: SubType,
  depositRequestId: Type.String({ minLength: 1, maxLength: 100 }),
  depositSignedTx: transactionText('Base64 of the deposit as the wallet has signed it'),
  userPubkey: Type.String({ description: 'The logged-in wallet' }),
  inputMint: Type.String(),
  inputAmount: amount('The deposit'),
  outputMint: Type.String(),
  triggerMint: Type.String({ description: 'The token whose price fires the order' }),
  expiresAt: milliseconds,
  ...Terms,
});
export type OrderBody = Static<typeof OrderBody>;

export const OrderCreated = Type.Object(
  {
    id: Type.String(),
    txSignature: Type.String({ description: 'Of the deposit' }),
    depositConfirmed: Type.Boolean(),
    message: Type.Optional(Type.String({ description: 'Only when the same body came before' })),
  },
  { $id: 'TriggerOrderCreated' },
);
export type OrderCreated = Static<typeof OrderCreated>;

const Id = (description: string) => Type.String({ minLength: 1, maxLength: 100, pattern: '^[!-~]*$', description });

export const OrderParams = Type.Object({ orderId: Id('the id of an order') });
export type OrderParams = Static<typeof OrderParams>;

export const EditBody = Type.Object({
  orderType: SubType,
  expiresAt: Type.Optional(milliseconds),
  ...Terms,
  signature: Type.Optional(
    Type.String({
      maxLength: 100,
      description: "The wallet's signature (base58) of the text that a refused change names in `details.sign`",
    }),
  ),
  signedAt: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 8.64e15,
      description: 'The time in that text, in unix milliseconds; good for five minutes',
    }),
  ),
});
export type EditBody = Static<typeof EditBody>;

export const EditAnswer = Type.Object({ id: Type.String() }, { $id: 'TriggerOrderEdited' });
export type EditAnswer = Static<typeof EditAnswer>;

const withdrawn = Type.Array(Type.Object({ mint: Type.String(), amount: Type.String() }), {
  description: "What leaves the vault: not all of the order's, where its other token cannot leave now",
});

export const CancelAnswer = Type.Object(
  {
    id: Type.String(),
    transaction: Type.String({ description: 'Base64 of the unsigned withdrawal' }),
    requestId: Type.String({ description: 'The cancelRequestId of the confirmation' }),
    withdrawn,
  },
  { $id: 'TriggerOrderCancel' },
);
export type CancelAnswer = Static<typeof CancelAnswer>;

export const ConfirmBody = Type.Object({
  signedTransaction: transactionText('Base64 of the signed withdrawal'),
  cancelRequestId: Type.String({ minLength: 1, maxLength: 100 }),
});
export type ConfirmBody = Static<typeof ConfirmBody>;

export const Confirmed = Type.Object(
  {
    id: Type.String(),
    txSignature: Type.String(),
    withdrawn,
    orderState: Type.String({
      description: 'cancelled; or pending_withdraw where only a part has come home: cancel again for the rest',
    }),
  },
  { $id: 'TriggerOrderCancelled' },
);
export type Confirmed = Static<typeof Confirmed>;

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);

export const HistoryEvent = Type.Object({
  type: Type.String({ description: 'deposit, fill, withdrawal, cancelled or expired' }),
  timestamp: milliseconds,
  state: Type.String({ description: 'success, failed or pending' }),
  txSignature: Type.Optional(Type.String()),
  mint: Type.Optional(Type.String()),
  amount: Type.Optional(Type.String()),
  outputMint: Type.Optional(Type.String()),
  outputAmount: Type.Optional(Type.String()),
  orderContext: Type.Optional(Type.String({ description: 'take_profit, stop_loss, buy_above or buy_below' })),
});
export type HistoryEvent = Static<typeof HistoryEvent>;

const orderFields = {
  id: Type.String(),
  orderType: SubType,
  orderState: Type.String(),
  rawState: Type.String(),
  userPubkey: Type.String(),
  privyWalletPubkey: Type.String({ description: 'The vault' }),
  inputMint: Type.String(),
  initialInputAmount: Type.String(),
  remainingInputAmount: Type.String(),
  outputMint: Type.String(),
  triggerMint: Type.String(),
  triggerCondition: Type.Optional(Type.Union([Type.Literal('above'), Type.Literal('below')])),
  triggerPriceUsd: Type.Optional(
    Type.Number({ description: 'USD for one whole token; of a trailing order: at which it fires now' }),
  ),
  slippageBps: Type.Optional(Type.Integer({ description: 'Basis points; left out where it is automatic' })),
  tpPriceUsd: Type.Optional(Type.Number()),
  slPriceUsd: Type.Optional(Type.Number()),
  tpSlippageBps: Type.Optional(Type.Integer({ description: 'Basis points; left out where it is automatic' })),
  slSlippageBps: Type.Optional(Type.Integer({ description: 'Basis points; left out where it is automatic' })),
  expiresAt: milliseconds,
  createdAt: milliseconds,
  updatedAt: milliseconds,
  triggeredAt: nullable(milliseconds),
  outputAmount: nullable(Type.String()),
  inputUsed: nullable(Type.String()),
  fillPercent: Type.Number({ description: '0 to 1' }),
  trailingBps: nullable(Type.Integer()),
  highWatermark: nullable(Type.Number()),
  lowWatermark: nullable(Type.Number()),
  events: Type.Array(HistoryEvent, { description: 'The newest first' }),
  hasMoreEvents: Type.Optional(Type.Boolean({ description: 'There are older events, which are left out' })),
};

export const HistoryRow = Type.Object(orderFields, { $id: 'TriggerOrder' });
export type HistoryRow = Static<typeof HistoryRow>;

export const OrderExplained = Type.Object(
  {
    id: Type.String(),
    rawState: Type.String(),
    reasons: Type.Array(Type.String(), { description: 'Why the order has fired or not, in sentences' }),
  },
  { $id: 'TriggerOrderExplanation' },
);
export type OrderExplained = Static<typeof OrderExplained>;

export const HistoryQuery = Type.Object({
  id: Type.Optional(Id('the id of an order: it is answered alone')),
  state: Type.Optional(Type.Union([Type.Literal('active'), Type.Literal('past')])),
  mint: Type.Optional(Type.String({ description: 'Input or output' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000, default: 0 })),
  sort: Type.Optional(Type.Union([Type.Literal('updated_at'), Type.Literal('created_at'), Type.Literal('expires_at')])),
  dir: Type.Optional(Type.Union([Type.Literal('asc'), Type.Literal('desc')])),
});
export type HistoryQuery = Static<typeof HistoryQuery>;

const HistoryPage = Type.Object({
  orders: Type.Array(Type.Object(orderFields)),
  pagination: Type.Object({ total: Type.Integer(), limit: Type.Integer(), offset: Type.Integer() }),
});

export const HistoryAnswer = Type.Union([HistoryPage, Type.Object(orderFields)], {
  $id: 'TriggerHistory',
  description: 'A page of orders; with id, that order alone',
});
export type HistoryAnswer = Static<typeof HistoryAnswer>;
