import { Duplex } from 'node:stream';
import { Worker } from 'node:worker_threads';

/**
 * A stand-in for the PostgreSQL driver's socket: it exchanges the bytes with PGlite in a worker thread. This way, both
 * kinds of store share one driver, with its prepared statements, notifications, types and errors.
 */
class EmbeddedStream extends Duplex {
  readonly #dir: string;
  #worker: Worker | undefined;
  #outgoing: Buffer[] = [];
  #closing = false;

  constructor(dir: string) {
    super();
    this.#dir = dir;
  }

  /** Called by the driver where it would open its socket. */
  connect(): void {
    const worker = new Worker(new URL('./pglite-worker.js', import.meta.url), {
      workerData: { dir: this.#dir },
      // Some flags of the main thread are refused in a worker.
      execArgv: [],
    });
    this.#worker = worker;
    worker.on('message', (message: Uint8Array | 'ready') => {
      if (message === 'ready') this.emit('connect');
      else this.push(Buffer.from(message.buffer, message.byteOffset, message.byteLength));
    });
    worker.on('error', (error) => this.destroy(error));
    worker.on('exit', () => {
      if (this.#closing) this.push(null);
      else this.destroy(new Error('the embedded database has stopped'));
    });
  }

  setNoDelay(): void {}

  ref(): void {
    this.#worker?.ref();
  }

  unref(): void {
    this.#worker?.unref();
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
    this.#worker?.once('exit', () => done());
    this.#worker?.postMessage('close');
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#closing = true;
    const ended = this.#worker?.terminate() ?? Promise.resolve(0);
    void ended.then(() => done(error));
  }

  #send(): void {
    if (this.#outgoing.length === 0) return;
    const bytes = new Uint8Array(Buffer.concat(this.#outgoing));
    this.#outgoing = [];
    this.#worker?.postMessage(bytes, [bytes.buffer]);
  }
}

/**
 * The `stream` option of the driver for PGlite in the folder `dir`. It can be called only once: a second connection
 * beside the first would destroy the data, and a database that stopped by itself is not restarted.
 */
export function embeddedStream(dir: string): () => Duplex {
  let used = false;
  return () => {
    if (used) throw new Error('the embedded database has stopped');
    used = true;
    return new EmbeddedStream(dir);
  };
}
