import { Worker } from 'node:worker_threads';
import type { Local, LocalOptions } from './local.js';
import { RPC_CODE, RpcError } from './rpc/errors.js';
import type { FromWorker, ToWorker } from './worker-messages.js';

interface WorkerLocal extends Local {
  /** Resolves when the worker has ended: with the error that ended it, or undefined after `close`. */
  closed: Promise<Error | undefined>;
}

/**
 * `openLocal` in a worker thread, so that a scan, a program load or a fork never stalls the caller. When the worker
 * crashes, pending calls reject and `closed` resolves with the error.
 */
export async function openInWorker(
  options: LocalOptions,
  log: (line: string) => void,
  entry = new URL('./worker.js', import.meta.url),
): Promise<WorkerLocal> {
  const client = new WorkerClient(new Worker(entry, { workerData: options }), log);
  const { rpcUrl, wsUrl } = await client.listening();
  return {
    rpcUrl,
    wsUrl,
    closed: client.closed,
    call: (method, params) => client.call(method, params),
    close: () => client.close(),
  };
}

interface Pending {
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
}

type Answer = Extract<FromWorker, { type: 'result' | 'error' }>;

/** The near side of the worker: its calls under way, and its end. */
class WorkerClient {
  readonly closed: Promise<Error | undefined>;
  readonly #worker: Worker;
  readonly #started: Promise<{ rpcUrl: string; wsUrl: string }>;
  readonly #calls = new Map<number, Pending>();
  #lastId = 0;
  #closing = false;
  #crash: Error | undefined;

  constructor(worker: Worker, log: (line: string) => void) {
    this.#worker = worker;
    this.#started = new Promise((resolve, reject) => {
      worker.on('message', (message: FromWorker) => {
        if (message.type === 'listening') resolve(message);
        else if (message.type === 'refused') reject(new Error(message.message));
        else if (message.type === 'log') log(message.line);
        else if (message.type === 'closed') void worker.terminate();
        else this.#settle(message);
      });
      worker.on('error', (error) => {
        this.#crash = error;
      });
      worker.on('exit', () => reject(this.#crash ?? new Error('the chain ended before it could listen')));
    });
    this.closed = new Promise<void>((resolve) => {
      worker.on('exit', () => resolve());
    }).then(() => this.#ended());
  }

  /** Resolves when the chain listens; a worker that cannot is ended. */
  async listening(): Promise<{ rpcUrl: string; wsUrl: string }> {
    try {
      return await this.#started;
    } catch (error) {
      await this.#worker.terminate();
      throw error;
    }
  }

  call(method: string, params: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#closing) return reject(ended(this.#crash));
      const id = ++this.#lastId;
      this.#calls.set(id, { resolve, reject });
      this.#send({ type: 'call', id, method, params });
    });
  }

  async close(): Promise<void> {
    if (!this.#closing) {
      this.#closing = true;
      this.#send({ type: 'close' });
    }
    await this.closed;
  }

  #send(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  #settle(message: Answer): void {
    const pending = this.#calls.get(message.id);
    this.#calls.delete(message.id);
    if (message.type === 'result') pending?.resolve(message.result);
    else pending?.reject(new RpcError(message.code, message.message, message.data));
  }

  #ended(): Error | undefined {
    if (!this.#closing && !this.#crash) this.#crash = new Error('the chain ended unexpectedly');
    for (const { reject } of this.#calls.values()) reject(ended(this.#crash));
    this.#calls.clear();
    this.#closing = true;
    return this.#crash;
  }
}

function ended(crash: Error | undefined): RpcError {
  return new RpcError(RPC_CODE.internal, crash ? `the chain has crashed: ${crash.message}` : 'the chain is closed');
}
