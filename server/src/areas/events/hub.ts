import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Turns } from '../../lib/turns.js';
import { deadAmong } from '../../store/dead-keys.js';
import { EVENTS_CHANNEL, type EventRow, eventsAfter, lastNumbers } from '../../store/events.js';
import { KEYS_CHANNEL } from '../../store/keys.js';
import { REVOKED_LOGINS_CHANNEL, revocationsOf } from '../../store/revoked-logins.js';
import type { Store } from '../../store/sql.js';
import { frameOf, type Reader } from './reader.js';
import { UnreadFrames } from './unread-frames.js';

const PAGE = 100;
/** After a whole page that a caller has missed, whichever stream it is of: nothing else holds one back who wants none of it. */
const BREATH_MS = 20;
const ACCOUNTS_AT_ONCE = 500;
/** For notifications that were lost. */
const POLL_MS = 5_000;
/** A stream may begin with a login that was ended so shortly before. */
const HEARD_WITHIN_MS = 1_000;
const BEAT_MS = 15_000;
const RETRY_MS = 1_000;
const PATIENCE_MS = 30_000;

interface Group {
  /** The last number that was given to the readers. */
  head: bigint;
  readonly readers: Set<Reader>;
}

/**
 * Gives new events to all readers of this instance: it listens once, and reads each event once for an account however
 * many read it. Readers that are behind catch up by themselves before they join the others.
 */
export class Hub {
  readonly #store: Store;
  readonly #log: Logger;
  readonly #patienceMs: number;
  /** The readers that have caught up, by account. */
  readonly #groups = new Map<string, Group>();
  /** All readers. */
  readonly #readers = new Set<Reader>();
  readonly #unread = new UnreadFrames(this.#readers);
  readonly #changed = new Set<string>();
  /** What the streams of one key have missed is read page after page: the clients of a page are as many as there are addresses. */
  readonly #turns = new Turns();
  /** Before that, each client's own wait for each other: somebody's many streams take no turns of others of the same page. */
  readonly #ofCaller = new Turns();
  #isReading = false;
  #isClosed = false;
  #timers: NodeJS.Timeout[] = [];
  #stopListening: (() => Promise<unknown>) | undefined;

  /** `patienceMs`: how long a client may read nothing while something waits for it. */
  constructor({ store, log, patienceMs = PATIENCE_MS }: { store: Store; log: Logger; patienceMs?: number }) {
    this.#store = store;
    this.#patienceMs = patienceMs;
    this.#log = log;
  }

  async start(): Promise<void> {
    const stops = await Promise.all([
      this.#store.listen(EVENTS_CHANNEL, (accounts) => this.#look(accounts.split(' '))),
      this.#store.listen(REVOKED_LOGINS_CHANNEL, (wallet) => this.#logOut(wallet)),
      this.#store.listen(KEYS_CHANNEL, (id) => this.#endOf(id)),
    ]);
    this.#stopListening = () => Promise.all(stops.map((stop) => stop()));
    this.#timers = [
      setInterval(() => void this.#poll(), POLL_MS),
      setInterval(() => {
        for (const reader of this.#readers) reader.beat();
      }, BEAT_MS),
    ];
  }

  /** Ends all streams. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers) clearInterval(timer);
    for (const reader of this.#readers) reader.end();
    await this.#stopListening?.();
  }

  /** A reader was given so many bytes. */
  readonly gave = (bytes: number): void => this.#unread.gave(bytes);

  /** Gives the reader what it has missed, and everything new until it closes. */
  add(reader: Reader): void {
    this.#readers.add(reader);
    reader.body.once('close', () => this.#remove(reader));
    if (this.#isClosed) reader.end();
    else void this.#catchUp(reader);
  }

  /** Ends the streams of a wallet whose logins were ended. Who logs in again connects again. */
  #logOut(wallet: string, begunUntil = Number.POSITIVE_INFINITY): void {
    for (const reader of this.#readers) {
      if (reader.login?.wallet === wallet && reader.login.begunAt <= begunUntil) reader.drop();
    }
  }

  /** Ends the streams of a key that was changed. Who still has a good one connects again. */
  #endOf(key: string): void {
    for (const reader of this.#readers) if (reader.key === key) reader.drop();
  }

  #remove(reader: Reader): void {
    this.#readers.delete(reader);
    const group = this.#groups.get(reader.account);
    if (group?.readers.delete(reader) && group.readers.size === 0) this.#groups.delete(reader.account);
  }

  async #catchUp(reader: Reader): Promise<void> {
    while (!reader.isClosed && !this.#isClosed) {
      try {
        const head = this.#groups.get(reader.account)?.head ?? 0n;
        const page = await this.#ofCaller.take(reader.caller, () =>
          this.#turns.take(reader.key, () => this.#missedBy(reader)),
        );
        // It has ended meanwhile: what waits for it is still read.
        if (reader.isClosed || this.#isClosed) return;
        // Deleted in the meantime: when the client connects again, it is told so.
        if (page.length === 0 && head > reader.after) return reader.drop();
        for (const event of page) {
          if (event.number > reader.after + 1n) return reader.drop();
          if (!reader.give(event, frameOf(event))) break;
        }
        if (page.length < PAGE && reader.after >= (page.at(-1)?.number ?? 0n) && this.#join(reader)) return;
        if (!(await reader.hasRoom(this.#patienceMs))) return reader.drop();
      } catch (error) {
        this.#warn(error);
        await sleep(RETRY_MS);
      }
    }
  }

  async #missedBy(reader: Reader): Promise<EventRow[]> {
    if (reader.isClosed || this.#isClosed) return [];
    const page = await eventsAfter(this.#store, [reader], PAGE);
    if (page.length === PAGE) await sleep(BREATH_MS);
    return page;
  }

  /** False if the others are further. */
  #join(reader: Reader): boolean {
    if (reader.isClosed) return true;
    const { account, after } = reader;
    const group = this.#groups.get(account);
    if (group && group.head > after) return false;
    if (group) group.readers.add(reader);
    else {
      this.#groups.set(account, { head: after, readers: new Set([reader]) });
      // Nobody has listened for this account since the page was read.
      this.#look([account]);
    }
    return true;
  }

  #look(accounts: readonly string[]): void {
    for (const account of accounts) if (this.#groups.has(account)) this.#changed.add(account);
    if (this.#changed.size > 0 && !this.#isReading) void this.#read();
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    while (this.#changed.size > 0 && !this.#isClosed) {
      const accounts = [...this.#changed].slice(0, ACCOUNTS_AT_ONCE);
      for (const account of accounts) this.#changed.delete(account);
      const asked = accounts.flatMap((account) => {
        const group = this.#groups.get(account);
        return group ? [{ account, after: group.head }] : [];
      });
      try {
        this.#give(asked, await eventsAfter(this.#store, asked, PAGE));
      } catch (error) {
        this.#warn(error);
        for (const account of accounts) this.#changed.add(account);
        await sleep(RETRY_MS);
      }
    }
    this.#isReading = false;
  }

  #give(asked: readonly { account: string; after: bigint }[], events: readonly EventRow[]): void {
    const byAccount = new Map<string, EventRow[]>(asked.map(({ account }) => [account, []]));
    for (const event of events) byAccount.get(event.account)?.push(event);
    for (const { account, after } of asked) {
      const group = this.#groups.get(account);
      const found = byAccount.get(account) ?? [];
      // Other readers have come in place of those for whom it was asked, or there is more.
      if (group?.head !== after || found.length === PAGE) this.#changed.add(account);
      if (group?.head !== after) continue;
      for (const event of found) {
        const frame = frameOf(event);
        for (const reader of group.readers) {
          if (reader.give(event, frame)) continue;
          // It reads more slowly than the others, and goes on at its own pace.
          group.readers.delete(reader);
          void this.#catchUp(reader);
        }
        group.head = event.number;
      }
      if (group.readers.size === 0) this.#groups.delete(account);
    }
    for (const account of this.#changed) if (!this.#groups.has(account)) this.#changed.delete(account);
  }

  async #poll(): Promise<void> {
    try {
      const wallets = [...new Set([...this.#readers].flatMap(({ login }) => login?.wallet ?? []))];
      const revoked = await revocationsOf(this.#store, wallets);
      for (const [wallet, at] of revoked) this.#logOut(wallet, at.getTime() + HEARD_WITHIN_MS);
      // Nobody tells when a key expires, nor those whose stream was being opened when theirs was revoked.
      const keys = [...new Set([...this.#readers].map(({ key }) => key))];
      for (const key of await deadAmong(this.#store, keys)) this.#endOf(key);
      const last = await lastNumbers(this.#store, [...this.#groups.keys()]);
      this.#look(
        [...last].flatMap(([account, number]) =>
          number > (this.#groups.get(account)?.head ?? number) ? [account] : [],
        ),
      );
    } catch (error) {
      this.#warn(error);
    }
  }

  #warn(error: unknown): void {
    if (!this.#isClosed)
      this.#log.warn({ reason: (error as Error).message }, 'events could not be read; it will be tried again');
  }
}
