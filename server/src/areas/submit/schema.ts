import { type Static, Type } from 'typebox';
import { transactionText } from '../../lib/transaction-text.js';

/** Of a transaction of version 1 (SIMD-0385): none is taken, but whoever posts one is told so. */
const MAX_VERSION_1_SIZE = 4096;

export const SubmitBody = Type.Object({
  signedTransaction: transactionText(
    'Base64 of the fully signed transaction, a legacy one or one of version 0',
    MAX_VERSION_1_SIZE,
  ),
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
