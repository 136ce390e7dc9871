import { decodeLimitOrder, LIMIT_ORDER_MAKER_AT, LIMIT_ORDER_SIZE, type LimitOrder } from '@slipway/programs';
import type { Address } from '@slipway/wire';
import { ask, type Rpc, type RpcAccount, readRpcAccount } from '../chain/index.js';

export interface OpenOrder {
  address: Address;
  order: LimitOrder;
}

/**
 * The orders that a program holds now, of one maker or of all; an expired one is among them until somebody cancels it.
 * @throws ChainUnavailable
 */
export function readOpenOrders(rpc: Rpc, program: Address, maker?: Address): Promise<OpenOrder[]> {
  const filters = [
    { dataSize: LIMIT_ORDER_SIZE },
    ...(maker ? [{ memcmp: { offset: LIMIT_ORDER_MAKER_AT, bytes: maker } }] : []),
  ];
  const params = [program, { encoding: 'base64', commitment: 'confirmed', filters }];
  return ask(rpc, 'getProgramAccounts', params, (rows: { pubkey: string; account: RpcAccount }[]) =>
    rows.flatMap(({ pubkey, account }) => {
      const order = decodeLimitOrder(readRpcAccount(account)!.data);
      return order ? [{ address: pubkey as Address, order }] : [];
    }),
  );
}
