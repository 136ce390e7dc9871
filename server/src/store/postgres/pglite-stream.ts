import { Duplex } from 'node:stream';
import { type DatabaseThread, HAS_STOPPED } from './pglite-thread.js';

/**
 * A stand-in for the PostgreSQL driver's socket: it exchanges the bytes with PGlite in a worker thread. This way, both
 * kinds of store share one driver, with its prepared statements, notifications, types and errors.
 */
class EmbeddedStream extends Duplex {
  readonly #thread: DatabaseThread;
  #outgoing: Buffer[] = [];
  #closing = false;

  constructor(thread: DatabaseThread) {
    super();
    this.#thread = thread;
  }

  /** Called by the driver where it would open its socket. */
  connect(): void {
    const { worker, ready, ended } = this.#thread;
    worker.ref();
    const opened = () => {
      worker.on('message', ({ buffer, byteOffset, byteLength }: Uint8Array) => {
        this.push(Buffer.from(buffer, byteOffset, byteLength));
      });
      this.emit('connect');
    };
    // If it ends before it is ready, the next line says so.
    ready.then(opened, () => {});
    void ended.then((error) => {
      if (!error && this.#closing) this.push(null);
      else this.destroy(error ?? new Error(HAS_STOPPED));
    });
  }

  setNoDelay(): void {}

  ref(): void {
    this.#thread.worker.ref();
  }

  unref(): void {
    this.#thread.worker.unref();
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    // The driver writes the messages of one statement in one tick; PGlite gets them together.
    if (this.#outgoing.length === 0) process.nextTick(() => this.#send());
    this.#outgoing.push(chunk);
    done();
  }

  override _final(done: () => void): void {
    // The last message is the driver's Terminate, which would end PGlite's backend before PGlite can close itself.
    this.#outgoing = [];
    this.#closing = true;
    this.#thread.worker.once('exit', () => done());
    this.#thread.worker.postMessage('close');
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#closing = true;
    void this.#thread.worker.terminate().then(() => done(error));
  }

  #send(): void {
    if (this.#outgoing.length === 0) return;
    const bytes = new Uint8Array(Buffer.concat(this.#outgoing));
    this.#outgoing = [];
    this.#thread.worker.postMessage(bytes, [bytes.buffer]);
  }
}

/**
 * The `stream` option of the driver for PGlite in the thread that `start` gives. It can be called only once: a second
 * connection beside the first would destroy the data, and a database that stopped by itself is not restarted.
 */
export function embeddedStream(start: () => DatabaseThread): () => Duplex {
  let used = false;
  return () => {
    if (used) throw new Error(HAS_STOPPED);
    used = true;
    return new EmbeddedStream(start());
  };
}
