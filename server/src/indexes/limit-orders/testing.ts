import { LIMIT_ORDER_PROGRAM } from '@slipway/programs';
import type { Keypair } from '@slipway/wire';
import { ORDER_TABLES, openTriggerWorld } from '../../areas/trigger-v1/testing.js';
import { ChainUnavailable } from '../../chain/index.js';
import { type LimitOrderRow, listLimitOrders } from '../../store/limit-orders.js';
import { nodeThat as nodeOf } from '../testing/nodes.js';

/** A small order that is worth enough. */
export const SMALL = { params: { makingAmount: '6000000', takingAmount: '1000' } };

/** A chain with limit orders, and nodes that return only part of it. */
export async function openIndexWorld() {
  const world = await openTriggerWorld();
  const { store, rpc, chain } = world;

  const nodeThat = (answer: (method: string, params: unknown[]) => unknown) => nodeOf({ rpc, chain }, answer);

  /** The indexed history, without positions within slots: a list of rows for each of ORDER_TABLES. */
  async function contents(): Promise<string[][]> {
    const tables = ORDER_TABLES.map(async (table) => {
      const { rows } = await store.query<Record<string, unknown>>(`select * from ${table}`);
      return rows
        .filter(({ tx_id }) => tx_id !== '')
        .map(({ position: _, newest_position: __, oldest_position: ___, ...row }) =>
          JSON.stringify(row, (____, value) => (typeof value === 'bigint' ? String(value) : value)),
        )
        .sort();
    });
    return Promise.all(tables);
  }

  return {
    ...world,
    nodeThat,
    contents,
    counts: async () => (await contents()).map((rows) => rows.length),
    /** A node that returns at most `most` transactions per page; with `isShort`, only the newest page. */
    shortPages: (most: number, isShort = false) =>
      nodeThat((method, params) => {
        if (method !== 'getSignaturesForAddress') return undefined;
        const [address, range] = params as [string, { before?: string }];
        if (isShort && range.before) throw new ChainUnavailable('test');
        return rpc.call(method, [address, { ...range, limit: most }]);
      }),
    async rowsOf(maker: Keypair): Promise<LimitOrderRow[]> {
      const states = ['open', 'completed', 'cancelled', 'expired', 'failed', 'closed'] as const;
      const filter = { program: LIMIT_ORDER_PROGRAM, maker: maker.address, states };
      return (await listLimitOrders(store, filter, { offset: 0, limit: 100 })).rows;
    },
    /** Whether all of the history has been read. */
    async isComplete() {
      const { rows } = await store.query<{ complete: boolean }>('select complete from index_cursors');
      return rows[0]?.complete === true;
    },
  };
}
export type IndexWorld = Awaited<ReturnType<typeof openIndexWorld>>;
