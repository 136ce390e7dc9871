import type { Answer } from '@slipway/client';
import {
  type Address,
  decodeTransaction,
  encodeTransaction,
  generateKeypair,
  type Keypair,
  sign,
  withSignature,
} from '@slipway/wire';
import { type Program, type Rig, startProgram } from './processes.js';

/** The key that works in a sandbox. */
export const API_KEY = 'sandbox';
/** What a verification costs: 1000 JUP in the smallest unit. */
const PRICE = 1_000_000_000n;
const LAMPORTS = 100_000_000_000n;
const EXPRESS = '/tokens/v2/verify/express';

export interface Service extends Program {
  url: string;
  rpcUrl: string;
}

/** The service on a sandbox, as `npm start` runs it, on free ports and with an embedded chain unless `env` says more. */
export async function startService(
  rig: Rig,
  dataDir: string,
  env: Record<string, string> = {},
  file = 'server/dist/bundle/start.js',
): Promise<Service> {
  const program = await startProgram(rig, {
    file,
    args: ['--quiet'],
    env: {
      SLIPWAY_PORT: '0',
      ...(env.SLIPWAY_RPC_URL === undefined && { SLIPWAY_RPC_PORT: '0' }),
      SLIPWAY_DATA_DIR: dataDir,
      SLIPWAY_LOG_LEVEL: 'warn',
      ...env,
    },
    ready: /is ready after[\s\S]*\n/,
  });
  const url = /API +(http\S+)/.exec(program.output)?.[1];
  const rpcUrl = /Chain +(http\S+)/.exec(program.output)?.[1];
  if (!url || !rpcUrl) throw new Error('the service does not say where it is');
  return { ...program, url, rpcUrl };
}

/** A call with the sandbox's key: POST where there is a body. Throws for every answer but 200. */
export async function call<T>(service: Service, path: string, body?: object): Promise<T> {
  const response = await fetch(`${service.url}${path}`, {
    headers: { 'x-api-key': API_KEY, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${text}`);
  return JSON.parse(text) as T;
}

/** New wallets, each with SOL for fees and the tokens for so many payments. */
export async function fundWallets(service: Service, count: number, payments: number): Promise<Keypair[]> {
  const { platformToken } = await call<{ platformToken: string }>(service, '/sandbox/info');
  const wallets = Array.from({ length: count }, generateKeypair);
  for (const { address: wallet } of wallets) {
    await call(service, '/sandbox/airdrop', { wallet, amount: LAMPORTS.toString() });
    const amount = PRICE * BigInt(payments);
    await call(service, '/sandbox/airdrop', { wallet, mint: platformToken, amount: amount.toString() });
  }
  return wallets;
}

export type Crafted = Answer<'get', '/tokens/v2/verify/express/craft-txn'>;

export const craftPath = (sender: Address): string => `${EXPRESS}/craft-txn?senderAddress=${sender}`;
export const EXECUTE_PATH = `${EXPRESS}/execute`;

export async function craft(service: Service, sender: Address): Promise<Crafted> {
  const crafted = await call<Crafted>(service, craftPath(sender));
  if (crafted.code !== 0) throw new Error(`craft answered code ${crafted.code}`);
  return crafted;
}

/** The body of an execute: a payment of `sender`, signed, for the token. */
export async function signedPayment(service: Service, sender: Keypair, tokenId: Address): Promise<object> {
  const { transaction, requestId } = await craft(service, sender.address);
  const { decoded: _, ...unsigned } = decodeTransaction(Buffer.from(transaction, 'base64'));
  const signed = withSignature(unsigned, sender.address, sign(sender, unsigned.message));
  return {
    transaction: Buffer.from(encodeTransaction(signed)).toString('base64'),
    requestId,
    senderAddress: sender.address,
    tokenId,
    twitterHandle: 'https://x.com/somebody',
    description: 'about the token',
  };
}

const MINTS_PER_CALL = 500;

/** Writes mints at fresh addresses, so that each payment verifies a token of its own. */
export async function newTokens(service: Service, count: number): Promise<Address[]> {
  const { platformToken } = await call<{ platformToken: string }>(service, '/sandbox/info');
  const [found] = await rpc<{ value: { lamports: number; owner: string; data: [string, string] } }>(service, [
    { method: 'getAccountInfo', params: [platformToken, { encoding: 'base64' }] },
  ]);
  const { lamports, owner, data } = found!.value;
  const account = { lamports, owner, executable: false, data: data[0] };
  const tokens = Array.from({ length: count }, () => generateKeypair().address);
  for (let from = 0; from < count; from += MINTS_PER_CALL) {
    const group = tokens.slice(from, from + MINTS_PER_CALL);
    await rpc(
      service,
      group.map((token) => ({ method: 'localnet_setAccount', params: [token, account] })),
    );
  }
  return tokens;
}

/** JSON-RPC calls to the service's chain, as one batch. */
export async function rpc<T>(service: Service, calls: { method: string; params: unknown[] }[]): Promise<T[]> {
  const response = await fetch(service.rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(calls.map((each, id) => ({ jsonrpc: '2.0', id, ...each }))),
  });
  const answers = (await response.json()) as { id: number; result: T; error?: { message: string } }[];
  return answers
    .sort((a, b) => a.id - b.id)
    .map(({ result, error }) => {
      if (error) throw new Error(`the chain answered: ${error.message}`);
      return result;
    });
}
