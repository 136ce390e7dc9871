import { type Static, Type } from 'typebox';

const Program = Type.Object({
  name: Type.String(),
  address: Type.String(),
  standIn: Type.Boolean({
    description: "Our version of another company's program: does what this service needs of it",
  }),
});

export const InfoAnswer = Type.Object(
  {
    rpcUrl: Type.String(),
    wsUrl: Type.String(),
    apiKey: Type.String(),
    unixTimestamp: Type.Integer({ description: "The chain's clock, unix seconds" }),
    platformToken: Type.String({ description: 'Mint' }),
    platformStable: Type.String({ description: 'Mint' }),
    programs: Type.Array(Program, { description: 'Programs beside those that every chain has' }),
    gameEventIds: Type.Array(Type.String()),
    wallets: Type.Array(
      Type.Object({
        name: Type.String(),
        address: Type.String(),
        secretKey: Type.String({ description: 'The 64-byte key in base58, as wallets import it' }),
      }),
    ),
    mints: Type.Array(
      Type.Object({
        symbol: Type.String(),
        mint: Type.String(),
        decimals: Type.Integer(),
        usdPrice: Type.Optional(Type.Number()),
      }),
    ),
  },
  { $id: 'SandboxInfo' },
);
export type InfoAnswer = Static<typeof InfoAnswer>;

export const AirdropBody = Type.Object({
  wallet: Type.String(),
  mint: Type.Optional(Type.String({ description: 'Left out, or the wrapped SOL mint: lamports' })),
  amount: Type.String({ description: 'In the smallest unit' }),
});
export type AirdropBody = Static<typeof AirdropBody>;

export const AirdropAnswer = Type.Object({ signature: Type.String() });
export type AirdropAnswer = Static<typeof AirdropAnswer>;

export const PriceBody = Type.Object({
  mint: Type.String(),
  usd: Type.Number({ exclusiveMinimum: 0, maximum: 1e15, description: 'USD for one whole token' }),
});
export type PriceBody = Static<typeof PriceBody>;

export const PriceAnswer = Type.Object({
  mint: Type.String(),
  usd: Type.Number(),
  note: Type.Optional(Type.String({ description: 'In a fork: which pools do not follow' })),
});
export type PriceAnswer = Static<typeof PriceAnswer>;

export const ClockBody = Type.Object({
  seconds: Type.Number({ exclusiveMinimum: 0, maximum: 315_360_000, description: 'How far to move forward' }),
});
export type ClockBody = Static<typeof ClockBody>;

export const ClockAnswer = Type.Object({ unixTimestamp: Type.Integer() });
export type ClockAnswer = Static<typeof ClockAnswer>;
