import { type Static, Type } from 'typebox';
import { eventKinds } from '../../store/event-outbox.js';

const NUMBER = '^(0|[1-9][0-9]{0,17})$';

export const StreamQuery = Type.Object({
  kinds: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1_000,
      description: 'Only events of these kinds, separated by commas; `order.*` stands for all that begin with `order.`',
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

export const Event = Type.Object(
  {
    number: Type.Integer({ minimum: 1, description: '1, 2, 3 ... without gaps in the list of one key or wallet' }),
    kind: Type.Enum([...eventKinds]),
    at: Type.String({ format: 'date-time', description: 'When it happened' }),
    wallet: Type.String({ description: 'The wallet that it is about' }),
    data: Type.Record(Type.String(), Type.Unknown(), {
      description:
        'What has happened. Fields by kind: docs/events.md. Amounts are decimal strings in the smallest unit of the mint; `signature` is that of the transaction, or null.',
    }),
  },
  { $id: 'Event', description: 'Something that has happened' },
);
export type Event = Static<typeof Event>;
