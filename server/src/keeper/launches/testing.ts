import {
  type BondingCurvePool,
  bondingCurvePool,
  createCurveConfig,
  curveSwap,
  decodeBondingCurvePool,
  initializeCurvePool,
  launchConfig,
  MIGRATED_POOL_CONFIGS,
  migratedPool,
} from '@slipway/programs';
import {
  type Address,
  associatedTokenAddress,
  createAssociatedTokenIdempotent,
  generateKeypair,
  type Keypair,
  sign,
} from '@slipway/wire';
import { Registry } from 'prom-client';
import { createChain, type Rpc } from '../../chain/index.js';
import { Landing } from '../../landing/index.js';
import { createClock, steadyNow } from '../../lib/clock.js';
import { openWorld, silent } from '../../routing/aggregator/testing.js';
import { testSigner } from '../../sandbox/maker/testing.js';
import { guardKeys, type KeyName, randomMintNumber, SANDBOX_PROGRAMS, type Signer } from '../../signer/index.js';
import { insertLaunch } from '../../store/launches.js';
import { insertCrafted } from '../../store/ledger.js';
import { openAnyStore } from '../../store/testing.js';
import { createMortal, type Mortal } from '../testing.js';
import { KeeperWallet } from '../wallet.js';
import { createMigrationKeeper, LAUNCH_MIGRATION_AREA, migrationSettlement } from './index.js';

const SOL = 1_000_000_000n;
const RICH = 10n ** 15n;
const DAMM_CONFIG = MIGRATED_POOL_CONFIGS[2]!;

/** What is told of a launch whose pool has moved. */
interface Moved {
  mint: string;
  migratedPool: string;
  signature?: string;
}

export interface TestLaunch {
  pool: BondingCurvePool;
  /** Where it goes. */
  moved: Address;
}

/** Also has the keys of mints, each of its own. */
function withMints(signer: Signer): Signer {
  const mints = new Map<KeyName, Keypair>();
  const keyOf = (name: KeyName) => {
    const key = mints.get(name) ?? generateKeypair();
    mints.set(name, key);
    return key;
  };
  const isMint = (name: KeyName) => name.startsWith('mint:');
  const bare = {
    publicKey: async (name: KeyName) => (isMint(name) ? keyOf(name).address : signer.publicKey(name)),
    sign: async (name: KeyName, message: Uint8Array) =>
      isMint(name) ? sign(keyOf(name), message) : signer.sign(name, message),
  };
  return { ...signer, ...bare, ...guardKeys(bare, { programs: SANDBOX_PROGRAMS, clock: createClock() }) };
}

/** A chain with the launch programs, a store, a funded keeper wallet, and keepers that are other instances. */
export async function openMigrationWorld(options: { programsDir?: string } = {}) {
  const world = await openWorld(options);
  const store = await openAnyStore();
  const clock = createClock();
  const signer = withMints(testSigner());
  const wallet = signer.address('keeper');
  await world.rpc.call('requestAirdrop', [wallet, Number(100n * SOL)]);
  const buyer = await world.wallet();
  const quote = await world.token();
  await world.holding(quote, buyer.address, RICH, associatedTokenAddress(buyer.address, quote.mint));
  const closing: (() => unknown)[] = [];

  /** An instance with its own landing; `mortal` may kill it. */
  function newKeeper({ budget = SOL, mortal = createMortal() }: { budget?: bigint; mortal?: Mortal } = {}) {
    const rpc: Rpc = mortal.rpc(world.rpc);
    const chain = createChain({ rpc, steadyNow, fees: { percentile: 50, maxMicroLamports: 1_000_000n } });
    const own = { store: mortal.store(store), chain, clock, steadyNow, log: silent };
    const mortals: Signer = mortal.signer(signer);
    const settlements = { [LAUNCH_MIGRATION_AREA]: migrationSettlement };
    const landing = new Landing({ ...own, sendRpcs: [rpc], signer: mortals, settlements, observe: () => {} });
    const registry = new Registry();
    const keeperWallet = new KeeperWallet({ ...own, address: wallet });
    const keeper = createMigrationKeeper({ ...own, landing, registry, signer: mortals, wallet: keeperWallet, budget });
    closing.push(async () => {
      landing.close();
      // A turn of a killed instance never ends.
      if (!mortal.isDead()) await keeper.close();
    });
    return { keeper, landing, registry };
  }

  /** A launch of a wallet as the API leaves it, with so much of its threshold bought: all by default. */
  async function launch(part = 1, choices: { vested?: boolean; isLpLocked?: boolean } = {}): Promise<TestLaunch> {
    const creator = await world.wallet();
    const [config, mint] = [generateKeypair(), generateKeypair()];
    const pool = bondingCurvePool(config.address, mint.address, quote.mint);
    const { vested = false, isLpLocked = false } = choices;
    const vesting = { total: 1_000n, cliff: 1_000n, periods: 0, durationSeconds: 0, cliffSeconds: 0 };
    const { terms, curve } = launchConfig({
      initialMarketCap: 16_000_000_000n,
      migrationMarketCap: 69_000_000_000n,
      vesting: vested ? vesting : undefined,
      feeBps: 100,
      sniperFee: undefined,
      isLpLocked,
    });
    const people = { feeClaimer: wallet, leftoverReceiver: wallet, payer: creator.address };
    await ran(
      [creator, config, mint],
      [
        createCurveConfig({ config: pool.config, quoteMint: quote.mint, terms, ...people }),
        initializeCurvePool({ pool, creator: creator.address, name: 'A token', symbol: 'TOKEN', uri: 'https://e.com' }),
      ],
    );
    await buy(pool, part === 1 ? curve.quoteThreshold * 2n : (curve.quoteThreshold * BigInt(part * 100)) / 100n);
    await remember(pool, creator.address);
    return { pool, moved: migratedPool(DAMM_CONFIG, pool.baseMint, pool.quoteMint) };
  }

  async function ran(signers: Keypair[], instructions: Parameters<typeof world.run>[1]): Promise<void> {
    const error = await world.run(signers, instructions);
    if (error !== null) throw new Error(JSON.stringify(error));
  }

  async function buy(pool: BondingCurvePool, amountIn: bigint): Promise<void> {
    const trader = buyer.address;
    const [inputAccount, outputAccount] = [pool.quoteMint, pool.baseMint].map((mint) =>
      associatedTokenAddress(trader, mint),
    ) as [Address, Address];
    await ran(
      [buyer],
      [
        createAssociatedTokenIdempotent({ payer: trader, owner: trader, mint: pool.baseMint }),
        curveSwap({ pool, trader, inputAccount, outputAccount, amountIn, leastOut: 0n, partial: true }),
      ],
    );
  }

  async function remember({ pool, config, baseMint, quoteMint }: BondingCurvePool, creator: Address): Promise<void> {
    const createdAt = new Date(clock.now());
    const row = { id: `launch ${baseMint}`, area: 'studio', wallet: creator, messageHash: new Uint8Array(32) };
    const names: KeyName[] = [`mint:${randomMintNumber()}`];
    const request = {
      ...row,
      cosigners: names,
      lastValidBlockHeight: 1n,
      payload: {},
      createdAt,
      expiresAt: createdAt,
    };
    const known = { creator, config, pool, quoteMint, name: 'A token', symbol: 'TOKEN', sniperSlots: null, createdAt };
    await store.transaction(async (tx) => {
      await insertCrafted(tx, [request]);
      await insertLaunch(tx, { ...known, mint: baseMint, requestId: row.id });
      await tx.query(`update ledger set state = 'landed', settled_at = $2 where id = $1`, [row.id, createdAt]);
    });
  }

  return {
    world,
    store,
    clock,
    wallet,
    newKeeper,
    launch,
    ran,
    async isMigrated({ pool }: TestLaunch): Promise<boolean> {
      const [account] = await accounts(pool.pool);
      return decodeBondingCurvePool(account!)!.isMigrated;
    },
    /** Of a pool that a launch moved to: the tokens that it has, none where it is not. */
    async inPool({ moved }: TestLaunch): Promise<number> {
      const [account] = await accounts(moved);
      return account?.length ?? 0;
    },
    /** Of each launch whose pool was told to have moved. */
    async told(): Promise<Moved[]> {
      const { rows } = await store.query<{ page: string }>('select pages[1] as page from event_outbox order by id');
      const events = rows.flatMap(({ page }) => JSON.parse(page) as { kind: string; data: Moved }[]);
      return events.filter(({ kind }) => kind === 'launch.migrated').map(({ data }) => data);
    },
    async account(address: Address): Promise<Buffer | undefined> {
      return (await accounts(address))[0];
    },
    async close(): Promise<void> {
      for (const close of closing.reverse()) await close();
      await store.close();
      await world.close();
    },
  };

  async function accounts(...addresses: Address[]): Promise<(Buffer | undefined)[]> {
    type Answer = { value: ({ data: [string, string]; owner: string } | null)[] };
    const { value } = await world.rpc.call<Answer>('getMultipleAccounts', [addresses, { encoding: 'base64' }]);
    return value.map((account) => (account ? Buffer.from(account.data[0], 'base64') : undefined));
  }
}
