import { type Address, MAX_TRANSACTION_SIZE } from '@slipway/wire';
import type { KeyName } from '../bare-keys.js';
import type {
  KeySource,
  MintFinder,
  Operated,
  Role,
  SecretKeeper,
  Signer,
  SignerHealth,
  WalletRotation,
} from '../signer.js';
import { SIGNER_STOPS, STOPPED, WHY } from '../stop-file.js';
import { type OwnWallets, ROTATION_STEPS, WALLET_ROLES, type WalletKeys } from '../wallet-keys.js';
import {
  amount,
  anything,
  bytes,
  date,
  finite,
  list,
  nullable,
  oneField,
  oneOf,
  optional,
  record,
  type Shape,
  type ShapeOf,
  text,
  whole,
} from './shapes.js';

/** Both sides speak the same version, or none. */
export const PROTOCOL = 4;

/** What whoever asks the signer may be: one of them, or several. */
export const callerRoles = ['api', 'keeper', 'operator', 'sandbox'] as const;
export type CallerRole = (typeof callerRoles)[number];

/** Everything that the service asks of its keys, in the process or behind the socket. */
export type KeyPort = Signer & WalletRotation & MintFinder & SecretKeeper & KeySource & Operated;

interface Method<P, R> {
  params: Shape<P>;
  result: Shape<R>;
  /** Whether a caller with these roles may ask for that. */
  may(roles: readonly CallerRole[], params: P): boolean;
  run(port: KeyPort, params: P, asking: { readonly signal: AbortSignal }): Promise<R>;
}

const method = <P, R>(row: Method<P, R>) => row;

const MOST_SECRET = 20_000;
/** Of a secret in UTF-8, with nonce and tag. */
const MOST_SEALED_BYTES = 64 * 1024;
const MOST_ROW_BYTES = 64 * 1024;
/** Of a transaction, or its message. */
const TRANSACTION = bytes(MAX_TRANSACTION_SIZE);
const ADDRESS = text<Address>(44, /^[1-9A-HJ-NP-Za-km-z]{32,44}$/, 'an address');
const KEY = text<KeyName>(
  60,
  /^(?:gas|maker|keeper|tracker|seal|(?:gas|keeper|tracker|vault):[1-9A-HJ-NP-Za-km-z]{32,44}|(?:login|mint|launch):(?:0|[1-9]\d{0,15}))$/,
  'the name of a key',
);
const PLACE = text(500);

const KEY_NUMBER = whole(0, 1_000);
const WalletKeysShape: Shape<WalletKeys> = record({
  oldest: KEY_NUMBER,
  current: KEY_NUMBER,
  newest: KEY_NUMBER,
  addresses: list(nullable(ADDRESS), 1_001),
});
const Wallets: Shape<OwnWallets> = record({
  gas: WalletKeysShape,
  keeper: WalletKeysShape,
  tracker: WalletKeysShape,
});

/** The keys that the work of each role is signed with, where their policies allow the transaction. */
const cosignedBy: Readonly<Record<CallerRole, readonly string[]>> = {
  api: ['gas', 'keeper', 'tracker', 'vault', 'mint', 'launch'],
  keeper: ['keeper', 'vault', 'mint'],
  operator: [],
  sandbox: [],
};

/** The keys that each role has sign without a policy: what the operator decides himself, and a sandbox. */
const signedBy: Readonly<Record<CallerRole, readonly string[]>> = {
  api: [],
  keeper: [],
  operator: ['gas', 'keeper', 'tracker', 'vault'],
  sandbox: ['maker', 'keeper'],
};

const kindOf = (key: string): string => key.split(':')[0]!;

const NUMBER = nullable(finite);
const NAME = text(100);

/** A trigger order as its seal covers it. */
const orderFields = {
  id: NAME,
  wallet: NAME,
  depositRequestId: NAME,
  vault: NAME,
  inputMint: NAME,
  outputMint: NAME,
  triggerMint: NAME,
  inputAccount: NAME,
  outputAccount: nullable(NAME),
  progress: record({ type: NAME, entry: record({ initial: amount }) }),
  triggerCondition: nullable(NAME),
  triggerPriceUsd: NUMBER,
  trailingBps: NUMBER,
  tpPriceUsd: NUMBER,
  slPriceUsd: NUMBER,
  slippageBps: NUMBER,
  tpSlippageBps: NUMBER,
  slSlippageBps: NUMBER,
  expiresAt: date,
};
const Order = record(orderFields);
const SealedOrder = record({ ...orderFields, seal: nullable(bytes(64)) });

const MOST_TOKEN = 1_000;
const MOST_TEXT = 2_000;

/** What a wallet has signed to log in. */
const LoginProof = oneField({
  message: record({ challenge: text(MOST_TEXT), signature: bytes(64) }),
  transaction: TRANSACTION,
});

/** What a wallet has signed to have an order, or the order that it changes. */
const SealProof = oneField({
  deposit: TRANSACTION,
  edit: record({
    before: SealedOrder,
    consent: optional(record({ signature: bytes(64), signedAt: whole(0, 8.64e15) })),
  }),
});

/** More than there are callers; with the longest reasons they fit into a frame. */
const MOST_STOPS = 100;
const State = record({
  fault: optional(text(MOST_TEXT)),
  warnings: list(text(MOST_TEXT), 8),
  stopped: list(record({ what: oneOf(...SIGNER_STOPS), why: WHY, by: optional(text(64)) }), MOST_STOPS),
}) as Shape<SignerHealth>;

const anybody = (): boolean => true;
const either =
  (...allowed: CallerRole[]) =>
  (given: readonly CallerRole[]): boolean =>
    given.some((role) => allowed.includes(role));

/** All that can be asked over the socket, by its name on the wire. */
export const methods = {
  /** The signer is there, and its wallets sign; and how it is. */
  state: method({
    params: record({}),
    result: State,
    may: anybody,
    run: async (port) => {
      const { stopped, ...state } = await port.state();
      return { fault: undefined, ...state, stopped: stopped.slice(0, MOST_STOPS) };
    },
  }),
  /** What is stopped in the copies, as the caller knows it; a caller takes back only what itself has said. */
  hearStops: method({
    params: record({ stopped: STOPPED }),
    result: STOPPED,
    may: either('api', 'keeper'),
    run: (port, { stopped }) => port.hearStops(stopped),
  }),
  /** Where its keys are, in words. */
  describe: method({
    params: record({}),
    result: record({ source: text(2_000) }),
    may: anybody,
    run: async (port) => ({ source: await port.describe() }),
  }),
  publicKey: method({
    params: record({ key: KEY }),
    result: ADDRESS,
    may: anybody,
    run: (port, { key }) => port.publicKey(key),
  }),
  /** The keys of the service's wallets, those from before included. */
  wallets: method({
    params: record({}),
    result: Wallets,
    may: anybody,
    run: async (port) => port.wallets(),
  }),
  /** A step towards the next key of a wallet. */
  rotate: method({
    params: record({ role: oneOf(...WALLET_ROLES), step: oneOf(...ROTATION_STEPS) }),
    result: Wallets,
    may: either('operator'),
    run: (port, { role, step }) => port.rotate(role, step),
  }),
  sign: method({
    params: record({ key: KEY, message: TRANSACTION }),
    result: bytes(64),
    may: (roles, { key }) => roles.some((role) => signedBy[role].includes(kindOf(key))),
    run: (port, { key, message }) => port.sign(key, message),
  }),
  cosign: method({
    params: record({
      keys: list(KEY, 8),
      message: TRANSACTION,
      order: optional(SealedOrder),
      request: optional(NAME),
    }),
    result: list(record({ address: ADDRESS, signature: bytes(64) }), 8),
    may: (roles, { keys, order }) =>
      roles.some(
        (role) =>
          keys.every((key) => cosignedBy[role].includes(kindOf(key))) && (order === undefined || role === 'keeper'),
      ),
    run: (port, { order, request, ...rest }) =>
      port.cosign({ ...rest, ...(order && { order }), ...(request !== undefined && { request }) }),
  }),
  issueLogin: method({
    params: record({ wallet: ADDRESS, proof: LoginProof, notBefore: whole(0, Number.MAX_SAFE_INTEGER) }),
    result: text(MOST_TOKEN),
    may: either('api'),
    run: (port, request) => port.issueLogin(request),
  }),
  sealOrder: method({
    params: record({ token: text(MOST_TOKEN), order: Order, proof: SealProof }),
    result: bytes(64),
    may: either('api'),
    run: (port, request) => port.sealOrder(request),
  }),
  sealRow: method({
    params: record({ row: bytes(MOST_ROW_BYTES) }),
    result: bytes(64),
    may: either('api', 'keeper'),
    run: (port, { row }) => port.sealRow(row),
  }),
  sealSecret: method({
    params: record({ text: text(MOST_SECRET), place: PLACE }),
    result: bytes(MOST_SEALED_BYTES),
    may: either('api', 'operator'),
    run: (port, { text: secret, place }) => port.secrets.seal(secret, place),
  }),
  openSecret: method({
    params: record({ sealed: bytes(MOST_SEALED_BYTES), place: PLACE }),
    result: optional(text(MOST_SECRET)),
    may: either('api', 'keeper', 'operator'),
    run: (port, { sealed, place }) => port.secrets.open(sealed, place),
  }),
  markSecret: method({
    params: record({ text: text(MOST_SECRET) }),
    result: bytes(32),
    may: either('api', 'operator'),
    run: (port, { text: secret }) => port.secrets.mark(secret),
  }),
  findMint: method({
    params: record({ suffix: text(5, /^[1-9A-HJ-NP-Za-km-z]+$/, 'the end of an address') }),
    result: whole(0, Number.MAX_SAFE_INTEGER),
    may: either('keeper'),
    run: (port, { suffix }, { signal }) => port.findMint(suffix, signal),
  }),
};

export type MethodName = keyof typeof methods;
export type ParamsOf<N extends MethodName> = ShapeOf<(typeof methods)[N]['params']>;
export type ResultOf<N extends MethodName> = ShapeOf<(typeof methods)[N]['result']>;

/** The first frame of a client. */
export const Hello = record({ slipwaySigner: whole(1, 1_000) });

const addresses = { gas: ADDRESS, maker: ADDRESS, keeper: ADDRESS, tracker: ADDRESS, seal: ADDRESS };
export const roleNames = Object.keys(addresses) as Role[];

/** The first frame of the signer: which caller it takes the client for, and the addresses of the service's roles. */
export const Welcome = record({
  slipwaySigner: whole(1, 1_000),
  caller: text(64),
  addresses: record<Record<Role, Shape<Address>>>(addresses),
});

const ID = whole(1, Number.MAX_SAFE_INTEGER);

/** Asks for something; or, with no method, that what was asked under this id be given up. */
export const Request = record({
  id: ID,
  method: optional(text(40)),
  params: optional(anything),
});

/**
 * Why something was not done. `refused`: this caller may not ask for it, or no policy allows it. `held`: not now, because a
 * limit is reached, or the operator of the signer has stopped it.
 */
export const errorCodes = ['malformed', 'unknown', 'refused', 'held', 'busy', 'failed', 'version'] as const;
export type SignerErrorCode = (typeof errorCodes)[number];

export const Failure = record({
  code: oneOf(...errorCodes),
  message: text(1_000),
  key: optional(text(200)),
  /** What a client may read of it. */
  told: optional(text(1_000)),
});
export type SignerFailure = ShapeOf<typeof Failure>;

/** The answer to the request with this id, either a result or an error. Without an id, it ends the connection. */
export const Answer = record({
  id: optional(ID),
  result: optional(anything),
  error: optional(Failure),
});
