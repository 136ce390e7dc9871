import { type CallbackSigner, type Client, createClient, type Signer, SOL } from '@slipway/client';
import {
  base58Decode,
  decodeTransaction,
  encodeTransaction,
  keypairFromSecret,
  sign,
  withSignature,
} from '@slipway/wire';
import { freshFolder, removeFolder } from './folders.js';
import { freePorts } from './ports.js';
import { startService } from './service.js';

/** The key of every sandbox that only this machine can reach. */
const SANDBOX_KEY = 'sandbox';
const PORT_TRIES = 10;

export interface StartOptions {
  /** Settings of the service, such as `SLIPWAY_FORK_URL`. */
  env?: Readonly<Record<string, string>>;
}

export interface AttachOptions {
  /** Where it runs; by default at `SLIPWAY_URL`, or else on this machine at `SLIPWAY_PORT`, or else at 8080. */
  url?: string;
  /** By default what `SLIPWAY_API_KEY` says, or `sandbox`. */
  apiKey?: string;
}

/** A sandbox that runs. */
export interface Sandbox {
  readonly url: string;
  readonly rpcUrl: string;
  readonly wsUrl: string;
  readonly apiKey: string;
  /** Mints by symbol. */
  readonly mints: { readonly SOL: string; readonly USDC: string; readonly [symbol: string]: string };
  /** The signers of its wallets, by name: alice, bob, carol, dave, erin. */
  readonly wallets: Readonly<Record<string, CallbackSigner>>;
  /** A client that acts for one of its wallets, by name, or for your own signer. */
  client(wallet?: string | Signer): Client;
  /** Gives a wallet, by name or address, SOL or tokens of a symbol or mint. In the smallest unit. */
  airdrop(wallet: string, amount: bigint, token?: string): Promise<void>;
  /** Moves the price of a token, by symbol or mint, in USD. Pools have followed when it resolves; orders see it after. */
  setPrice(token: string, usd: number): Promise<void>;
  /** Moves time forward; what is due then has run when it resolves. */
  advance(seconds: number): Promise<void>;
  /** The time of its chain, by which orders expire. */
  now(): Promise<Date>;
}

/** A sandbox of your own: nobody else sees its chain, its orders or its prices. */
export interface Slipway extends Sandbox {
  /** Goes back to the state of the start, at the same addresses. */
  reset(): Promise<void>;
  /** Ends it and removes its state. So does the end of the process. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts a sandbox on free ports, with a state of its own. The first start of a version prepares that state in
 * `node_modules/.cache`; later ones copy it.
 * @throws Error with the sentence that the service has ended with
 */
export async function startSlipway({ env = {} }: StartOptions = {}): Promise<Slipway> {
  let folder = await freshFolder(env);
  let service = await startOnFreePorts(folder, env);
  const sandbox = await attachSlipway({ url: service.url, apiKey: SANDBOX_KEY });
  const portOf = (url: string) => new URL(url).port;
  const ports = { SLIPWAY_PORT: portOf(sandbox.url), SLIPWAY_RPC_PORT: portOf(sandbox.rpcUrl) };
  const close = async () => {
    await service.end();
    await removeFolder(folder);
  };
  const reset = async () => {
    await close();
    folder = await freshFolder(env);
    service = await startService(folder, { ...env, ...ports });
  };
  return { ...sandbox, reset, close, [Symbol.asyncDispose]: close };
}

/** Starts it where it can start again; at other ports where somebody has taken one of them in the meantime. */
async function startOnFreePorts(folder: string, env: Readonly<Record<string, string>>) {
  for (let tries = 1; ; tries++) {
    const ports = await freePorts();
    const isOurs = Object.keys(ports).every((name) => env[name] === undefined);
    try {
      return await startService(folder, { ...ports, ...env });
    } catch (error) {
      if (tries === PORT_TRIES || !isOurs || !/already in use|is taken by/.test(String(error))) throw error;
    }
  }
}

/**
 * Uses a sandbox that runs already, such as one of `npx slipway`.
 * @throws Error where none answers
 */
export async function attachSlipway(options: AttachOptions = {}): Promise<Sandbox> {
  const { SLIPWAY_URL, SLIPWAY_PORT, SLIPWAY_API_KEY } = process.env;
  const { url = SLIPWAY_URL || `http://127.0.0.1:${SLIPWAY_PORT || 8080}`, apiKey = SLIPWAY_API_KEY || SANDBOX_KEY } =
    options;
  const { api } = createClient({ url, apiKey });
  const info = await api.get('/sandbox/info').catch((error: { code?: string }) => {
    if (error.code !== 'network') throw error;
    const advice = 'start one with "npx slipway", or say where it is: attachSlipway({ url }) or SLIPWAY_URL';
    throw new Error(`no sandbox answers at ${url}: ${advice}`);
  });
  const { rpcUrl, wsUrl } = info;
  const mints = Object.fromEntries(info.mints.map(({ symbol, mint }) => [symbol, mint])) as Sandbox['mints'];
  const wallets = Object.fromEntries(info.wallets.map(({ name, secretKey }) => [name, signerOf(secretKey)]));
  const mintOf = (token: string) => mints[token] ?? token;
  return {
    url,
    rpcUrl,
    wsUrl,
    apiKey,
    mints,
    wallets,
    client(wallet = 'alice') {
      const signer = typeof wallet === 'string' ? wallets[wallet] : wallet;
      if (!signer) throw new Error(`there is no wallet ${wallet}; there are ${Object.keys(wallets).join(', ')}`);
      return createClient({ url, apiKey, signer, rpcUrl, sandbox: true });
    },
    async airdrop(wallet, amount, token = SOL) {
      const address = wallets[wallet]?.address ?? wallet;
      await api.post('/sandbox/airdrop', { body: { wallet: address, amount: String(amount), mint: mintOf(token) } });
    },
    async setPrice(token, usd) {
      await api.post('/sandbox/prices', { body: { mint: mintOf(token), usd } });
    },
    async advance(seconds) {
      await api.post('/sandbox/clock', { body: { seconds } });
    },
    now: async () => new Date((await api.get('/sandbox/info')).unixTimestamp * 1_000),
  };
}

function signerOf(secretKey: string): CallbackSigner {
  const wallet = keypairFromSecret(base58Decode(secretKey)!);
  return {
    address: wallet.address,
    signTransaction(wire) {
      const transaction = decodeTransaction(wire);
      return encodeTransaction(withSignature(transaction, wallet.address, sign(wallet, transaction.message)));
    },
    signMessage: (message) => sign(wallet, message),
  };
}
