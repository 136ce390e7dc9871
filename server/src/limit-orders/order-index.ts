import { type CreateOrderEvent, decodeLimitOrder, type LimitOrderAddresses } from '@slipway/programs';
import type { Logger } from 'pino';
import type { Chain } from '../chain/index.js';
import {
  addLimitOrderTrade,
  closeLimitOrder,
  getLimitOrderCursor,
  knownOpenOrders,
  type LimitOrderRow,
  type LimitOrderState,
  moveLimitOrderCursor,
  openLimitOrder,
} from '../store/limit-orders.js';
import type { Store, Tx } from '../store/sql.js';
import { readOpenOrders } from './open-orders.js';
import { type OrderTransaction, readOrderTransaction, signaturesAfter } from './transactions.js';

/** What has happened to orders, read from the chain into the store, so that it can be asked for by wallet. */
export interface LimitOrderIndex {
  /**
   * Reads what the chain has had since; resolves when everything is in the store that the node knew when this was called.
   * The first time it also looks for open orders whose history the node does not have any more.
   * @throws ChainUnavailable, StoreUnavailable: what was read before stays, and the next call goes on from there.
   */
  sync(): Promise<void>;
  /** `sync` where that was called before, ever: a service without limit orders does not read those of a public program. */
  keepUp(): Promise<void>;
}

export interface LimitOrderIndexDeps {
  store: Store;
  chain: Chain;
  addresses: LimitOrderAddresses;
  log: Logger;
}

/** Read and stored at once. */
const BATCH = 25;
/** How far back the history goes of a program that was never read before. */
const MOST_AT_FIRST = 20_000;

/** `overtaken`: another copy has moved the cursor. `behind`: the node does not have all transactions that it names yet. */
type Taken = 'done' | 'overtaken' | 'behind';

export function createLimitOrderIndex({ store, chain, addresses, log }: LimitOrderIndexDeps): LimitOrderIndex {
  const { program } = addresses;
  let isRebuilt = false;
  let running: Promise<void> | undefined;
  let following: Promise<void> | undefined;

  async function once(): Promise<void> {
    let outcome: Taken;
    // Where another copy has been faster, it may have stopped in the middle.
    do outcome = await readOn();
    while (outcome === 'overtaken');
    if (isRebuilt || outcome === 'behind') return;
    await addUnknown();
    isRebuilt = true;
  }

  async function readOn(): Promise<Taken> {
    let cursor = await getLimitOrderCursor(store, program);
    const most = cursor === '' ? MOST_AT_FIRST : Number.POSITIVE_INFINITY;
    const signatures = await signaturesAfter(chain.rpc, program, cursor, most);
    if (signatures.length === MOST_AT_FIRST) {
      log.warn({ program, transactions: MOST_AT_FIRST }, 'older limit orders that are closed are not in the history');
    }
    for (let from = 0; from < signatures.length; from += BATCH) {
      const batch = signatures.slice(from, from + BATCH);
      const outcome = await take(cursor, batch);
      if (outcome !== 'done') return outcome;
      cursor = batch.at(-1)!;
    }
    return 'done';
  }

  /** Stores what these did, all or nothing, and moves the cursor on. */
  async function take(cursor: string, batch: readonly string[]): Promise<Taken> {
    const read = await Promise.all(batch.map((signature) => readOrderTransaction(chain.rpc, signature, addresses)));
    const missing = read.indexOf(undefined);
    const transactions = (missing === -1 ? read : read.slice(0, missing)) as OrderTransaction[];
    const last = transactions.at(-1)?.signature;
    if (last === undefined) return 'behind';
    const moved = await store.transaction(async (tx) => {
      if (!(await moveLimitOrderCursor(tx, program, cursor, last))) return false;
      for (const transaction of transactions) await record(tx, program, transaction);
      return true;
    });
    if (!moved) return 'overtaken';
    return missing === -1 ? 'done' : 'behind';
  }

  /** Open orders whose opening is older than what the node tells. */
  async function addUnknown(): Promise<void> {
    const found = await readOpenOrders(chain.rpc, program);
    const known = await knownOpenOrders(
      store,
      found.map(({ address }) => address),
    );
    for (const { address } of found.filter((each) => !known.has(each.address))) {
      // It may have been closed meanwhile, which the history has told already.
      const account = await chain.account(address);
      const order = account && decodeLimitOrder(account.data);
      if (!order) continue;
      const { oriMakingAmount: makingAmount, oriTakingAmount: takingAmount, ...terms } = order;
      const row: LimitOrderRow = {
        ...{ ...terms, orderKey: address, openTx: '', program, makingAmount, takingAmount },
        ...{ remainingMakingAmount: order.makingAmount, remainingTakingAmount: order.takingAmount },
        ...{ expiredAt: order.expiredAt ?? null, state: 'open', closeTx: '' },
        createdAt: new Date(Number(order.createdAt) * 1_000),
        updatedAt: new Date(Number(order.updatedAt) * 1_000),
      };
      await store.single((tx) => openLimitOrder(tx, row));
    }
  }

  function sync(): Promise<void> {
    if (!running) {
      running = once().finally(() => {
        running = undefined;
      });
      return running;
    }
    // What is running may have asked the node before this was called.
    following ??= running
      .catch(() => {})
      .then(() => {
        following = undefined;
        return sync();
      });
    return following;
  }

  return {
    sync,
    async keepUp() {
      if ((await getLimitOrderCursor(store, program)) !== '') await sync();
    },
  };
}

async function record(tx: Tx, program: string, transaction: OrderTransaction): Promise<void> {
  const { signature, at, signers, events, refused } = transaction;
  for (const order of refused) await openLimitOrder(tx, rowOf(order, program, transaction, 'failed'));
  let trades = 0;
  for (const event of events) {
    const { orderKey } = event.data;
    if (event.name === 'createOrderEvent') {
      await openLimitOrder(tx, rowOf(event.data, program, transaction, 'open'));
    } else if (event.name === 'tradeEvent') {
      const { taker, ...amounts } = event.data;
      await addLimitOrderTrade(tx, { ...amounts, txId: signature, number: trades++, keeper: taker, confirmedAt: at });
    } else {
      const isDust = event.name === 'cancelDustOrderEvent';
      await closeLimitOrder(tx, { orderKey, closeTx: signature, signers, isDust, at });
    }
  }
}

function rowOf(
  order: CreateOrderEvent,
  program: string,
  { signature, at }: OrderTransaction,
  state: LimitOrderState,
): LimitOrderRow {
  return {
    ...order,
    ...{ openTx: signature, program, state, closeTx: '', createdAt: at, updatedAt: at },
    remainingMakingAmount: order.makingAmount,
    remainingTakingAmount: order.takingAmount,
    expiredAt: order.expiredAt ?? null,
  };
}
