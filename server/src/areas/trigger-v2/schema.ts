import { type Static, Type } from 'typebox';

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
  signedTransaction: Type.Optional(Type.String({ description: 'Of the type transaction: base64' })),
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

export const VaultAnswer = Type.Object(
  {
    userPubkey: Type.String(),
    vaultPubkey: Type.String({ description: 'Receives the deposits of the wallet' }),
    privyVaultId: Type.String({ description: 'The id of the vault' }),
  },
  { $id: 'Vault' },
);
export type VaultAnswer = Static<typeof VaultAnswer>;
