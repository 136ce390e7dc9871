import { setTimeout as sleep } from 'node:timers/promises';
import type { LimitOrderAddresses } from '@slipway/programs';
import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';
import { type Chain, ChainUnavailable, type Listed, listNewer, listTransactions } from '../../chain/index.js';
import { coalesced } from '../../lib/single-flight.js';
import {
  addUnreadTransaction,
  countUnreadTransactions,
  getLimitOrderCursor,
  type HistoryPlace,
  type LimitOrderCursor,
  type LimitOrderEvent,
  lockLimitOrderCursor,
  removeUnreadTransaction,
  setLimitOrderCursor,
  tryUnreadTransactions,
} from '../../store/limit-orders.js';
import type { Store, Tx } from '../../store/sql.js';
import { addEvents, addUnknown, BATCH, closeGone, inBatches } from './known-orders.js';
import { type OrderFact, readOrderTransaction, type Unreadable } from './transactions.js';

/** What has happened to orders, read from the chain into the store, so that it can be asked for by wallet. */
export interface LimitOrderIndex {
  /**
   * Reads what the chain has had since; resolves when everything is in the store that the node knew when this was called
   * and could tell. What is older than the program's last thousand transactions at the first call ever is read on in the
   * background. The first call of a process also looks for open orders that no history tells of.
   * @throws ChainUnavailable, StoreUnavailable: what was read before stays, and the next call goes on from there.
   */
  sync(): Promise<void>;
  /** `sync` where that was called before, ever: a service without limit orders does not read those of a public program. */
  keepUp(): Promise<void>;
  /** Resolves when nothing more is read. */
  close(): Promise<void>;
}

export interface LimitOrderIndexDeps {
  store: Store;
  chain: Chain;
  addresses: LimitOrderAddresses;
  steadyNow: () => number;
  log: Logger;
  registry: Registry;
}

/** Between two batches of old history: others want to read the chain, too. */
const PAUSE_MS = 100;
const FIRST_RETRY_MS = 2_000;
const LONGEST_RETRY_MS = 5 * 60_000;
type Read = { place: HistoryPlace; facts: OrderFact[] | Unreadable };

export function createLimitOrderIndex(deps: LimitOrderIndexDeps): LimitOrderIndex {
  const { store, chain, addresses, steadyNow, log } = deps;
  const { program } = addresses;
  const unread = unreadGauge(deps);
  const retry = { at: Number.NEGATIVE_INFINITY, waitMs: 0 };
  let hasAdded = false;
  /** Since the last gap, orders whose accounts are gone have been closed. */
  let isSwept = false;
  let isInterrupted = false;
  let closed = false;
  let running: Promise<void> | undefined;
  let older: Promise<void> | undefined;

  async function once(): Promise<void> {
    // First, so that no open order is missing where the history cannot be read; and that is read where accounts cannot.
    const failure = hasAdded ? undefined : await addUnknown(deps).catch((error: Error) => error);
    hasAdded ||= failure === undefined;
    if (!(await readNewer())) isSwept = false;
    await readUnread();
    if ((await getLimitOrderCursor(store, program)).oldest === '') await readOlderPage();
    const { newest, complete } = await getLimitOrderCursor(store, program);
    if (!older && newest !== '' && !complete) {
      older = readOlder().finally(() => {
        older = undefined;
      });
    }
    if (failure) throw failure;
    if (!isSwept) await closeGone(deps);
    isSwept = true;
    unread.set(await countUnreadTransactions(store, program));
  }

  /** Whether nothing can be missing between what was read before and what was read now. */
  async function readNewer(): Promise<boolean> {
    const { newest, newestSlot } = await getLimitOrderCursor(store, program);
    if (newest === '') {
      // Of a program that was never read, all is older than the newest.
      const [first] = await listTransactions(chain.rpc, program, {});
      if (first) await begin(first);
      return true;
    }
    const { found, isWhole } = await listNewer(chain.rpc, program, { txId: newest, slot: newestSlot });
    if (!isWhole) log.warn({ program, after: newest }, 'the RPC has not kept all transactions: some are missing');
    let last = newest;
    for (const batch of inBatches(found.reverse())) {
      const { txId, slot } = batch.at(-1)!;
      const stored = await take(batch, 1n, (cursor) =>
        cursor.newest === last ? { ...cursor, newest: txId, newestSlot: slot } : undefined,
      );
      // Another copy has been faster; it may have stopped in the middle.
      if (!stored) return (await readNewer()) && isWhole;
      last = txId;
    }
    return isWhole;
  }

  async function begin({ txId: newest, slot: newestSlot }: Listed): Promise<void> {
    await store.transaction(async (tx) => {
      const cursor = await lockLimitOrderCursor(tx, program);
      if (cursor.newest === '') await setLimitOrderCursor(tx, program, { ...cursor, newest, newestSlot });
    });
  }

  /** Reads a page of what is older than all that has been read; whether there is nothing more. */
  async function readOlderPage(pauseMs = 0): Promise<boolean> {
    let { newest, oldest, complete } = await getLimitOrderCursor(store, program);
    if (complete || newest === '') return true;
    const page = await listTransactions(chain.rpc, program, oldest ? { before: oldest } : {});
    for (const batch of page.length ? inBatches(page) : [[]]) {
      if (closed) return false;
      const stored = await take(batch, -1n, (cursor) =>
        cursor.oldest === oldest
          ? { ...cursor, oldest: batch.at(-1)?.txId ?? oldest, complete: !batch.length }
          : undefined,
      );
      if (!stored) return false;
      oldest = batch.at(-1)?.txId ?? oldest;
      if (pauseMs > 0) await sleep(pauseMs);
    }
    return page.length === 0;
  }

  /** Reads on until there is nothing older. It keeps where it is, so that a stop costs nothing. */
  async function readOlder(): Promise<void> {
    try {
      for (let pages = 2; !closed && !(await readOlderPage(PAUSE_MS)); pages++) {
        log.info({ program, pages }, 'reading older limit orders');
      }
      if (!closed) log.info({ program }, 'all limit orders of the history have been read');
    } catch (error) {
      const reason = (error as Error).message;
      if (!closed)
        log[isInterrupted ? 'debug' : 'warn']({ program, reason }, 'reading older limit orders is interrupted');
      isInterrupted = true;
    }
  }

  /**
   * Reads transactions and stores what they did, all or nothing, where `advance` agrees with how far it has been read;
   * whether it did. Each comes one position after (1) or before (-1) all that were read.
   */
  async function take(
    batch: readonly Listed[],
    direction: 1n | -1n,
    advance: (cursor: LimitOrderCursor) => LimitOrderCursor | undefined,
  ): Promise<boolean> {
    const facts = await readAll(batch);
    return store.transaction(async (tx) => {
      const advanced = advance(await lockLimitOrderCursor(tx, program));
      if (!advanced) return false;
      const field = direction > 0n ? 'newestPosition' : 'oldestPosition';
      const read = batch.map((listed, index) => {
        advanced[field] += direction;
        return { place: { ...listed, position: advanced[field] }, facts: facts[index]! };
      });
      await record(tx, read);
      await setLimitOrderCursor(tx, program, advanced);
      return true;
    });
  }

  /** @throws ChainUnavailable also where the node refuses each of them: then it is not the transactions' fault. */
  async function readAll(batch: readonly { txId: string }[]): Promise<(OrderFact[] | Unreadable)[]> {
    const read = await Promise.all(batch.map(({ txId }) => readOrderTransaction(chain.rpc, txId, addresses)));
    const refusals = read.flatMap((facts) => ('refused' in facts && facts.refused ? [facts.unreadable] : []));
    if (batch.length > 0 && refusals.length === batch.length) throw new ChainUnavailable(refusals[0]!);
    return read;
  }

  async function record(tx: Tx, read: readonly Read[]): Promise<void> {
    const events: LimitOrderEvent[] = [];
    for (const { place, facts } of read) {
      if ('unreadable' in facts) {
        await addUnreadTransaction(tx, program, place);
        Object.assign(retry, { at: Number.NEGATIVE_INFINITY, waitMs: 0 });
        log.warn({ transaction: place.txId, reason: facts.unreadable }, 'a transaction of limit orders cannot be read');
      } else {
        events.push(...facts.map((fact, number) => ({ ...place, ...fact, number })));
      }
    }
    await addEvents(tx, program, events);
  }

  /** Tries again what could not be read, the longer the more seldom. */
  async function readUnread(): Promise<void> {
    if (steadyNow() < retry.at) return;
    const places = await store.single((tx) => tryUnreadTransactions(tx, program, BATCH));
    const facts = await Promise.all(places.map(({ txId }) => readOrderTransaction(chain.rpc, txId, addresses)));
    const read = places.flatMap((place, index) => {
      const found = facts[index]!;
      return 'unreadable' in found ? [] : [{ place, facts: found }];
    });
    retry.waitMs = read.length > 0 ? 0 : Math.min(LONGEST_RETRY_MS, retry.waitMs * 2 || FIRST_RETRY_MS);
    retry.at = steadyNow() + retry.waitMs;
    if (read.length === 0) return;
    await store.transaction(async (tx) => {
      await lockLimitOrderCursor(tx, program);
      await record(tx, read);
      for (const { place } of read) await removeUnreadTransaction(tx, program, place.txId);
    });
  }

  const run = coalesced(once);
  function sync(): Promise<void> {
    running = run();
    return running;
  }

  return {
    sync,
    async keepUp() {
      if ((await getLimitOrderCursor(store, program)).newest !== '') await sync();
    },
    async close() {
      closed = true;
      await Promise.allSettled([running, older]);
    },
  };
}

function unreadGauge({ registry }: Pick<LimitOrderIndexDeps, 'registry'>): Gauge {
  return new Gauge({
    name: 'slipway_limit_order_unread_transactions',
    help: 'Transactions of the limit order program whose content the RPC cannot give; what they did is not in the list',
    registers: [registry],
  });
}
