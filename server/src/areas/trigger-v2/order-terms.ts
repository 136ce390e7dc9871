import { AppError } from '../../errors/index.js';
import type { TriggerOrderTerms } from '../../store/trigger-orders.js';
import type { OrderType } from '../../trigger-orders/order.js';
import { orderContext } from '../../trigger-orders/order-context.js';
import type { EditBody, OrderBody } from './schema.js';

/** Default slippage of orders that above all must be filled. */
const STOP_SLIPPAGE_BPS = 2_000;

/** What an edit changes. */
type Changes = Omit<EditBody, 'signature' | 'signedAt'>;
type TermField = Exclude<keyof Changes, 'orderType' | 'expiresAt'>;

/** The terms that each type of order requires and allows; any other is refused by name. */
const fieldsOf: Record<OrderType, { required: TermField[]; optional: TermField[] }> = {
  single: { required: ['triggerCondition'], optional: ['triggerPriceUsd', 'trailingBps', 'slippageBps'] },
  oco: { required: ['tpPriceUsd', 'slPriceUsd'], optional: ['tpSlippageBps', 'slSlippageBps'] },
  otoco: {
    required: ['triggerCondition', 'triggerPriceUsd', 'tpPriceUsd', 'slPriceUsd'],
    optional: ['slippageBps', 'tpSlippageBps', 'slSlippageBps'],
  },
};

const ALL_FIELDS: readonly TermField[] = [
  ...(['triggerCondition', 'triggerPriceUsd', 'trailingBps', 'tpPriceUsd', 'slPriceUsd'] as const),
  ...(['slippageBps', 'tpSlippageBps', 'slSlippageBps'] as const),
];

/**
 * The terms in a body, by the price of the trigger mint, which nobody need look for if they are not valid.
 * @throws AppError that names the field.
 */
export function readTerms(body: OrderBody, now: number): (price: number) => TriggerOrderTerms {
  const { orderType, triggerCondition = null, trailingBps = null } = body;
  const { required, optional } = fieldsOf[orderType];
  for (const field of ALL_FIELDS) {
    if (body[field] === undefined) {
      if (required.includes(field)) throw invalid(field, 'required');
    } else if (!required.includes(field) && !optional.includes(field)) {
      throw invalid(field, `not a field of ${orderType} orders`);
    }
  }
  if (orderType === 'single') checkSingle(body);
  checkPair(body.tpPriceUsd, body.slPriceUsd);
  const expiresAt = futureDate(body.expiresAt, now);
  return (price) => ({
    triggerCondition,
    triggerPriceUsd: body.triggerPriceUsd ?? null,
    trailingBps,
    highWatermark: trailingBps !== null && triggerCondition === 'below' ? price : null,
    lowWatermark: trailingBps !== null && triggerCondition === 'above' ? price : null,
    tpPriceUsd: body.tpPriceUsd ?? null,
    slPriceUsd: body.slPriceUsd ?? null,
    slippageBps: body.slippageBps ?? defaultSlippage(body),
    tpSlippageBps: body.tpSlippageBps ?? null,
    slSlippageBps: body.slSlippageBps ?? (orderType === 'single' ? null : STOP_SLIPPAGE_BPS),
    expiresAt,
  });
}

/** Null: automatic. */
function defaultSlippage(body: OrderBody): number | null {
  if (body.orderType !== 'single') return null;
  const context = orderContext('entry', { ...body, condition: body.triggerCondition! });
  return context === 'stop_loss' || context === 'buy_above' ? STOP_SLIPPAGE_BPS : null;
}

function checkSingle({
  triggerPriceUsd,
  trailingBps,
  triggerCondition,
  triggerMint,
  inputMint,
  outputMint,
}: OrderBody) {
  if ((triggerPriceUsd === undefined) === (trailingBps === undefined)) {
    throw new AppError('INVALID_REQUEST', { message: 'exactly one of triggerPriceUsd or trailingBps must be set' });
  }
  if (trailingBps === undefined) return;
  const [expected, name] = triggerCondition === 'below' ? [inputMint, 'inputMint'] : [outputMint, 'outputMint'];
  if (triggerMint !== expected) {
    throw invalid('triggerMint', `a trailing order that triggers ${triggerCondition} follows ${name}`);
  }
}

/** Checks that the stop loss is below the take profit. */
function checkPair(tpPriceUsd: number | null | undefined, slPriceUsd: number | null | undefined): void {
  if (tpPriceUsd == null || slPriceUsd == null || tpPriceUsd > slPriceUsd) return;
  throw invalid('tpPriceUsd', 'must be greater than slPriceUsd');
}

function futureDate(milliseconds: number, now: number): Date {
  if (milliseconds <= now) throw invalid('expiresAt', 'must be in the future, in unix milliseconds');
  return new Date(milliseconds);
}

export function invalid(field: string, expected: string): AppError {
  return new AppError('INVALID_REQUEST', { message: `${field}: ${expected}`, details: { [field]: expected } });
}

/** The terms of an open order after its owner's edit. @throws AppError that names the field. */
export function editTerms(
  order: TriggerOrderTerms & { type: OrderType; stage: 'entry' | 'exit' },
  body: Changes,
  now: number,
  price: number | undefined,
): TriggerOrderTerms {
  const { type, stage } = order;
  if (body.orderType !== type) throw invalid('orderType', `this is an order of the type ${type}`);
  const isTrailing = order.trailingBps !== null;
  for (const field of ALL_FIELDS) {
    if (body[field] === undefined) continue;
    const { required, optional } = fieldsOf[type];
    // The trigger condition cannot change: it defines the order.
    const known = field !== 'triggerCondition' && [...required, ...optional].includes(field);
    if (!known) throw invalid(field, `cannot be changed of ${type} orders`);
    if (stage === 'exit' && !/^(?:tp|sl)[A-Z]/.test(field)) throw invalid(field, 'the order has been entered already');
  }
  if (isTrailing && body.triggerPriceUsd !== undefined) {
    throw new AppError('INVALID_REQUEST', { message: 'Cannot set trigger price on trailing stop loss order' });
  }
  if (!isTrailing && body.trailingBps !== undefined) {
    throw new AppError('INVALID_REQUEST', { message: 'Cannot convert to trailing stop loss order' });
  }
  if (body.trailingBps !== undefined) checkTrailing(order, body.trailingBps, price);
  const { expiresAt } = body;
  const after: TriggerOrderTerms = {
    ...order,
    ...Object.fromEntries(ALL_FIELDS.filter((field) => body[field] !== undefined).map((field) => [field, body[field]])),
    expiresAt: expiresAt === undefined ? order.expiresAt : futureDate(expiresAt, now),
  };
  checkPair(after.tpPriceUsd, after.slPriceUsd);
  return after;
}

function checkTrailing(
  { highWatermark, lowWatermark }: TriggerOrderTerms,
  bps: number,
  price: number | undefined,
): void {
  if (price === undefined) throw priceUnavailable();
  const high = highWatermark !== null && price <= Math.max(highWatermark, price) * (1 - bps / 10_000);
  const low = lowWatermark !== null && price >= Math.min(lowWatermark, price) * (1 + bps / 10_000);
  if (high || low) {
    throw new AppError('INVALID_REQUEST', { message: 'Trailing order would immediately trigger' });
  }
}

export function priceUnavailable(why?: string): AppError {
  const details = why === undefined ? {} : { details: { triggerMint: why } };
  return new AppError('EXECUTION_FAILED', { message: 'Market price is unavailable for trailing order', ...details });
}
