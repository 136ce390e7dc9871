import { type Address, address } from '@slipway/wire';
import { type Static, Type } from 'typebox';
import {
  type About,
  Bps,
  Choice,
  group,
  HeaderText,
  HttpUrl,
  List,
  PublicKey,
  PublicKeys,
  SecureUrl,
  section,
} from './kinds.js';

const TokenFields = {
  symbol: Type.String({ minLength: 1, maxLength: 10, description: '1 to 10 characters' }),
  mint: PublicKey({ description: 'its mint address' }),
  decimals: Type.Integer({ minimum: 0, maximum: 18, description: 'as the mint has them' }),
};
const Token = (about: About<TokenConfig>) => Type.Object(TokenFields, { additionalProperties: false, ...about });

export type TokenConfig = Readonly<Static<Type.TObject<typeof TokenFields>>>;

const ListedToken = Type.Object(
  {
    mint: PublicKey({ description: 'its mint address' }),
    symbol: Type.String({ minLength: 1, maxLength: 32, description: '1 to 32 characters' }),
    name: Type.String({ minLength: 1, maxLength: 100, description: '1 to 100 characters' }),
    icon: Type.Optional(Type.String({ maxLength: 500, description: 'URL of an image (optional)' })),
    tags: Type.Array(Type.String({ minLength: 1, maxLength: 32 }), {
      maxItems: 20,
      default: [],
      description: 'up to 20 words (optional)',
    }),
  },
  { additionalProperties: false },
);

export const tokens = group('Tokens', {
  notes: 'Give a token whole or not at all.',
  fields: {
    tokens: section({
      platform: Token({
        description: 'The payment token.',
        default: { symbol: 'JUP', mint: address('JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN'), decimals: 6 },
      }),
      stable: Token({
        description: 'The stable token that you issue.',
        default: { symbol: 'JUPUSD', mint: address('JuprjznTrTSp2UFa3ZBUFgwdAmtZCq4MQCwysN55USD'), decimals: 6 },
      }),
      usdc: Token({
        description: 'USDC.',
        default: { symbol: 'USDC', mint: address('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'), decimals: 6 },
      }),
    }),
    tokenList: Type.Array(ListedToken, {
      default: [],
      description: 'Tokens that search knows and calls verified, beside the configured ones.',
    }),
  },
});

export const priceSources = ['fixed', 'simulated', 'hermes', 'pools'] as const;

/** Rules of prices by pools that orders of users may use. */
export const PoolPriceRules = section({
  leastDepthUsd: Type.Number({
    minimum: 0,
    maximum: 1e12,
    default: 10_000,
    unit: 'USD',
    description:
      'What the pools of a token must hold on their lesser side, so that [trigger orders](price-safety.md) may use its price. With less, an order is refused when it is made, and open ones do not fire.',
  }),
  everySeconds: Type.Number({
    minimum: 0.1,
    maximum: 3_600,
    default: 5,
    unit: 'seconds',
    description:
      'The mean time between two observations of a price by pools; each comes at a random moment after half of it to one and a half.',
  }),
  mustHold: Type.Integer({
    minimum: 2,
    maximum: 1_000,
    default: 7,
    unit: 'observations',
    description:
      'How many observations a new price must hold through until orders use it: they use the median of twice as many less one.',
  }),
  maxMoveBpsPerMinute: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 2_000,
    unit: 'basis points a minute',
    description: 'The most by which the price that orders use goes up; down, it goes by the same factor.',
  }),
  maxDisagreementBps: Type.Integer({
    minimum: 1,
    maximum: 10_000,
    default: 500,
    unit: 'basis points of the lower price',
    description:
      'The most by which a pool and the other pools of its token may differ, where those hold `leastDepthUsd` as well. While they differ more, no order uses their price.',
  }),
});

export const prices = group('Prices', {
  notes: [
    'Fixed and simulated prices live in the database, so that all copies have the same, and never get old. A simulated price moves by up to 0.2 % every five seconds, and the pools and makers of the sandbox with it; USDC and stable tokens do not drift.',
    'A price of Hermes is as old as its publish time says. If it is too old or too uncertain, the next source answers, but never the pools: they price only tokens that have no feed.',
    'Trigger orders use prices of pools under the rules of `prices.pools`; [price safety](price-safety.md) tells what they are worth.',
  ].join('\n\n'),
  variables: {
    SLIPWAY_PRICES: List(Choice(priceSources, { description: '' }), {
      description:
        'Price sources, the preferred one first. `fixed`: prices that stand still until `POST /sandbox/prices` moves them; `simulated`: the same, drifting; both in a sandbox only. `hermes`: the HTTP API of Pyth, for the mints in `prices.feeds`. `pools`: what the pools say.',
      byMode: { sandbox: ['fixed', 'pools'], production: ['hermes', 'pools'] },
    }),
    SLIPWAY_HERMES_KEY: Type.Optional(
      HeaderText({
        description: 'Hermes API key, sent as a bearer token. Required by the public service.',
        defaultText: 'none',
        secret: true,
      }),
    ),
    SLIPWAY_HERMES_URL: HttpUrl({
      description: 'Where the Hermes API of Pyth is.',
      default: 'https://hermes.pyth.network',
    }),
  },
  fields: {
    prices: section({
      feeds: Type.Record(
        Type.String({ pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$' }),
        Type.String({ pattern: '^(?:0x)?[0-9a-f]{64}$', expects: 'a feed id of 64 hex digits' }),
        {
          additionalProperties: false,
          default: {},
          description: 'The Pyth feed id (64 hex digits) of each mint.',
        },
      ),
      maxAgeSeconds: Type.Integer({
        minimum: 1,
        default: 60,
        unit: 'seconds',
        description: 'An older price counts as none.',
      }),
      maxConfidenceBps: Type.Integer({
        minimum: 1,
        maximum: 10_000,
        default: 100,
        unit: 'basis points of the price',
        description: 'A price with a wider confidence interval counts as none.',
      }),
      pools: PoolPriceRules,
    }),
  },
});

export const FeeBps = section({
  newToken: Bps({ description: 'Where a token of no class is known to be younger than 24 hours.', default: 50 }),
  buyPlatform: Bps({ description: 'Where the platform token is bought with SOL or a stable token.', default: 0 }),
  pegged: Bps({ description: 'Stable for stable, or liquid-staked SOL for liquid-staked SOL.', default: 0 }),
  solStable: Bps({ description: 'SOL for stable, or back.', default: 2 }),
  lstStable: Bps({ description: 'Liquid-staked SOL for stable, or back.', default: 5 }),
  other: Bps({ description: 'Every other pair.', default: 10 }),
});

export const Swap = section({
  budgetMs: Type.Integer({
    minimum: 10,
    maximum: 10_000,
    default: 400,
    unit: 'milliseconds',
    description: 'How long all routers together have for a quote. A later one is left out.',
  }),
  gasless: Type.Boolean({
    byMode: { sandbox: true, production: false },
    description:
      '`true`: the gas wallet pays for takers who hold less than 0.01 SOL, in swaps of about 10 USD and more.',
  }),
  feeReceiver: Type.Optional(
    PublicKey({
      description:
        'The wallet whose associated token accounts get the default fee. Where the account for a token does not exist, no fee is taken in it.',
      defaultText: 'the gas wallet',
    }),
  ),
  feeBps: FeeBps,
  stables: PublicKeys({ description: 'Mints that count as stable, beside USDC and your stable token.', default: [] }),
  lsts: PublicKeys({ description: 'Mints of liquid-staked SOL.', default: [] }),
  blueChips: PublicKeys({ description: 'Mints that a fee is taken in rather than in others.', default: [] }),
  pools: PublicKeys({ description: 'Pools to route over, beside those that are found on the chain.', default: [] }),
  foundMints: section({
    forOrders: Type.Integer({
      minimum: 1,
      maximum: 100_000,
      default: 500,
      description:
        'Where the RPC does not list all pools: the most tokens of open trigger orders whose pools are found, those of the oldest orders first. What clients ask for does not count here.',
    }),
    forClients: Type.Integer({
      minimum: 10,
      maximum: 100_000,
      default: 100,
      description: 'The same for tokens that clients ask for; the least recently requested are dropped first.',
    }),
  }),
  lookupTables: PublicKeys({
    maxItems: 10,
    default: [],
    description:
      'Address lookup tables with the accounts of your pools, beside those that the keeper makes; a sandbox has one of its own. Without one, routes of two hops and more seldom fit into a transaction.',
  }),
  tableBudgetSol: Type.Number({
    minimum: 0,
    maximum: 1_000,
    byMode: { sandbox: 1, production: 0 },
    unit: 'SOL a day (UTC)',
    description:
      'What the keeper wallet may spend on [lookup tables for the routes that are asked for](swaps.md#lookup-tables), all copies together. 0: it makes none.',
  }),
});

export const triggerOrders = group('Trigger orders', {
  fields: {
    triggerOrders: section({
      maxBelowFairBps: Type.Integer({
        minimum: 0,
        maximum: 10_000,
        default: 3_000,
        unit: 'basis points',
        description:
          'The most that a fill may lose against the prices of what it sells and buys, whatever slippage its order accepts.',
      }),
      maxUnsignedSlippageBps: Type.Integer({
        minimum: 0,
        maximum: 10_000,
        default: 2_000,
        unit: 'basis points',
        description:
          'The most slippage that a login alone may have an order accept: an edit that raises it beyond this, or that moves the trigger of an order which accepts more, wants a [signature of the wallet](trigger-orders.md#edits-that-the-wallet-signs). Orders without a slippage of their own accept 2000 for stops, and 1000 at most otherwise, which counts here.',
      }),
    }),
  },
});

export const swap = group('Swaps', {
  notes:
    'The default fee is the first of `swap.feeBps` that applies to the pair: `newToken`, `buyPlatform`, `pegged`, `solStable`, `lstStable`, `other`.',
  fields: { swap: Swap },
});

const service = (company: string, url: string) =>
  SecureUrl({ description: `Where the API of ${company} is.`, default: url });
const credential = (description: string) =>
  Type.Optional(HeaderText({ description, defaultText: 'none', secret: true }));

export const services = group('Routing services of other companies', {
  notes: 'See [swaps](swaps.md) for what is taken of their answers.',
  variables: {
    SLIPWAY_DFLOW_API_KEY: credential('Key of the swap API of DFlow. With it, the router `dflow` is asked.'),
    SLIPWAY_DFLOW_URL: service('DFlow', 'https://quote-api.dflow.net'),
    SLIPWAY_OKX_API_KEY: credential(
      'Key of the DEX API of OKX. With all three of its credentials, the router `okx` is asked.',
    ),
    SLIPWAY_OKX_SECRET_KEY: credential('The secret of the key, which signs each request.'),
    SLIPWAY_OKX_PASSPHRASE: credential('The passphrase of the key.'),
    SLIPWAY_OKX_URL: service('OKX', 'https://web3.okx.com'),
  },
});

/** The addresses of `tokenList` are typed by the table. */
export type ListedToken = Readonly<Static<typeof ListedToken>> & { readonly mint: Address };
