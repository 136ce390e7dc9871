import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer as Documented, SwapOrder } from '@slipway/client';
import {
  type Address,
  associatedTokenAddress,
  compileMessage,
  decodeTokenAccount,
  decodeTransaction,
  encodeTransaction,
  type Instruction,
  type Keypair,
  sign,
  unsignedTransaction,
  WRAPPED_SOL_MINT,
  withSignature,
} from '@slipway/wire';
import { type Answer, request, type Service } from './service.js';
import { rpc, signTransaction } from './wallet.js';

export const SOL = WRAPPED_SOL_MINT;
export const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' as Address;
export const JUPUSD = 'JuprjznTrTSp2UFa3ZBUFgwdAmtZCq4MQCwysN55USD' as Address;

const ROUTERS_PATIENCE_MS = 30_000;

export type Order = SwapOrder;

export type Execution = Documented<'post', '/ultra/v1/execute'>;

export type OrderParameters = Record<string, string | number | bigint | undefined>;

/** `GET /ultra/v1/order` with these parameters, whatever they are. */
export function askOrder(service: Service, parameters: OrderParameters): Promise<Answer<Order>> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, String(value));
  return request<Order>(`${service.url}/ultra/v1/order?${query}`);
}

/** The same, asked again, as a client does, where a router had no time for it. */
export async function askOrderAgain(service: Service, parameters: OrderParameters): Promise<Answer<Order>> {
  const until = Date.now() + ROUTERS_PATIENCE_MS;
  let answer = await askOrder(service, parameters);
  while (answer.status === 503 && Date.now() < until) {
    await sleep(Number(answer.headers.get('retry-after')) * 1_000);
    answer = await askOrder(service, parameters);
  }
  return answer;
}

/** An order that must be answered. */
export async function order(service: Service, parameters: OrderParameters): Promise<Order> {
  const { status, body } = await askOrderAgain(service, parameters);
  if (status !== 200) throw new Error(`order answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

export function postExecute(service: Service, body: Record<string, unknown>): Promise<Answer<Execution>> {
  return request<Execution>(`${service.url}/ultra/v1/execute`, { body });
}

/** Signs the order's transaction and posts it. */
export async function executeOrder(service: Service, made: Order, ...signers: Keypair[]): Promise<Execution> {
  if (!made.transaction) throw new Error(`nothing to sign: ${JSON.stringify(made)}`);
  const signedTransaction = signTransaction(made.transaction, ...signers);
  const { body } = await postExecute(service, { signedTransaction, requestId: made.requestId });
  return body;
}

/** Of the wallet's associated token account; 0 where there is none. */
export async function tokensOf(service: Pick<Service, 'rpcUrl'>, wallet: string, mint: Address): Promise<bigint> {
  return tokensIn(service, associatedTokenAddress(wallet as Address, mint));
}

export async function tokensIn(service: Pick<Service, 'rpcUrl'>, account: Address): Promise<bigint> {
  type Found = { value: { data: [string, string] } | null };
  const { value } = await rpc<Found>(service, 'getAccountInfo', account, {
    encoding: 'base64',
    commitment: 'confirmed',
  });
  return value ? decodeTokenAccount(Buffer.from(value.data[0], 'base64'))!.amount : 0n;
}

export async function lamportsOf(service: Pick<Service, 'rpcUrl'>, wallet: string): Promise<bigint> {
  const { value } = await rpc<{ value: number }>(service, 'getBalance', wallet, { commitment: 'confirmed' });
  return BigInt(value);
}

export async function airdrop(service: Service, wallet: string, amount: bigint, mint?: Address): Promise<void> {
  const body = { wallet, amount: amount.toString(), mint };
  const { status, body: answer } = await request(`${service.url}/sandbox/airdrop`, { body });
  if (status !== 200) throw new Error(`airdrop answered ${status}: ${JSON.stringify(answer)}`);
}

export async function setPrice(service: Pick<Service, 'url'>, mint: Address, usd: number): Promise<void> {
  const { status, body } = await request(`${service.url}/sandbox/prices`, { body: { mint, usd } });
  if (status !== 200) throw new Error(`prices answered ${status}: ${JSON.stringify(body)}`);
}

/** Sends instructions of a wallet's own and waits until they are confirmed. */
export async function send(service: Service, payer: Keypair, instructions: Instruction[]): Promise<void> {
  const { value } = await rpc<{ value: { blockhash: string } }>(service, 'getLatestBlockhash');
  const message = compileMessage({ version: 0, feePayer: payer.address, instructions, blockhash: value.blockhash });
  const { decoded: _, ...unsigned } = decodeTransaction(unsignedTransaction(message));
  const wire = encodeTransaction(withSignature(unsigned, payer.address, sign(payer, message)));
  await rpc(service, 'sendTransaction', Buffer.from(wire).toString('base64'), { encoding: 'base64' });
}
