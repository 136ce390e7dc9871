/** What may wait for all readers of a copy together, in bytes of text; in memory it is nearly twice as much. */
const MOST_BYTES = 32 * 1024 * 1024;
/** What is left of it when streams were ended, so that not every event has all of them looked at. */
const LEFT = 0.75;

interface Reader {
  readonly key: string;
  readonly isClosed: boolean;
  readonly waitingBytes: number;
  drop(): void;
}

/**
 * Bounds the memory of events that clients do not read, however many streams they have: beyond it, those streams end for which
 * most waits, of the key for which most does: the clients of a page are as many as there are addresses. All can go on from where
 * they were.
 */
export class UnreadFrames {
  readonly #readers: Iterable<Reader>;
  /** No less than what waits: what was read since it was counted is in it. */
  #bytes = 0;

  constructor(readers: Iterable<Reader>) {
    this.#readers = readers;
  }

  /** A reader was given so many bytes. */
  gave(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > MOST_BYTES) this.#count();
  }

  #count(): void {
    const keys = new Map<string, { bytes: number; readers: Reader[] }>();
    this.#bytes = 0;
    for (const reader of this.#readers) {
      if (reader.isClosed) continue;
      const key = keys.get(reader.key) ?? { bytes: 0, readers: [] };
      keys.set(reader.key, key);
      key.readers.push(reader);
      key.bytes += reader.waitingBytes;
      this.#bytes += reader.waitingBytes;
    }
    for (const { readers } of keys.values()) readers.sort((one, other) => one.waitingBytes - other.waitingBytes);
    while (this.#bytes > MOST_BYTES * LEFT) {
      const most = [...keys.values()].reduce((one, other) => (other.bytes > one.bytes ? other : one));
      const reader = most.readers.pop()!;
      const { waitingBytes } = reader;
      reader.drop();
      most.bytes -= waitingBytes;
      this.#bytes -= waitingBytes;
    }
  }
}
