import { type Static, Type } from 'typebox';

const optional = Type.Optional;

export const WalletParams = Type.Object({ address: Type.String({ description: 'The wallet' }) });
export type WalletParams = Static<typeof WalletParams>;

export const PageQuery = Type.Object({
  after: optional(Type.String({ description: 'The `next` of the page before: a token account' })),
});

const sol = {
  amount: Type.String({ description: 'Lamports' }),
  uiAmount: Type.Number({ description: 'SOL' }),
  uiAmountString: Type.String({ description: 'SOL, exactly' }),
};

const HeldAccount = Type.Object({
  account: Type.String({ description: 'The token account' }),
  amount: Type.String({ description: 'In the smallest unit' }),
  uiAmount: Type.Number(),
  uiAmountString: Type.String({ description: 'In whole tokens, exactly' }),
  isFrozen: Type.Boolean(),
  isAssociatedTokenAccount: Type.Boolean(),
  decimals: Type.Integer(),
  programId: Type.String({ description: 'The token program' }),
  lamports: Type.String({ description: 'Of the token account: its rent, and wrapped SOL' }),
  reclaimableLamports: optional(
    Type.String({ description: 'What its owner gets by closing it, if it is empty and the owner can close it' }),
  ),
});

export const HoldingsAnswer = Type.Object(
  {
    ...sol,
    tokens: Type.Record(Type.String(), Type.Array(HeldAccount), {
      description: 'By mint; wrapped SOL is among them and not in the amounts above',
    }),
    next: optional(Type.String({ description: 'Where the next page begins; left out on the last one' })),
  },
  { $id: 'Holdings' },
);
export type HoldingsAnswer = Static<typeof HoldingsAnswer>;

export const NativeAnswer = Type.Object(sol, { $id: 'NativeHoldings' });
export type NativeAnswer = Static<typeof NativeAnswer>;

const Balance = Type.Object({
  amount: Type.String({ description: 'In the smallest unit, of all token accounts of the mint' }),
  uiAmount: Type.Number(),
  slot: Type.Integer({ description: 'At which this was so' }),
  isFrozen: Type.Boolean({ description: 'True when any of the accounts is' }),
});

export const BalancesAnswer = Type.Record(Type.String(), Balance, {
  $id: 'Balances',
  description: 'By mint, or `SOL`',
});
export type BalancesAnswer = Static<typeof BalancesAnswer>;

export const ShieldQuery = Type.Object({ mints: Type.String({ description: 'Comma list of up to 100 mints' }) });
export type ShieldQuery = Static<typeof ShieldQuery>;

const Warning = Type.Object({
  type: Type.String({
    description:
      'NOT_VERIFIED, NOT_SELLABLE, HAS_MINT_AUTHORITY, HAS_FREEZE_AUTHORITY, HAS_PERMANENT_DELEGATE, NON_TRANSFERABLE, MUTABLE_TRANSFER_FEES, or the fee in force as `1.5%_TRANSFER_FEES`',
  }),
  message: Type.String(),
  severity: Type.Union([Type.Literal('info'), Type.Literal('warning'), Type.Literal('critical')]),
});
export type Warning = Static<typeof Warning>;

export const ShieldAnswer = Type.Object(
  { warnings: Type.Record(Type.String(), Type.Array(Warning), { description: 'Of every mint that was asked about' }) },
  { $id: 'ShieldWarnings' },
);
export type ShieldAnswer = Static<typeof ShieldAnswer>;

export const SearchQuery = Type.Object({
  query: Type.String({
    description: 'A symbol, a name or a mint; or a comma list of up to 100. Each 10 names or symbols count as a call',
  }),
});
export type SearchQuery = Static<typeof SearchQuery>;

const Supply = optional(
  Type.Number({ description: 'Whole tokens. All of the supply counts as circulating; left out for SOL' }),
);
const UsdValue = optional(Type.Number({ description: 'USD; left out where no price is known' }));

const MintInformation = Type.Object({
  id: Type.String({ description: 'The mint' }),
  name: Type.String({ description: 'Empty when neither the token list nor the chain has one' }),
  symbol: Type.String({ description: 'Empty when neither the token list nor the chain has one' }),
  icon: optional(Type.String({ description: 'URL' })),
  decimals: Type.Integer(),
  tokenProgram: Type.String(),
  mintAuthority: optional(Type.String({ description: 'Left out when nobody can mint more' })),
  freezeAuthority: optional(Type.String({ description: 'Left out when nobody can freeze token accounts' })),
  circSupply: Supply,
  totalSupply: Supply,
  usdPrice: UsdValue,
  fdv: UsdValue,
  mcap: UsdValue,
  audit: Type.Object({ mintAuthorityDisabled: Type.Boolean(), freezeAuthorityDisabled: Type.Boolean() }),
  isVerified: Type.Boolean({
    description: "Whether it is in the operator's token list, or its verification was approved",
  }),
  tags: Type.Array(Type.String()),
});
export type MintInformation = Static<typeof MintInformation>;

export const SearchAnswer = Type.Array(MintInformation, { $id: 'MintInformationList' });
export type SearchAnswer = Static<typeof SearchAnswer>;
