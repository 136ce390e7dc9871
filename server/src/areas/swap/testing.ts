import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { startLocalnet } from '@slipway/localnet';
import { ORDER_ENGINE_PROGRAM, ROUTER_PROGRAM, TOKEN_SWAP_PROGRAM } from '@slipway/programs';
import {
  type Address,
  associatedTokenAddress,
  decodeTokenAccount,
  decodeTransaction,
  encodeTransaction,
  generateKeypair,
  type Keypair,
  sign,
  WRAPPED_SOL_MINT,
  withSignature,
} from '@slipway/wire';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { type Chain, createChain, createLiveAccounts, createLocalRpc } from '../../chain/index.js';
import type { PriceSource } from '../../config/index.js';
import type { Limiter } from '../../http/ports.js';
import { startTestServer } from '../../http/testing.js';
import { Landing, sealed } from '../../landing/index.js';
import { createClock, steadyNow } from '../../lib/clock.js';
import { PATIENCE_MS, runningNow } from '../../lib/testing.js';
import { createAggregator } from '../../routing/aggregator/index.js';
import { unhurried } from '../../routing/aggregator/testing.js';
import { createMakers } from '../../routing/makers/index.js';
import { createRouting } from '../../routing/race.js';
import type { Router, Token } from '../../routing/router.js';
import { fundMaker, startMaker } from '../../sandbox/maker/index.js';
import { JUP, SOL, testSigner, USD, USDC } from '../../sandbox/maker/testing.js';
import { findRequest, insertCrafted } from '../../store/ledger.js';
import { openAnyStore } from '../../store/testing.js';
import { registerSwap, type SwapDeps, swapArea } from './index.js';
import type { ExecuteAnswer, OrderAnswer } from './schema.js';

export { JUP, SOL, USD, USDC } from '../../sandbox/maker/testing.js';

export const TIP_ACCOUNT = generateKeypair().address;

interface WorldOptions {
  /** Without the router program: routes of one hop. */
  withoutRouterProgram?: boolean;
  limiter?: Limiter;
  wrapRouter?: (router: Router) => Router;
  /** Routers besides the aggregator and the makers. */
  moreRouters?: (chain: Chain) => Router[];
  /** How long the routers have together: for tests of one that says nothing. */
  quoteBudgetMs?: number;
  programsDir?: string;
  feeReceiver?: Address;
}

/** The sandbox's chain with its pools, both routers, a market maker, and the swap area behind HTTP. */
export async function openSwapWorld(options: WorldOptions = {}) {
  const log = pino({ level: 'silent' });
  const net = await startLocalnet({
    rpcPort: 0,
    ...(options.programsDir !== undefined && { programsDir: options.programsDir }),
  });
  const rpc = createLocalRpc((method, params) => net.call(method, params));
  const clock = createClock();
  const chain = createChain({ rpc, steadyNow, fees: { percentile: 50, maxMicroLamports: 1_000_000n } });
  const live = createLiveAccounts({ rpc, wsUrl: net.wsUrl, steadyNow: runningNow, log });
  const store = await openAnyStore();
  const signer = testSigner();
  const gasWallet = signer.address('gas');
  await rpc.call('requestAirdrop', [gasWallet, 100_000_000_000]);
  await rpc.call('requestAirdrop', [TIP_ACCOUNT, 1_000_000_000]);
  await fundMaker(chain, signer.address('maker'), [SOL, USDC, JUP]);
  const usd = (mint: Address) => USD.get(mint);
  const maker = await startMaker({
    chain,
    signer,
    clock,
    tokens: [SOL, USDC, JUP],
    log,
    usd,
    orderEngine: ORDER_ENGINE_PROGRAM,
    spreadBps: 10,
  });
  const programs = {
    ...(!options.withoutRouterProgram && { router: ROUTER_PROGRAM }),
    orderEngine: ORDER_ENGINE_PROGRAM,
    tokenSwap: TOKEN_SWAP_PROGRAM,
  };
  const payer = () => signer.address('gas');
  const aggregator = await createAggregator({
    rpc,
    chain,
    payer,
    live,
    steadyNow: runningNow,
    log,
    programs,
    pools: [],
  });
  const makers = createMakers({
    store,
    box: signer.secrets,
    signer,
    chain,
    clock,
    steadyNow,
    log,
    usd: (token) => usd(token.mint),
    timeoutMs: PATIENCE_MS,
    own: [{ id: 'own', name: 'own', url: maker.url }],
    orderEngine: ORDER_ENGINE_PROGRAM,
  });
  const { wrapRouter = (router) => router } = options;
  const sending = { after: async (_wire: string): Promise<void> => {} };
  const landing = new Landing({
    store,
    clock,
    steadyNow,
    chain,
    signer,
    log,
    sendRpcs: [
      {
        name: rpc.name,
        async call<T>(method: string, params: unknown[]) {
          await sending.after(String(params[0]));
          return rpc.call<T>(method, params);
        },
      },
    ],
    settlements: swapArea.settlement!(clock, log),
    observe: () => {},
  });
  const priceOf = new Map([...USD].map(([mint, each]) => [mint, { usd: each, source: 'fixed' as PriceSource }]));
  /** What deep pools say. */
  const witnessOf = new Map<Address, number>();
  const deps: SwapDeps = {
    store,
    clock,
    steadyNow: runningNow,
    log,
    chain,
    landing,
    gasWallet,
    programs,
    prices: {
      usd: (mint) => priceOf.get(mint)?.usd,
      quote(mint) {
        const price = priceOf.get(mint);
        return price && { ...price, confidence: 0, publishedAt: clock.now(), stale: false };
      },
      poolWitness: (mint) => witnessOf.get(mint),
    },
    shownUsd: (mint) => priceOf.get(mint)?.usd,
    routing: createRouting({
      routers: [...[unhurried(aggregator), makers].map(wrapRouter), ...(options.moreRouters?.(chain) ?? [])],
      budgetMs: options.quoteBudgetMs ?? PATIENCE_MS,
      steadyNow,
      log,
      registry: new Registry(),
    }),
    deliver: makers.deliver,
    async remember(request) {
      const row = await sealed(signer, request);
      await store.transaction((tx) => insertCrafted(tx, [row]));
    },
    findRequest: (id) => findRequest(store, id),
    fees: {
      table: { newToken: 50, buyPlatform: 0, pegged: 0, solStable: 2, lstStable: 5, other: 10 },
      receiver: options.feeReceiver ?? gasWallet,
      platform: JUP.mint,
      stables: new Set([USDC.mint]),
      lsts: new Set<Address>(),
      blueChips: new Set<Address>(),
    },
    gasless: true,
    tipAccounts: [TIP_ACCOUNT],
  };
  const { app } = await startTestServer(
    (server) => registerSwap(server, deps),
    options.limiter && { limiter: options.limiter },
  );
  const headers = { 'x-api-key': 'good-key' };
  return {
    net,
    rpc,
    chain,
    clock,
    store,
    signer,
    gasWallet,
    aggregator,
    maker,
    deps,
    app,
    priceOf,
    witnessOf,
    /** A transaction, in base64, is sent when this has passed; at once, unless a test changes it. */
    sending,
    /** `GET /ultra/v1/order`. */
    async order(query: Record<string, string | number>): Promise<{ status: number; body: OrderAnswer }> {
      const text = new URLSearchParams(
        Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
      );
      const answer = await app.inject({ url: `/ultra/v1/order?${text}`, headers });
      return { status: answer.statusCode, body: answer.json() };
    },
    async execute(body: object): Promise<{ status: number; body: ExecuteAnswer & { error?: string } }> {
      const answer = await app.inject({ method: 'POST', url: '/ultra/v1/execute', headers, payload: body });
      return { status: answer.statusCode, body: answer.json() };
    },
    async close() {
      await app.close();
      landing.close();
      aggregator.close();
      live.close();
      await maker.close();
      await store.close();
      await net.close();
    },
  };
}

export type SwapWorld = Awaited<ReturnType<typeof openSwapWorld>>;

/** A new wallet with some SOL and tokens; the amounts are in the smallest unit. */
export async function newWallet({ rpc }: SwapWorld, sol: bigint, tokens: [Token, bigint][] = []): Promise<Keypair> {
  const wallet = generateKeypair();
  if (sol > 0n) await rpc.call('requestAirdrop', [wallet.address, Number(sol)]);
  for (const [{ mint }, amount] of tokens) await rpc.call('localnet_airdropToken', [wallet.address, mint, `${amount}`]);
  return wallet;
}

/** Creates the token account that receives fees in a mint. */
export async function openFeeAccount({ rpc }: SwapWorld, wallet: Address, { mint }: Token): Promise<void> {
  await rpc.call('localnet_airdropToken', [wallet, mint, '1']);
}

/** Base64 of the transaction with the signatures of these. */
export function signed(base64: string, ...signers: Keypair[]): string {
  let { decoded: _, ...transaction } = decodeTransaction(Buffer.from(base64, 'base64'));
  for (const signer of signers) {
    transaction = withSignature(transaction, signer.address, sign(signer, transaction.message));
  }
  return Buffer.from(encodeTransaction(transaction)).toString('base64');
}

/** Waits until the order has been taken: it is sent, or kept back because it would fail. */
export async function untilTaken({ store }: SwapWorld, id: string): Promise<void> {
  for (;;) {
    const row = await findRequest(store, id);
    if (row?.state === 'sending') return;
    assert.equal(row?.state, 'crafted');
    await sleep(20);
  }
}

/** Has the blockhashes of before die. */
export async function endBlockhashes({ rpc, chain }: SwapWorld): Promise<void> {
  await rpc.call('localnet_advanceClock', [120]);
  chain.forget();
}

/** SOL of the wallet, its tokens by mint, and its own wrapped SOL. */
export async function balances({ chain }: SwapWorld, wallet: Address) {
  const tokens = async ({ mint, tokenProgram }: Token) => {
    const account = await chain.account(associatedTokenAddress(wallet, mint, tokenProgram));
    return account && decodeTokenAccount(account.data)!.amount;
  };
  const [sol, usdc, jup, wrapped] = await Promise.all([
    chain.account(wallet),
    ...[USDC, JUP, { ...SOL, mint: WRAPPED_SOL_MINT }].map(tokens),
  ] as const);
  return { sol: sol?.lamports ?? 0n, usdc: usdc ?? 0n, jup: jup ?? 0n, wrapped };
}

/** A wallet with 10 SOL, 2,000 USDC and JUP each, and 5 wrapped SOL of its own that no swap may touch. */
export function richWallet(world: SwapWorld): Promise<Keypair> {
  return newWallet(world, 10_000_000_000n, [
    [USDC, 2_000_000_000n],
    [JUP, 2_000_000_000n],
    [SOL, 5_000_000_000n],
  ]);
}

/** Orders, signs and executes; the order and the answer. */
export async function swap(world: SwapWorld, query: Record<string, string | number>, ...signers: Keypair[]) {
  const { status, body: order } = await world.order(query);
  assert.equal(status, 200, JSON.stringify(order));
  assert.ok(order.transaction, JSON.stringify(order));
  const { body: done } = await world.execute({
    requestId: order.requestId,
    signedTransaction: signed(order.transaction, ...signers),
  });
  assert.equal(done.status, 'Success', JSON.stringify(done));
  return { order, done };
}
