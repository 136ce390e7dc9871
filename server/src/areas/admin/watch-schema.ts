import { type Static, Type } from 'typebox';
import { LEVELS, type Level } from '../../lib/log-line.js';
import { RAW_STATES } from '../../trigger-orders/state.js';

const Timestamp = Type.String({ format: 'date-time', description: 'ISO 8601, UTC' });
const NullableTimestamp = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time', description });
const NullableString = Type.Unsafe<string | null>({ type: ['string', 'null'] });
const NullableNumber = Type.Unsafe<number | null>({ type: ['number', 'null'] });
const Milliseconds = Type.Integer({ description: 'Until there was an answer, or none was awaited any more' });
/** PostgreSQL stores neither NUL nor half a surrogate pair. */
const Word = Type.String({ minLength: 1, maxLength: 100, pattern: '^[!-~]*$', description: 'without spaces' });

export const Overview = Type.Object({
  copy: Type.String({ description: 'The process that answers: each copy of the service has measured for itself' }),
  everySeconds: Type.Number({ description: 'From one sample to the next' }),
  times: Type.Array(Type.Number(), {
    description: 'When each sample was taken, in Unix milliseconds, the oldest first',
  }),
  series: Type.Record(Type.String(), Type.Array(NullableNumber), {
    description: 'By name: a number for each of the times, null where nothing was measured',
  }),
  now: Type.Array(
    Type.Object({
      name: Type.String(),
      labels: Type.Record(Type.String(), Type.String(), { description: 'As in `/metrics`' }),
      value: Type.Number({ description: 'As in `/metrics`' }),
    }),
    { description: 'Metrics as they are now' },
  ),
});

export const NewestQuery = Type.Object({ limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }) });

export const ListOrdersQuery = Type.Object({
  wallet: Type.Optional(Type.String({ description: 'In base58' })),
  state: Type.Optional(Type.Enum([...RAW_STATES], { description: 'The raw state' })),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
  cursor: Type.Optional(Type.String({ format: 'uuid', description: '`nextCursor` of the page before' })),
});

export const Order = Type.Object({
  id: Type.String(),
  wallet: Type.String(),
  type: Type.String({ description: 'single, oco or otoco' }),
  state: Type.String({ description: 'The raw state' }),
  inputMint: Type.String(),
  outputMint: Type.String(),
  triggerMint: Type.String(),
  amount: Type.String({ description: 'Smallest unit of the input, as it was deposited' }),
  remaining: Type.String({ description: 'Of it, not sold yet' }),
  failures: Type.Integer({ description: 'Failed fills in a row' }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  expiresAt: Timestamp,
});
export type Order = Static<typeof Order>;

export const OrdersPage = Type.Object({
  orders: Type.Array(Order),
  nextCursor: NullableString,
});
export type OrdersPage = Static<typeof OrdersPage>;

export const RequestParams = Type.Object({ id: Word });

const OnChain = Type.Object({
  slot: Type.Integer(),
  blockTime: NullableTimestamp('By the clock of the chain'),
  fee: Type.String({ description: 'Lamports' }),
  error: NullableString,
  computeUnits: Type.Unsafe<number | null>({ type: ['number', 'null'], description: 'That it has used' }),
  logs: Type.Array(Type.String(), { description: 'Of its programs, at most 200 lines' }),
});
export type OnChain = Static<typeof OnChain>;

export const RequestStory = Type.Object({
  id: Type.String(),
  area: Type.String({ description: 'The part of the API that crafted it; submit: it was crafted elsewhere' }),
  wallet: Type.String(),
  state: Type.String(),
  apiKey: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'The id of the key that asked for it' }),
  cosigners: Type.Array(Type.String(), { description: 'Which of our keys sign it' }),
  handedOver: Type.Boolean({ description: 'Somebody else signs last and sends it' }),
  lastValidBlockHeight: Type.Integer(),
  craftedAt: Timestamp,
  expiresAt: Timestamp,
  sentAt: NullableTimestamp('Null while it has not come back signed'),
  settledAt: NullableTimestamp('When its end was known'),
  signature: NullableString,
  slot: NullableNumber,
  error: NullableString,
  chain: Type.Union([OnChain, Type.Null()], { description: 'What the chain says of it; null if it says nothing' }),
});

export const ListedLaunch = Type.Object({
  mint: Type.String(),
  name: Type.String(),
  symbol: Type.String(),
  creator: Type.String({ description: 'The wallet that launched it' }),
  pool: Type.String(),
  requestId: Type.String(),
  state: Type.String({ description: 'Of its transaction' }),
  createdAt: Timestamp,
  migratedAt: NullableTimestamp('When its pool was seen to have left its curve'),
});

export const ListedInvite = Type.Object({
  account: Type.String({ description: 'Of the invite, on the chain' }),
  sender: Type.String(),
  mint: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'Null for SOL' }),
  amount: Type.String({ description: 'Smallest unit' }),
  state: Type.String({ description: 'created, claimed, clawed_back or expired; unknown where it cannot be read' }),
  receiver: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'The wallet that got it' }),
  createdAt: Timestamp,
  endedAt: NullableTimestamp('When it was claimed or went back'),
});

export const ListedWebhook = Type.Object({
  id: Type.String(),
  account: Type.String({ description: 'The key or the wallet whose events it gets' }),
  url: Type.String({ description: 'Without passwords' }),
  createdAt: Timestamp,
  failures: Type.Integer({ description: 'How often in a row its receiver was away' }),
  restUntil: NullableTimestamp('Nothing is sent before then; without `failures`, nothing that it has refused'),
  attempts: Type.Array(
    Type.Object({
      number: Type.String({ description: 'Of the event' }),
      at: Timestamp,
      status: NullableNumber,
      error: NullableString,
      milliseconds: Milliseconds,
    }),
    { description: 'The last ten, the newest first' },
  ),
});

const LEVEL_WORDS = Object.keys(LEVELS) as Level[];

export const LogsQuery = Type.Object({
  after: Type.Integer({ minimum: 0, default: 0, description: 'Only lines after this number' }),
  limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 100, description: 'The most lines' }),
  level: Type.Optional(Type.Enum(LEVEL_WORDS, { description: 'Only lines of this level or a graver one' })),
  requestId: Type.Optional(Word),
});
export type ListLogsQuery = Static<typeof LogsQuery>;

export const LogsPage = Type.Object({
  copy: Type.String({ description: 'The process whose log this is: the name of its machine, and its number there' }),
  startedAt: Timestamp,
  at: Timestamp,
  oldest: Type.Integer({ description: 'The number of the oldest line that is kept' }),
  newest: Type.Integer({ description: 'The number of the last line; 0 if there was none' }),
  last: Type.Integer({ description: 'The number of the last line that was looked at: the next `after`' }),
  lines: Type.Array(
    Type.Object({
      number: Type.Integer({ description: 'Of the line, from 1 on' }),
      time: Timestamp,
      level: Type.Enum(LEVEL_WORDS, { description: 'How grave it is' }),
      message: Type.String(),
      requestId: NullableString,
      facts: Type.Record(Type.String(), Type.Unknown(), {
        description:
          'What else the line says; of one that is longer than 4,096 characters `cut`, its beginning and its end',
      }),
    }),
    { description: 'The lines, the oldest first' },
  ),
});
export type LogsPage = Static<typeof LogsPage>;
