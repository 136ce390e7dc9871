import { address } from '@slipway/wire';
import { Type } from 'typebox';
import { BaseUrl, group, PublicKey, section, Text, WebSocketUrl } from './kinds.js';

export const Express = section({
  receiver: PublicKey({
    description:
      'The wallet that receives verification payments. Before you name another one, or another `tokens.platform`, decide what is pending: a payment in another currency is approved only where it has brought the price to this wallet.',
    // A real address that belongs to somebody else.
    byMode: { sandbox: address('8gMBNeKwXaoNi9bhbVUWFt4Uc5aobL9PeYMXfYDMePE2') },
    requiredIn: 'production',
  }),
  gasless: Type.Boolean({
    default: false,
    description: '`true`: the gas wallet pays the network fee of direct payments.',
  }),
});

export const express = group('Express verification', { fields: { express: Express } });

export const studio = group('Studio', {
  fields: {
    studio: section({
      feeClaimer: Type.Optional(
        PublicKey({
          description:
            'The wallet that gets your half of the trading fees of launched tokens, and the tokens that are left over ([studio](studio.md)).',
          defaultText: 'the gas wallet',
        }),
      ),
      mintSuffix: Type.Optional(
        Type.String({
          pattern: '^[1-9A-HJ-NP-Za-km-z]{1,6}$',
          expects: '1 to 6 characters of base58',
          defaultText: 'none',
          description:
            'What the addresses of launched tokens end in, 1 to 6 characters of base58. Each character takes 58 times as long to find.',
        }),
      ),
      migrationBudgetSol: Type.Number({
        minimum: 0,
        maximum: 1_000,
        byMode: { sandbox: 5, production: 0 },
        unit: 'SOL a day (UTC)',
        description:
          'What the keeper wallet may spend on [moving sold-out launches from their curves](studio.md#migration), about 0.023 SOL each, all copies together. 0: it moves none.',
      }),
    }),
  },
});

export const uploads = group('Uploads', {
  notes:
    'Without a bucket, uploads lie in `objects` in the data folder, which is for one copy of the service. How to set up a bucket: "Uploads" in [operations](operations.md).',
  variables: {
    SLIPWAY_S3_BUCKET: Type.Optional(
      Type.String({
        pattern: '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$',
        expects: 'the name of a bucket: 3 to 63 of a-z, 0-9, . and -',
        description: 'Bucket for uploads, of S3 or a service with its interface.',
        defaultText: 'none: the data folder',
      }),
    ),
    SLIPWAY_S3_REGION: Type.Optional(
      Text({
        description: 'Its region; `auto` where the service says so. Required with a bucket.',
        defaultText: 'none',
        examples: ['eu-central-1'],
      }),
    ),
    SLIPWAY_S3_PUBLIC_URL: Type.Optional(
      BaseUrl({
        description:
          'Where everybody can read the bucket. Required with a bucket. Keep it short: it becomes part of what is written on the chain.',
        defaultText: 'none',
        examples: ['https://cdn.example.com'],
      }),
    ),
    SLIPWAY_S3_ENDPOINT: Type.Optional(
      BaseUrl({
        description: 'URL of a service other than AWS. The bucket is then the first step of the path.',
        defaultText: 'AWS',
      }),
    ),
    SLIPWAY_S3_ACCESS_KEY_ID: Type.Optional(
      Text({
        description: 'Access key; only together with its secret.',
        defaultText: 'the role of the machine, the `AWS_` variables or a profile',
        secret: true,
      }),
    ),
    SLIPWAY_S3_SECRET_ACCESS_KEY: Type.Optional(
      Text({ description: 'The secret of the access key.', defaultText: 'as for the access key', secret: true }),
    ),
  },
  fields: {
    uploads: section({
      maxImageBytes: Type.Integer({
        minimum: 1_024,
        maximum: 50 * 1024 * 1024,
        default: 5 * 1024 * 1024,
        unit: 'bytes',
        description: 'How large an uploaded image may be.',
      }),
      urlSeconds: Type.Integer({
        minimum: 60,
        maximum: 7 * 24 * 60 * 60,
        default: 15 * 60,
        unit: 'seconds',
        description: 'How long a URL for an upload is good.',
      }),
    }),
  },
});

export const scores = group('Scores', {
  notes: 'The channel is connected to where `scores.games` names a game: see [scores](scores.md).',
  variables: {
    SLIPWAY_SCORES_URL: WebSocketUrl({
      description: 'WebSocket of the public sports channel of Polymarket.',
      default: 'wss://sports-api.polymarket.com/ws',
    }),
  },
  fields: {
    scores: section({
      games: Type.Record(
        Type.String({ pattern: '^[^\\u0000,\\p{Cs}]{1,200}$' }),
        Type.String({ minLength: 1, maxLength: 200 }),
        {
          additionalProperties: false,
          default: {},
          description:
            'Which game of the sports channel is behind an event: its number or slug there, by event id. Several events may have one game.',
          examples: [{ 'POLY-351731': '90086923' }],
        },
      ),
    }),
  },
});

export const Events = section({
  keepDays: Type.Integer({
    minimum: 1,
    maximum: 365,
    default: 3,
    unit: 'days',
    description: 'How long an event can be read again. Then it is deleted.',
  }),
  streams: Type.Integer({
    minimum: 1,
    maximum: 100_000,
    default: 10_000,
    unit: 'streams',
    description:
      'How many event streams each copy keeps open at the same time. Further ones are answered with 503. One key gets more only while as many are left for all others.',
  }),
  streamsPerKey: Type.Integer({
    minimum: 1,
    maximum: 100_000,
    default: 1_000,
    unit: 'streams',
    description:
      'How many event streams of one key each copy keeps open at the same time, those of logged-in wallets included. Further ones are answered with 429. Of a key that stands in pages, one client has a fifth of that.',
  }),
  privateWebhooks: Type.Boolean({
    byMode: { sandbox: true, publicSandbox: false, production: false },
    description:
      'Whether webhooks may be in private networks and on this machine, also by http. Link-local addresses and metadata services of clouds are never called.',
  }),
});

export const events = group('Events', { fields: { events: Events } });
