import {
  ADDRESS_LOOKUP_TABLE_PROGRAM,
  type Address,
  decodeLookupTable,
  decodeTransaction,
  type LookupTableState,
  lookupTableAddress,
} from '@slipway/wire';
import type { Logger } from 'pino';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Chain } from '../../chain/index.js';
import { ADDRESSES_AT_ONCE, craftTableStep, type TableStep } from '../../crafting/lookup-table.js';
import { explain, type Landing, newRequest, tryOut } from '../../landing/index.js';
import { BackOffs } from '../../lib/back-offs.js';
import type { Clock } from '../../lib/clock.js';
import { findRequest, insertCrafted, type LedgerRow } from '../../store/ledger.js';
import {
  beginChange,
  correctTable,
  endChange,
  insertTable,
  retireTable,
  type StoredTable,
  storedTables,
  type TableChange,
  tableChange,
  tableSpending,
  tableWishes,
  withdrawChange,
} from '../../store/lookup-tables.js';
import type { Store } from '../../store/sql.js';
import { Expiries } from '../expiries.js';
import { KEEPER_LEAST_LAMPORTS, type KeeperWallet } from '../wallet.js';
import { type Work, Worker } from '../worker.js';
import { type Addition, nextAddition, rentOf } from './plan.js';
import { TABLE_AREA, type TableDetail } from './settlement.js';

export interface TableKeeperDeps {
  store: Store;
  landing: Pick<Landing, 'execute'>;
  chain: Chain;
  clock: Clock;
  steadyNow: () => number;
  log: Logger;
  registry: Registry;
  /** The keeper's wallet: pays, and alone may change the tables. */
  wallet: Pick<KeeperWallet, 'address' | 'canPay' | 'read'> & {
    /** The addresses that the wallet had before: it gives up the tables that they have made. */
    readonly earlier?: readonly Address[];
  };
  /** Lamports that the tables may cost in a day (UTC), rent and fees together, whichever instance spends them. */
  budget: bigint;
}

const INTERVAL_MS = 10_000;
const DAY_MS = 24 * 60 * 60_000;
/** A wish that nobody has repeated for so long is over. */
const WISHED_MS = 60 * 60_000;
const MAX_WISHES = 100;
/** A table that no transaction has used for so long is given up for its rent. */
const UNUSED_MS = 30 * DAY_MS;
const ACTIVE = 2n ** 64n - 1n;
/** A deactivated table can be closed once its slot is not among the last 512 that had a block. */
const COOLDOWN_SLOTS = 1_000n;
const FAILED = { firstMs: 5_000, longestMs: 10 * 60_000 };
/** A table that was given up and is not there is looked for so often in a row: a node may be behind, or lie. */
const ABSENT = { firstMs: 10 * 60_000, longestMs: 10 * 60_000 };
const MOST_LOOKS = 24;
/** After so many failures a table that the chain does not have as it was left is no node's delay. */
const MAX_DELAYS = 6;
/** Tables take none of the wallet's last lamports, or fills would stop for them. */
const LEFT_FOR_FILLS = 5n * KEEPER_LEAST_LAMPORTS;

/** There is one item: the next change of any table. */
const ITEM = 'lookup tables';

interface Prepared {
  step: TableStep;
  request: LedgerRow;
  wire: Uint8Array;
}

type Task =
  | { do: 'conclude'; change: TableChange }
  | { do: 'add'; addition: Addition; left: bigint }
  | { do: 'retire'; table: StoredTable; left: bigint };

/** Makes and extends the lookup tables that orders wish for, and gives up those that are not used. */
export type TableKeeper = Worker<typeof ITEM, Prepared>;

export function createTableKeeper(deps: TableKeeperDeps): TableKeeper {
  const { store, steadyNow, log, wallet } = deps;
  const backOffs = new BackOffs(FAILED, steadyNow);
  return new Worker(new TableWork(deps, backOffs), {
    begin: 'serially',
    intervalMs: INTERVAL_MS,
    log,
    failure: 'cannot look for lookup tables to make; will try again',
    logsFirstFailureOnly: true,
    backOffs,
    lease: { store, nameOf: (item) => item },
    wallet,
  });
}

export function startTableKeeper(deps: TableKeeperDeps): TableKeeper {
  const keeper = createTableKeeper(deps);
  keeper.start();
  return keeper;
}

class TableWork implements Work<typeof ITEM, Prepared> {
  readonly #deps: TableKeeperDeps;
  readonly #backOffs: BackOffs;
  readonly #absences: BackOffs;
  readonly #expiries = new Expiries();
  readonly #changes: Counter<'change' | 'outcome'>;
  readonly #spent: Gauge;
  #shortOn: number | undefined;

  constructor(deps: TableKeeperDeps, backOffs: BackOffs) {
    this.#deps = deps;
    this.#backOffs = backOffs;
    this.#absences = new BackOffs(ABSENT, deps.steadyNow);
    this.#changes = new Counter({
      name: 'slipway_lookup_table_changes_total',
      help: 'Transactions of the lookup tables, by change (make, extend, deactivate, close) and outcome (done, failed)',
      labelNames: ['change', 'outcome'],
      registers: [deps.registry],
    });
    this.#spent = new Gauge({
      name: 'slipway_lookup_table_spent_lamports',
      help: 'What all instances together have spent on lookup tables today (UTC)',
      registers: [deps.registry],
    });
  }

  idOf(item: typeof ITEM): string {
    return item;
  }

  async due(): Promise<(typeof ITEM)[]> {
    return (await this.#task()) ? [ITEM] : [];
  }

  async prepare(): Promise<Prepared | undefined> {
    let task = await this.#task();
    if (task?.do === 'conclude') {
      await this.#conclude(task.change);
      task = await this.#task();
    }
    if (task?.do === 'add') return this.#prepareAddition(task.addition, task.left);
    if (task?.do === 'retire') return this.#prepareRetirement(task.table, task.left);
    return undefined;
  }

  async send(_: typeof ITEM, { step, request, wire }: Prepared): Promise<void> {
    const { store, landing, budget, log } = this.#deps;
    const detail: TableDetail = { budget };
    let outcome: 'done' | 'failed' = 'failed';
    try {
      const { state, signature } = await landing.execute(request, decodeTransaction(wire), detail);
      this.#expiries.ended(ITEM, state);
      if (state !== 'landed') throw new Error(`the transaction has ${state}`);
      outcome = 'done';
      log.info({ ...(request.payload as object), signature }, 'lookup table changed');
    } catch (error) {
      await store.transaction((tx) => withdrawChange(tx, request.id));
      throw error;
    } finally {
      this.#changes.inc({ change: step.do, outcome });
    }
  }

  failed(_: typeof ITEM, reason: string, tries: number): void {
    this.#deps.log[tries === 1 ? 'info' : 'debug']({ reason, tries }, 'cannot change a lookup table; will try again');
  }

  async #task(): Promise<Task | undefined> {
    const { store, clock, wallet, budget } = this.#deps;
    const change = await tableChange(store);
    if (change) return { do: 'conclude', change };
    const now = clock.now();
    const [all, wishes, spent] = await Promise.all([
      storedTables(store),
      tableWishes(store, new Date(now - WISHED_MS), MAX_WISHES),
      tableSpending(store, this.#today()),
    ]);
    this.#spent.set(Number(spent));
    const left = budget - spent;
    const own = wallet.address;
    const ours = new Set<string>([own, ...(wallet.earlier ?? [])]);
    const tables = all.filter(({ authority }) => ours.has(authority));
    const ready = tables.filter(({ state }) => state === 'ready');
    const { addition, isShort } = nextAddition(ready, wishes, left, ({ authority }) => authority === own);
    if (isShort) this.#tellShortage(spent);
    if (addition) return { do: 'add', addition, left };
    const unused = ready.find(({ usedAt }) => usedAt.getTime() < now - UNUSED_MS);
    const isRetiring = ({ state, address }: StoredTable) => state === 'retiring' && !this.#absences.isResting(address);
    const table = tables.find(isRetiring) ?? unused;
    return table && { do: 'retire', table, left };
  }

  /** Ends what a stopped instance has begun. What it sent is taken over by the landing. */
  async #conclude({ request }: TableChange): Promise<void> {
    const { store } = this.#deps;
    const row = await findRequest(store, request);
    if (row?.state === 'sending') return;
    if (row && row.state !== 'crafted') await store.transaction((tx) => endChange(tx, row));
    else await store.transaction((tx) => withdrawChange(tx, request));
  }

  async #prepareAddition({ table, missing }: Addition, left: bigint): Promise<Prepared | undefined> {
    const { chain } = this.#deps;
    const addresses = missing.slice(0, ADDRESSES_AT_ONCE) as Address[];
    const rent = rentOf({ table, missing: addresses });
    if (table) {
      if (!(await this.#isAsStored(table))) return undefined;
      return this.#begin({ do: 'extend', table: table.address as Address, addresses }, rent, left);
    }
    const { slot: recentSlot } = await chain.latestBlockhash();
    return this.#begin({ do: 'make', recentSlot, addresses }, rent, left);
  }

  /** Deactivates a table, or closes it when nothing can name it any longer. */
  async #prepareRetirement({ address, authority, state }: StoredTable, left: bigint): Promise<Prepared | undefined> {
    const { store, clock, chain } = this.#deps;
    if (state === 'ready') {
      await store.transaction((tx) => retireTable(tx, address, new Date(clock.now() - UNUSED_MS)));
      return undefined;
    }
    const table = address as Address;
    const found = await this.#read(table);
    if (!found && this.#absences.fail(address) < MOST_LOOKS) return undefined;
    this.#absences.delete(address);
    if (!found) await store.transaction((tx) => correctTable(tx, address, undefined));
    else if (found.deactivationSlot === ACTIVE)
      return this.#begin({ do: 'deactivate', table }, 0n, left, authority as Address);
    else if ((await chain.latestBlockhash()).slot > found.deactivationSlot + COOLDOWN_SLOTS)
      return this.#begin({ do: 'close', table }, 0n, left, authority as Address);
    return undefined;
  }

  /** Crafts a change and records it. Undefined if it costs too much now, or if another one is under way. */
  async #begin(step: TableStep, rent: bigint, left: bigint, authority?: Address): Promise<Prepared | undefined> {
    const { store, chain, clock } = this.#deps;
    const wallet = this.#deps.wallet.address;
    const tried = await tryOut(
      chain,
      (blockhash, budget) => craftTableStep(step, { wallet, authority }, blockhash, budget),
      { bid: { expired: this.#expiries.of(ITEM) } },
    );
    if ('err' in tried) throw new Error(explain(tried.err).message);
    const { crafted, lastValidBlockHeight } = tried;
    const lamports = rent + crafted.feeLamports;
    if (lamports > left || (await this.#deps.wallet.read()) < lamports + LEFT_FOR_FILLS) return undefined;
    const address = step.do === 'make' ? lookupTableAddress(wallet, step.recentSlot).address : step.table;
    const addresses = 'addresses' in step ? step.addresses : [];
    const payload = { table: address, change: step.do, addresses: addresses.length, lamports: `${lamports}` };
    const own = { area: TABLE_AREA, wallet, cosigners: ['keeper'] as const, payload };
    const row = newRequest({ ...own, crafted, lastValidBlockHeight }, clock);
    const change = { request: row.id, address, addresses, lamports, fee: crafted.feeLamports, day: this.#today() };
    const table = { address, authority: wallet, usedAt: new Date(clock.now()) };
    const isBegun = await store.transaction(async (tx) => {
      if (!(await beginChange(tx, change))) return false;
      if (step.do === 'make' && !(await insertTable(tx, table))) throw new Error(`the table ${address} is known`);
      await insertCrafted(tx, [row]);
      return true;
    });
    const request = isBegun ? await findRequest(store, row.id) : undefined;
    return request && { step, request, wire: crafted.wire };
  }

  /**
   * Whether the chain has the table as it was left. If it does not for longer than a node lags, what the chain has
   * counts: a fork may have taken a change back.
   */
  async #isAsStored({ address, addresses }: StoredTable): Promise<boolean> {
    const found = await this.#read(address as Address);
    const isActive = found?.deactivationSlot === ACTIVE;
    if (isActive && found.addresses.join() === addresses.join()) return true;
    if (this.#backOffs.triesOf(ITEM) < MAX_DELAYS)
      throw new Error(`the node does not know the table ${address} as it was left`);
    await this.#deps.store.transaction((tx) => correctTable(tx, address, isActive ? found.addresses : undefined));
    return false;
  }

  async #read(table: Address): Promise<LookupTableState | undefined> {
    const account = await this.#deps.chain.account(table);
    return account?.owner === ADDRESS_LOOKUP_TABLE_PROGRAM ? decodeLookupTable(account.data) : undefined;
  }

  #today(): number {
    return Math.floor(this.#deps.clock.now() / DAY_MS);
  }

  #tellShortage(spent: bigint): void {
    const today = this.#today();
    if (this.#shortOn === today) return;
    this.#shortOn = today;
    const { budget, log } = this.#deps;
    const reason = `orders wish for lookup tables that cost more than is left of the day's ${budget} lamports (swap.tableBudgetSol)`;
    log.warn({ spentLamports: `${spent}` }, reason);
  }
}
