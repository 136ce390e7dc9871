import type { Order, Trade } from '../trigger-orders/order.js';

/** What the owner can change while the order is open. Prices are USD for one whole token. */
export interface TriggerOrderTerms {
  triggerCondition: 'above' | 'below' | null;
  triggerPriceUsd: number | null;
  trailingBps: number | null;
  highWatermark: number | null;
  lowWatermark: number | null;
  tpPriceUsd: number | null;
  slPriceUsd: number | null;
  slippageBps: number | null;
  tpSlippageBps: number | null;
  slSlippageBps: number | null;
  expiresAt: Date;
}

/** The immutable part of an order. */
export interface TriggerOrderFacts {
  id: string;
  wallet: string;
  depositRequestId: string;
  bodyHash: Uint8Array;
  vault: string;
  inputMint: string;
  outputMint: string;
  triggerMint: string;
  /** Token accounts of this order, owned by the vault; only OTOCO orders have an output account. */
  inputAccount: string;
  outputAccount: string | null;
  createdAt: Date;
}

export interface TriggerOrderTimes {
  updatedAt: Date;
  triggeredAt: Date | null;
  /** Until when a keeper's claim lasts. */
  leaseUntil: Date | null;
  /** After a failure: the time of the next attempt. */
  retryAt: Date | null;
}

export interface TriggerOrderRow extends TriggerOrderFacts, TriggerOrderTerms, TriggerOrderTimes {
  /** The part that the state machine changes. */
  progress: Order;
  /** Whether any of its funds are in the vault. */
  funded: boolean;
  /** The service's signature over facts and terms; null if the order is older than seals. */
  seal: Uint8Array | null;
}

/** Terms, and the seal that fits them. */
export type SealedTerms = TriggerOrderTerms & Pick<TriggerOrderRow, 'seal'>;

type Column = string | number | boolean | Date | Uint8Array | null;

/** Column, SQL type and value, in the order in which a row is written. */
export const columnsOf = {
  facts: (row: TriggerOrderFacts): [string, string, Column][] => [
    ['wallet', 'text', row.wallet],
    ['id', 'text', row.id],
    ['deposit_request_id', 'text', row.depositRequestId],
    ['body_hash', 'bytea', row.bodyHash],
    ['vault', 'text', row.vault],
    ['input_mint', 'text', row.inputMint],
    ['output_mint', 'text', row.outputMint],
    ['trigger_mint', 'text', row.triggerMint],
    ['input_account', 'text', row.inputAccount],
    ['output_account', 'text', row.outputAccount],
    ['created_at', 'timestamptz', row.createdAt],
  ],
  terms: (row: SealedTerms): [string, string, Column][] => [
    ['trigger_condition', 'text', row.triggerCondition],
    ['trigger_price_usd', 'double precision', row.triggerPriceUsd],
    ['trailing_bps', 'int', row.trailingBps],
    ['high_watermark', 'double precision', row.highWatermark],
    ['low_watermark', 'double precision', row.lowWatermark],
    ['tp_price_usd', 'double precision', row.tpPriceUsd],
    ['sl_price_usd', 'double precision', row.slPriceUsd],
    ['slippage_bps', 'int', row.slippageBps],
    ['tp_slippage_bps', 'int', row.tpSlippageBps],
    ['sl_slippage_bps', 'int', row.slSlippageBps],
    ['expires_at', 'timestamptz', row.expiresAt],
    ['seal', 'bytea', row.seal],
  ],
  progress: ({
    progress,
    funded,
    ...times
  }: Pick<TriggerOrderRow, 'progress' | 'funded'> & TriggerOrderTimes): [string, string, Column][] => [
    ['type', 'text', progress.type],
    ['state', 'text', progress.state],
    ['stage', 'text', progress.stage],
    ['fired', 'text', progress.fired],
    ...tradeColumns('entry', progress.entry),
    ...tradeColumns('exit', progress.exit),
    ['held', 'numeric', progress.held.toString()],
    ['cancel_asked', 'boolean', progress.cancelAsked],
    ['failures', 'int', progress.failures],
    ['funded', 'boolean', funded],
    ['updated_at', 'timestamptz', times.updatedAt],
    ['triggered_at', 'timestamptz', times.triggeredAt],
    ['lease_until', 'timestamptz', times.leaseUntil],
    ['retry_at', 'timestamptz', times.retryAt],
  ],
};

function tradeColumns(name: 'entry' | 'exit', trade: Trade | null): [string, string, Column][] {
  return (['initial', 'remaining', 'received'] as const).map((field) => [
    `${name}_${field}`,
    'numeric',
    trade ? trade[field].toString() : null,
  ]);
}

/** A row as the database returns it: column names, amounts as text. */
export type StoredOrder = Record<string, unknown>;

export function fromStored(stored: StoredOrder): TriggerOrderRow {
  const of = <T>(column: string) => stored[column] as T;
  const trade = (name: string): Trade | null =>
    stored[`${name}_initial`] === null
      ? null
      : {
          initial: BigInt(of<string>(`${name}_initial`)),
          remaining: BigInt(of<string>(`${name}_remaining`)),
          received: BigInt(of<string>(`${name}_received`)),
        };
  return {
    id: of('id'),
    wallet: of('wallet'),
    depositRequestId: of('deposit_request_id'),
    bodyHash: of('body_hash'),
    vault: of('vault'),
    inputMint: of('input_mint'),
    outputMint: of('output_mint'),
    triggerMint: of('trigger_mint'),
    inputAccount: of('input_account'),
    outputAccount: of('output_account'),
    triggerCondition: of('trigger_condition'),
    triggerPriceUsd: of('trigger_price_usd'),
    trailingBps: of('trailing_bps'),
    highWatermark: of('high_watermark'),
    lowWatermark: of('low_watermark'),
    tpPriceUsd: of('tp_price_usd'),
    slPriceUsd: of('sl_price_usd'),
    slippageBps: of('slippage_bps'),
    tpSlippageBps: of('tp_slippage_bps'),
    slSlippageBps: of('sl_slippage_bps'),
    expiresAt: of('expires_at'),
    createdAt: of('created_at'),
    updatedAt: of('updated_at'),
    triggeredAt: of('triggered_at'),
    leaseUntil: of('lease_until'),
    retryAt: of('retry_at'),
    funded: of('funded'),
    seal: of('seal'),
    progress: {
      type: of('type'),
      state: of('state'),
      stage: of('stage'),
      fired: of('fired'),
      entry: trade('entry')!,
      exit: trade('exit'),
      held: BigInt(of<string>('held')),
      cancelAsked: of('cancel_asked'),
      failures: of('failures'),
    },
  };
}
