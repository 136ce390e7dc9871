import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { BackOffs } from '../lib/back-offs.js';
import { waitAtMost } from '../lib/wait-at-most.js';
import { holdLease, releaseLease } from '../store/leases.js';
import type { Store } from '../store/sql.js';
import { FairQueue, type GroupPath } from './fair-queue.js';
import { isAway } from './is-away.js';
import { Loop, type LoopOptions } from './loop.js';
import type { KeeperWallet } from './wallet.js';

/** A keeper's work: what is due, and how one item is done. */
export interface Work<Item, Prepared> {
  /** The item's name in leases and back-offs. */
  idOf(item: Item): string;
  /** Whose item it is, the outermost group of owners first: at each level they take turns. If missing, all are one's. */
  ownersOf?(item: Item): GroupPath;
  /**
   * What may be due, in the order in which to begin it. `isWoken`: something has woken the worker for this turn.
   * @throws to end the turn, with a log line
   */
  due(inFlight: InFlight, isWoken: boolean): Promise<Iterable<Item>>;
  /** Whether `due` has left some of what is due to the next turn, which then comes soon. */
  readonly hasMore?: boolean;
  /** A cheap check before a lease is taken. If it is missing, everything that `due` returns is due. */
  isDue?(item: Item): Promise<boolean>;
  /** Prepares what to send; undefined if there is nothing now. @throws to make the item back off */
  prepare(item: Item): Promise<Prepared | undefined>;
  /**
   * Sends it and waits for the outcome. `isSent` may be called once it is on its way: from then on another item has its place.
   * @throws to make the item back off
   */
  send(item: Item, prepared: Prepared, isSent: () => void): Promise<void>;
  /** One of the above threw, for the `tries`-th time in a row. */
  failed(item: Item, reason: string, tries: number): void;
  /** Called at the end of a turn. `begun`: how many items it began. */
  turned?(begun: number): Promise<void>;
  /** Drops what `due` has cached since the last turn. */
  forget?(): void;
}

/** Items under way or queued, for work that keeps its own list. */
export interface InFlight {
  isUnderWay(id: string): boolean;
  isQueued(id: string): boolean;
  /** Removes an item from the queue. */
  dequeue(id: string): void;
}

export interface WorkerOptions extends LoopOptions {
  /**
   * How the items of a turn are begun:
   * `serially`: each after the one before it is prepared, so that it can be compared with everything under way. Items
   * beyond the bound are left to the next turn.
   * `together`: concurrently, up to the bound; the turn ends when all of them have ended.
   * `queued`: concurrently; items beyond the bound wait in a queue, because `due` does not return them again. Their
   * owners take turns, and none has more under way than he leaves to others.
   */
  begin: 'serially' | 'together' | 'queued';
  /** If missing, a failed item is begun again whenever it is due. */
  backOffs?: BackOffs;
  /**
   * The longest that `send` holds its item, in milliseconds; but for `queued`, three minutes by default. What it sends can land no
   * more by then, and a node that has forgotten that time never tells how it has ended.
   */
  longestSendMs?: number | undefined;
  /** For items without a claim in the store: ensures that only one instance at a time works on an item. */
  lease?: { store: Store; nameOf(id: string): string };
  /**
   * With `serially`: after how many items in vain a turn ends, and the next one comes soon, with what is due by then.
   * Otherwise what others make in vain keeps waiting what is due now.
   */
  mostInVain?: number;
  /** With `serially`, if looking at items and preparing them is work for the processor: others have it for as long in between. */
  sharing?: { busyNow: () => number; sleep?: (milliseconds: number) => Promise<unknown> };
  /** Who pays. Nothing is begun while it cannot. */
  wallet?: Pick<KeeperWallet, 'canPay'>;
}

export const MOST_UNDER_WAY = 16;
/** With those that are sent, and only wait for their outcome. */
export const MOST_WITH_SENT = 256;
const MOST_ROUNDS = 100;
/** The owner of all items, where they have none. */
const ALL = '';
/** Longer than a transaction lives. An instance that died blocks an item for no longer than this. */
const LEASE_MS = 90_000;
const LONGEST_SEND_MS = 3 * 60_000;
/** As so many failures in a row counts at most that something did not answer: of 2 s at first, items then rest for half a minute. */
const AWAY_COUNTED = 5;
/** After checking this many items, yield to the event loop. */
const ITEMS_A_TICK = 20;
/** The processor is left to others after so many milliseconds, for as long, or a second. */
const SLICE_MS = 5;
const MOST_SLEPT_MS = 1_000;

/** Does what is due, with a bound on the items under way at once. A failing item does not stop the others. */
export class Worker<Item, Prepared> implements InFlight {
  readonly #work: Work<Item, Prepared>;
  readonly #options: WorkerOptions;
  readonly #loop: Loop<number>;
  readonly #underWay = new Map<string, Promise<unknown>>();
  /** Of those under way, the ones that are sent. */
  readonly #sent = new Set<string>();
  readonly #queue = new FairQueue<Item>(MOST_UNDER_WAY);
  /** The holder of this instance's leases. */
  readonly #holder = randomUUID();
  /** Whether the last turn has left items to the next one, because it had tried so many in vain. */
  #isCutShort = false;
  /** For how long the processor was not left to others; milliseconds. */
  #busyMs = 0;

  constructor(work: Work<Item, Prepared>, options: WorkerOptions) {
    this.#work = work;
    this.#options = options;
    this.#loop = new Loop((isWoken) => this.#turn(isWoken), options);
  }

  /** Starts the timer. */
  start(): void {
    this.#loop.start();
  }

  /** Makes the next turn begin soon. */
  wake(): void {
    this.#loop.wake();
  }

  /** Runs one turn: begins what can be begun now, and returns the number of items. @throws what `due` throws */
  async tick(): Promise<number> {
    return (await this.#loop.tick()) ?? 0;
  }

  /** Runs turns until nothing is due, ignoring back-offs, and everything begun has ended. */
  async runDue(): Promise<void> {
    this.#options.backOffs?.clear();
    for (let round = 0; round < MOST_ROUNDS && !this.#loop.isClosed; round++) {
      this.#work.forget?.();
      const begun = await this.tick();
      const isLeft = this.#isCutShort || this.#work.hasMore;
      if (begun + this.#underWay.size + this.#queue.size === 0 && !isLeft) return;
      while (this.#underWay.size > 0) await Promise.all(this.#underWay.values());
    }
  }

  /** Begins nothing more. Transactions that were sent are left to the landing. */
  close(): Promise<void> {
    return this.#loop.close();
  }

  isUnderWay(id: string): boolean {
    return this.#underWay.has(id);
  }

  isQueued(id: string): boolean {
    return this.#queue.has(id);
  }

  dequeue(id: string): void {
    this.#queue.delete(id);
  }

  async #turn(isWoken: boolean): Promise<number> {
    const items = await this.#work.due(this, isWoken);
    if (this.#work.hasMore) this.#loop.again();
    const begun = await this.#begin(items);
    await this.#work.turned?.(begun);
    return begun;
  }

  #begin(items: Iterable<Item>): Promise<number> | number {
    switch (this.#options.begin) {
      case 'serially':
        return this.#beginSerially(items);
      case 'together':
        return this.#beginTogether(items);
      case 'queued':
        for (const item of items) this.#queue.add(this.#work.idOf(item), item, this.#work.ownersOf?.(item) ?? [ALL]);
        return this.#beginQueued();
    }
  }

  async #beginSerially(items: Iterable<Item>): Promise<number> {
    const { mostInVain = Number.POSITIVE_INFINITY } = this.#options;
    let [looked, begun, inVain] = [0, 0, 0];
    this.#isCutShort = false;
    for (const item of items) {
      if (++looked % ITEMS_A_TICK === 0) await new Promise(setImmediate);
      if (!this.#hasRoom()) break;
      if (!this.#isFree(item)) continue;
      this.#isCutShort = inVain >= mostInVain;
      if (this.#isCutShort) break;
      try {
        if (!(await this.#isDue(item))) continue;
        if (await this.#cannotPay()) break;
        inVain++;
        const send = await this.#prepare(item);
        if (send) {
          inVain--;
          this.#track(item, send());
          begun++;
        } else if (mostInVain < Number.POSITIVE_INFINITY) {
          // As when another instance has it: the next turn must not begin with the same ones.
          this.#options.backOffs?.touch(this.#work.idOf(item));
        }
      } catch (error) {
        this.#failed(item, error);
      }
      // Not before what is prepared is under way: it is for the market of now.
      await this.#share();
    }
    if (this.#isCutShort) this.#loop.again();
    return begun;
  }

  async #isDue(item: Item): Promise<boolean> {
    const { isDue } = this.#work;
    if (!isDue) return true;
    try {
      return await this.#counted(() => isDue.call(this.#work, item));
    } finally {
      await this.#share();
    }
  }

  async #counted<T>(work: () => Promise<T>): Promise<T> {
    const { busyNow } = this.#options.sharing ?? { busyNow: () => 0 };
    const begun = busyNow();
    try {
      return await work();
    } finally {
      // Waits that overlap take off the same time twice.
      this.#busyMs += Math.max(0, Math.min(MOST_SLEPT_MS, busyNow() - begun));
    }
  }

  async #share(): Promise<void> {
    if (this.#busyMs < SLICE_MS) return;
    const { sleep = wait } = this.#options.sharing ?? {};
    const ms = this.#busyMs;
    this.#busyMs = 0;
    await sleep(ms);
  }

  async #beginTogether(items: Iterable<Item>): Promise<number> {
    const free = [...items].filter((item) => this.#isFree(item));
    const some = free.slice(0, MOST_UNDER_WAY - this.#underWay.size);
    if (some.length === 0 || !this.#hasRoom() || (await this.#cannotPay())) return 0;
    const sent = await Promise.all(some.map((item) => this.#track(item, this.#attempt(item))));
    return sent.filter(Boolean).length;
  }

  #beginQueued(): number {
    let begun = 0;
    while (this.#hasRoom()) {
      const item = this.#queue.take(MOST_WITH_SENT - this.#underWay.size);
      if (item === undefined) break;
      this.#track(item, this.#attempt(item));
      begun++;
    }
    return begun;
  }

  #hasRoom(): boolean {
    return !this.#loop.isClosed && this.#underWay.size - this.#sent.size < MOST_UNDER_WAY;
  }

  #isFree(item: Item): boolean {
    const id = this.#work.idOf(item);
    return !this.#underWay.has(id) && !this.#options.backOffs?.isResting(id);
  }

  async #cannotPay(): Promise<boolean> {
    const { wallet } = this.#options;
    return wallet !== undefined && !(await wallet.canPay());
  }

  #track<T>(item: Item, work: Promise<T>): Promise<T> {
    const id = this.#work.idOf(item);
    const end = work.finally(() => {
      this.#underWay.delete(id);
      this.#sent.delete(id);
      this.#queue.ended(id);
      this.#beginQueued();
    });
    this.#underWay.set(id, end);
    return end;
  }

  /** Returns whether anything was sent. Never throws. */
  async #attempt(item: Item): Promise<boolean> {
    try {
      const send = await this.#prepare(item);
      await send?.();
      return send !== undefined;
    } catch (error) {
      this.#failed(item, error);
      return false;
    }
  }

  /**
   * Takes the lease and prepares the item. Returns a function that sends it and never throws; undefined if nothing is
   * to be sent.
   */
  async #prepare(item: Item): Promise<(() => Promise<void>) | undefined> {
    const release = await this.#hold(item);
    if (!release) return undefined;
    try {
      const prepared = await this.#counted(() => this.#work.prepare(item));
      if (prepared !== undefined && !this.#loop.isClosed) return () => this.#send(item, prepared).finally(release);
    } catch (error) {
      await release();
      throw error;
    }
    await release();
    return undefined;
  }

  async #send(item: Item, prepared: Prepared): Promise<void> {
    try {
      await this.#inTime(this.#work.send(item, prepared, () => this.#leavePlace(item)));
      const { backOffs, mostInVain } = this.#options;
      backOffs?.delete(this.#work.idOf(item));
      // What is left of it comes after those that have waited meanwhile.
      if (mostInVain !== undefined) backOffs?.touch(this.#work.idOf(item));
    } catch (error) {
      this.#failed(item, error);
    }
  }

  async #inTime(sending: Promise<void>): Promise<void> {
    const { begin, longestSendMs = LONGEST_SEND_MS } = this.#options;
    if (begin === 'queued') return sending;
    const isKnown = await waitAtMost(longestSendMs, sending, { ref: false });
    if (!isKnown) throw new Error('no node can tell yet how it has ended');
  }

  #leavePlace(item: Item): void {
    const id = this.#work.idOf(item);
    if (!this.#underWay.has(id)) return;
    this.#sent.add(id);
    this.#beginQueued();
  }

  /** Takes the item's lease and returns its release function; undefined while another instance has the lease. */
  async #hold(item: Item): Promise<(() => Promise<void>) | undefined> {
    const { lease } = this.#options;
    if (!lease) return async () => {};
    const { store } = lease;
    const held = { name: lease.nameOf(this.#work.idOf(item)), holder: this.#holder };
    if (!(await store.transaction((tx) => holdLease(tx, held, LEASE_MS)))) return undefined;
    // A lease that cannot be released expires by itself.
    return () => store.transaction((tx) => releaseLease(tx, held)).catch(() => {});
  }

  #failed(item: Item, error: unknown): void {
    const most = isAway(error) ? AWAY_COUNTED : undefined;
    const tries = this.#options.backOffs?.fail(this.#work.idOf(item), most) ?? 1;
    this.#work.failed(item, (error as Error).message, tries);
  }
}
