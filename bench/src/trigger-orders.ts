import {
  base58Encode,
  decodeTransaction,
  encodeTransaction,
  generateKeypair,
  type Keypair,
  sign,
  WRAPPED_SOL_MINT,
  withSignature,
} from '@slipway/wire';
import type { Fleet } from './fleet.js';
import { API_KEY, call, type Service } from './service.js';

const TRIGGER = '/trigger/v2';
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
/** A little more than 10 USD of SOL at 150 USD. */
const AMOUNT = '66800000';
/** So that the liquidity is enough for thousands at once. */
const SLIPPAGE_BPS = 300;
const LAMPORTS = 100_000_000_000n;
const DAY_MS = 86_400_000;
const WALLETS = 40;
const CREATORS = 8;

/** A wallet that has logged in at one of the copies, and has a vault. */
interface Owner {
  wallet: Keypair;
  service: Service;
  token: string;
}

/** Sets the price of SOL, and moves the pools to it. */
export const setPrice = ({ apis }: Fleet, usd: number) =>
  call(apis[0]!, '/sandbox/prices', { mint: WRAPPED_SOL_MINT, usd });

/** Opens so many orders of 10 USD through the API, each with its own deposit: SOL for USDC at `usd` and above. */
export async function openOrders({ apis }: Fleet, count: number, usd: number): Promise<void> {
  const owners: Owner[] = [];
  for (let index = 0; index < Math.min(WALLETS, count); index++) {
    owners.push(await newOwner(apis[index % apis.length]!));
  }
  let next = 0;
  const openSome = async () => {
    for (let index = next++; index < count; index = next++) await openOrder(owners[index % owners.length]!, usd);
  };
  await Promise.all(Array.from({ length: CREATORS }, openSome));
}

async function newOwner(service: Service): Promise<Owner> {
  const wallet = generateKeypair();
  const walletPubkey = wallet.address;
  await call(service, '/sandbox/airdrop', { wallet: walletPubkey, amount: LAMPORTS.toString() });
  const { challenge } = await call<{ challenge: string }>(service, `${TRIGGER}/auth/challenge`, {
    walletPubkey,
    type: 'message',
  });
  const signature = base58Encode(sign(wallet, Buffer.from(challenge)));
  const login = { walletPubkey, type: 'message', signature };
  const { token } = await call<{ token: string }>(service, `${TRIGGER}/auth/verify`, login);
  const owner = { wallet, service, token };
  await callAs(owner, '/vault/register');
  return owner;
}

async function openOrder(owner: Owner, usd: number): Promise<void> {
  const mints = { inputMint: WRAPPED_SOL_MINT, outputMint: USDC };
  const userPubkey = owner.wallet.address;
  const deposit = await callAs<{ transaction: string; requestId: string }>(owner, '/deposit/craft', {
    ...mints,
    userAddress: userPubkey,
    amount: AMOUNT,
    orderType: 'price',
    orderSubType: 'single',
  });
  const { decoded: _, ...unsigned } = decodeTransaction(Buffer.from(deposit.transaction, 'base64'));
  const signed = withSignature(unsigned, userPubkey, sign(owner.wallet, unsigned.message));
  await callAs(owner, '/orders/price', {
    ...mints,
    orderType: 'single',
    depositRequestId: deposit.requestId,
    userPubkey,
    inputAmount: AMOUNT,
    depositSignedTx: Buffer.from(encodeTransaction(signed)).toString('base64'),
    triggerMint: WRAPPED_SOL_MINT,
    triggerCondition: 'above',
    triggerPriceUsd: usd,
    slippageBps: SLIPPAGE_BPS,
    expiresAt: Date.now() + DAY_MS,
  });
}

async function callAs<T>({ service, token }: Owner, path: string, body?: object): Promise<T> {
  const response = await fetch(`${service.url}${TRIGGER}${path}`, {
    headers: {
      'x-api-key': API_KEY,
      authorization: `Bearer ${token}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${text}`);
  return JSON.parse(text) as T;
}
