import { Worker } from 'node:worker_threads';

export const HAS_STOPPED = 'the embedded database has stopped';

/** A thread with an embedded database, which takes and gives the bytes of PostgreSQL's protocol. */
export interface DatabaseThread {
  readonly worker: Worker;
  /** Resolves when the database is open; rejects if the thread ends before. */
  readonly ready: Promise<void>;
  /** Resolves when the thread has ended: with the error that ended it, or undefined. */
  readonly ended: Promise<Error | undefined>;
}

/** Opens the database in the folder `dir`. Until somebody connects, the thread does not keep the process alive. */
export function startDatabaseThread(dir: string): DatabaseThread {
  const worker = new Worker(new URL('./pglite-worker.js', import.meta.url), {
    workerData: { dir },
    // Some flags of the main thread are refused in a worker.
    execArgv: [],
  });
  worker.unref();
  const ended = new Promise<Error | undefined>((resolve) => {
    worker.on('error', resolve);
    worker.once('exit', () => resolve(undefined));
  });
  const ready = new Promise<void>((resolve, reject) => {
    // It says nothing before, and nothing else without having been asked.
    worker.once('message', () => resolve());
    void ended.then((error) => reject(error ?? new Error(HAS_STOPPED)));
  });
  // Whoever connects is told; nobody may have yet.
  ready.catch(() => {});
  return { worker, ready, ended };
}
