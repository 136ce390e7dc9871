import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  decodeLimitOrder,
  type InitializeOrder,
  initializeOrder,
  LIMIT_ORDER_ADDRESSES,
  LIMIT_ORDER_PROGRAM,
  type LimitOrder,
  limitOrderAddress,
  limitOrderFeeAccount,
  ORDER_ENGINE_PROGRAM,
  programFile,
  ROUTER_PROGRAM,
  TOKEN_SWAP_PROGRAM,
} from '@slipway/programs';
import { type Address, associatedTokenAddress, type Keypair, WRAPPED_SOL_MINT } from '@slipway/wire';
import { Registry } from 'prom-client';
import { type Chain, createChain } from '../../chain/index.js';
import { readOpenOrders } from '../../indexes/limit-orders/index.js';
import { Landing, type LandingDeps } from '../../landing/index.js';
import { createClock, steadyNow } from '../../lib/clock.js';
import { openAggregator, openWorld, silent, type TestPool, unhurried } from '../../routing/aggregator/testing.js';
import type { Token } from '../../routing/router.js';
import { testSigner } from '../../sandbox/maker/testing.js';
import { openTestStore } from '../../store/testing.js';
import { KeeperWallet } from '../wallet.js';
import type { LimitOrderDeps } from './deps.js';
import { createLimitOrderKeeper } from './keeper.js';
import { LIMIT_ORDER_AREA, limitOrderSettlement } from './settlement.js';

export const FEE_BPS = 10;
const MAKING = 1_000_000_000n;

export interface TestOrder {
  address: Address;
  maker: Keypair;
  terms: InitializeOrder;
  /** The maker's output account: the associated one. */
  output: Address;
  feeAccount: Address;
}

/** A chain with the programs and pools of the test, a store, the aggregator, and keepers over all of it. */
export async function openKeeperWorld() {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-keeper-'));
  copyFileSync(programFile('limit-order'), join(folder, `${LIMIT_ORDER_PROGRAM}.so`));
  const world = await openWorld({ programsDir: folder });
  const fees = Buffer.from('183796faa81b65b200000000', 'hex');
  fees.writeUInt16LE(FEE_BPS, 8);
  await world.put(LIMIT_ORDER_ADDRESSES.fee, LIMIT_ORDER_PROGRAM, fees);
  const { store, close: closeStore } = await openTestStore();
  const { aggregator: hurried, live, close: closeRouting } = await openAggregator(world);
  const aggregator = unhurried(hurried);
  const clock = createClock();
  const signer = testSigner();
  const taker = signer.address('keeper');
  const chain = createChain({ rpc: world.rpc, steadyNow, fees: { percentile: 50, maxMicroLamports: 1_000_000n } });
  await world.rpc.call('requestAirdrop', [taker, 10_000_000_000]);
  const programs = { router: ROUTER_PROGRAM, orderEngine: ORDER_ENGINE_PROGRAM, tokenSwap: TOKEN_SWAP_PROGRAM };
  const usd = new Map<Address, number>([[WRAPPED_SOL_MINT, 150]]);
  const closing: (() => unknown)[] = [];
  let uniqueId = 0n;

  function newLanding(on: Partial<LandingDeps> = {}) {
    const base = {
      store,
      clock,
      steadyNow,
      signer,
      chain,
      sendRpcs: [world.rpc],
      settlements: { [LIMIT_ORDER_AREA]: limitOrderSettlement },
      observe: () => {},
      log: silent,
    };
    const landing = new Landing({ ...base, ...on });
    closing.push(() => landing.close());
    return landing;
  }
  function newKeeper(changes: Partial<LimitOrderDeps> = {}, options: { longestSendMs?: number } = {}) {
    const own: LimitOrderDeps = {
      store,
      chain,
      clock,
      steadyNow,
      log: silent,
      registry: new Registry(),
      taker,
      wallet: new KeeperWallet({ chain: changes.chain ?? chain, address: taker, steadyNow, log: silent }),
      router: aggregator,
      landing: changes.landing ?? newLanding(),
      usd: (token) => usd.get(token.mint),
      contradictions: async () => undefined,
      addresses: LIMIT_ORDER_ADDRESSES,
      programs,
      ...changes,
    };
    const keeper = createLimitOrderKeeper(own, options);
    closing.push(() => keeper.close());
    return keeper;
  }

  const ata = (owner: Address, { mint, tokenProgram }: Token) => associatedTokenAddress(owner, mint, tokenProgram);
  const holding = (token: Token, owner: Address, amount = 0n) => world.holding(token, owner, amount, ata(owner, token));

  return {
    world,
    store,
    chain,
    clock,
    signer,
    taker,
    usd,
    aggregator,
    programs,
    newLanding,
    newKeeper,
    ata,
    holding,

    /** A token with a price, of which the keeper has an account, and a pool of both that is being routed over. */
    async pair(reserves: [bigint, bigint], tokens: [Token?, Token?] = []): Promise<[Token, Token, TestPool]> {
      const [a, b] = [tokens[0] ?? (await world.token()), tokens[1] ?? (await world.token())];
      for (const { mint } of [a, b]) if (!usd.has(mint)) usd.set(mint, 1);
      const pool = await world.pool(a, b, reserves);
      await aggregator.discover();
      return [a, b, pool];
    },
    async moveTo(pool: TestPool, reserves: [bigint, bigint]) {
      await world.setReserves(pool, reserves);
      await live.refresh(pool.vaults);
    },

    /** A new maker's order, opened on the chain: 1,000 whole tokens of 6 decimals for `takingAmount`. */
    async open(input: Token, output: Token, takingAmount: bigint, more: Partial<InitializeOrder> = {}) {
      const maker = await world.wallet();
      const source = await world.holding(input, maker.address, more.makingAmount ?? MAKING);
      await holding(input, maker.address);
      if (output.mint !== WRAPPED_SOL_MINT) await holding(output, maker.address);
      const feeAccount = more.referral ?? limitOrderFeeAccount(output.mint, output.tokenProgram);
      if (!(await chain.account(feeAccount))) await holding(output, LIMIT_ORDER_ADDRESSES.fee);
      const terms: InitializeOrder = {
        payer: maker.address,
        maker: maker.address,
        uniqueId: uniqueId++,
        makerInputMintAccount: source,
        inputMint: input.mint,
        inputTokenProgram: input.tokenProgram,
        makingAmount: MAKING,
        outputMint: output.mint,
        outputTokenProgram: output.tokenProgram,
        takingAmount,
        ...more,
      };
      const err = await world.run([maker], [initializeOrder(terms)]);
      if (err !== null) throw new Error(`the order cannot be opened: ${JSON.stringify(err)}`);
      const { address } = limitOrderAddress(maker.address, terms.uniqueId);
      return { address, maker, terms, output: ata(maker.address, output), feeAccount } satisfies TestOrder;
    },
    async stateOf(order: TestOrder): Promise<LimitOrder | undefined> {
      const account = await chain.account(order.address);
      return account && decodeLimitOrder(account.data);
    },
    /** Closes what a test has opened, and removes the orders that it has left to the next one. */
    async reset() {
      for (const end of closing.splice(0).reverse()) await end();
      const { orders } = await readOpenOrders(world.rpc, LIMIT_ORDER_PROGRAM);
      for (const { address } of orders) await world.remove(address);
      await store.query('delete from ledger');
    },
    async close() {
      for (const end of closing.reverse()) await end();
      closeRouting();
      await closeStore();
      await world.close();
      rmSync(folder, { recursive: true });
    },
  };
}

export type KeeperWorld = Awaited<ReturnType<typeof openKeeperWorld>>;
export type { Chain };
