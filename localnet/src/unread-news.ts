/** A WebSocket that is told of news. */
export interface Receiver {
  /** Bytes that wait for the client to read. */
  unsent: () => number;
  end: () => void;
}

/** How much of it may wait for one client, and for all. */
export const MAX_UNSENT_BYTES = { ofOne: 16 << 20, ofAll: 256 << 20 };
/** After so much more, it is counted what waits for all. */
const COUNTED_BYTES = 1 << 20;

/** Bounds the memory of news that clients do not read: the connection is ended for which too much waits. */
export class UnreadNews {
  readonly #receivers = new Set<Receiver>();
  #told = 0;

  add(receiver: Receiver): void {
    this.#receivers.add(receiver);
  }

  drop(receiver: Receiver): void {
    this.#receivers.delete(receiver);
  }

  /** So many more bytes are to be sent to it. */
  told(receiver: Receiver, bytes: number): void {
    this.#told += bytes;
    if (receiver.unsent() > MAX_UNSENT_BYTES.ofOne) this.#end(receiver);
    if (this.#told < COUNTED_BYTES) return;
    this.#told = 0;
    const unsent = [...this.#receivers].map((each) => ({ each, bytes: each.unsent() }));
    let total = unsent.reduce((sum, { bytes }) => sum + bytes, 0);
    if (total <= MAX_UNSENT_BYTES.ofAll) return;
    for (const { each, bytes } of unsent.sort((a, b) => b.bytes - a.bytes)) {
      this.#end(each);
      total -= bytes;
      if (total <= MAX_UNSENT_BYTES.ofAll) return;
    }
  }

  #end(receiver: Receiver): void {
    this.drop(receiver);
    receiver.end();
  }
}
