import { type Static, Type } from 'typebox';
import { transactionText } from '../../lib/transaction-text.js';

const text = (description?: string) => Type.String(description === undefined ? {} : { description });
const nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

export const CraftSendBody = Type.Object({
  inviteSigner: text('The public key of the invite; its key pair is made of the code, which is never sent here'),
  sender: text('The wallet that gives; signs and pays'),
  amount: text(
    'In the smallest unit, as a decimal string; of SOL at least what the chain asks of an account, at most 890880',
  ),
  mint: Type.Optional(text('Left out, or the mint of wrapped SOL: SOL, out of the wallet')),
});
export type CraftSendBody = Static<typeof CraftSendBody>;

export const CraftSendAnswer = Type.Object(
  {
    tx: text('Base64, unsigned: the sender and the key of the invite sign'),
    expiry: Type.String({ format: 'date-time', description: 'From when on it cannot be claimed any more' }),
    totalFeeLamports: text('The network fee, and the rents, which come free when the invite ends'),
  },
  { $id: 'CraftedInvite' },
);
export type CraftSendAnswer = Static<typeof CraftSendAnswer>;

export const CraftClawbackBody = Type.Object({
  invitePDA: text("The invite's account: invite_pda of the lists"),
  sender: text('The wallet that has made it; signs and pays the network fee'),
});
export type CraftClawbackBody = Static<typeof CraftClawbackBody>;

export const CraftClawbackAnswer = Type.Object(
  { tx: text('Base64, unsigned: the sender signs') },
  { $id: 'CraftedClawback' },
);
export type CraftClawbackAnswer = Static<typeof CraftClawbackAnswer>;

export const CraftClaimBody = Type.Object({
  inviteSigner: text('The public key of the invite'),
  receiver: text('The wallet that gets everything; it need not exist'),
});
export type CraftClaimBody = Static<typeof CraftClaimBody>;

export const CraftClaimAnswer = Type.Object(
  {
    tx: text('Base64, unsigned: the key of the invite signs'),
    requestId: text('Post it to execute-claim with the signed transaction'),
  },
  { $id: 'CraftedClaim' },
);
export type CraftClaimAnswer = Static<typeof CraftClaimAnswer>;

export const ExecuteClaimBody = Type.Object({
  requestId: Type.String({ minLength: 1, maxLength: 100, description: 'Of craft-claim' }),
  signedTransaction: transactionText('Base64 of the claim, signed by the key of the invite'),
});
export type ExecuteClaimBody = Static<typeof ExecuteClaimBody>;

export const ExecuteClaimAnswer = Type.Object(
  { signature: text('Of the transaction, which has landed') },
  { $id: 'ExecutedClaim' },
);
export type ExecuteClaimAnswer = Static<typeof ExecuteClaimAnswer>;

export const InvitesQuery = Type.Object({
  address: text('The wallet'),
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: '10 invites a page; default 1' })),
});
export type InvitesQuery = Static<typeof InvitesQuery>;

export const Invite = Type.Object({
  invite_signer: text('The public key of the invite'),
  invite_pda: text('Its account'),
  sender: text(),
  receiver: nullable('Who has claimed it'),
  expiry: text('ISO 8601; from when on it cannot be claimed any more'),
  amount: text('In the smallest unit'),
  creation_tx: text(),
  deletion_tx: nullable('The transaction that has ended it'),
  action: Type.Union(
    [
      Type.Literal('created'),
      Type.Literal('claimed'),
      Type.Literal('clawed_back'),
      Type.Literal('expired'),
      Type.Null(),
    ],
    { description: 'created: it is open. null: it has ended, in a transaction that the RPC cannot give' },
  ),
  creation_time: Type.String({ format: 'date-time' }),
  deletion_time: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  mint: nullable('null: SOL'),
  confirmed: Type.Union([Type.Boolean(), Type.Null()], {
    description: 'true: the chain has confirmed what is told here; nothing else is told',
  }),
});
export type Invite = Static<typeof Invite>;

export const InvitesAnswer = Type.Object(
  { invites: Type.Array(Invite), hasMoreData: Type.Boolean() },
  { $id: 'Invites' },
);
export type InvitesAnswer = Static<typeof InvitesAnswer>;
