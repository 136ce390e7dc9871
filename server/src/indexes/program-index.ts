import { setTimeout as sleep } from 'node:timers/promises';
import { type Listed, listNewer, listOlder, listTransactions } from '../chain/index.js';
import { BackOffs } from '../lib/back-offs.js';
import { coalesced } from '../lib/single-flight.js';
import { forgetUnread, getIndexCursor, type IndexCursor, setIndexCursor } from '../store/index-cursors.js';
import { type IndexDeps, type IndexedProgram, lockProgram, placed } from './indexed-program.js';
import { isGiven, ListedReader, REFUSAL_MS, type Read } from './listed-reader.js';
import { Patience, REST } from './patience.js';
import { UnreadTransactions } from './unread-transactions.js';
import { DENIAL_MS, placeBefore } from './wrong-cursor.js';

/** Pause between two batches of a background backfill, so that it does not crowd out other reads of the chain. */
const PAUSE_MS = 100;
/**
 * A node that has kept less than others, behind the same address, has nothing older as well, though another of them knows the oldest
 * that was read; and a node may lie.
 */
const ASKED_AGAIN = { firstMs: 60_000, longestMs: 3_600_000 };

type Advance = (cursor: IndexCursor) => IndexCursor | undefined;

/**
 * Reads what a program's transactions did from the chain into the store. A cursor tells which part of the history has
 * been read. It grows at both ends, one batch at a time, and is stored in the same transaction as the batch, so that
 * several instances or a stop neither lose nor duplicate anything. Unreadable transactions are remembered and retried.
 */
export class ProgramIndex<E> {
  readonly #deps: IndexDeps;
  readonly #program: IndexedProgram<E>;
  readonly #reader: ListedReader<E>;
  readonly #unread: UnreadTransactions<E>;
  /** For a transaction that the node lists but does not give yet. */
  readonly #missing: Patience;
  /** For a node that denies the newest transaction. */
  readonly #denying: Patience;
  /** For a node that gives nothing of what it lists of the old history. */
  readonly #withholding: Patience;
  /** When it is asked again whether there is anything older. */
  readonly #ends: BackOffs;
  readonly #coalesced = coalesced(() => this.#syncOnce());
  #hasBegun = false;
  #hasAddedAccounts = false;
  /** Whether entries without an account have been ended since the last gap. */
  #isSwept = false;
  #isInterrupted = false;
  #closed = false;
  #running: Promise<void> | undefined;
  #older: Promise<void> | undefined;

  constructor(deps: IndexDeps, program: IndexedProgram<E>) {
    this.#deps = deps;
    this.#program = program;
    this.#reader = new ListedReader(deps.chain, program, deps.steadyNow);
    this.#unread = new UnreadTransactions(deps, program);
    this.#missing = new Patience(deps.steadyNow, program.patienceMs, REST * program.patienceMs);
    this.#denying = new Patience(deps.steadyNow, DENIAL_MS);
    this.#ends = new BackOffs(ASKED_AGAIN, deps.steadyNow);
    this.#withholding = new Patience(deps.steadyNow, REFUSAL_MS, REST * REFUSAL_MS);
  }

  /**
   * Reads what is new on the chain; resolves when everything that the node could provide at the time of the call is in
   * the store. The first call ever reads the program's whole history or, with `waitsForHistory` false, its newest page,
   * and older pages are backfilled in the background.
   * @throws ChainUnavailable, StoreUnavailable: what was read before is kept, and the next call continues from there.
   */
  sync(): Promise<void> {
    this.#running = this.#coalesced();
    return this.#running;
  }

  /** From now on `keepUp` reads what is new on the chain. Costs nothing but the first time. */
  begin(): Promise<void> {
    return this.#begin();
  }

  /** `sync`, but only once it has begun: a service that does not use the program need not read its history. */
  async keepUp(): Promise<void> {
    if (await this.#cursor()) await this.sync();
  }

  /** How many transactions have been indexed, and how many of these could not be read. */
  async counts(): Promise<{ transactions: number; unread: number }> {
    const [cursor, unread] = await Promise.all([this.#cursor(), this.#unread.count()]);
    return { transactions: cursor ? Number(cursor.newestPosition - cursor.oldestPosition) : 0, unread };
  }

  /** Stops reading; resolves when it has stopped. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled([this.#running, this.#older]);
  }

  async #syncOnce(): Promise<void> {
    const { accounts, finish, waitsForHistory } = this.#program;
    // Accounts first, so that nothing open is missing if the history cannot be read. If they fail, the history is still
    // read.
    const failure = this.#hasAddedAccounts ? undefined : await accounts?.addUnknown().catch((error: Error) => error);
    this.#hasAddedAccounts ||= failure === undefined;
    try {
      await this.#begin();
      await this.#readNewer();
      await this.#unread.retry();
      if (waitsForHistory) await this.#readOlder();
      else await this.#readOlderInBackground();
    } finally {
      const began = this.#deps.steadyNow();
      while (!this.#closed && (await finish?.())) {}
      this.#unread.rest(this.#deps.steadyNow() - began);
    }
    if (failure) throw failure;
    if (!this.#isSwept) await accounts?.endGone();
    this.#isSwept = true;
    await this.#unread.count();
  }

  async #begin(): Promise<void> {
    if (this.#hasBegun) return;
    await this.#deps.store.transaction((tx) => lockProgram(tx, this.#program));
    this.#hasBegun = true;
  }

  /** Reads newer transactions, oldest first. */
  async #readNewer(): Promise<void> {
    while (!this.#closed && (await this.#readSomeNewer())) {}
  }

  /** As many as are kept of a list; true if there may be more. The cursor begins with the first page ever read. */
  async #readSomeNewer(): Promise<boolean> {
    const { newest, newestSlot } = (await this.#cursor())!;
    let last = newest;
    const { found, isAll } = await this.#listNewer(newest, newestSlot);
    for (const listed of this.#reader.batches(found.reverse())) {
      if (this.#closed) return false;
      const batch = this.#withoutAwaited(await this.#reader.read(listed));
      if (batch.length === 0) return false;
      const { txId, slot } = batch.at(-1)!.listed;
      const first = batch.find(isGiven)?.listed.txId ?? '';
      const isStored = await this.#store(batch, 1n, (cursor) =>
        cursor.newest === last
          ? { ...cursor, newest: txId, newestSlot: slot, oldest: cursor.oldest || first }
          : undefined,
      );
      // Another instance was faster; it may have stopped halfway.
      if (!isStored) return true;
      if (batch.length < listed.length) return false;
      last = txId;
    }
    return !isAll;
  }

  async #listNewer(newest: string, slot: bigint): Promise<{ found: Listed[]; isAll: boolean }> {
    const { chain, log } = this.#deps;
    const { program } = this.#program;
    if (newest === '') return { found: await listTransactions(chain.rpc, program, {}), isAll: true };
    const listed = await listNewer(chain.rpc, program, { txId: newest, slot }).catch((error: Error) => error);
    if (listed instanceof Error || listed.isDenied || !listed.isWhole) {
      const isAwaited = this.#denying.isLeftFor(newest);
      const isDenied = !(listed instanceof Error) && listed.isDenied === true;
      const mayBeNone = listed instanceof Error || isDenied;
      if (!isAwaited && mayBeNone && (await this.#goBack({ txId: newest, slot }, isDenied))) {
        return { found: [], isAll: false };
      }
      if (listed instanceof Error) throw listed;
      if (isAwaited) return { found: [], isAll: true };
    } else {
      this.#denying.end();
    }
    const { found, isWhole, isAll } = listed;
    if (!isWhole) {
      this.#isSwept = false;
      log.warn({ program, after: newest }, 'the RPC has not kept all transactions: some are missing');
    }
    return { found, isAll };
  }

  /** Where the newest transaction is none. Returns whether it was. */
  async #goBack(newest: Pick<Listed, 'txId' | 'slot'>, isDenied: boolean): Promise<boolean> {
    const { program } = this.#program;
    const place = await placeBefore(this.#deps, this.#program, newest, isDenied);
    if (!place) return false;
    // What it has opened may have vanished with it.
    this.#isSwept = false;
    await this.#store([], 1n, (cursor) => (cursor.newest === newest.txId ? { ...cursor, ...place } : undefined));
    this.#deps.log.warn(
      { program, none: newest.txId, newest: place.newest },
      'the newest transaction is none: going back',
    );
    return true;
  }

  /** Stops before the first transaction that the node lists but does not give yet, while there is patience for it. */
  #withoutAwaited(read: Read<E>[]): Read<E>[] {
    const isRefused = (each: Read<E>) => 'unreadable' in each && each.isRefused === true;
    // It has waited for all of them before.
    const areAllRefused = read.every(isRefused);
    const index = read.findIndex(
      (each) => 'unreadable' in each && (each.isMissing || (isRefused(each) && !areAllRefused)),
    );
    return index >= 0 && this.#missing.isLeftFor(read[index]!.listed.txId) ? read.slice(0, index) : read;
  }

  async #readOlderInBackground(): Promise<void> {
    const cursor = await this.#cursor();
    if (this.#older || !cursor?.newest || this.#hasEnded(cursor)) return;
    this.#older = this.#readOlder(PAUSE_MS)
      .catch((error: Error) => this.#interrupt(error.message))
      .finally(() => {
        this.#older = undefined;
      });
  }

  /** Whether a node has said, not long ago, that there is nothing older. */
  #hasEnded({ complete }: IndexCursor): boolean {
    return complete && this.#ends.isResting(this.#program.program);
  }

  /** Logs once at level `warn` why the backfill cannot continue now. */
  #interrupt(reason: string): void {
    const { program, subject } = this.#program;
    const level = this.#isInterrupted ? 'debug' : 'warn';
    if (!this.#closed) this.#deps.log[level]({ program, reason }, `reading older ${subject} is interrupted`);
    this.#isInterrupted = true;
  }

  /** Backfills until there is nothing older. The cursor keeps its progress, so a stop costs nothing. */
  async #readOlder(pauseMs = 0): Promise<void> {
    const { log } = this.#deps;
    const { program, subject } = this.#program;
    for (let pages = 2; !this.#closed && !(await this.#readOlderPage(pauseMs)); pages++) {
      log.info({ program, pages }, `reading older ${subject}`);
    }
  }

  /** Backfills one page, newest first. Returns whether there is nothing more to read for now. */
  async #readOlderPage(pauseMs: number): Promise<boolean> {
    const cursor = (await this.#cursor())!;
    let { oldest } = cursor;
    if (cursor.newest === '' || this.#hasEnded(cursor)) return true;
    const { log } = this.#deps;
    const { program, subject } = this.#program;
    const page = await this.#listOlder(cursor);
    if (!page) return true;
    for (const listed of page.length > 0 ? this.#reader.batches(page) : [[]]) {
      if (this.#closed) return false;
      const read = await this.#reader.read(listed);
      // What a node only lists may be none: nothing is ever listed before that.
      const given = read.findLast(isGiven);
      if (read[0] && !given && this.#withholding.isLeftFor(read[0].listed.txId)) {
        this.#interrupt(`the node gives nothing of what it lists before ${oldest}`);
        return true;
      }
      const last = (given ?? read.at(-1))?.listed.txId ?? oldest;
      const isStored = await this.#store(read, -1n, (cursor) =>
        cursor.oldest === oldest ? { ...cursor, oldest: last, complete: listed.length === 0 } : undefined,
      );
      if (!isStored) return false;
      oldest = last;
      if (pauseMs > 0) await sleep(pauseMs);
    }
    if (page.length === 0 && !cursor.complete) log.info({ program }, `all ${subject} of the history have been read`);
    return page.length === 0;
  }

  /** The page before the oldest one; undefined if the node cannot tell. Of a history that was read to its end, most forget that in time. */
  async #listOlder({ oldest, complete }: IndexCursor): Promise<Listed[] | undefined> {
    const { rpc } = this.#deps.chain;
    const { program } = this.#program;
    // Earlier versions created cursors without `oldest`.
    const listing = oldest ? listOlder(rpc, program, oldest) : listTransactions(rpc, program, {});
    const page = await (complete ? listing.catch(() => undefined) : listing);
    if (page && page.length > 0) this.#ends.delete(program);
    else if (page || complete) this.#ends.fail(program);
    else this.#interrupt(`the node does not know ${oldest}, before which it was asked for transactions`);
    return page;
  }

  /**
   * Stores what transactions did, all or nothing, if `advance` accepts the current cursor. Returns whether it did. Each
   * transaction gets the position after (1) or before (-1) all that were read.
   */
  async #store(batch: readonly Read<E>[], direction: 1n | -1n, advance: Advance): Promise<boolean> {
    const { program } = this.#program;
    const { store, steadyNow } = this.#deps;
    let began = 0;
    const isStored = await store.transaction(async (tx) => {
      const advanced = advance(await lockProgram(tx, this.#program));
      if (!advanced) return false;
      began = steadyNow();
      const end = direction > 0n ? 'newestPosition' : 'oldestPosition';
      const read = batch.map(({ listed, ...result }) => {
        advanced[end] += direction;
        return { ...result, place: { ...listed, position: advanced[end] } };
      });
      await this.#unread.add(
        tx,
        read.filter((each) => 'unreadable' in each),
      );
      await this.#program.record(
        tx,
        read.flatMap((each) => ('unreadable' in each ? [] : placed(each))),
      );
      // What follows is listed again.
      if (batch.length === 0 && direction > 0n) await forgetUnread(tx, program, advanced.newestSlot);
      await setIndexCursor(tx, program, advanced);
      return true;
    });
    if (isStored && batch.length > 0) this.#reader.recorded(batch.length, steadyNow() - began);
    return isStored;
  }

  #cursor(): Promise<IndexCursor | undefined> {
    return getIndexCursor(this.#deps.store, this.#program.program);
  }
}
