import { ORDER_ENGINE_PROGRAM, ROUTER_PROGRAM, TOKEN_SWAP_PROGRAM } from '@slipway/programs';
import {
  type Address,
  associatedTokenAddress,
  generateKeypair,
  type Keypair,
  SYSTEM_PROGRAM,
  sign,
} from '@slipway/wire';
import { Registry } from 'prom-client';
import { triggerV2Area } from '../../areas/trigger-v2/index.js';
import { type Client, createClient, TEST_WORDS, type TestTerms } from '../../areas/trigger-v2/testing.js';
import { type Chain, createChain, type Rpc } from '../../chain/index.js';
import { Landing, type LandingDeps } from '../../landing/index.js';
import { type Clock, createClock, steadyNow } from '../../lib/clock.js';
import { uuidv7 } from '../../lib/ids.js';
import type { PriceQuote, Prices } from '../../prices/index.js';
import { openAggregator, openWorld, silent, unhurried, type World } from '../../routing/aggregator/testing.js';
import type { Token } from '../../routing/router.js';
import {
  bytesOfOrder,
  firstWallets,
  guardKeys,
  type KeyName,
  orderAccount,
  SANDBOX_PROGRAMS,
  type SealedOrder,
  type Signer,
} from '../../signer/index.js';
import { openTestStore } from '../../store/testing.js';
import { findTriggerOrder, insertTriggerOrder, type TriggerOrderRow } from '../../store/trigger-orders.js';
import { apply, newOrder } from '../../trigger-orders/order.js';
import type { Mortal } from '../testing.js';
import { KeeperWallet } from '../wallet.js';
import { createTriggerKeeper, FILL_AREA, fillSettlement, RENT_AREA, rentSettlement } from './index.js';
import type { TriggerKeeperOptions } from './keeper.js';

export const AMOUNT = 100_000_000n;
export const MAX_BELOW_FAIR_BPS = 3_000;
const HOUR_MS = 3_600_000;
const FEES = { percentile: 50, maxMicroLamports: 1_000_000n };

const settlements = {
  ...triggerV2Area.settlement!(createClock(), silent),
  [FILL_AREA]: fillSettlement,
  [RENT_AREA]: rentSettlement,
};

/**
 * A chain with a pool of two tokens at 1 USD each, a store, the aggregator, and keepers over all of it. `lookupTables` are
 * those that the aggregator reads when it exchanges its tables. Of PostgreSQL, a keeper may hear of an order only after the call that
 * has made it, and each process that a test kills keeps a connection: of the embedded database neither is so.
 */
export async function openTriggerWorld(
  lookupTables: readonly Address[] = [],
  openStore: typeof openTestStore = () => openTestStore('embedded'),
) {
  const chainWorld = await openWorld();
  // What a test writes is known to the aggregator when the call returns: the chain tells it of it later, on a busy machine.
  const world: World = {
    ...chainWorld,
    async put(...account) {
      const address = await chainWorld.put(...account);
      await live.refresh([address]);
      return address;
    },
    async setReserves(of, reserves) {
      await chainWorld.setReserves(of, reserves);
      await live.refresh(of.vaults);
    },
  };
  const { store, close: closeStore } = await openStore();
  const clock = createClock();
  const signer = anySigner(clock);
  const payer = signer.address('keeper');
  await world.rpc.call('requestAirdrop', [payer, 100_000_000_000]);
  const chain = createChain({ rpc: world.rpc, steadyNow, fees: FEES });
  const [sold, bought] = [await chainWorld.token(), await chainWorld.token()];
  const pool = await chainWorld.pool(sold, bought, [10n ** 13n, 10n ** 13n]);
  const {
    aggregator: hurried,
    live,
    close: closeRouting,
  } = await openAggregator(world, {
    tableBook: {
      load: async () => [...lookupTables],
      onChange: async () => async () => {},
      tell: async () => {},
      takesWishes: false,
    },
  });
  const aggregator = unhurried(hurried);
  const prices = new Map<Address, PriceQuote>();
  const closing: (() => unknown)[] = [];

  function setPrice(mint: Address, usd: number, more: Partial<PriceQuote> = {}): void {
    prices.set(mint, { usd, confidence: 0, publishedAt: clock.now(), source: 'fixed', stale: false, ...more });
  }
  setPrice(sold.mint, 1);
  setPrice(bought.mint, 1);
  const forOrders: Prices['forOrders'] = (mint) => {
    const price = prices.get(mint);
    if (price?.stale === false) return { ...price, stale: price.stale };
    return price
      ? { none: 'stale', why: 'its price is stale', source: price.source }
      : { none: 'missing', why: 'it has no price' };
  };
  const priced: Prices = {
    quote: (mint) => prices.get(mint),
    usd: (mint) => (prices.get(mint)?.stale === false ? prices.get(mint)?.usd : undefined),
    forOrders,
    forNewOrder: forOrders,
    ask: () => {},
    poolWitness: () => undefined,
    pastWitness: () => undefined,
    follow: () => {},
    onChange: () => () => {},
    close: async () => {},
  };

  function newLanding(sendRpcs: readonly Rpc[] = [world.rpc], on: Partial<LandingDeps> = {}) {
    const landing = new Landing({
      store,
      clock,
      steadyNow,
      signer,
      chain,
      sendRpcs,
      log: silent,
      settlements,
      observe: () => {},
      ...on,
    });
    closing.push(() => landing.close());
    return landing;
  }

  const walletOn = (reader: Chain) => new KeeperWallet({ chain: reader, address: payer, steadyNow, log: silent });
  const keeperDeps = {
    clock,
    steadyNow,
    log: silent,
    payer,
    maxBelowFairBps: MAX_BELOW_FAIR_BPS,
    contradictions: async () => undefined,
    programs: { router: ROUTER_PROGRAM, orderEngine: ORDER_ENGINE_PROGRAM, tokenSwap: TOKEN_SWAP_PROGRAM },
  };

  return {
    world,
    store,
    clock,
    signer,
    chain,
    payer,
    sold,
    bought,
    pool,
    aggregator,
    live,
    prices,
    setPrice,
    priced,
    newLanding,

    /** What clients do, over a landing of its own. */
    newClient: (landing = newLanding(), by: Prices = priced) =>
      createClient({ store, clock, signer, chain, landing, prices: by }),

    /** Gives a wallet SOL for fees and rents, and so much of a token. */
    async fund(wallet: Address, token: Token, amount: bigint): Promise<Address> {
      await world.put(wallet, SYSTEM_PROGRAM, new Uint8Array(0), 1_000_000_000n);
      return world.holding(token, wallet, amount, associatedTokenAddress(wallet, token.mint, token.tokenProgram));
    },

    async newKeeper(changes: Partial<TriggerKeeperOptions> = {}) {
      const keeper = await createTriggerKeeper({
        ...keeperDeps,
        registry: new Registry(),
        store,
        chain,
        wallet: walletOn(changes.chain ?? chain),
        router: aggregator,
        prices: priced,
        alone: false,
        landing: changes.landing ?? newLanding(),
        ...changes,
      });
      closing.push(() => keeper.close());
      return keeper;
    },

    /** As a client does it: a new wallet deposits 100 whole tokens for an order that fires above 0.9 USD. */
    async deposit(client: Client, terms: Partial<TestTerms> = {}): Promise<{ wallet: Keypair; id: string }> {
      const wallet = await client.register();
      await this.fund(wallet.address, sold, AMOUNT);
      const id = await client.open(wallet, AMOUNT, {
        inputMint: sold.mint,
        outputMint: bought.mint,
        triggerMint: sold.mint,
        orderType: 'single',
        ...(terms.orderType !== 'oco' && { triggerCondition: 'above', triggerPriceUsd: 0.9 }),
        ...terms,
      });
      return { wallet, id };
    },

    /** The wallet's account for what the orders buy. */
    accountOf: (wallet: Address) => associatedTokenAddress(wallet, bought.mint, bought.tokenProgram),
    /** What a wallet has of a token. */
    held: (wallet: Address, { mint, tokenProgram }: Token = bought) =>
      world.amount(associatedTokenAddress(wallet, mint, tokenProgram)),
    exists: async (account: string) => (await chain.account(account as Address)) !== undefined,

    /** A landing and an only keeper that live and die together. */
    async newProcess(mortal: Mortal) {
      const [own, rpc] = [{ store: mortal.store(store), signer: mortal.signer(signer) }, mortal.rpc(world.rpc)];
      const its = createChain({ rpc, steadyNow, fees: FEES });
      const landing = newLanding([rpc], { ...own, chain: its });
      const ports = {
        ...own,
        chain: its,
        wallet: walletOn(its),
        landing,
        router: mortal.router(aggregator),
        prices: priced,
      };
      const keeper = await createTriggerKeeper({ ...keeperDeps, ...ports, registry: new Registry(), alone: true });
      return { landing, keeper };
    },

    /** An open order of a new wallet, whose vault holds 100 whole tokens; it fires above `usd`. */
    async open(usd: number, terms: Partial<TriggerOrderRow> = {}): Promise<TriggerOrderRow> {
      const wallet = generateKeypair().address;
      const vault = await signer.publicKey(`vault:${wallet}`);
      const id = uuidv7(clock);
      const account = orderAccount(vault, id, 'in', sold.tokenProgram);
      const inputAccount = await world.holding(sold, vault, AMOUNT, account);
      const now = new Date(clock.now());
      const deposited = apply(newOrder('single', AMOUNT), { type: 'deposit_sent' });
      const order = {
        id,
        wallet,
        vault,
        depositRequestId: id,
        bodyHash: new Uint8Array(32),
        inputAccount,
        outputAccount: null,
        inputMint: sold.mint,
        outputMint: bought.mint,
        triggerMint: sold.mint,
        funded: true,
        triggerCondition: 'above' as const,
        triggerPriceUsd: usd,
        trailingBps: null,
        highWatermark: null,
        lowWatermark: null,
        tpPriceUsd: null,
        slPriceUsd: null,
        slippageBps: null,
        tpSlippageBps: null,
        slSlippageBps: null,
        expiresAt: new Date(clock.now() + HOUR_MS),
        createdAt: now,
        updatedAt: now,
        triggeredAt: null,
        leaseUntil: null,
        retryAt: null,
        progress: apply(deposited, { type: 'deposit_landed' }),
        ...terms,
      };
      const made: TriggerOrderRow = { ...order, seal: await signer.sealOf(order) };
      await store.transaction((tx) => insertTriggerOrder(tx, made));
      return made;
    },
    rowOf: async (id: string) => (await findTriggerOrder(store, id))!,
    /** What the wallet of an order has of the token that it buys. */
    paid: ({ wallet }: TriggerOrderRow) =>
      world.amount(associatedTokenAddress(wallet as Address, bought.mint, bought.tokenProgram)),
    async close() {
      for (const end of closing.reverse()) await end();
      closeRouting();
      await closeStore();
      await world.close();
    },
  };
}

/** Has a key for every name that it is asked for, and seals orders that nobody has asked for. */
function anySigner(clock: Clock): Signer & { sealOf(order: SealedOrder): Promise<Uint8Array> } {
  const keys = new Map<KeyName, Keypair>();
  const keyOf = (name: KeyName): Keypair => {
    const key = keys.get(name) ?? generateKeypair();
    keys.set(name, key);
    return key;
  };
  const bare = {
    publicKey: async (name: KeyName) => keyOf(name).address,
    sign: async (name: KeyName, message: Uint8Array) => sign(keyOf(name), message),
  };
  return {
    ...bare,
    ...guardKeys(bare, { programs: SANDBOX_PROGRAMS, clock, service: TEST_WORDS }),
    address: (role) => keyOf(role).address,
    wallets: () => firstWallets((role) => keyOf(role).address),
    sealOf: (order) => bare.sign('seal', bytesOfOrder(order)),
  };
}
