import { keypairFromSeed } from '@slipway/wire';
import fc from 'fast-check';
import type { JsonSchema, OpenapiDocument, Operation } from './openapi-document.js';

export interface FuzzedRequest {
  path: string;
  query: [string, string][];
  body: unknown;
}

/** Logs in for the operations that need it. */
export const fuzzWallet = keypairFromSeed(new Uint8Array(32).fill(7));

/** Texts that are something to one operation or another. */
const KNOWN_TEXTS = [
  '3689w2jvV8jNiotumNZWaP7gmDnrNw8yPeXdfSy9wYx6',
  'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN',
  'So11111111111111111111111111111111111111112',
  '11111111111111111111111111111111',
  '8gMBNeKwXaoNi9bhbVUWFt4Uc5aobL9PeYMXfYDMePE2',
  '1'.repeat(64),
  'PLATFORM_TOKEN',
  'SOL',
  '00000000-0000-7000-8000-000000000000',
  ...['', ' ', '0', '-0', '-1', '1', '1.0', '1e3', '01', '18446744073709551615', '18446744073709551616', '٣'],
  ...[
    'true',
    'null',
    'NaN',
    'Infinity',
    '__proto__',
    'constructor',
    '\u0000',
    '\ufeff',
    "' or 1=1 --",
    '../../etc/passwd',
  ],
  '2026-01-01T00:00:00Z',
  '9999-12-31T23:59:60Z',
  'https://maker.example/rfq',
  'free',
];

const texts = fc.oneof(
  fc.constantFrom(...KNOWN_TEXTS),
  fc.string({ unit: 'binary', maxLength: 150 }),
  fc.base64String({ maxLength: 2_000 }),
  fc.string({
    unit: fc.constantFrom(...'123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'),
    minLength: 31,
    maxLength: 45,
  }),
);

const numbers = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, 1, 5e-324, Number.MAX_SAFE_INTEGER, Number.MAX_VALUE),
);

const ADDRESSES = KNOWN_TEXTS.slice(0, 5);

/** What gets past the first check of a field, by the field's name; other fields take any text. */
const fittingTexts: Record<string, fc.Arbitrary<string>> = {
  ...Object.fromEntries(
    [
      ...['senderAddress', 'tokenId', 'wallet', 'mint', 'address'],
      ...['inputMint', 'outputMint', 'triggerMint', 'taker', 'payer', 'receiver', 'closeAuthority', 'referralAccount'],
      ...['maker', 'order', 'orders', 'user', 'feeAccount', 'ownerWallet', 'poolAddress', 'quoteMint', 'creator'],
      ...['sender', 'inviteSigner', 'invitePDA'],
    ].map((name) => [name, fc.constantFrom(...ADDRESSES)]),
  ),
  excludeRouters: fc.constantFrom('metis', 'jupiterz', 'iris', 'okx,dflow'),
  mints: fc.array(fc.constantFrom(...ADDRESSES), { minLength: 1 }).map(String),
  query: fc.array(fc.constantFrom(...ADDRESSES, 'JUP', 'usd', 'Wrapped SOL'), { minLength: 1 }).map(String),
  ...Object.fromEntries(
    ['userAddress', 'userPubkey', 'walletPubkey'].map((name) => [name, fc.constant(fuzzWallet.address)]),
  ),
  amount: fc.bigInt(1n, 2n ** 64n - 1n).map(String),
  inputAmount: fc.bigInt(1n, 2n ** 64n - 1n).map(String),
  orderId: fc.uuid({ version: 7 }),
  makingAmount: fc.bigInt(1n, 2n ** 64n - 1n).map(String),
  takingAmount: fc.bigInt(1n, 2n ** 64n - 1n).map(String),
  expiredAt: fc.bigInt(1n, 2n ** 38n).map(String),
  slippageBps: fc.integer({ min: 0, max: 10_000 }).map(String),
  feeBps: fc.integer({ min: 0, max: 10_000 }).map(String),
  computeUnitPrice: fc.constantFrom('auto', '0', '1000'),
  orderStatus: fc.constantFrom('active', 'history'),
  page: fc.integer({ min: 1, max: 3 }).map(String),
  paymentAmount: fc.bigInt(1n, 2n ** 64n - 1n).map(String),
  paymentCurrency: fc.constantFrom('PLATFORM_TOKEN', 'JUP', 'SOL', 'USDC', 'JUPUSD', 'PLATFORM_STABLE'),
  tier: fc.constantFrom('free', 'developer', 'launch', 'pro', 'unlimited'),
  prefixes: fc.constantFrom('/', '/tx', '/tokens/v2/'),
  id: fc.uuid({ version: 7 }),
  requestId: fc.uuid({ version: 7 }),
  cursor: fc.uuid({ version: 7 }),
  signature: fc.constant('1'.repeat(64)),
  limit: fc.integer({ min: 1, max: 100 }).map(String),
  state: fc.constantFrom('reserved', 'pending', 'approved', 'rejected'),
  updatedAt: fc
    .date({ noInvalidDate: true, min: new Date('2020-01-01'), max: new Date('2026-01-01') })
    .map((d) => d.toISOString()),
  url: fc.webUrl(),
};

/** Mostly, but not always, a text that is right for the field. */
function textsOf(name: string): fc.Arbitrary<string> {
  const fitting = fittingTexts[name] ?? fc.string({ maxLength: 60 });
  return fc.oneof({ weight: 9, arbitrary: fitting }, { weight: 2, arbitrary: texts });
}

/** Values of the field `name` that mostly, but not always, are what its schema asks for. */
function valuesOf(name: string, schema: JsonSchema, document: OpenapiDocument): fc.Arbitrary<unknown> {
  const fitting = fittingValues(name, schema, document);
  return fc.oneof({ weight: 15, arbitrary: fitting }, { weight: 1, arbitrary: fc.jsonValue() });
}

function fittingValues(name: string, schema: JsonSchema, document: OpenapiDocument): fc.Arbitrary<unknown> {
  if (schema.$ref) {
    const { [schema.$ref.split('/').at(-1)!]: shared } = document.components.schemas;
    return fittingValues(name, shared!, document);
  }
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((member) => fittingValues(name, member, document)));
  switch ([schema.type].flat()[0]) {
    case 'object':
      return objectsOf(schema, document);
    case 'array':
      return fc.array(valuesOf(name, schema.items ?? {}, document), { maxLength: 3 });
    case 'string':
      return textsOf(name);
    case 'integer':
    case 'number':
      return fc.oneof(fc.integer({ min: 1, max: 10_000 }), fc.double({ min: 0.001, max: 1_000, noNaN: true }), numbers);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return fc.jsonValue();
  }
}

function objectsOf({ properties = {}, required = [] }: JsonSchema, document: OpenapiDocument): fc.Arbitrary<unknown> {
  const members = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, valuesOf(name, schema, document)]),
  );
  return fc.oneof(
    { weight: 9, arbitrary: fc.record(members, { requiredKeys: required }) },
    { weight: 1, arbitrary: fc.record(members, { requiredKeys: [] }) },
  );
}

/** Requests of one operation, with every parameter and every field of the body drawn at random. */
export function requestsOf(operation: Operation, document: OpenapiDocument): fc.Arbitrary<FuzzedRequest> {
  const parameters = operation.parameters ?? [];
  const inPath = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  // A client resolves the steps "." and ".." itself.
  const steps = inPath.map((name) => textsOf(name).filter((text) => !['', '.', '..'].includes(text)));
  const given = inQuery.map(({ name, required }) => {
    const pair = fc.tuple(fc.constant(name), textsOf(name));
    return fc.option(pair, { freq: required ? 15 : 2 });
  });
  const names = fc.constantFrom(...inQuery.map(({ name }) => name), 'other');
  const extra = fc.tuple(fc.oneof({ weight: 9, arbitrary: names }, { weight: 1, arbitrary: texts }), texts);
  const more = fc.oneof({ weight: 9, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: extra });
  const bodySchema = operation.requestBody?.content['application/json']?.schema;
  return fc.record({
    path: fc
      .tuple(...steps)
      .map((values) =>
        inPath.reduce(
          (path, name, index) => path.replace(`{${name}}`, encodeURIComponent(values[index]!)),
          operation.path,
        ),
      ),
    query: fc.tuple(...given, more).map((pairs) => pairs.filter((each) => each !== null) as [string, string][]),
    body: bodySchema ? valuesOf('body', bodySchema, document) : fc.constant(undefined),
  });
}
