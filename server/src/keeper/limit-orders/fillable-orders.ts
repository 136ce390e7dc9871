import type { Address } from '@slipway/wire';
import type { Rpc } from '../../chain/index.js';
import { type DecodedOrders, type OpenOrder, readOpenOrders } from '../../indexes/limit-orders/index.js';
import { defectOf } from './plan.js';

export type { OpenOrder } from '../../indexes/limit-orders/index.js';

export interface FillableOrders {
  /** Oldest first. */
  orders: OpenOrder[];
  /** How many cannot be filled, by reason. */
  skipped: Map<string, number>;
}

/** The orders that are open on the chain. `decoded`: as for `readOpenOrders`. @throws ChainUnavailable */
export async function readFillableOrders(rpc: Rpc, program: Address, decoded?: DecodedOrders): Promise<FillableOrders> {
  const orders: OpenOrder[] = [];
  const skipped = new Map<string, number>();
  for (const each of (await readOpenOrders(rpc, program, { decoded })).orders) {
    const defect = defectOf(each.order);
    if (defect === undefined) orders.push(each);
    else skipped.set(defect, (skipped.get(defect) ?? 0) + 1);
  }
  orders.sort((a, b) => Number(a.order.createdAt - b.order.createdAt));
  return { orders, skipped };
}
