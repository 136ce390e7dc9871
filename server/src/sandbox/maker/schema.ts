import { type Static, Type } from 'typebox';

// The bodies of the public RFQ webhook protocol.

const Amount = Type.String({ pattern: '^[1-9][0-9]{0,19}$' });
const Id = Type.String({ minLength: 1, maxLength: 100 });
const Key = Type.String({ minLength: 32, maxLength: 44 });

export const QuoteBody = Type.Object({
  requestId: Id,
  quoteId: Id,
  tokenIn: Key,
  tokenOut: Key,
  amount: Amount,
  quoteType: Type.String({ pattern: '^[eE]xact(In|Out)$' }),
  protocol: Type.Literal('v1'),
  feeBps: Type.Integer({ minimum: 0, maximum: 10_000 }),
  taker: Type.Optional(Key),
  receiver: Type.Optional(Key),
  suggestedPrioritizationFees: Type.Optional(Type.Integer({ minimum: 0 })),
});
export type QuoteBody = Static<typeof QuoteBody>;

export interface QuoteAnswer
  extends Pick<QuoteBody, 'requestId' | 'quoteId' | 'tokenIn' | 'tokenOut' | 'quoteType' | 'protocol'> {
  amountIn: string;
  amountOut: string;
  maker: string;
  taker?: string;
  receiver?: string;
  /** Micro-lamports per compute unit. */
  prioritizationFeeToUse?: number;
}

export const SwapBody = Type.Object({
  requestId: Id,
  quoteId: Id,
  transaction: Type.String({ minLength: 1, maxLength: 4_000 }),
});
export type SwapBody = Static<typeof SwapBody>;
