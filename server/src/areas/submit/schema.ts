import { type Static, Type } from 'typebox';

export const SubmitBody = Type.Object({
  signedTransaction: Type.String({ description: 'Base64 of the fully signed transaction' }),
});
export type SubmitBody = Static<typeof SubmitBody>;

export const SubmitAnswer = Type.Object({ signature: Type.String() }, { $id: 'SubmittedTransaction' });
export type SubmitAnswer = Static<typeof SubmitAnswer>;

export const StatusParams = Type.Object({ signature: Type.String({ minLength: 1, maxLength: 100 }) });
export type StatusParams = Static<typeof StatusParams>;

export const StatusAnswer = Type.Object(
  {
    signature: Type.String(),
    status: Type.Union(
      [Type.Literal('pending'), Type.Literal('landed'), Type.Literal('failed'), Type.Literal('expired')],
      { description: 'expired: it has not landed and never will, unless `error` says that it may yet' },
    ),
    slot: Type.Union([Type.String(), Type.Null()]),
    error: Type.Optional(Type.String()),
    code: Type.Optional(Type.Integer()),
  },
  { $id: 'TransactionStatus' },
);
export type StatusAnswer = Static<typeof StatusAnswer>;
