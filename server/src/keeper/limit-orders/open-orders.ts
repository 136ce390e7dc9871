import { decodeLimitOrder, LIMIT_ORDER_SIZE, type LimitOrder } from '@slipway/programs';
import { type Address, isAddress } from '@slipway/wire';
import type { Rpc } from '../../chain/index.js';
import { defectOf } from './plan.js';

export interface OpenOrder {
  address: Address;
  order: LimitOrder;
}

export interface OpenOrders {
  /** The oldest first. */
  orders: OpenOrder[];
  /** Accounts of the program that are no order that can be filled, by the reason. */
  skipped: Map<string, number>;
}

interface ProgramAccount {
  pubkey: string;
  account: { owner: string; data: [string, 'base64'] };
}

/** All orders that are open on the chain. @throws ChainUnavailable, RpcError */
export async function readOpenOrders(rpc: Rpc, program: Address): Promise<OpenOrders> {
  const filters = [{ dataSize: LIMIT_ORDER_SIZE }];
  const params = [program, { encoding: 'base64', commitment: 'confirmed', filters }];
  const found = await rpc.call<ProgramAccount[]>('getProgramAccounts', params);
  const orders: OpenOrder[] = [];
  const skipped = new Map<string, number>();
  for (const { pubkey, account } of found) {
    const order = account.owner === program ? decodeLimitOrder(Buffer.from(account.data[0], 'base64')) : undefined;
    const defect = order && isAddress(pubkey) ? defectOf(order) : 'its bytes are no order';
    if (defect === undefined) orders.push({ address: pubkey as Address, order: order! });
    else skipped.set(defect, (skipped.get(defect) ?? 0) + 1);
  }
  orders.sort((a, b) => Number(a.order.createdAt - b.order.createdAt));
  return { orders, skipped };
}
