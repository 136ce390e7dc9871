import { setImmediate } from 'node:timers/promises';
import { decodeLimitOrder, LIMIT_ORDER_MAKER_AT, LIMIT_ORDER_SIZE, type LimitOrder } from '@slipway/programs';
import { type Address, decodeTokenAccount } from '@slipway/wire';
import {
  ask,
  type Chain,
  type ChainAccount,
  type Rpc,
  type RpcAccount,
  readRpcAccount,
  requiresMemo,
  wholeIn,
} from '../../chain/index.js';
import type { PlacedOrderEvent } from '../../store/limit-orders.js';
import { termsOf } from './decode.js';

export interface OpenOrder {
  address: Address;
  order: LimitOrder;
}

export interface OpenOrders {
  /** The slot at which they were read. */
  slot: bigint;
  orders: OpenOrder[];
}

/** What the accounts of orders held when they were read last, and the order in it; undefined where there was none. */
export type DecodedOrders = Map<string, { text: string; open: OpenOrder | undefined }>;

type Listed = { pubkey: string; account: RpcAccount };

/** Anybody opens ever more orders: after so many that are compared, or a part of that decoded, others have the processor. */
const COMPARED_AT_ONCE = 2_000;
const DECODED_AT_ONCE = 100;

/**
 * The orders that a program holds now, of one maker or of all; an expired one is among them until somebody cancels it.
 * `decoded`: what was so when it was read before is not decoded again; brought up to date.
 * @throws ChainUnavailable
 */
export function readOpenOrders(
  rpc: Rpc,
  program: Address,
  { maker, decoded = new Map() }: { maker?: Address; decoded?: DecodedOrders | undefined } = {},
): Promise<OpenOrders> {
  const filters = [
    { dataSize: LIMIT_ORDER_SIZE },
    ...(maker ? [{ memcmp: { offset: LIMIT_ORDER_MAKER_AT, bytes: maker } }] : []),
  ];
  const params = [program, { encoding: 'base64', commitment: 'confirmed', withContext: true, filters }];
  type Answer = { context: { slot: number | bigint }; value: Listed[] };
  return ask(rpc, 'getProgramAccounts', params, async ({ context, value }: Answer) => ({
    slot: wholeIn(context.slot),
    orders: await decodeAll(value, decoded),
  }));
}

async function decodeAll(value: readonly Listed[], decoded: DecodedOrders): Promise<OpenOrder[]> {
  const orders: OpenOrder[] = [];
  const listed = new Set<string>();
  let atOnce = 0;
  for (const { pubkey, account } of value) {
    listed.add(pubkey);
    let known = decoded.get(pubkey);
    atOnce += 1 / COMPARED_AT_ONCE;
    if (known?.text !== account.data[0]) {
      const order = decodeLimitOrder(readRpcAccount(account)!.data);
      known = { text: account.data[0], open: order && { address: pubkey as Address, order } };
      decoded.set(pubkey, known);
      atOnce += 1 / DECODED_AT_ONCE;
    }
    if (known.open) orders.push(known.open);
    if (atOnce < 1) continue;
    atOnce = 0;
    await setImmediate();
  }
  for (const pubkey of decoded.keys()) if (!listed.has(pubkey)) decoded.delete(pubkey);
  return orders;
}

/** Whether it is a token account of the mint and, if given, of the owner, to which the program can transfer: it adds no memo. */
export function canReceive(account: ChainAccount, mint: Address, owner?: Address): boolean {
  const held = decodeTokenAccount(account.data);
  const isOwned = owner === undefined || held?.owner === owner;
  return held?.state === 'initialized' && held.mint === mint && isOwned && !requiresMemo(account.data);
}

/** A position before all transactions of a slot: an account read at a slot may reflect only some of them. */
const BEFORE_ALL = -(2n ** 62n);

/** The order's account as an event of the slot at which it was read. */
export function seenEvent({ address, order }: OpenOrder, slot: bigint): PlacedOrderEvent {
  const { makingAmount, takingAmount, oriMakingAmount, oriTakingAmount, createdAt, updatedAt } = order;
  const terms = termsOf({ ...order, makingAmount: oriMakingAmount, takingAmount: oriTakingAmount });
  const remaining = { remainingMakingAmount: `${makingAmount}`, remainingTakingAmount: `${takingAmount}` };
  return {
    orderKey: address,
    txId: '',
    number: 0,
    slot,
    position: BEFORE_ALL,
    at: new Date(Number(updatedAt) * 1_000),
    event: { kind: 'seen', terms, createdAt: Number(createdAt), ...remaining },
  };
}

/** The disappearance of an open order, as an event of the slot at which it was noticed. `at`: its last change. */
export function goneEvent(orderKey: string, slot: bigint, at: Date): PlacedOrderEvent {
  return { orderKey, txId: '', number: 1, slot, position: BEFORE_ALL, at, event: { kind: 'gone' } };
}

/** The program's order at an address; undefined if there is none. @throws ChainUnavailable */
export async function readOrder(chain: Chain, program: Address, address: Address): Promise<LimitOrder | undefined> {
  const account = await chain.account(address);
  return account?.owner === program ? decodeLimitOrder(account.data) : undefined;
}
