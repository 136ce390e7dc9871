import { Readable } from 'node:stream';
import type { Wants } from '../../events/filter.js';
import { eventText } from '../../events/text.js';
import { waitAtMost } from '../../lib/wait-at-most.js';
import type { EventRow } from '../../store/events.js';
import type { Event } from './schema.js';

/** What may wait for a reader that is slower than its events. */
const MOST_WAITING_BYTES = 128 * 1024;

interface Login {
  wallet: string;
  begunAt: number;
}

interface ReaderOptions {
  account: string;
  /** For whom it reads, as they are counted: of a key that stands in pages, each client. */
  caller: string;
  /** The id of the key that has let it in. */
  key: string;
  /** It is told what comes after this number. */
  after: bigint;
  /** Whose login let it in, if one did, and when (Unix milliseconds). */
  login: Login | undefined;
  wants: Wants;
  /** Closes the connection at once, whatever waits for it. */
  cut: () => void;
  /** Told how many bytes were written. */
  gave?: (bytes: number) => void;
}

/** One open stream: the text of server-sent events, which its client reads at its own pace. */
export class Reader {
  readonly account: string;
  readonly caller: string;
  readonly key: string;
  readonly login: Login | undefined;
  readonly body: Readable;
  /** Everything up to this number has been written, or was not wanted. */
  after: bigint;
  readonly #wants: Wants;
  readonly #cut: () => void;
  readonly #gave: (bytes: number) => void;
  /** The number that the client knows. */
  #told: bigint;
  #isEnded = false;
  #onRoom: (() => void) | undefined;

  constructor({ account, caller, key, after, login, wants, cut, gave = () => {} }: ReaderOptions) {
    this.account = account;
    this.caller = caller;
    this.key = key;
    this.login = login;
    this.after = after;
    this.#wants = wants;
    this.#cut = cut;
    this.#gave = gave;
    this.#told = after;
    const tellRoom = () => {
      this.#onRoom?.();
      this.#onRoom = undefined;
    };
    this.body = new Readable({ highWaterMark: MOST_WAITING_BYTES / 4, read: tellRoom });
    this.body.once('close', tellRoom);
    // The number to go on from, also for a client that is cut off before anything has happened.
    this.body.push(`retry: 1000\nid: ${after}\n\n`);
  }

  get isClosed(): boolean {
    return this.#isEnded || this.body.destroyed;
  }

  /** What has been written and not yet sent. */
  get waitingBytes(): number {
    return this.body.readableLength;
  }

  /** Writes an event; `frame` is its text. False if it is not the next one, or too much waits for the client already. */
  give(event: EventRow, frame: string): boolean {
    if (event.number <= this.after) return true;
    if (event.number !== this.after + 1n || this.body.readableLength > MOST_WAITING_BYTES) return false;
    this.after = event.number;
    if (this.isClosed || !this.#wants(event)) return true;
    this.#told = event.number;
    this.body.push(frame);
    this.#gave(frame.length);
    return true;
  }

  /** Resolves when little waits for the client, or the stream has closed; with false after `ms`. */
  async hasRoom(ms: number): Promise<boolean> {
    if (this.isClosed || this.body.readableLength < this.body.readableHighWaterMark) return true;
    return waitAtMost(
      ms,
      new Promise<void>((resolve) => {
        this.#onRoom = resolve;
      }),
    );
  }

  /** Shows client and proxies that the connection lives. */
  beat(): void {
    if (this.isClosed) return;
    // An id alone is no event, but the number to go on from.
    this.body.push(this.#told === this.after ? ':\n\n' : `id: ${this.after}\n\n`);
    this.#told = this.after;
  }

  /** Ends the stream when what waits has been read. */
  end(): void {
    if (!this.isClosed) this.body.push(null);
    this.#isEnded = true;
  }

  /** Ends the stream at once. Its client can go on from where it was. */
  drop(): void {
    this.#isEnded = true;
    this.#cut();
    this.body.destroy();
  }
}

/** The text of an event, the same for everybody who reads the account. */
export function frameOf(event: EventRow): string {
  return `id: ${event.number}\nevent: ${event.kind satisfies Event['kind']}\ndata: ${eventText(event)}\n\n`;
}
