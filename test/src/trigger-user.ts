import assert from 'node:assert/strict';
import type { Answer as Documented, PriceOrder } from '@slipway/client';
import {
  type Address,
  associatedTokenAddress,
  decodeTokenAccount,
  generateKeypair,
  type Keypair,
  rentExemptLamports,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { eventually } from './rounds.js';
import { type Answer, request, type Service } from './service.js';
import { asWallet, logIn } from './trigger-wallet.js';
import { rpc, signTransaction } from './wallet.js';

export const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' as Address;
export const JUPUSD = 'JuprjznTrTSp2UFa3ZBUFgwdAmtZCq4MQCwysN55USD' as Address;
export const SOL = WRAPPED_SOL_MINT;
export const RENT = rentExemptLamports(165);
export const HOUR = 3_600_000;

export interface Refused {
  error: string;
  details?: Record<string, string>;
}

export type Deposit = Documented<'post', '/trigger/v2/deposit/craft'> & {
  inputTokenAccount: Address;
  outputTokenAccount?: Address;
};

export type Row = PriceOrder;

export type Created = Documented<'post', '/trigger/v2/orders/price'>;

/** A funded wallet that has logged in and has a vault. */
export interface User {
  service: Service;
  wallet: Keypair;
  token: string;
  vault: string;
}

export const airdrop = (service: Service, wallet: string, amount: bigint, mint?: string) =>
  request(`${service.url}/sandbox/airdrop`, { body: { wallet, amount: amount.toString(), mint } });

export async function newUser(service: Service): Promise<User> {
  const wallet = generateKeypair();
  await airdrop(service, wallet.address, 10_000_000_000n);
  await airdrop(service, wallet.address, 1_000_000_000n, USDC);
  const token = await logIn(service, wallet);
  const { vaultPubkey } = (await asWallet<{ vaultPubkey: string }>(service, token, '/vault/register')).body;
  return { service, wallet, token, vault: vaultPubkey };
}

export const post = <T>({ service, token }: User, path: string, body?: unknown) =>
  asWallet<T & Partial<Refused>>(service, token, path, { method: 'POST', ...(body !== undefined && { body }) });

export const depositBody = (user: Pick<User, 'wallet'> & Partial<User>, changes: Record<string, unknown> = {}) => ({
  inputMint: SOL,
  outputMint: USDC,
  userAddress: user.wallet.address,
  amount: '1000000000',
  orderType: 'price',
  orderSubType: 'single',
  ...changes,
});

export async function deposit(user: User, changes: Record<string, unknown> = {}): Promise<Deposit> {
  const { status, body } = await post<Deposit>(user, '/deposit/craft', depositBody(user, changes));
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

export const orderBody = (
  user: Pick<User, 'wallet'> & Partial<User>,
  crafted: Deposit,
  changes: Record<string, unknown> = {},
  signer = user.wallet,
) => ({
  orderType: 'single',
  depositRequestId: crafted.requestId,
  userPubkey: user.wallet.address,
  depositSignedTx: signTransaction(crafted.transaction, signer),
  inputMint: SOL,
  inputAmount: crafted.amount,
  outputMint: USDC,
  triggerMint: SOL,
  triggerCondition: 'above',
  triggerPriceUsd: 500,
  expiresAt: Date.now() + HOUR,
  ...changes,
});

export const OCO = {
  orderType: 'oco',
  triggerCondition: undefined,
  triggerPriceUsd: undefined,
  tpPriceUsd: 300,
  slPriceUsd: 90,
};

export async function create(user: User, crafted: Deposit, changes: Record<string, unknown> = {}): Promise<Created> {
  const { status, body } = await post<Created>(user, '/orders/price', orderBody(user, crafted, changes));
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

/** Whether the deposit has died before it was posted: nothing has moved, and its owner is told to make another one. */
export const hasDied = ({ status, body }: Answer<Partial<Refused>>): boolean =>
  status === 400 && /^Invalid signed deposit transaction: .*craft a new deposit/.test(body.error ?? '');

export async function newOrder(user: User): Promise<Created> {
  return create(user, await deposit(user));
}

export const rowOf = async (user: User, id: string) =>
  (await asWallet<Row>(user.service, user.token, `/orders/history/${id}`)).body;

export async function lamportsOf(service: Service, address: string): Promise<bigint> {
  return BigInt((await rpc<{ value: number }>(service, 'getBalance', address)).value);
}

/**
 * Waits until the wallet has just so many lamports: the rent of an order's account comes back a moment after its fill where
 * one before had failed, such as one that a machine which stood still had let die.
 */
export async function hasLamports({ service, wallet: { address } }: User, due: bigint): Promise<void> {
  await eventually(`${address} has ${due} lamports`, async () => {
    const lamports = await lamportsOf(service, address);
    assert.ok(lamports <= due, `${lamports} of ${due}`);
    return lamports === due || undefined;
  });
}

export async function tokensAt(
  service: Pick<Service, 'rpcUrl'>,
  address: Address,
): Promise<{ amount: bigint; owner: string; mint: string } | undefined> {
  const options = { encoding: 'base64' };
  const { value } = await rpc<{ value: { data: [string, string] } | null }>(
    service,
    'getAccountInfo',
    address,
    options,
  );
  return value ? decodeTokenAccount(Buffer.from(value.data[0], 'base64')) : undefined;
}

export const usdcOf = async ({ service, wallet }: User): Promise<bigint> =>
  (await tokensAt(service, associatedTokenAddress(wallet.address, USDC)))?.amount ?? 0n;

export async function feeOf(service: Service, signature: string): Promise<bigint> {
  const options = { maxSupportedTransactionVersion: 0 };
  const found = await rpc<{ meta: { fee: number; err: unknown } }>(service, 'getTransaction', signature, options);
  assert.equal(found.meta.err, null);
  return BigInt(found.meta.fee);
}

export async function cancel(user: User, id: string): Promise<{ transaction: string; requestId: string }> {
  const { status, body } = await post<{ transaction: string; requestId: string }>(user, `/orders/price/cancel/${id}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

export const confirm = (
  user: User,
  id: string,
  { transaction, requestId }: { transaction: string; requestId: string },
) =>
  post<{ txSignature: string }>(user, `/orders/price/confirm-cancel/${id}`, {
    signedTransaction: signTransaction(transaction, user.wallet),
    cancelRequestId: requestId,
  });

export const refuses = ({ status, body }: Answer<Partial<Refused>>, expected: number, says: RegExp, why = '') => {
  assert.equal(status, expected, `${why} ${JSON.stringify(body)}`);
  assert.match(`${body.error} ${JSON.stringify(body.details ?? '')}`, says, why);
};
