import { type Static, type TSchema, Type } from 'typebox';
import type { EventKind } from '../../store/event-outbox.js';

const NUMBER = '^(0|[1-9][0-9]{0,17})$';

export const StreamQuery = Type.Object({
  kinds: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1_000,
      description:
        'Only events of these kinds, separated by commas; `order.*` stands for all that begin with `order.`. `score.changed` and `price.changed` come only to those who name them.',
    }),
  ),
  wallet: Type.Optional(Type.String({ description: 'Only events about this wallet' })),
  after: Type.Optional(
    Type.String({
      pattern: NUMBER,
      description:
        'Begin after the event with this number; `0`: with the oldest that is kept. The header `Last-Event-ID` goes before it. Without both, the stream begins with what happens from now on.',
    }),
  ),
});
export type StreamQuery = Static<typeof StreamQuery>;

export const StreamHeaders = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({
      pattern: NUMBER,
      description: 'The last number that you have seen, which an EventSource sends by itself when it connects again',
    }),
  ),
});
export type StreamHeaders = Static<typeof StreamHeaders>;

const signature = Type.Optional(Type.String({ description: 'Of the transaction, in base58' }));
const amount = (description: string) => Type.String({ description: `${description}, in the smallest unit` });
const pair = { inputMint: Type.String(), outputMint: Type.String() };
const requestId = Type.String({ description: 'As the answer that crafted it says' });

const Transaction = Type.Object({
  requestId,
  area: Type.String({ description: 'The part of the API that it was crafted or submitted with, such as `swap`' }),
  signature,
  slot: Type.Optional(Type.Integer()),
  error: Type.Optional(Type.String({ description: "The chain's word, unless it landed" })),
});

const Order = Type.Object(
  {
    api: Type.Enum(['trigger/v1', 'trigger/v2'], { description: 'A limit order, or an order that waits for a price' }),
    order: Type.String({ description: 'v1: the account of the order; v2: its id' }),
    type: Type.Optional(Type.Enum(['single', 'oco', 'otoco'], { description: 'v2' })),
    stage: Type.Optional(Type.Enum(['entry', 'exit'], { description: 'v2: `exit` follows the entry of an OTOCO' })),
    leg: Type.Optional(Type.Enum(['entry', 'take_profit', 'stop_loss'], { description: 'v2: which price fired it' })),
    ...pair,
    remainingAmount: Type.Optional(amount('v2: what is left to sell')),
    inputAmount: Type.Optional(amount('Sold by this transaction, or offered by the order that was opened')),
    outputAmount: Type.Optional(amount('Bought by this transaction, or asked for by the order that was opened')),
    signature,
  },
  {
    description:
      '`order.expired` of v2: it trades no more, and what it holds is there to be withdrawn, also where that was found after it was told as failed or cancelled',
  },
);

const Verification = Type.Object({
  id: Type.String(),
  tokenId: Type.String({ description: 'The mint' }),
  type: Type.Enum(['verification', 'metadata']),
  requestId,
  signature,
});

const Launch = Type.Object({
  requestId,
  mint: Type.String(),
  pool: Type.String(),
  config: Type.String(),
  quoteMint: Type.String(),
  name: Type.String(),
  symbol: Type.String(),
  signature,
});

const Migration = Type.Object({
  requestId,
  mint: Type.String(),
  pool: Type.String({ description: 'The bonding curve pool' }),
  migratedPool: Type.String({ description: 'Where the token trades now' }),
  signature: Type.Optional(Type.String({ description: 'If it was moved from here' })),
});

const Invite = Type.Object({
  invite: Type.String({ description: 'Its account' }),
  inviteSigner: Type.String(),
  sender: Type.String(),
  receiver: Type.Optional(Type.String({ description: 'Of a claim' })),
  mint: Type.Optional(Type.String({ description: 'Without one: SOL' })),
  amount: amount('What is in it'),
  expiry: Type.Integer({ description: 'Unix seconds' }),
  signature,
});

const text = Type.Optional(Type.String({ description: 'As the provider writes it' }));
const Score = Type.Object({
  eventId: Type.String({ description: 'Of the game, as in `/prediction/v1/events/{eventId}/score`' }),
  gameId: Type.String(),
  live: Type.Boolean(),
  ended: Type.Boolean(),
  updatedAt: Type.String({ format: 'date-time' }),
  leagueAbbreviation: text,
  homeTeam: text,
  awayTeam: text,
  score: text,
  period: text,
  elapsed: text,
  status: text,
  finishedTimestamp: Type.Optional(Type.String({ format: 'date-time' })),
});

const Price = Type.Object({
  mint: Type.String(),
  usd: Type.Number({ description: 'US dollars for a whole token' }),
});

const HEAD = {
  number: Type.Integer({ minimum: 1, description: '1, 2, 3 ... without gaps in the list of one key or wallet' }),
  at: Type.String({ format: 'date-time', description: 'When it happened' }),
};
const aboutWallet = Type.String({ description: 'The wallet that it is about' });

function told<const Kind extends EventKind, Data extends TSchema>(kinds: readonly Kind[], data: Data) {
  return Type.Object({ ...HEAD, kind: Type.Enum([...kinds]), wallet: aboutWallet, data });
}

function toldToAll<const Kind extends EventKind, Data extends TSchema>(kind: Kind, data: Data) {
  const wallet = Type.Optional(Type.String({ description: 'None: it concerns everybody' }));
  return Type.Object({ ...HEAD, kind: Type.Literal(kind), wallet, data });
}

export const Event = Type.Union(
  [
    told(['transaction.landed', 'transaction.failed', 'transaction.expired'], Transaction),
    told(
      [
        'order.opened',
        'order.triggered',
        'order.partly_filled',
        'order.filled',
        'order.cancelled',
        'order.expired',
        'order.failed',
      ],
      Order,
    ),
    told(['verification.requested', 'verification.approved', 'verification.rejected'], Verification),
    told(['launch.created'], Launch),
    told(['launch.migrated'], Migration),
    told(['invite.created', 'invite.claimed', 'invite.taken_back', 'invite.expired'], Invite),
    toldToAll('score.changed', Score),
    toldToAll('price.changed', Price),
  ],
  { $id: 'Event', description: 'Something that has happened' },
);
export type Event = Static<typeof Event>;
