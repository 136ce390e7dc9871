import type { EventPlace } from './index-cursors.js';
import { type Sql, type Tx, toJson } from './sql.js';

/** `closed`: no longer open, and the transaction that closed it has not been found. */
export type LimitOrderState = 'open' | 'completed' | 'cancelled' | 'expired' | 'failed' | 'closed';

/** Amounts in the mint's smallest unit, as decimal strings; `expiredAt` in Unix seconds, null for never. */
export interface LimitOrderTerms {
  maker: string;
  inputMint: string;
  outputMint: string;
  makingAmount: string;
  takingAmount: string;
  feeBps: number;
  slippageBps: number;
  expiredAt: string | null;
}

interface Remaining {
  remainingMakingAmount: string;
  remainingTakingAmount: string;
}

/**
 * What a transaction has done with an order; `refused`: a failed transaction would have opened it. Two kinds come
 * without a transaction: `seen` was read from the order's account, `gone` means that this account no longer exists.
 */
export type LimitOrderEvent =
  | { kind: 'opened' | 'refused'; terms: LimitOrderTerms }
  | ({ kind: 'traded'; keeper: string; makingAmount: string; takingAmount: string } & Remaining)
  | { kind: 'closed'; signers: string[]; isDust: boolean }
  | { kind: 'gone' }
  | ({ kind: 'seen'; terms: LimitOrderTerms; createdAt: number } & Remaining);

/** An event, its place, and the address of its order. */
export interface PlacedOrderEvent extends EventPlace {
  orderKey: string;
  event: LimitOrderEvent;
}

/** A fill, or a part of one. */
interface LimitOrderTrade {
  txId: string;
  keeper: string;
  makingAmount: bigint;
  takingAmount: bigint;
  /** What the taker paid in addition, in the smallest unit of the output. */
  feeAmount: bigint;
  confirmedAt: Date;
}

/** A limit order, folded from its events. Amounts in the mint's smallest unit. */
export interface LimitOrderRow {
  orderKey: string;
  /** Grows with the orders that were at the address, one after the other. */
  number: number;
  /** Empty if unknown. */
  openTx: string;
  program: string;
  maker: string;
  inputMint: string;
  outputMint: string;
  makingAmount: bigint;
  takingAmount: bigint;
  remainingMakingAmount: bigint;
  remainingTakingAmount: bigint;
  slippageBps: number;
  /** Unix seconds; null for never. */
  expiredAt: bigint | null;
  /** `failed`: its opening transaction failed on the chain. */
  state: LimitOrderState;
  /** Empty while it is open. */
  closeTx: string;
  createdAt: Date;
  updatedAt: Date;
  /** Oldest first. */
  trades: LimitOrderTrade[];
  /** The place of its last event. */
  slot: bigint;
  position: bigint;
}

/** Adds events and keeps known ones, except that a read of an account replaces one from an earlier slot. */
export async function addLimitOrderEvents(tx: Tx, events: readonly PlacedOrderEvent[]): Promise<void> {
  await tx.query(
    `insert into limit_order_events as known (order_key, tx_id, number, slot, position, at, fact)
     select "orderKey", "txId", number, slot, position, at, event from jsonb_to_recordset($1) as put
       ("orderKey" text, "txId" text, number integer, slot bigint, position bigint, at timestamptz, event jsonb)
     on conflict (order_key, tx_id, number) do update set slot = excluded.slot, at = excluded.at, fact = excluded.fact
       where known.tx_id = '' and known.slot < excluded.slot`,
    [toJson(events)],
  );
}

export async function forgetLimitOrderEvents(tx: Tx, events: readonly PlacedOrderEvent[]): Promise<void> {
  if (events.length === 0) return;
  await tx.query(
    `delete from limit_order_events e using unnest($1::text[], $2::text[], $3::integer[]) as old(order_key, tx_id, number)
     where e.order_key = old.order_key and e.tx_id = old.tx_id and e.number = old.number`,
    [events.map(({ orderKey }) => orderKey), events.map(({ txId }) => txId), events.map(({ number }) => number)],
  );
}

/** All known events at these addresses, oldest first. */
export async function limitOrderEvents(sql: Sql, orderKeys: readonly string[]): Promise<PlacedOrderEvent[]> {
  const { rows } = await sql.query<PlacedOrderEvent>(
    `select order_key as "orderKey", tx_id as "txId", number, slot, position, at, fact as event
     from limit_order_events where order_key = any($1) order by slot, position, number`,
    [orderKeys],
  );
  return rows;
}

/** The transactions of the newest known events, newest first; one of many events more than once. */
export async function newestOrderTransactions(sql: Sql, most: number): Promise<Pick<EventPlace, 'txId' | 'slot'>[]> {
  const { rows } = await sql.query<Pick<EventPlace, 'txId' | 'slot'>>(
    `select tx_id as "txId", slot from limit_order_events where tx_id <> '' order by slot desc, position desc limit $1`,
    [most],
  );
  return rows;
}

const PUT_ORDERS = `
  insert into limit_orders (order_key, number, open_tx, program, maker, input_mint, output_mint, making_amount,
    taking_amount, remaining_making_amount, remaining_taking_amount, slippage_bps, expired_at, state, close_tx, created_at,
    updated_at, trades, slot, position)
  select "orderKey", number, "openTx", program, maker, "inputMint", "outputMint", "makingAmount", "takingAmount",
    "remainingMakingAmount", "remainingTakingAmount", "slippageBps", "expiredAt", state, "closeTx", "createdAt",
    "updatedAt", trades, slot, position
  from jsonb_to_recordset($1) as put ("orderKey" text, number integer, "openTx" text, program text, maker text,
    "inputMint" text, "outputMint" text, "makingAmount" numeric, "takingAmount" numeric, "remainingMakingAmount" numeric,
    "remainingTakingAmount" numeric, "slippageBps" integer, "expiredAt" bigint, state text, "closeTx" text,
    "createdAt" timestamptz, "updatedAt" timestamptz, trades jsonb, slot bigint, position bigint)`;

/** Puts orders in the place of others. */
export async function replaceLimitOrders(
  tx: Tx,
  gone: readonly Pick<LimitOrderRow, 'orderKey' | 'number'>[],
  rows: readonly LimitOrderRow[],
): Promise<void> {
  if (gone.length > 0) {
    await tx.query(
      `delete from limit_orders o using unnest($1::text[], $2::integer[]) as gone(order_key, number)
       where o.order_key = gone.order_key and o.number = gone.number`,
      [gone.map(({ orderKey }) => orderKey), gone.map(({ number }) => number)],
    );
  }
  if (rows.length > 0) await tx.query(PUT_ORDERS, [toJson(rows)]);
}

/** All orders at these addresses; those of each oldest first. */
export async function limitOrdersAt(sql: Sql, orderKeys: readonly string[]): Promise<LimitOrderRow[]> {
  const { rows } = await sql.query<LimitOrderRow>(
    `select ${COLUMNS} from limit_orders where order_key = any($1) order by number`,
    [orderKeys],
  );
  return rows.map(readRow);
}

/** Which of these addresses have a known open order. */
export async function knownOpenOrders(sql: Sql, orderKeys: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql.query<{ key: string }>(
    `select order_key as key from limit_orders where order_key = any($1) and state = 'open'`,
    [orderKeys],
  );
  return new Set(rows.map(({ key }) => key));
}

/** The orders of a program that are open according to what happened before a slot. */
export async function openLimitOrders(
  sql: Sql,
  program: string,
  slot: bigint,
): Promise<Pick<LimitOrderRow, 'orderKey' | 'updatedAt'>[]> {
  const { rows } = await sql.query<Pick<LimitOrderRow, 'orderKey' | 'updatedAt'>>(
    `select order_key as "orderKey", updated_at as "updatedAt" from limit_orders
     where program = $1 and state = 'open' and slot < $2 order by order_key`,
    [program, slot.toString()],
  );
  return rows;
}

interface LimitOrderFilter {
  program: string;
  maker: string;
  states: readonly LimitOrderState[];
  inputMint?: string | undefined;
  outputMint?: string | undefined;
}

const COLUMNS = `
  order_key as "orderKey", number, open_tx as "openTx", program, maker, input_mint as "inputMint", output_mint as "outputMint",
  making_amount as "makingAmount", taking_amount as "takingAmount", remaining_making_amount as "remainingMakingAmount",
  remaining_taking_amount as "remainingTakingAmount", slippage_bps as "slippageBps", expired_at as "expiredAt", state,
  close_tx as "closeTx", created_at as "createdAt", updated_at as "updatedAt", trades, slot, position`;

/** How many of a maker's orders are read by one statement. */
export const ORDERS_A_READ = 10_000;
/** What follows is not listed. */
const MOST_READS = 30;
const LAST_CHANGED_FIRST = 'updated_at desc, slot desc, position desc, number desc, order_key desc';

/**
 * A page of a maker's orders, last changed first, and how many there are: of those that are open, or of all others, which each have
 * an index. All are looked through for a page, whatever their mints, and that costs next to nothing to bring about: it is done in
 * pieces of `ORDERS_A_READ`, and `pay` is called before each but the first. Where it rejects, nothing more is read. Those that
 * follow the first 300,000 are not in the list.
 */
export async function listLimitOrders(
  sql: Sql,
  filter: LimitOrderFilter,
  page: { offset: number; limit: number },
  pay: () => Promise<void> = async () => {},
): Promise<{ rows: LimitOrderRow[]; total: number }> {
  const { program, maker, states, inputMint, outputMint } = filter;
  const isOpen = states.every((state) => state === 'open');
  const part = isOpen ? `state = 'open'` : states.includes('open') ? 'true' : `state <> 'open'`;
  const ofMaker = `maker = $1 and program = $2 and ${part}`;
  const wanted = `state = any($3) and ($4::text is null or input_mint = $4) and ($5::text is null or output_mint = $5)`;
  const params = [maker, program, states, inputMint ?? null, outputMint ?? null];
  const total = await countInPieces(sql, { ofMaker, wanted, params }, pay);
  if (page.offset >= total) return { rows: [], total };
  const { rows } = await sql.query<LimitOrderRow>(
    `select ${COLUMNS} from (
       select * from limit_orders where ${ofMaker} order by ${LAST_CHANGED_FIRST} limit ${ORDERS_A_READ * MOST_READS}
     ) as listed where ${wanted} order by ${LAST_CHANGED_FIRST} offset $6 limit $7`,
    [...params, page.offset, page.limit],
  );
  return { rows: rows.map(readRow), total };
}

interface Counted {
  all: bigint;
  wanted: bigint;
  /** The place of the last one that was read, as the database writes it: a time has microseconds there. */
  place: string[] | null;
}

async function countInPieces(
  sql: Sql,
  { ofMaker, wanted, params }: { ofMaker: string; wanted: string; params: unknown[] },
  pay: () => Promise<void>,
): Promise<number> {
  let total = 0;
  let place: string[] = [];
  for (let reads = 1; ; reads += 1) {
    const after =
      place.length > 0
        ? `and (updated_at, slot, position, number, order_key) < ($6::timestamptz, $7::bigint, $8::bigint, $9::integer, $10)`
        : '';
    const { rows } = await sql.query<Counted>(
      `with piece as materialized (
         select updated_at, slot, position, number, order_key, ${wanted} as is_wanted from limit_orders
         where ${ofMaker} ${after} order by ${LAST_CHANGED_FIRST} limit ${ORDERS_A_READ}
       )
       select count(*) as all, count(*) filter (where is_wanted) as wanted,
         (select array[updated_at::text, slot::text, position::text, number::text, order_key] from piece
          order by updated_at, slot, position, number, order_key limit 1) as place
       from piece`,
      [...params, ...place],
    );
    const piece = rows[0]!;
    total += Number(piece.wanted);
    if (Number(piece.all) < ORDERS_A_READ || reads === MOST_READS) return total;
    place = piece.place!;
    await pay();
  }
}

/** The database returns NUMERIC as text, also within JSON. */
function readRow(row: LimitOrderRow): LimitOrderRow {
  const trades = row.trades.map((trade) => withAmounts({ ...trade, confirmedAt: new Date(trade.confirmedAt) }));
  return { ...withAmounts(row), trades };
}

function withAmounts<T extends object>(row: T): T {
  const amounts = Object.entries(row).filter(([name]) => name.endsWith('Amount'));
  return { ...row, ...Object.fromEntries(amounts.map(([name, value]) => [name, BigInt(value as string)])) };
}
