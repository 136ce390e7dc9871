import type { ServerResponse } from 'node:http';

/** Bytes of answers over HTTP that may wait for their clients: several of the largest that one post gets. */
const MOST_BYTES = 256 * 1024 * 1024;
/** What is smaller takes no more memory than the connection that it is for. */
const SMALL_BYTES = 16 * 1024;

/** Bounds the memory of answers that clients do not read: beyond it, the connection is closed that has waited longest. */
export class UnreadAnswers {
  /** The oldest first. */
  readonly #waiting = new Map<ServerResponse, number>();
  #bytes = 0;

  hold(response: ServerResponse, bytes: number): void {
    // Of a client that is gone, no end would be heard of.
    if (bytes <= SMALL_BYTES || response.destroyed) return;
    this.#waiting.set(response, bytes);
    this.#bytes += bytes;
    response.once('close', () => this.#forget(response));
    for (const oldest of this.#waiting.keys()) {
      if (this.#bytes <= MOST_BYTES) return;
      this.#forget(oldest);
      oldest.destroy();
    }
  }

  #forget(response: ServerResponse): void {
    this.#bytes -= this.#waiting.get(response) ?? 0;
    this.#waiting.delete(response);
  }
}
