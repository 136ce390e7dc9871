import type { Sql, Tx } from './sql.js';

export type LimitOrderState = 'open' | 'completed' | 'cancelled' | 'expired' | 'failed';

/** A limit order as the index knows it. Amounts in the mint's smallest unit. */
export interface LimitOrderRow {
  orderKey: string;
  /** Empty where it is not known any more. */
  openTx: string;
  program: string;
  maker: string;
  inputMint: string;
  outputMint: string;
  makingAmount: bigint;
  takingAmount: bigint;
  remainingMakingAmount: bigint;
  remainingTakingAmount: bigint;
  feeBps: number;
  slippageBps: number;
  /** Unix seconds; null for never. */
  expiredAt: bigint | null;
  /** `failed`: its opening transaction was refused by the chain. */
  state: LimitOrderState;
  /** Empty while it is open. */
  closeTx: string;
  createdAt: Date;
  updatedAt: Date;
}

/** A fill, or a part of one. */
export interface LimitOrderTrade {
  txId: string;
  /** The place among the trades of the transaction. */
  number: number;
  orderKey: string;
  keeper: string;
  makingAmount: bigint;
  takingAmount: bigint;
  confirmedAt: Date;
}

/** A trade of a row, with what it cost the taker on top, in the smallest unit of the output. */
export type RecordedTrade = LimitOrderTrade & { openTx: string; feeAmount: bigint };

const COLUMNS = `
  order_key as "orderKey", open_tx as "openTx", program, maker, input_mint as "inputMint", output_mint as "outputMint",
  making_amount as "makingAmount", taking_amount as "takingAmount", remaining_making_amount as "remainingMakingAmount",
  remaining_taking_amount as "remainingTakingAmount", fee_bps as "feeBps", slippage_bps as "slippageBps",
  expired_at as "expiredAt", state, close_tx as "closeTx", created_at as "createdAt", updated_at as "updatedAt"`;

const OPEN_ORDER = `
  insert into limit_orders (order_key, open_tx, program, maker, input_mint, output_mint, making_amount, taking_amount,
    remaining_making_amount, remaining_taking_amount, fee_bps, slippage_bps, expired_at, state, close_tx, created_at,
    updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
  on conflict do nothing`;

const ADD_TRADE = `
  insert into limit_order_trades (tx_id, number, order_key, open_tx, keeper, making_amount, taking_amount, fee_amount,
    confirmed_at)
  select $1, $2::integer, order_key, open_tx, $4, $5::numeric, $6::numeric, floor($6::numeric * fee_bps / 10000),
    $7::timestamptz
  from limit_orders where order_key = $3 and state = 'open'
  on conflict do nothing`;

/** Adds an order; nothing when it is there already, or another one is open at its address. */
export async function openLimitOrder(tx: Tx, row: LimitOrderRow): Promise<void> {
  await tx.query(OPEN_ORDER, [
    ...[row.orderKey, row.openTx, row.program, row.maker, row.inputMint, row.outputMint],
    ...[row.makingAmount, row.takingAmount, row.remainingMakingAmount, row.remainingTakingAmount].map(String),
    ...[row.feeBps, row.slippageBps, row.expiredAt?.toString() ?? null, row.state, row.closeTx],
    ...[row.createdAt, row.updatedAt],
  ]);
}

/** Adds a trade to the order that is open at the address; with nothing left of it, that is completed. */
export async function addLimitOrderTrade(
  tx: Tx,
  trade: LimitOrderTrade & { remainingMakingAmount: bigint; remainingTakingAmount: bigint },
): Promise<void> {
  const { txId, number, orderKey, keeper, makingAmount, takingAmount, confirmedAt } = trade;
  const { rowCount } = await tx.query(ADD_TRADE, [
    ...[txId, number, orderKey, keeper, makingAmount.toString(), takingAmount.toString(), confirmedAt],
  ]);
  if (rowCount === 0) return;
  await tx.query(
    `update limit_orders set remaining_making_amount = $2::numeric, remaining_taking_amount = $3::numeric,
       updated_at = $4, change = nextval('limit_order_changes'), state = case when $2::numeric = 0 then 'completed' else state end,
       close_tx = case when $2::numeric = 0 then $5 else close_tx end
     where order_key = $1 and state = 'open'`,
    [orderKey, `${trade.remainingMakingAmount}`, `${trade.remainingTakingAmount}`, confirmedAt, txId],
  );
}

/** Ends the order that is open at the address. `signers`: of the transaction; without its maker it had expired. */
export async function closeLimitOrder(
  tx: Tx,
  closed: { orderKey: string; closeTx: string; signers: readonly string[]; isDust: boolean; at: Date },
): Promise<void> {
  await tx.query(
    `update limit_orders set close_tx = $2, updated_at = $5, change = nextval('limit_order_changes'),
       state = case when maker = any($3) or $4 then 'cancelled' else 'expired' end
     where order_key = $1 and state = 'open'`,
    [closed.orderKey, closed.closeTx, closed.signers, closed.isDust, closed.at],
  );
}

/** The last transaction of the program that has been read; empty for none. */
export async function getLimitOrderCursor(sql: Sql, program: string): Promise<string> {
  const { rows } = await sql.query<{ signature: string }>(
    'select signature from limit_order_cursors where program = $1',
    [program],
  );
  return rows[0]?.signature ?? '';
}

/** Moves the cursor on; false when somebody else has moved it from `from` already. */
export async function moveLimitOrderCursor(tx: Tx, program: string, from: string, to: string): Promise<boolean> {
  await tx.query(`insert into limit_order_cursors (program, signature) values ($1, '') on conflict do nothing`, [
    program,
  ]);
  const { rowCount } = await tx.query(
    'update limit_order_cursors set signature = $3 where program = $1 and signature = $2',
    [program, from, to],
  );
  return rowCount === 1;
}

/** Of these addresses those at which an order is known to be open. */
export async function knownOpenOrders(sql: Sql, orderKeys: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql.query<{ key: string }>(
    `select order_key as key from limit_orders where order_key = any($1) and state = 'open'`,
    [orderKeys],
  );
  return new Set(rows.map(({ key }) => key));
}

export interface LimitOrderFilter {
  program: string;
  maker: string;
  states: readonly LimitOrderState[];
  inputMint?: string | undefined;
  outputMint?: string | undefined;
}

/** A maker's orders, those that changed last first, and how many there are in all. */
export async function listLimitOrders(
  sql: Sql,
  { program, maker, states, inputMint, outputMint }: LimitOrderFilter,
  page: { offset: number; limit: number },
): Promise<{ rows: LimitOrderRow[]; total: number }> {
  const where = `maker = $1 and program = $2 and state = any($3) and ($4::text is null or input_mint = $4)
    and ($5::text is null or output_mint = $5)`;
  const params = [maker, program, states, inputMint ?? null, outputMint ?? null];
  const { rows: counted } = await sql.query<{ total: bigint }>(
    `select count(*) as total from limit_orders where ${where}`,
    params,
  );
  const { rows } = await sql.query<LimitOrderRow>(
    `select ${COLUMNS} from limit_orders where ${where}
     order by updated_at desc, change desc offset $6 limit $7`,
    [...params, page.offset, page.limit],
  );
  return { rows: rows.map(withAmounts), total: Number(counted[0]?.total ?? 0) };
}

/** The trades of these orders, the oldest first. */
export async function listLimitOrderTrades(sql: Sql, orders: readonly LimitOrderRow[]): Promise<RecordedTrade[]> {
  const { rows } = await sql.query<RecordedTrade>(
    `select tx_id as "txId", number, order_key as "orderKey", open_tx as "openTx", keeper,
       making_amount as "makingAmount", taking_amount as "takingAmount", fee_amount as "feeAmount",
       confirmed_at as "confirmedAt"
     from limit_order_trades where order_key = any($1) order by change`,
    [orders.map(({ orderKey }) => orderKey)],
  );
  return rows.map(withAmounts);
}

/** NUMERIC comes from the database as text. */
function withAmounts<T extends object>(row: T): T {
  const amounts = Object.entries(row).filter(([name]) => name.endsWith('Amount'));
  return { ...row, ...Object.fromEntries(amounts.map(([name, value]) => [name, BigInt(value as string)])) };
}
