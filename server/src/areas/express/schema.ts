import { type Static, Type } from 'typebox';
import { transactionText } from '../../lib/transaction-text.js';

const optional = Type.Optional;

/** The names under which a payment currency may be asked for. */
export const PLACEHOLDERS = ['PLATFORM_TOKEN', 'SOL', 'USDC', 'PLATFORM_STABLE'] as const;

export const CraftTxnQuery = Type.Object({
  senderAddress: Type.String({ description: 'The wallet that signs and pays' }),
  paymentCurrency: optional(
    Type.String({
      default: 'PLATFORM_TOKEN',
      description: `One of ${PLACEHOLDERS.join(', ')}, or the configured symbol of the platform token or stable`,
    }),
  ),
});
export type CraftTxnQuery = Static<typeof CraftTxnQuery>;

export const CraftTxnAnswer = Type.Object(
  {
    transaction: Type.String({ description: 'Base64 of the unsigned transaction; empty when code is not 0' }),
    requestId: Type.String(),
    receiverAddress: Type.String(),
    mint: Type.String(),
    amount: Type.String({ description: 'Collected, in the smallest unit' }),
    tokenDecimals: Type.Integer(),
    tokenUsdRate: optional(Type.Number()),
    feeLamports: Type.Integer({ description: 'The network fee' }),
    feeUsdAmount: optional(Type.Number()),
    feeMint: Type.String(),
    feeTokenDecimals: Type.Integer(),
    feeAmount: Type.Integer({ description: 'What the sender pays in fees, in the smallest unit of feeMint' }),
    rentFeeLamports: optional(
      Type.Integer({ description: "Rent of the receiver's token account, when the payment must make it" }),
    ),
    totalTime: Type.Integer({ description: 'Milliseconds' }),
    expireAt: optional(Type.String({ format: 'date-time' })),
    lastValidBlockHeight: optional(Type.String()),
    error: optional(Type.String()),
    code: Type.Integer({
      description:
        '0: ready to sign. 1: not enough of the token. 2: not enough SOL for fees. 1001: the gas wallet is empty. 2004: the sender is not a wallet. 2017: the token account is frozen. 3000: the token account has another owner',
    }),
    gasless: Type.Boolean(),
    inputMint: optional(Type.String()),
    inputDecimals: optional(Type.Integer()),
    quotedInputAmount: optional(Type.String()),
    maxInputAmount: optional(Type.String()),
  },
  { $id: 'ExpressPayment' },
);
export type CraftTxnAnswer = Static<typeof CraftTxnAnswer>;

export const EligibilityQuery = Type.Object({ tokenId: Type.String({ description: 'The mint' }) });
export type EligibilityQuery = Static<typeof EligibilityQuery>;

export const EligibilityAnswer = Type.Object(
  {
    tokenExists: Type.Boolean(),
    isVerified: Type.Boolean(),
    canVerify: Type.Boolean(),
    canMetadata: Type.Boolean(),
    verificationError: optional(Type.String()),
    metadataError: optional(Type.String()),
  },
  { $id: 'ExpressEligibility' },
);
export type EligibilityAnswer = Static<typeof EligibilityAnswer>;

const Text = optional(Type.Union([Type.String({ maxLength: 4_000 }), Type.Null()]));
const Flag = optional(Type.Union([Type.Boolean(), Type.Null()]));

const TokenMetadata = Type.Object({
  tokenId: Type.String(),
  icon: Text,
  name: Text,
  symbol: Text,
  website: Text,
  telegram: Text,
  twitter: Text,
  twitterCommunity: Text,
  discord: Text,
  instagram: Text,
  tiktok: Text,
  circulatingSupply: Text,
  tokenDescription: Text,
  coingeckoCoinId: Text,
  circulatingSupplyUrl: Text,
  otherUrl: Text,
  useCirculatingSupply: Flag,
  useCoingeckoCoinId: Flag,
  useCirculatingSupplyUrl: Flag,
});

export const ExecuteBody = Type.Object({
  transaction: transactionText('Base64 of the signed transaction'),
  requestId: Type.String({ minLength: 1, maxLength: 100 }),
  senderAddress: Type.String(),
  tokenId: Type.String({ description: 'The mint to verify' }),
  twitterHandle: Type.String({ maxLength: 200, description: 'Empty for a metadata request alone' }),
  description: Type.String({ maxLength: 10_000 }),
  senderTwitterHandle: optional(Type.String({ maxLength: 200 })),
  tokenMetadata: optional(TokenMetadata),
  paymentCurrency: optional(Type.String({ default: 'PLATFORM_TOKEN' })),
  paymentAmount: optional(Type.String({ description: 'Required for another currency than the platform token' })),
  jupOutputAmount: optional(Type.String()),
});
export type ExecuteBody = Static<typeof ExecuteBody>;

export const ExecuteAnswer = Type.Object(
  {
    status: Type.Union([Type.Literal('Success'), Type.Literal('Failed')]),
    signature: optional(Type.String()),
    error: optional(Type.String()),
    code: optional(Type.Integer()),
    totalTime: Type.Integer({ description: 'Milliseconds from sending to the final state' }),
    verificationCreated: Type.Boolean(),
    metadataCreated: Type.Boolean(),
  },
  { $id: 'ExpressExecution' },
);
export type ExecuteAnswer = Static<typeof ExecuteAnswer>;
