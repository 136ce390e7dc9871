import {
  INVITE_PROGRAM,
  LIMIT_ORDER_PROGRAM,
  ORDER_ENGINE_PROGRAM,
  ROUTER_PROGRAM,
  TOKEN_SWAP_PROGRAM,
} from '@slipway/programs';
import { Type } from 'typebox';
import { group, HttpUrl, List, Port, PublicKey, PublicKeys, section, Text, WebSocketUrl } from './kinds.js';

export const chain = group('The chain', {
  notes:
    'Without `SLIPWAY_RPC_URL` a chain runs inside of the service. Settings of the embedded chain are refused together with it, and those of an outside chain without it. The port of the API must differ from both ports of the embedded chain.',
  variables: {
    SLIPWAY_RPC_URL: Type.Optional(
      HttpUrl({
        description: 'JSON-RPC of an outside chain.',
        defaultText: 'none: the embedded chain',
        examples: ['https://rpc.example.com/?api-key=…'],
        requiredIn: 'production',
      }),
    ),
    SLIPWAY_RPC_WS_URL: Type.Optional(
      WebSocketUrl({
        description: 'WebSocket of the outside chain.',
        defaultText: 'none',
        examples: ['wss://rpc.example.com/?api-key=…'],
      }),
    ),
    SLIPWAY_SEND_URLS: List(HttpUrl({ description: '' }), {
      description: 'Further RPCs that transactions are sent to.',
      default: [],
      examples: [['https://send1.example.com', 'https://send2.example.com']],
    }),
    SLIPWAY_RPC_PORT: Port({
      description: 'JSON-RPC port of the embedded chain. Its WebSocket takes the next port; `0` takes any free ones.',
      default: 8899,
      mode: 'sandbox',
    }),
    SLIPWAY_PROGRAMS_DIR: Type.Optional(
      Text({
        description:
          'Folder that the embedded chain loads: `<programId>.so` files, and what `slipway programs pull` copied.',
        defaultText: 'none',
        mode: 'sandbox',
      }),
    ),
    SLIPWAY_FORK_URL: Type.Optional(
      HttpUrl({
        description: 'RPC from which the embedded chain fetches accounts that it does not have.',
        defaultText: 'none',
        mode: 'sandbox',
      }),
    ),
  },
});

const walletBound = (span: string) =>
  `The most that the gas wallet, and the most that the keeper, may sign for in fees and rents in ${span}, in each copy that has the keys inside ([what bounds them](operations.md#what-the-wallets-may-lose)). A [signer of its own](signer.md#what-the-wallets-may-lose) has limits of its own instead.`;

export const Fees = section({
  percentile: Type.Number({
    minimum: 0,
    maximum: 100,
    default: 75,
    description:
      'Which percentile is paid of what the cheapest transaction of each of the last 150 blocks has paid, where the interface does not fix one; for [fills of trigger orders](operations.md#priority-fees), also of what the cheapest has paid that has locked a pool of theirs.',
  }),
  maxMicroLamports: Type.Integer({
    minimum: 0,
    default: 5_000_000,
    unit: 'micro-lamports per compute unit',
    description:
      'The highest compute unit price that is paid, where no client names one. Keepers [come up to it](operations.md#priority-fees) with what expires.',
  }),
  walletSolPerHour: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1_000_000,
      byMode: { production: 2 },
      defaultText: '`2` in production, no bound in a sandbox',
      unit: 'SOL in any hour',
      description: walletBound('an hour'),
    }),
  ),
  walletSolPerDay: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1_000_000,
      byMode: { production: 10 },
      defaultText: '`10` in production, no bound in a sandbox',
      unit: 'SOL in any 24 hours',
      description: walletBound('a day'),
    }),
  ),
});

export const fees = group('Network fees', { fields: { fees: Fees } });

export const Programs = section({
  /** Anybody may know the key of this address: only in a sandbox is the program there certainly ours. */
  router: Type.Optional(
    PublicKey({
      description: 'Our router program. Without it routes have one hop, or are split over pools of one pair.',
      byMode: { sandbox: ROUTER_PROGRAM },
      defaultText: 'our program in a sandbox; none in production',
    }),
  ),
  orderEngine: PublicKey({ description: "Settles market makers' quotes.", default: ORDER_ENGINE_PROGRAM }),
  limitOrder: PublicKey({
    description: 'Holds the limit orders of `/trigger/v1` ([limit orders](limit-orders.md)).',
    default: LIMIT_ORDER_PROGRAM,
  }),
  invite: PublicKey({ description: 'Holds the invites of `/send/v1` ([send](send.md)).', default: INVITE_PROGRAM }),
  tokenSwap: PublicKey({
    description: 'Owner of the constant-product pools: SPL Token Swap, or our program with its interface.',
    default: TOKEN_SWAP_PROGRAM,
  }),
});

export const rpc = group('Calls of the chain', {
  fields: {
    rpc: section({
      callsPerSecond: Type.Integer({
        minimum: 10,
        maximum: 1_000_000,
        byMode: { sandbox: 100_000, production: 300 },
        unit: 'calls in any second',
        description:
          'The most calls that each copy makes to each RPC, in the order landing, keepers, posted transactions that are tried out, quotes, reads, submitted transactions of others. Set it to what your plan allows, divided by the number of copies ([operations](operations.md#calls-of-the-chain)).',
      }),
    }),
  },
});

export const programs = group('On-chain programs', { fields: { programs: Programs } });

export const submit = group('Transaction submit', {
  fields: {
    submit: section({
      minTipLamports: Type.String({
        pattern: '^(?:0|[1-9][0-9]{0,17})$',
        expects: 'lamports as a decimal string',
        default: '0',
        unit: 'lamports, as a decimal string',
        description: 'The least tip that a transaction posted to `/tx/v1/submit` must carry.',
        examples: ['1000000'],
      }),
      tipAccounts: PublicKeys({
        description: 'Addresses that a tip may go to; at least one when you ask for a tip.',
        default: [],
      }),
      underWayPerKey: Type.Integer({
        minimum: 1,
        maximum: 100_000,
        default: 500,
        unit: 'transactions',
        description:
          'How many submitted transactions of one key each copy follows at the same time. Further ones are answered with 429. All clients of a key that stands in pages count as one key, and so do all without a key; one client has a fifth of that.',
      }),
      underWay: Type.Integer({
        minimum: 1,
        maximum: 100_000,
        default: 5_000,
        unit: 'transactions',
        description:
          'How many submitted transactions each copy follows at the same time. Further ones are answered with 503. One key gets more only while as many are left for all others.',
      }),
      keepDays: Type.Integer({
        minimum: 1,
        maximum: 3_650,
        default: 7,
        unit: 'days',
        description:
          'How long a submitted transaction has a status after it has landed, failed or expired. Then its row is deleted, as are those of any other transaction which was sent and never landed, and of a trigger order whose deposit it was.',
      }),
    }),
  },
});
