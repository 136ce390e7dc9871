import { startLocalnet } from '@slipway/localnet';
import {
  flashFillOrder,
  LIMIT_ORDER_ADDRESSES,
  limitOrderFeeAccount,
  limitOrderPrice,
  preFlashFillOrder,
} from '@slipway/programs';
import {
  type Address,
  associatedTokenAddress,
  createAssociatedTokenIdempotent,
  decodeTokenAccount,
  decodeTransaction,
  encodeTransaction,
  generateKeypair,
  type Instruction,
  type Keypair,
  sign,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
  withSignature,
} from '@slipway/wire';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createChain, createLocalRpc } from '../../chain/index.js';
import { craftTransaction } from '../../crafting/transaction.js';
import { startTestServer } from '../../http/testing.js';
import {
  createLimitOrderIndex,
  type LimitOrderIndex,
  type LimitOrderIndexDeps,
  type OpenOrder,
  readOpenOrders,
} from '../../indexes/limit-orders/index.js';
import { Landing } from '../../landing/index.js';
import { createClock, steadyNow } from '../../lib/clock.js';
import { PATIENCE_MS } from '../../lib/testing.js';
import { JUP, testSigner, USD, USDC } from '../../sandbox/maker/testing.js';
import { findRequest, insertCrafted } from '../../store/ledger.js';
import { openAnyStore } from '../../store/testing.js';
import { registerTriggerV1, type TriggerV1Deps } from './index.js';
import type { TriggerOrder } from './schema.js';

export { JUP, SOL, USDC } from '../../sandbox/maker/testing.js';

export const JUPUSD = 'JuprjznTrTSp2UFa3ZBUFgwdAmtZCq4MQCwysN55USD' as Address;
/** What the index of orders writes. */
export const ORDER_TABLES = ['limit_orders', 'limit_order_events', 'index_cursors', 'index_unread'];

/** The sandbox's chain, and the area behind HTTP. */
export async function openTriggerWorld() {
  const log = pino({ level: 'silent' });
  const net = await startLocalnet({ rpcPort: 0 });
  const rpc = createLocalRpc((method, params) => net.call(method, params));
  const clock = createClock();
  const chain = createChain({ rpc, steadyNow, fees: { percentile: 50, maxMicroLamports: 1_000_000n } });
  const store = await openAnyStore();
  const signer = testSigner();
  const landing = new Landing({
    store,
    clock,
    steadyNow,
    chain,
    signer,
    log,
    sendRpcs: [rpc],
    settlements: {},
    observe: () => {},
  });
  const addresses = LIMIT_ORDER_ADDRESSES;
  const usd = (mint: Address) => (mint === JUPUSD ? 1 : USD.get(mint));
  const indexes: LimitOrderIndex[] = [];
  /** Another index of the same orders, as in another instance of the service or after a restart. */
  const newIndex = (changes: Partial<LimitOrderIndexDeps> = {}) => {
    const deps = { store, chain, addresses, clock, steadyNow, log, registry: new Registry(), ...changes };
    const index = createLimitOrderIndex(deps);
    indexes.push(index);
    return index;
  };
  const deps: TriggerV1Deps = {
    store,
    clock,
    log,
    chain,
    landing,
    addresses,
    index: newIndex(),
    longestWaitMs: PATIENCE_MS,
    prices: { usd, close: async () => {} } as unknown as TriggerV1Deps['prices'],
    remember: (request) => store.transaction((tx) => insertCrafted(tx, [request])),
    findRequest: (id) => findRequest(store, id),
    stables: new Set([USDC.mint, JUPUSD]),
    gasWallet: signer.address('gas'),
  };
  const { app } = await startTestServer((server) => registerTriggerV1(server, deps));
  const headers = { 'x-api-key': 'good-key' };
  async function post<T = Body>(path: string, payload: object): Promise<{ status: number; body: T }> {
    const answer = await app.inject({ method: 'POST', url: `/trigger/v1/${path}`, headers, payload });
    return { status: answer.statusCode, body: answer.json() };
  }
  return {
    net,
    rpc,
    chain,
    clock,
    store,
    deps,
    app,
    post,
    newIndex,
    /** Closes all indexes, and deletes what the database knows of orders. */
    async forgetOrders() {
      await Promise.all(indexes.splice(0).map((index) => index.close()));
      for (const table of ORDER_TABLES) await store.query(`delete from ${table}`);
    },
    async orders(query: Record<string, string | number>): Promise<{ status: number; body: Listed }> {
      const entries = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
      const url = `/trigger/v1/getTriggerOrders?${new URLSearchParams(entries)}`;
      const answer = await app.inject({ url, headers });
      return { status: answer.statusCode, body: answer.json() };
    },
    async close() {
      await app.close();
      landing.close();
      await store.close();
      await net.close();
    },
  };
}

export interface Body {
  requestId: string;
  transaction: string;
  transactions: string[];
  skipped?: { order: string; cause: string }[];
  order: Address;
  code: number;
  error?: string;
  cause?: string;
  signature?: string;
  status?: string;
}

export interface Listed {
  orders: TriggerOrder[];
  totalPages: number;
  page: number;
  hasMoreData: boolean;
  error?: string;
}

export type TriggerWorld = Awaited<ReturnType<typeof openTriggerWorld>>;

/** A new wallet with 10 SOL, 1,000 USDC and 1,000 JUP. */
export async function newWallet({ rpc }: TriggerWorld): Promise<Keypair> {
  const wallet = generateKeypair();
  await rpc.call('requestAirdrop', [wallet.address, 10_000_000_000]);
  for (const { mint } of [USDC, JUP]) await rpc.call('localnet_airdropToken', [wallet.address, mint, '1000000000']);
  return wallet;
}

/** Base64 of the transaction with the signatures of these. */
export function signed(base64: string, ...signers: Keypair[]): string {
  let { decoded: _, ...transaction } = decodeTransaction(Buffer.from(base64, 'base64'));
  for (const signer of signers) {
    transaction = withSignature(transaction, signer.address, sign(signer, transaction.message));
  }
  return Buffer.from(encodeTransaction(transaction)).toString('base64');
}

/** 100 USDC for 250 JUP, unless overridden. */
export function orderBody(maker: Keypair, { params, ...given }: { params?: object; [field: string]: unknown } = {}) {
  return {
    inputMint: USDC.mint,
    outputMint: JUP.mint,
    maker: maker.address,
    payer: maker.address,
    ...given,
    params: { makingAmount: '100000000', takingAmount: '250000000', ...params },
  };
}

/** Creates, signs and executes an order that must work. */
export async function placeOrder(world: TriggerWorld, maker: Keypair, given: Parameters<typeof orderBody>[1] = {}) {
  const { status, body } = await world.post('createOrder', orderBody(maker, given));
  if (status !== 200) throw new Error(JSON.stringify(body));
  const executed = await world.post('execute', {
    requestId: body.requestId,
    signedTransaction: signed(body.transaction, maker),
  });
  if (executed.status !== 200) throw new Error(JSON.stringify(executed.body));
  return { order: body.order, signature: executed.body.signature! };
}

export async function openOrder({ rpc }: TriggerWorld, order: Address): Promise<OpenOrder['order'] | undefined> {
  const { orders } = await readOpenOrders(rpc, LIMIT_ORDER_ADDRESSES.program);
  return orders.find(({ address }) => address === order)?.order;
}

/** Sends a stranger's own instructions; returns the signature. */
export async function send({ rpc, chain }: TriggerWorld, payer: Keypair, instructions: Instruction[]): Promise<string> {
  const { blockhash } = await chain.latestBlockhash();
  const budget = { computeUnitLimit: 300_000, computeUnitPrice: 0n };
  const { wire } = craftTransaction({ feePayer: payer.address, instructions, blockhash, budget });
  const base64 = signed(Buffer.from(wire).toString('base64'), payer);
  return rpc.call<string>('sendTransaction', [base64, { encoding: 'base64' }]);
}

/** Fills a part of an order with the taker's own funds. */
export async function fill(world: TriggerWorld, taker: Keypair, address: Address, makingAmount: bigint) {
  const order = (await openOrder(world, address))!;
  const { takingAmount, feeAmount } = limitOrderPrice(order, makingAmount)!;
  const { inputMint, outputMint, inputMintReserve, maker, feeAccount } = order;
  const common = { taker: taker.address, order: address, inputMintReserve, inputTokenProgram: TOKEN_PROGRAM };
  const isSol = outputMint === WRAPPED_SOL_MINT;
  const payer = taker.address;
  const accountsOfFees = createAssociatedTokenIdempotent({
    payer,
    owner: LIMIT_ORDER_ADDRESSES.fee,
    mint: outputMint,
  });
  const inputAccount = associatedTokenAddress(taker.address, inputMint);
  const signature = await send(world, taker, [
    ...(feeAccount === limitOrderFeeAccount(outputMint, TOKEN_PROGRAM) ? [accountsOfFees] : []),
    createAssociatedTokenIdempotent({ payer, owner: payer, mint: inputMint }),
    preFlashFillOrder({ ...common, takerInputMintAccount: inputAccount, inputMint, makingAmount }),
    flashFillOrder({
      ...common,
      maker,
      feeAccount,
      outputMint,
      outputTokenProgram: TOKEN_PROGRAM,
      ...(!isSol && {
        makerOutputMintAccount: associatedTokenAddress(maker, outputMint),
        takerOutputMintAccount: associatedTokenAddress(taker.address, outputMint),
      }),
      maxTakingAmount: takingAmount + feeAmount,
    }),
  ]);
  return { signature, takingAmount, feeAmount };
}

/** SOL of the wallet, and its tokens by mint; undefined where it has no account for them. */
export async function balances({ chain }: TriggerWorld, wallet: Address) {
  const tokens = async (mint: Address) => {
    const account = await chain.account(associatedTokenAddress(wallet, mint));
    return account && decodeTokenAccount(account.data)!.amount;
  };
  const [own, usdc, jup, wrapped] = await Promise.all([
    chain.account(wallet),
    ...[USDC.mint, JUP.mint, WRAPPED_SOL_MINT].map(tokens),
  ] as const);
  return { sol: own?.lamports ?? 0n, usdc, jup, wrapped };
}
