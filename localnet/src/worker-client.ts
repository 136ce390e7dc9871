import { Worker } from 'node:worker_threads';
import type { Local, LocalOptions } from './local.js';
import { RPC_CODE, RpcError } from './rpc/errors.js';
import type { FromWorker, ToWorker } from './worker-messages.js';

export interface WorkerLocal extends Local {
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
  const worker = new Worker(entry, { workerData: options });
  const calls = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  let lastId = 0;
  let closing = false;
  let crash: Error | undefined;
  const send = (message: ToWorker) => worker.postMessage(message);

  const started = new Promise<{ rpcUrl: string; wsUrl: string }>((resolve, reject) => {
    worker.on('message', (message: FromWorker) => {
      if (message.type === 'listening') resolve(message);
      else if (message.type === 'refused') reject(new Error(message.message));
      else if (message.type === 'log') log(message.line);
      else if (message.type === 'closed') void worker.terminate();
      else settle(message);
    });
    worker.on('error', (error) => {
      crash = error;
    });
    worker.on('exit', () => reject(crash ?? new Error('the chain ended before it could listen')));
  });
  const settle = (message: Extract<FromWorker, { type: 'result' | 'error' }>) => {
    const pending = calls.get(message.id);
    calls.delete(message.id);
    if (message.type === 'result') pending?.resolve(message.result);
    else pending?.reject(new RpcError(message.code, message.message, message.data));
  };
  const exited = new Promise<void>((resolve) => {
    worker.on('exit', () => resolve());
  });
  const closed = exited.then(() => {
    if (!closing && !crash) crash = new Error('the chain ended unexpectedly');
    for (const { reject } of calls.values()) reject(ended(crash));
    calls.clear();
    closing = true;
    return crash;
  });

  const { rpcUrl, wsUrl } = await started.catch(async (error) => {
    await worker.terminate();
    throw error;
  });
  return {
    rpcUrl,
    wsUrl,
    closed,
    call: (method, params) =>
      new Promise((resolve, reject) => {
        if (closing) return reject(ended(crash));
        const id = ++lastId;
        calls.set(id, { resolve, reject });
        send({ type: 'call', id, method, params });
      }),
    close: async () => {
      if (!closing) {
        closing = true;
        send({ type: 'close' });
      }
      await closed;
    },
  };
}

function ended(crash: Error | undefined): RpcError {
  return new RpcError(RPC_CODE.internal, crash ? `the chain has crashed: ${crash.message}` : 'the chain is closed');
}
