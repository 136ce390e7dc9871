import { type Static, Type } from 'typebox';
import { transactionText } from '../../lib/transaction-text.js';

const optional = Type.Optional;
const tokens = (description: string) => Type.Integer({ minimum: 0, maximum: 800_000_000, description });
const seconds = (description: string) => Type.Enum([0, 15_552_000, 15_811_200, 31_536_000], { description });

const LockedVesting = Type.Object({
  totalLockedVestingAmount: tokens('Whole tokens of the 1,000,000,000 that the creator gets after the migration'),
  cliffUnlockAmount: tokens('Whole tokens of them that come at once when the cliff is over'),
  numberOfVestingPeriod: Type.Enum([0, 6, 12, 183, 365], { description: 'Equal parts in which the others come' }),
  totalVestingDuration: seconds('Seconds over which the others come'),
  cliffDurationFromMigrationTime: seconds('Seconds until the cliff is over'),
});

const MarketCap = (description: string) => Type.Number({ exclusiveMinimum: 0, maximum: 1e15, description });

const CurveByMarketCap = Type.Object({
  quoteMint: Type.String({ description: 'SOL, USDC or the platform token' }),
  initialMarketCap: MarketCap('What all tokens are worth at the first price, in whole tokens of the quote'),
  migrationMarketCap: MarketCap('The same at the price at which the pool migrates to the AMM'),
  tokenQuoteDecimal: Type.Enum([6, 9], { description: 'Decimals of the quote' }),
  lockedVestingParam: LockedVesting,
});

const Fee = Type.Object({
  feeBps: optional(Type.Enum([100, 200], { default: 100, description: 'Basis points of every trade' })),
  totalDuration: optional(
    Type.Enum([60, 120, 180, 240, 300], {
      description: 'Slots over which the fee against snipers falls; without antiSniping of no effect',
    }),
  ),
  baseFeeMode: optional(
    Type.Enum(['linear', 'exponential'], {
      description: 'How the fee against snipers falls, by default linear; without antiSniping of no effect',
    }),
  ),
});

export const CreatePoolBody = Type.Object({
  buildCurveByMarketCapParam: CurveByMarketCap,
  antiSniping: Type.Boolean({ description: 'The fee begins at 99 % and falls by 1 % a step' }),
  fee: Fee,
  isLpLocked: optional(
    Type.Boolean({
      default: true,
      description: 'Half of the liquidity is locked for good, half for a year after the migration',
    }),
  ),
  tokenName: Type.String({ minLength: 1, description: 'At most 32 bytes of UTF-8, without invisible characters' }),
  tokenSymbol: Type.String({ minLength: 1, description: 'At most 10 bytes of UTF-8, without invisible characters' }),
  tokenImageContentType: Type.Enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
  creator: Type.String({ description: 'The wallet that signs, pays and owns the pool' }),
});
export type CreatePoolBody = Static<typeof CreatePoolBody>;

export const CreatePoolAnswer = Type.Object(
  {
    transaction: Type.String({ description: 'Base64, to be signed by the creator and posted to dbc-pool/submit' }),
    mint: Type.String(),
    imagePresignedUrl: Type.String({ description: 'PUT the image here, with tokenImageContentType as content-type' }),
    metadataPresignedUrl: Type.String({ description: 'PUT the metadata here, as application/json' }),
    imageUrl: Type.String({ description: 'Where the image is once the token is launched' }),
  },
  { $id: 'PoolCreation' },
);
export type CreatePoolAnswer = Static<typeof CreatePoolAnswer>;

const MAX_CONTENT = 10_000;

export const SubmitPoolBody = Type.Object({
  transaction: transactionText('Base64 of the signed transaction'),
  owner: Type.String({ description: 'The creator of the pool' }),
  content: optional(Type.String({ maxLength: MAX_CONTENT, description: "For the token's page" })),
  headerImage: optional(Type.String({ format: 'binary', description: "For the token's page; JPEG, PNG, GIF or WebP" })),
});
export type SubmitPoolBody = Static<typeof SubmitPoolBody>;

export const SubmitPoolAnswer = Type.Object(
  { success: Type.Boolean(), data: Type.Object({ mint: Type.String(), configKey: Type.String() }) },
  { $id: 'PoolSubmission' },
);
export type SubmitPoolAnswer = Static<typeof SubmitPoolAnswer>;

export const MintParams = Type.Object({ mint: Type.String({ minLength: 1, maxLength: 100 }) });
export type MintParams = Static<typeof MintParams>;

const addressOrNull = Type.Union([Type.String(), Type.Null()]);

export const AddressesAnswer = Type.Object(
  {
    success: Type.Boolean(),
    data: Type.Object({
      dbcPoolAddress: addressOrNull,
      dammv2PoolAddress: Type.Union([Type.String(), Type.Null()], { description: 'Null until the pool has migrated' }),
      configKey: addressOrNull,
      content: optional(Type.String()),
      headerImageUrl: optional(Type.String()),
    }),
  },
  { $id: 'PoolAddresses' },
);
export type AddressesAnswer = Static<typeof AddressesAnswer>;

export const FeeBody = Type.Object({ poolAddress: Type.String() });
export type FeeBody = Static<typeof FeeBody>;

export const FeeAnswer = Type.Object(
  {
    unclaimed: Type.String({ description: "The creator's fees that can be claimed, in the quote's smallest unit" }),
    total: Type.String({ description: "The creator's fees ever, in the quote's smallest unit" }),
  },
  { $id: 'PoolFees' },
);
export type FeeAnswer = Static<typeof FeeAnswer>;

export const ClaimBody = Type.Object({
  ownerWallet: Type.String({ description: 'The creator of the pool' }),
  poolAddress: Type.String(),
  maxQuoteAmount: Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: "The most to claim, in the quote's smallest unit",
  }),
});
export type ClaimBody = Static<typeof ClaimBody>;

export const ClaimAnswer = Type.Object(
  { transaction: Type.String({ description: 'Base64, to be signed by the owner and sent' }) },
  { $id: 'FeeClaim' },
);
export type ClaimAnswer = Static<typeof ClaimAnswer>;
