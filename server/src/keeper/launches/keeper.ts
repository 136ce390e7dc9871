import {
  BONDING_CURVE_PROGRAM,
  DAMM_V2_PROGRAM,
  decodeBondingCurveConfig,
  decodeBondingCurvePool,
  MIGRATED_POOL_CONFIGS,
  migratedPool,
} from '@slipway/programs';
import { decodeTransaction, rentExemptLamports } from '@slipway/wire';
import type { Logger } from 'pino';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Chain } from '../../chain/index.js';
import { craftMigration, type MigrationStep } from '../../crafting/launch-migration.js';
import type { Crafted } from '../../crafting/transaction.js';
import { explain, type Landing, rememberOwn, tryOut } from '../../landing/index.js';
import { BackOffs } from '../../lib/back-offs.js';
import type { Clock } from '../../lib/clock.js';
import { GrowingCache } from '../../lib/growing-cache.js';
import { type KeyName, randomMintNumber, type Signer } from '../../signer/index.js';
import {
  LAUNCH_MIGRATION_AREA,
  type LaunchOnCurve,
  launchesOnCurve,
  migrationSpending,
  recordMigration,
} from '../../store/launch-migrations.js';
import { insertCrafted } from '../../store/ledger.js';
import type { Store } from '../../store/sql.js';
import { Expiries } from '../expiries.js';
import { KEEPER_LEAST_LAMPORTS, type KeeperWallet } from '../wallet.js';
import { type InFlight, type Work, Worker } from '../worker.js';
import type { MigrationPayload } from './settlement.js';

export interface MigrationKeeperDeps {
  store: Store;
  landing: Pick<Landing, 'execute'>;
  chain: Chain;
  clock: Clock;
  steadyNow: () => number;
  log: Logger;
  registry: Registry;
  /** Names the mints of the positions. */
  signer: Pick<Signer, 'publicKey'>;
  /** The keeper's wallet, which pays. */
  wallet: Pick<KeeperWallet, 'address' | 'canPay' | 'read'>;
  /** Lamports that migrations may cost in a day (UTC), rent and fees together, whichever instance spends them. */
  budget: bigint;
}

const INTERVAL_MS = 2_000;
const DAY_MS = 24 * 60 * 60_000;
const FAILED = { firstMs: 2_000, longestMs: 60 * 60_000 };
/** Pools that are read in a turn. */
const PAGE = 100;
/** The bytes of what a step makes, whose rent nobody gets back. */
const MADE = {
  /** The lock and its token account. */
  lock: [296, 165],
  /** The position's mint and token account, pool, position, and two vaults. */
  migrate: [465, 165, 1_112, 408, 165, 165],
};
/** Migrations take none of the wallet's last lamports, or fills would stop for them. */
const LEFT_FOR_FILLS = 5n * KEEPER_LEAST_LAMPORTS;
/** So many answers in a row must say that a pool has moved: one false one would have it told for good, and never moved. */
const MOVED_LOOKS = 10;
/** Pools of which it is remembered how often that was said. */
const MOST_MOVED = 10_000;
/** One migration at a time in all instances, so that the budget holds. */
const LEASE = 'launch migrations';

interface Prepared {
  crafted: Crafted;
  lastValidBlockHeight: bigint;
  cosigners: KeyName[];
  payload: MigrationPayload;
}

/** Moves launches whose curve is sold out into their pools of DAMM v2. */
export type MigrationKeeper = Worker<LaunchOnCurve, Prepared>;

export function createMigrationKeeper(deps: MigrationKeeperDeps): MigrationKeeper {
  const { store, steadyNow, log, wallet } = deps;
  const backOffs = new BackOffs(FAILED, steadyNow);
  return new Worker(new MigrationWork(deps, backOffs), {
    begin: 'serially',
    intervalMs: INTERVAL_MS,
    log,
    failure: 'cannot look for launches to migrate; will try again',
    logsFirstFailureOnly: true,
    backOffs,
    lease: { store, nameOf: () => LEASE },
    wallet,
  });
}

export function startMigrationKeeper(deps: MigrationKeeperDeps): MigrationKeeper {
  const keeper = createMigrationKeeper(deps);
  keeper.start();
  return keeper;
}

class MigrationWork implements Work<LaunchOnCurve, Prepared> {
  readonly #deps: MigrationKeeperDeps;
  readonly #backOffs: BackOffs;
  readonly #expiries = new Expiries();
  /** How often in a row it was said of a launch that it has moved. */
  readonly #saidMoved = new GrowingCache<string, number>(MOST_MOVED);
  readonly #steps: Counter<'step' | 'outcome'>;
  readonly #spent: Gauge;
  /** The mint after which the next page begins. */
  #after = '';
  #underWay: string | undefined;
  #shortOn: number | undefined;

  constructor(deps: MigrationKeeperDeps, backOffs: BackOffs) {
    this.#deps = deps;
    this.#backOffs = backOffs;
    const registers = [deps.registry];
    this.#steps = new Counter({
      name: 'slipway_launch_migrations_total',
      help: 'What the keeper has done with launches whose curve is sold out, by step (lock, migrate) and outcome (done, failed)',
      labelNames: ['step', 'outcome'],
      registers,
    });
    this.#spent = new Gauge({
      name: 'slipway_launch_migrations_spent_lamports',
      help: 'What all instances together have spent on migrations of launches today (UTC)',
      registers,
    });
  }

  idOf({ mint }: LaunchOnCurve): string {
    return mint;
  }

  /** The next launch that can migrate, once the one before it has ended. */
  async due(inFlight: InFlight): Promise<LaunchOnCurve[]> {
    if (this.#underWay !== undefined && inFlight.isUnderWay(this.#underWay)) return [];
    const { store, chain } = this.#deps;
    const page = await launchesOnCurve(store, this.#after, PAGE);
    const pools = await Promise.all(page.map(({ pool }) => chain.account(pool)));
    for (const [i, launch] of page.entries()) {
      const account = pools[i];
      const state = account?.owner === BONDING_CURVE_PROGRAM ? decodeBondingCurvePool(account.data) : undefined;
      if (state?.isMigrated) {
        await this.#record(launch);
        continue;
      }
      this.#saidMoved.delete(launch.mint);
      if ((state?.isReadyToMigrate || state?.needsLock) && !this.#backOffs.isResting(launch.mint)) return [launch];
    }
    this.#after = page.length < PAGE ? '' : page.at(-1)!.mint;
    return [];
  }

  async prepare(launch: LaunchOnCurve): Promise<Prepared | undefined> {
    const { chain, wallet, store, budget } = this.#deps;
    const { state, config } = await this.#read(launch);
    if (state.isMigrated) {
      await this.#record(launch);
      return undefined;
    }
    const dammConfig = MIGRATED_POOL_CONFIGS[config.migrationFeeOption]!;
    const key: KeyName = `mint:${randomMintNumber()}`;
    const step: MigrationStep = state.needsLock
      ? { do: 'lock', creator: state.creator }
      : { do: 'migrate', dammConfig, position: await this.#deps.signer.publicKey(key) };
    const pool = { ...state, pool: launch.pool, quoteMint: config.quoteMint };
    const tried = await tryOut(
      chain,
      (blockhash, budget) => craftMigration(step, pool, wallet.address, blockhash, budget),
      { bid: { expired: this.#expiries.of(launch.mint) } },
    );
    if ('err' in tried) throw new Error(explain(tried.err).message);
    const { crafted, lastValidBlockHeight } = tried;
    const lamports = MADE[step.do].reduce((sum, space) => sum + rentExemptLamports(space), 0n) + crafted.feeLamports;
    const spent = await migrationSpending(store, new Date(this.#today() * DAY_MS));
    this.#spent.set(Number(spent));
    if (spent + lamports > budget) {
      this.#tellShortage(spent);
      this.#backOffs.fail(launch.mint);
      return undefined;
    }
    if ((await wallet.read()) < lamports + LEFT_FOR_FILLS) throw new Error('the keeper wallet has too little SOL');
    const isMove = step.do === 'migrate';
    const made = isMove && { migratedPool: migratedPool(dammConfig, state.baseMint, config.quoteMint) };
    const payload = { mint: launch.mint, step: step.do, ...made, lamports: `${lamports}` };
    return { crafted, lastValidBlockHeight, cosigners: isMove ? ['keeper', key] : ['keeper'], payload };
  }

  async send(launch: LaunchOnCurve, { payload, ...prepared }: Prepared): Promise<void> {
    const { store, landing, clock, wallet, log } = this.#deps;
    this.#underWay = launch.mint;
    const own = { area: LAUNCH_MIGRATION_AREA, wallet: wallet.address, payload };
    const insert = (row: Parameters<typeof insertCrafted>[1][number]) => store.single((tx) => insertCrafted(tx, [row]));
    let outcome: 'done' | 'failed' = 'failed';
    try {
      const request = await rememberOwn(insert, { ...own, ...prepared }, clock);
      const { state, signature } = await landing.execute(request, decodeTransaction(prepared.crafted.wire));
      this.#expiries.ended(launch.mint, state);
      if (state !== 'landed') throw new Error(`the transaction has ${state}`);
      outcome = 'done';
      log.info({ ...payload, signature }, payload.step === 'lock' ? 'launch locked' : 'launch migrated');
    } finally {
      this.#steps.inc({ step: payload.step, outcome });
    }
  }

  failed({ mint }: LaunchOnCurve, reason: string, tries: number): void {
    this.#deps.log[tries === 1 ? 'info' : 'debug']({ mint, reason, tries }, 'cannot migrate a launch; will try again');
  }

  async #read({ pool }: LaunchOnCurve) {
    const { chain } = this.#deps;
    const state = decodeBondingCurvePool((await chain.account(pool))?.data ?? new Uint8Array(0));
    const config = state && decodeBondingCurveConfig((await chain.account(state.config))?.data ?? new Uint8Array(0));
    if (!state || !config) throw new Error(`the node does not know the pool ${pool}`);
    return { state, config };
  }

  /** Of a pool that somebody else has moved, as is said again and again, and by the pool that it has moved to. */
  async #record(launch: LaunchOnCurve): Promise<void> {
    const { store, chain, clock } = this.#deps;
    const { mint } = launch;
    const looks = (this.#saidMoved.get(mint) ?? 0) + 1;
    this.#saidMoved.set(mint, looks);
    if (looks < MOVED_LOOKS) return;
    const { state, config } = await this.#read(launch);
    const moved = migratedPool(MIGRATED_POOL_CONFIGS[config.migrationFeeOption]!, state.baseMint, config.quoteMint);
    const isThere = (await chain.account(moved))?.owner === DAMM_V2_PROGRAM;
    this.#saidMoved.delete(mint);
    if (!state.isMigrated || !isThere) return;
    await store.transaction((tx) => recordMigration(tx, { mint, migratedPool: moved }, new Date(clock.now())));
  }

  #today(): number {
    return Math.floor(this.#deps.clock.now() / DAY_MS);
  }

  #tellShortage(spent: bigint): void {
    const today = this.#today();
    if (this.#shortOn === today) return;
    this.#shortOn = today;
    const { budget, log } = this.#deps;
    const reason = `launches wait to migrate, which costs more than is left of the day's ${budget} lamports (studio.migrationBudgetSol)`;
    log.warn({ spentLamports: `${spent}` }, reason);
  }
}
