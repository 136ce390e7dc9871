import { type Address, isAddress, WRAPPED_SOL_MINT } from '@slipway/wire';
import { givesAwaySol, isMade } from '../../chain/index.js';
import { craftOrderCancelling, type OrderCancelling, refundPlace } from '../../crafting/limit-order.js';
import { base64Of, TransactionTooLarge } from '../../crafting/transaction.js';
import { AppError } from '../../errors/index.js';
import { canReceive, type OpenOrder, readOpenOrders, readOrder } from '../../indexes/limit-orders/index.js';
import type { Working } from '../../landing/index.js';
import { askedBy } from '../../landing/index.js';
import { uuidv7 } from '../../lib/ids.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { type TriggerV1Deps, tags, triggerV1Route } from './deps.js';

import { readUnitPrice, refuse, requireMaker } from './order-request.js';
import { CancelOrderAnswer, CancelOrderBody, CancelOrdersAnswer, CancelOrdersBody } from './schema.js';
import { priceOf, rememberAll, tryOutAt } from './try-out.js';

const CANCELS_PER_TRANSACTION = 5;
const NOT_CRAFTED = 'something went wrong while generating cancel instructions';

export function registerCancelOrder(app: TypedServer, deps: TriggerV1Deps): void {
  app.post(
    '/trigger/v1/cancelOrder',
    {
      config: { ...triggerV1Route, crafts: true },
      schema: {
        tags,
        summary: 'Craft the cancelling of a limit order',
        description: 'The maker gets back what the order holds. Sign `transaction` and post it to `execute`.',
        body: CancelOrderBody,
        response: { 200: CancelOrderAnswer },
      },
    },
    (request) => cancelOrder(askedBy(deps, request), request.body),
  );
}

export function registerCancelOrders(app: TypedServer, deps: TriggerV1Deps): void {
  app.post(
    '/trigger/v1/cancelOrders',
    {
      config: { ...triggerV1Route, crafts: true },
      schema: {
        tags,
        summary: 'Craft the cancelling of several limit orders',
        description:
          'Up to five orders a transaction, up to 50 orders. Execute each transaction under the same `requestId`. Each transaction counts as a call; where no order is named, the call counts as ten.',
        body: CancelOrdersBody,
        response: { 200: CancelOrdersAnswer },
      },
    },
    (request) => cancelOrders(askedBy(deps, request), request.body, (weight) => request.charge(weight)),
  );
}

/** Crafts the transaction that cancels an order and returns what it holds. */
export async function cancelOrder(deps: TriggerV1Deps, body: CancelOrderBody): Promise<CancelOrderAnswer> {
  const maker = requireMaker(body.maker);
  const price = await priceOf(deps, readUnitPrice(body.computeUnitPrice));
  const { found, skipped } = await findOrders(deps, maker, 'order', [body.order]);
  const usable = await withoutObstacles(deps, maker, found, skipped);
  const [working] = await craftCancels(deps, maker, usable, price, skipped);
  if (!working) throw noneLeft(found, skipped);
  const requestId = uuidv7(deps.clock);
  const order = found[0]!.address;
  await rememberAll(deps, requestId, maker, [{ ...working, order }]);
  return { requestId, transaction: base64Of(working.crafted), order, code: 0 };
}

/** Each five orders cost up to nine simulations. */
export const MOST_AT_ONCE = 50;

/** As calls: the node looks through all orders of the program. As many as there may be transactions. */
const SEARCH_WEIGHT = MOST_AT_ONCE / CANCELS_PER_TRANSACTION;

/** The open orders that are cancelled if none are named: the oldest. */
export function oldestOf(open: readonly OpenOrder[]): OpenOrder[] {
  return open.toSorted((a, b) => Number(a.order.createdAt - b.order.createdAt)).slice(0, MOST_AT_ONCE);
}

/**
 * Crafts transactions of five cancels each, all under one request id, for the named orders or else the oldest open ones.
 * An order that cannot be cancelled holds up no other. `charge` counts further calls.
 */
export async function cancelOrders(
  deps: TriggerV1Deps,
  body: CancelOrdersBody,
  charge: (weight: number) => Promise<{ allowed: boolean } | undefined>,
): Promise<CancelOrdersAnswer> {
  const maker = requireMaker(body.maker);
  const price = await priceOf(deps, readUnitPrice(body.computeUnitPrice));
  const pay = async (calls: number, message: string) => {
    if ((await charge(calls - 1))?.allowed === false) throw new AppError('RATE_LIMITED', { message });
  };
  const { orders = [] } = body;
  const isNamed = orders.length > 0;
  // Before they are looked for: a maker may have thousands, and all are read.
  if (!isNamed) await pay(SEARCH_WEIGHT, TOO_MANY_SEARCHES);
  const { found, skipped } = isNamed
    ? await findOrders(deps, maker, 'orders', [...new Set(orders)])
    : {
        found: oldestOf((await readOpenOrders(deps.chain.rpc, deps.addresses.program, { maker })).orders),
        skipped: [],
      };
  const transactions = Math.ceil(found.length / CANCELS_PER_TRANSACTION);
  if (isNamed) await pay(transactions, tooMany(transactions));
  const usable = await withoutObstacles(deps, maker, found, skipped);
  const crafts: Working[] = [];
  for (let from = 0; from < usable.length; from += CANCELS_PER_TRANSACTION) {
    const some = usable.slice(from, from + CANCELS_PER_TRANSACTION);
    crafts.push(...(await craftCancels(deps, maker, some, price, skipped)));
  }
  if (crafts.length === 0) throw noneLeft(found, skipped);
  const requestId = uuidv7(deps.clock);
  await rememberAll(deps, requestId, maker, crafts);
  return {
    requestId,
    transactions: crafts.map(({ crafted }) => base64Of(crafted)),
    ...(skipped.length > 0 && { skipped }),
    code: 0,
  };
}

const TOO_MANY_SEARCHES = `Too many requests: to look for the orders of a maker counts as ${SEARCH_WEIGHT} calls, and fewer are left; name the orders, or wait`;

const tooMany = (transactions: number) =>
  `Too many requests: these orders count as ${transactions} calls, and fewer are left; name fewer orders, or wait`;

type Skipped = NonNullable<CancelOrdersAnswer['skipped']>;

/** Those that are open and the maker's. @throws AppError INVALID_REQUEST if one is not an address. */
async function findOrders(
  { chain, addresses }: TriggerV1Deps,
  maker: Address,
  field: string,
  orders: readonly string[],
): Promise<{ found: OpenOrder[]; skipped: Skipped }> {
  const skipped: Skipped = [];
  const found = await Promise.all(
    orders.map(async (address) => {
      if (!isAddress(address)) throw refuse(`${field}: expected a public key in base58 (32 bytes)`);
      const order = await readOrder(chain, addresses.program, address);
      if (order?.maker === maker) return [{ address, order }];
      const cause = order
        ? "the order is another maker's"
        : 'no order is open there; it may have been filled or cancelled';
      skipped.push({ order: address, cause });
      return [];
    }),
  );
  return { found: found.flat(), skipped };
}

function noneLeft(found: readonly OpenOrder[], [first]: Skipped): AppError {
  const cause = first ? `${first.order}: ${first.cause}` : 'the maker has no open order';
  if (found.length === 0) {
    return new AppError('INVALID_REQUEST', { message: 'no matching orders found', details: { cause } });
  }
  return new AppError('CRAFT_FAILED', { message: NOT_CRAFTED, details: { cause } });
}

/** One transaction, or two with half of the orders each if they do not all fit or one would fail. */
async function craftCancels(
  deps: TriggerV1Deps,
  maker: Address,
  orders: readonly OpenOrder[],
  price: bigint,
  skipped: Skipped,
): Promise<Working[]> {
  if (orders.length === 0) return [];
  const half = Math.ceil(orders.length / 2);
  const inHalves = async () => [
    ...(await craftCancels(deps, maker, orders.slice(0, half), price, skipped)),
    ...(await craftCancels(deps, maker, orders.slice(half), price, skipped)),
  ];
  const cancelling = await cancellingOf(deps, maker, orders);
  try {
    const tried = await tryOutAt(
      deps,
      (blockhash, budget) => craftOrderCancelling(cancelling, blockhash, budget),
      price,
    );
    if ('crafted' in tried) return [tried];
    const { message, name, ofTheWhole } = tried.failure;
    const cause = `the chain would refuse it: ${name ?? message}`;
    if (ofTheWhole) throw new AppError('CRAFT_FAILED', { message: NOT_CRAFTED, details: { cause } });
    if (orders.length > 1) return inHalves();
    skipped.push({ order: orders[0]!.address, cause });
    return [];
  } catch (error) {
    if (!(error instanceof TransactionTooLarge) || orders.length === 1) throw error;
    return inHalves();
  }
}

/**
 * SOL goes to the wallet as SOL, also where it was to stay wrapped and somebody else may close its account; tokens to the maker's
 * associated account, which is created again if it was closed.
 */
async function cancellingOf(
  { chain, addresses }: TriggerV1Deps,
  maker: Address,
  orders: readonly OpenOrder[],
): Promise<OrderCancelling> {
  const created = new Set<Address>();
  const cancels = await Promise.all(
    orders.map(async ({ address, order }) => {
      const { inputMint, inputTokenProgram, inputMintReserve } = order;
      const common = { order: address, inputMint, inputTokenProgram, inputMintReserve };
      const makerInputMintAccount = refundPlace(order);
      if (makerInputMintAccount === undefined) return { ...common, createInput: false };
      const account = await chain.account(makerInputMintAccount);
      const isMissing = !isMade(account);
      if (inputMint === WRAPPED_SOL_MINT && !isMissing && givesAwaySol(account.data))
        return { ...common, createInput: false };
      const createInput = isMissing && !created.has(makerInputMintAccount);
      if (createInput) created.add(makerInputMintAccount);
      return { ...common, makerInputMintAccount, createInput };
    }),
  );
  return { maker, cancels, addresses };
}

/** The orders whose tokens can go back to the maker's own account; the others are added to `skipped`. */
async function withoutObstacles(
  { chain }: TriggerV1Deps,
  maker: Address,
  orders: readonly OpenOrder[],
  skipped: Skipped,
): Promise<OpenOrder[]> {
  const usable = await Promise.all(
    orders.map(async (each) => {
      const place = refundPlace(each.order);
      const account = place && (await chain.account(place));
      if (!isMade(account) || canReceive(account, each.order.inputMint, maker)) return [each];
      const cause = `the maker's token account ${place} is frozen, requires memos or belongs to somebody else now`;
      skipped.push({ order: each.address, cause });
      return [];
    }),
  );
  return usable.flat();
}
