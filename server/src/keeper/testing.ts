import { setTimeout as sleep } from 'node:timers/promises';
import type { Rpc } from '../chain/index.js';
import { steadyNow } from '../lib/clock.js';
import { PATIENCE_MS } from '../lib/testing.js';
import { isRefused, type Router } from '../routing/router.js';
import type { Signer } from '../signer/index.js';
import type { Store, Tx } from '../store/sql.js';

export type Mortal = ReturnType<typeof createMortal>;

/**
 * A process that is killed while it waits for the answer to its `fatal`-th call: that call takes effect, and nothing in
 * the process ever continues. Its open transaction is rolled back, as in a database whose client is gone. The calls
 * that count are those to its ports, including statements within a transaction.
 */
export function createMortal(first = Number.POSITIVE_INFINITY) {
  let fatal = first;
  let calls = 0;
  let dead = false;
  let tellDeath: () => void;
  const died = new Promise<void>((resolve) => {
    tellDeath = resolve;
  });
  const never = new Promise<never>(() => {});

  function kill(): void {
    dead = true;
    tellDeath();
  }

  /** Makes a call; undefined if the process is dead by its answer. */
  async function arrives<T>(run: () => Promise<T>): Promise<{ answer: Promise<T> } | undefined> {
    if (dead) return undefined;
    calls += 1;
    const isFatal = calls === fatal;
    const answer = run();
    await answer.catch(() => {});
    if (isFatal) kill();
    return dead ? undefined : { answer };
  }

  async function call<T>(run: () => Promise<T>): Promise<T> {
    return (await arrives(run))?.answer ?? never;
  }

  const within = (tx: Tx): Tx => ({
    ...tx,
    async query<R>(text: string, params?: readonly unknown[]) {
      const arrived = await arrives(() => tx.query<R>(text, params));
      if (!arrived) throw new Error('killed');
      return arrived.answer;
    },
    async notify(channel, payload) {
      const arrived = await arrives(() => tx.notify(channel, payload));
      if (!arrived) throw new Error('killed');
      return arrived.answer;
    },
  });

  return {
    died,
    kill,
    /** Dies at the `more`-th call from now on; 1 is the next. */
    killAfter(more: number): void {
      fatal = calls + more;
    },
    isDead: () => dead,
    calls: () => calls,
    call,

    store: (store: Store): Store => ({
      ...store,
      query: (text, params) => call(() => store.query(text, params)),
      single: (work) => call(() => store.single(work)),
      transaction: (work) => call(() => store.transaction((tx) => work(within(tx)))),
      listen: (channel, handler, missed) =>
        call(() => store.listen(channel, (payload) => !dead && handler(payload), missed)),
    }),

    rpc: (rpc: Rpc): Rpc => ({ ...rpc, call: (method, params) => call(() => rpc.call(method, params)) }),

    signer: (signer: Signer): Signer => ({
      ...signer,
      publicKey: (name) => call(() => signer.publicKey(name)),
      sign: (name, message) => call(() => signer.sign(name, message)),
      cosign: (request) => call(() => signer.cosign(request)),
      issueLogin: (request) => call(() => signer.issueLogin(request)),
      sealOrder: (request) => call(() => signer.sealOrder(request)),
      sealRow: (row) => call(() => signer.sealRow(row)),
    }),

    router: (router: Router): Router => ({
      ...router,
      async quote(request, signal) {
        const quote = await call(() => router.quote(request, signal));
        return isRefused(quote) ? quote : { ...quote, build: (parties) => call(() => quote.build(parties)) };
      },
    }),
  };
}

/** Waits until it is so. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  const end = steadyNow() + PATIENCE_MS;
  while (!(await isSo())) {
    if (steadyNow() > end) throw new Error('it never was so');
    await sleep(20);
  }
}
