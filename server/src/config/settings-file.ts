import { readFileSync } from 'node:fs';
import { isAddress } from '@slipway/wire';
import { Ajv, type ErrorObject } from 'ajv';
import { type Static, type TProperties, Type } from 'typebox';
import { describeViolation } from '../errors/index.js';
import { ConfigError } from './config-error.js';
import { nearest } from './nearest.js';

const closed = <T extends TProperties>(properties: T) =>
  Type.Partial(Type.Object(properties), { additionalProperties: false });

const Token = Type.Object(
  {
    symbol: Type.String({ minLength: 1, maxLength: 10 }),
    mint: Type.String({ format: 'address' }),
    decimals: Type.Integer({ minimum: 0, maximum: 18 }),
  },
  { additionalProperties: false },
);

const Tier = Type.Object(
  { perMinute: Type.Integer({ minimum: 1 }), executePer10s: Type.Integer({ minimum: 1 }) },
  { additionalProperties: false },
);

const Mint = Type.String({ format: 'address' });
const Bps = Type.Integer({ minimum: 0, maximum: 255 });
const ListedToken = Type.Object(
  {
    mint: Mint,
    symbol: Type.String({ minLength: 1, maxLength: 32 }),
    name: Type.String({ minLength: 1, maxLength: 100 }),
    icon: Type.Optional(Type.String({ maxLength: 500 })),
    tags: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 32 }), { maxItems: 20 })),
  },
  { additionalProperties: false },
);

/** What `slipway.config.json` may hold. */
export const SettingsFile = closed({
  $schema: Type.String(),
  tokens: closed({ platform: Token, stable: Token, usdc: Token }),
  express: closed({ receiver: Type.String({ format: 'address' }), gasless: Type.Boolean() }),
  fees: closed({
    percentile: Type.Number({ minimum: 0, maximum: 100 }),
    maxMicroLamports: Type.Integer({ minimum: 0 }),
  }),
  tiers: Type.Record(Type.String({ pattern: '^[a-z][a-z0-9-]*$' }), Tier, { additionalProperties: false }),
  swap: closed({
    budgetMs: Type.Integer({ minimum: 10, maximum: 10_000 }),
    gasless: Type.Boolean(),
    feeReceiver: Mint,
    feeBps: closed({
      newToken: Bps,
      buyPlatform: Bps,
      pegged: Bps,
      solStable: Bps,
      lstStable: Bps,
      other: Bps,
    }),
    stables: Type.Array(Mint, { uniqueItems: true }),
    lsts: Type.Array(Mint, { uniqueItems: true }),
    blueChips: Type.Array(Mint, { uniqueItems: true }),
    pools: Type.Array(Mint, { uniqueItems: true }),
    lookupTables: Type.Array(Mint, { uniqueItems: true, maxItems: 10 }),
  }),
  programs: closed({ router: Mint, orderEngine: Mint, limitOrder: Mint, invite: Mint, tokenSwap: Mint }),
  prices: closed({
    feeds: Type.Record(
      Type.String({ pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$' }),
      Type.String({ pattern: '^(?:0x)?[0-9a-f]{64}$' }),
      {
        additionalProperties: false,
      },
    ),
    maxAgeSeconds: Type.Integer({ minimum: 1 }),
    maxConfidenceBps: Type.Integer({ minimum: 1, maximum: 10_000 }),
  }),
  scores: closed({
    games: Type.Record(
      Type.String({ pattern: '^[^\\u0000,\\p{Cs}]{1,200}$' }),
      Type.String({ minLength: 1, maxLength: 200 }),
      { additionalProperties: false },
    ),
  }),
  studio: closed({
    feeClaimer: Mint,
    mintSuffix: Type.String({ pattern: '^[1-9A-HJ-NP-Za-km-z]{1,6}$', description: '1 to 6 characters of base58' }),
  }),
  uploads: closed({
    maxImageBytes: Type.Integer({ minimum: 1_024, maximum: 50 * 1024 * 1024 }),
    urlSeconds: Type.Integer({ minimum: 60, maximum: 7 * 24 * 60 * 60 }),
  }),
  tokenList: Type.Array(ListedToken),
  submit: closed({
    minTipLamports: Type.String({ pattern: '^(?:0|[1-9][0-9]{0,17})$', description: 'lamports as a decimal string' }),
    tipAccounts: Type.Array(Type.String({ format: 'address' }), { uniqueItems: true }),
  }),
});

export type Settings = Static<typeof SettingsFile>;

/** Reads and checks the file at `path`. Where `required` is false, a missing file is an empty one. */
export function readSettingsFile(path: string, required: boolean): Settings {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'ENOENT' && !required) return {};
    throw new ConfigError(`${path} cannot be read (${code ?? 'unknown error'})`);
  }
  let settings: unknown;
  try {
    settings = JSON.parse(text);
  } catch {
    throw new ConfigError(`${path} is not valid JSON`);
  }
  checkSettings(settings, path);
  return settings;
}

function checkSettings(settings: unknown, path: string): asserts settings is Settings {
  const ajv = new Ajv({ strict: true, strictTypes: false, verbose: true });
  ajv.addFormat('address', isAddress);
  if (ajv.validate(SettingsFile, settings)) return;
  const violations = ajv.errors ?? [];
  const unknown = violations.find(({ keyword }) => keyword === 'additionalProperties');
  if (unknown) throw new ConfigError(`${path}: ${describeUnknownField(unknown)}`);
  const { field, expected } = describeViolation(violations, 'the whole');
  throw new ConfigError(`${path}: ${field}: ${expected}`);
}

function describeUnknownField({ instancePath, params, parentSchema }: ErrorObject): string {
  const path = instancePath.split('/').slice(1);
  const field = String(params.additionalProperty);
  const known = Object.keys((parentSchema?.properties ?? {}) as object);
  const guess = nearest(field, known);
  const hint = guess === undefined ? '' : `; did you mean ${[...path, guess].join('.')}?`;
  return `${[...path, field].join('.')} is not a known field${hint}`;
}
