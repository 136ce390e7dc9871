import { endAgain, isWithdrawing } from './lost-deposits.js';
import type { Sql, Tx } from './sql.js';
import { changeOrders } from './trigger-order-changes.js';
import type { TriggerOrderEventRow } from './trigger-order-events.js';
import { lockTriggerOrders, type TriggerOrderRow } from './trigger-orders.js';

/** An order at rest, and what its row says of its accounts. */
export interface RestingOrder {
  wallet: string;
  id: string;
  vault: string;
  depositRequestId: string;
  inputAccount: string;
  outputAccount: string | null;
  state: 'open' | 'partial_fill_success' | 'ready_to_cancel';
  /** What is left of the deposit, in the smallest unit. */
  remaining: bigint;
  /** The slot of its deposit, as far as is known. */
  slot: bigint | null;
}

/** A page of the OTOCO orders that wait for their entry, and of all that wait for their withdrawal, by id, after `after`. */
export async function restingOrders(sql: Sql, after: string, limit: number): Promise<RestingOrder[]> {
  const { rows } = await sql.query<Omit<RestingOrder, 'remaining'> & { remaining: string }>(
    `select wallet, id, vault, deposit_request_id as "depositRequestId", input_account as "inputAccount",
       output_account as "outputAccount", state, entry_remaining as remaining,
       (select slot from ledger where id = deposit_request_id) as slot
     from orders
     where (state = 'ready_to_cancel' or (state in ('open', 'partial_fill_success') and type = 'otoco' and stage = 'entry'))
       and id > $1
     order by id limit $2`,
    [after, limit],
  );
  return rows.map((row) => ({ ...row, remaining: BigInt(row.remaining) }));
}

/**
 * Ends an order that waits for its withdrawal, and that has no accounts. False for any other, and while a withdrawal of its wallet is
 * under way, which ends its order itself. `eventId`: of its end in the history.
 */
export async function endGone(tx: Tx, id: string, eventId: string, at: Date): Promise<boolean> {
  const [order] = await lockTriggerOrders(tx, [id], { skip: true });
  if (order?.progress.state !== 'ready_to_cancel' || (await isWithdrawing(tx, order.wallet))) return false;
  if (await endAgain(tx, order, at)) return true;
  const change = { id, event: { type: 'withdrawn' }, history: () => [endEvent(order, eventId, at)] } as const;
  await changeOrders(tx, [change], at, { locked: [order] });
  return true;
}

function endEvent({ wallet, id: orderId }: TriggerOrderRow, id: string, at: Date): TriggerOrderEventRow {
  const nothing = { signature: null, mint: null, amount: null, outputMint: null, outputAmount: null, context: null };
  return { wallet, orderId, id, type: 'cancelled', state: 'success', at, ...nothing };
}
