import type { Answer as Documented } from '@slipway/client';
import {
  type Address,
  associatedTokenAddress,
  base58Decode,
  decodeTokenAccount,
  decodeTransaction,
  encodeTransaction,
  generateKeypair,
  type Keypair,
  keypairFromSecret,
  sign,
  withSignature,
} from '@slipway/wire';
import { request, type Service } from './service.js';

export const JUP = 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN' as Address;
export const RECEIVER = '8gMBNeKwXaoNi9bhbVUWFt4Uc5aobL9PeYMXfYDMePE2' as Address;
/** What a verification costs, in the smallest unit. */
export const PRICE = 1_000_000_000n;

export interface Info {
  wallets: { name: string; address: Address; secretKey: string }[];
  mints: { symbol: string; mint: Address; decimals: number; usdPrice?: number }[];
  programs: { name: string; address: Address; standIn: boolean }[];
  unixTimestamp: number;
}

export async function infoOf(service: Service): Promise<Info> {
  return (await request<Info>(`${service.url}/sandbox/info`)).body;
}

export async function walletNamed(service: Service, name: string): Promise<Keypair> {
  const wallet = (await infoOf(service)).wallets.find((each) => each.name === name);
  if (!wallet) throw new Error(`the sandbox has no wallet ${name}`);
  return keypairFromSecret(base58Decode(wallet.secretKey)!);
}

/** A new wallet with so many lamports and JUP. */
export async function newWallet(service: Service, lamports = 1_000_000_000n, jup = 5n * PRICE): Promise<Keypair> {
  const wallet = generateKeypair();
  const drop = (amount: bigint, mint?: Address) =>
    request(`${service.url}/sandbox/airdrop`, { body: { wallet: wallet.address, amount: amount.toString(), mint } });
  if (lamports > 0n) await drop(lamports);
  if (jup > 0n) await drop(jup, JUP);
  return wallet;
}

/** The base64 transaction with these wallets' signatures added. */
export function signTransaction(base64: string, ...signers: Keypair[]): string {
  const { decoded: _, ...unsigned } = decodeTransaction(Buffer.from(base64, 'base64'));
  const signed = signers.reduce(
    (transaction, signer) => withSignature(transaction, signer.address, sign(signer, transaction.message)),
    unsigned,
  );
  return Buffer.from(encodeTransaction(signed)).toString('base64');
}

/** A JSON-RPC call to the chain, over HTTP like anybody's. */
export async function rpc<T>(service: Pick<Service, 'rpcUrl'>, method: string, ...params: unknown[]): Promise<T> {
  const response = await fetch(service.rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = (await response.json()) as { result: T; error?: { message: string } };
  if (error) throw new Error(error.message);
  return result;
}

export interface Balances {
  lamports: bigint;
  jup: bigint;
}

export async function balancesOf(service: Service, wallet: Address): Promise<Balances> {
  const addresses = [wallet, associatedTokenAddress(wallet, JUP)];
  const options = { encoding: 'base64' };
  type Accounts = { value: ({ lamports: number; data: [string, string] } | null)[] };
  const { value } = await rpc<Accounts>(service, 'getMultipleAccounts', addresses, options);
  const [account, tokens] = value;
  return {
    lamports: BigInt(account?.lamports ?? 0),
    jup: tokens ? decodeTokenAccount(Buffer.from(tokens.data[0], 'base64'))!.amount : 0n,
  };
}

export type Crafted = Documented<'get', '/tokens/v2/verify/express/craft-txn'>;

export type Executed = Documented<'post', '/tokens/v2/verify/express/execute'>;

const EXPRESS = '/tokens/v2/verify/express';

export async function craft(service: Service, sender: Address | string): Promise<Crafted> {
  const { status, body } = await request<Crafted>(`${service.url}${EXPRESS}/craft-txn?senderAddress=${sender}`);
  if (status !== 200) throw new Error(`craft answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

/** Posts a signed payment; `changes` replace fields of an otherwise right body. */
export function execute(service: Service, crafted: Crafted, sender: Keypair, changes: Record<string, unknown> = {}) {
  const body = {
    transaction: crafted.transaction === '' ? '' : signTransaction(crafted.transaction, sender),
    requestId: crafted.requestId,
    senderAddress: sender.address,
    tokenId: JUP,
    twitterHandle: 'https://x.com/somebody',
    description: 'about the token',
    ...changes,
  };
  return request<Executed & { message?: string; code?: number | string }>(`${service.url}${EXPRESS}/execute`, { body });
}

/** Of what carries a blockhash, at least. */
export const LIFE_MS = 50_000;

/** Whether the blockhash of a payment has died before it was sent, or before it landed. */
export const isDead = ({ code }: { code?: number | string }): boolean =>
  code === 'TRANSACTION_EXPIRED' || code === -1005;

/** Makes a mint at a fresh address, so that each test verifies a token of its own. */
export async function newToken(service: Service): Promise<Address> {
  const { address } = generateKeypair();
  const { value } = await rpc<{ value: { lamports: number; owner: string; data: [string, string] } }>(
    service,
    'getAccountInfo',
    JUP,
    { encoding: 'base64' },
  );
  const account = { lamports: value.lamports, owner: value.owner, executable: false, data: value.data[0] };
  await rpc(service, 'localnet_setAccount', address, account);
  return address;
}
