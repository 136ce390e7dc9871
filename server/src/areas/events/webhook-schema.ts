import { type Static, Type } from 'typebox';

const time = (description: string) => Type.String({ format: 'date-time', description });

export const WebhookBody = Type.Object({
  url: Type.String({
    minLength: 1,
    maxLength: 2_000,
    description: 'Where events are posted to: https; in a sandbox also http',
    examples: ['http://localhost:3000/hook'],
  }),
  kinds: Type.Optional(
    Type.String({ minLength: 1, maxLength: 1_000, description: 'As of the stream: only events of these kinds' }),
  ),
  wallet: Type.Optional(Type.String({ description: 'Only events about this wallet' })),
});
export type WebhookBody = Static<typeof WebhookBody>;

export const WebhookParams = Type.Object({ id: Type.String() });

const fields = {
  id: Type.String(),
  url: Type.String({ description: 'Where events are posted to' }),
  kinds: Type.Optional(Type.String({ description: 'Only events of these kinds, separated by commas' })),
  wallet: Type.Optional(Type.String()),
  createdAt: time('When it was added. It gets what has happened since'),
  failures: Type.Integer({
    description: 'How often in a row its receiver was away. What it refuses is none of these: see the attempts',
  }),
};
export const Webhook = Type.Object(fields, { $id: 'Webhook' });
export type Webhook = Static<typeof Webhook>;

const secret = Type.String({
  description: 'Signs what is sent, by the Standard Webhooks specification. It is shown only here: keep it',
});
export const NewWebhook = Type.Object({ ...fields, secret }, { $id: 'NewWebhook' });
export const NewSecret = Type.Object({
  secret,
  previousUntil: time('Until then messages are also signed with the secret before'),
});

export const Webhooks = Type.Unsafe<{ webhooks: Webhook[] }>({
  type: 'object',
  properties: { webhooks: { type: 'array', items: { $ref: 'Webhook#' }, description: 'The oldest first' } },
  required: ['webhooks'],
});

const outcome = {
  status: Type.Optional(Type.Integer({ description: 'The HTTP status of the answer; absent where there was none' })),
  error: Type.Optional(Type.String({ description: 'Why it has not arrived, where the status does not say it' })),
  milliseconds: Type.Integer({ description: 'How long it took' }),
};
export const TestAnswer = Type.Object({
  received: Type.Boolean({ description: 'The answer was 2xx' }),
  ...outcome,
});

const number = Type.Integer({ minimum: 0, description: 'Of the event; 0 is a test' });
export const Attempts = Type.Object({
  attempts: Type.Array(Type.Object({ number, at: time('When it was sent'), ...outcome }), {
    description: 'The last 100, the newest first',
  }),
  failed: Type.Array(
    Type.Object({
      number,
      kind: Type.String(),
      at: time('When it was told, which may be long after it happened'),
      tries: Type.Integer({ description: 'How often it was sent' }),
    }),
    { description: 'Events that were given up after 24 hours: the newest 100' },
  ),
});

export const RedeliverBody = Type.Object({
  number: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Of the event; all that were given up without it',
    }),
  ),
});
export const RedeliverAnswer = Type.Object({ events: Type.Integer({ description: 'How many are sent again' }) });
