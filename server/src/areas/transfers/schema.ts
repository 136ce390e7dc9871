import { type Static, Type } from 'typebox';
import { transactionText } from '../../lib/transaction-text.js';

const optional = Type.Optional;
const text = (description: string) => Type.String({ description });

export const CraftNativeQuery = Type.Object({
  senderAddress: text('The wallet that signs and pays'),
  receiverAddress: text('A wallet; it need not exist'),
  amount: text('Lamports; to a new wallet at least what the chain asks of an account, at most 890880'),
});
export type CraftNativeQuery = Static<typeof CraftNativeQuery>;

export const CraftTokenQuery = Type.Object({
  senderAddress: text('The wallet that signs and pays'),
  senderTokenAccountAddress: text("The sender's token account that the tokens leave"),
  receiverAddress: optional(
    text(
      'A wallet: its associated token account gets the tokens, and is created at the cost of the sender if it is missing. Required without receiverTokenAccountAddress',
    ),
  ),
  receiverTokenAccountAddress: optional(
    text('An existing token account that gets the tokens; receiverAddress is then ignored'),
  ),
  amount: text('In the smallest unit of the mint'),
  mint: text('Its transfers must cost no fee and run no hook'),
  tokenDecimals: text('Decimals of the mint, by which you have calculated the amount'),
  tokenProgramId: text('The token program of the mint'),
});
export type CraftTokenQuery = Static<typeof CraftTokenQuery>;

export const TransferAnswer = Type.Object(
  {
    requestId: text('For execute'),
    transaction: text('Base64, unsigned: the sender signs'),
    expireAt: Type.String({ format: 'date-time', description: 'About when it can no longer land' }),
    feeAmount: Type.Integer({ description: 'The network fee, in lamports' }),
    feeUsdAmount: optional(Type.Number()),
    rentFeeLamports: optional(
      Type.Integer({ description: "What the sender pays for the receiver's token account, if it is created" }),
    ),
  },
  { $id: 'CraftedTransfer' },
);
export type TransferAnswer = Static<typeof TransferAnswer>;

export const CraftReclaimBody = Type.Object({
  owner: text('The wallet that signs and pays, and gets the rent'),
  mints: Type.Array(Type.String(), {
    minItems: 1,
    maxItems: 200,
    description:
      "The mints whose empty token accounts are closed: those with reclaimableLamports in the owner's holdings",
  }),
});
export type CraftReclaimBody = Static<typeof CraftReclaimBody>;

export const SkipReason = Type.Union(
  [
    Type.Literal('notHeld'),
    Type.Literal('nonempty'),
    Type.Literal('frozen'),
    Type.Literal('closeAuthority'),
    Type.Literal('withheld'),
    Type.Literal('refused'),
  ],
  {
    description:
      'Why no account of the mint is closed. notHeld: there is none. nonempty: it holds tokens. frozen: by the freeze authority. closeAuthority: only somebody else may close it. withheld: it holds transfer fees or confidential balances. refused: its token program refuses to close it',
  },
);
export type SkipReason = Static<typeof SkipReason>;

const lamports = (description: string) => Type.String({ description: `Lamports: ${description}` });

export const CraftReclaimAnswer = Type.Object(
  {
    transactions: Type.Array(
      Type.Object({ requestId: text('For execute'), transaction: text('Base64, unsigned: the owner signs') }),
      { description: 'Each closes up to 25 token accounts and can land without the others' },
    ),
    code: Type.Integer({ description: '0: ready to sign. 2: not enough SOL for the network fees' }),
    error: optional(text('Set if code is not 0')),
    totalLamportsReclaimed: lamports('the rents of the accounts that are closed'),
    netLamportsReclaimed: lamports('the rents without the fees'),
    netReclaimedUsdAmount: optional(Type.Number()),
    serviceFeeLamports: lamports('0; this service takes no fee'),
    serviceFeeUsdAmount: optional(Type.Number()),
    gasCostLamports: lamports('the network fees of all transactions'),
    gasCostUsdAmount: optional(Type.Number()),
    skippedMints: optional(Type.Array(Type.Object({ mint: Type.String(), reason: SkipReason }))),
    totalTime: Type.Integer({ description: 'Milliseconds' }),
    expireAt: Type.String({ format: 'date-time', description: 'About when they can no longer land' }),
  },
  { $id: 'CraftedReclaim' },
);
export type CraftReclaimAnswer = Static<typeof CraftReclaimAnswer>;

export const ExecuteBody = Type.Object({
  requestId: Type.String({ maxLength: 100, description: 'Of the crafted transaction' }),
  signedTransaction: transactionText('Base64 of the signed transaction'),
});
export type ExecuteBody = Static<typeof ExecuteBody>;

export const ExecuteAnswer = Type.Object(
  {
    status: Type.Union([Type.Literal('Success'), Type.Literal('Failed')]),
    signature: Type.String(),
    code: Type.Integer({ description: '0: landed. Above 0: the error of a program. Below 0: could not land' }),
    error: optional(text('Set if code is not 0')),
    totalTime: Type.Integer({ description: 'Milliseconds from sending to the outcome' }),
  },
  { $id: 'TransferExecution' },
);
export type ExecuteAnswer = Static<typeof ExecuteAnswer>;
