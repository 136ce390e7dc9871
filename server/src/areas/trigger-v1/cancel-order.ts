import { type Address, associatedTokenAddress, isAddress, SYSTEM_PROGRAM, WRAPPED_SOL_MINT } from '@slipway/wire';
import { craftOrderCancelling, type OrderCancelling } from '../../crafting/limit-order.js';
import { TransactionTooLarge } from '../../crafting/transaction.js';
import { AppError } from '../../errors/index.js';
import { uuidv7 } from '../../lib/ids.js';
import { type OpenOrder, readOpenOrders, readOrder } from '../../limit-orders/index.js';
import type { TriggerV1Deps } from './deps.js';
import { readUnitPrice, refuse, requireMaker } from './order-request.js';
import type { CancelOrderAnswer, CancelOrderBody, CancelOrdersAnswer, CancelOrdersBody } from './schema.js';
import { base64Of, priceOf, type Ready, rememberAll, tryOut } from './try-out.js';

const CANCELS_PER_TRANSACTION = 5;

/** Crafts the transaction that gives back what an order holds. */
export async function cancelOrder(deps: TriggerV1Deps, body: CancelOrderBody): Promise<CancelOrderAnswer> {
  const maker = requireMaker(body.maker);
  const price = await priceOf(deps, readUnitPrice(body.computeUnitPrice));
  const found = await findOrders(deps, maker, 'order', [body.order]);
  const [made] = await craftCancels(deps, maker, found, price);
  const requestId = uuidv7(deps.clock);
  const order = found[0]!.address;
  await rememberAll(deps, requestId, maker, [{ ...made!, order }]);
  return { requestId, transaction: base64Of(made!.crafted), order, code: 0 };
}

/** Crafts transactions of five cancels each, all under one request id. */
export async function cancelOrders(deps: TriggerV1Deps, body: CancelOrdersBody): Promise<CancelOrdersAnswer> {
  const maker = requireMaker(body.maker);
  const price = await priceOf(deps, readUnitPrice(body.computeUnitPrice));
  const { orders = [] } = body;
  const found =
    orders.length > 0
      ? await findOrders(deps, maker, 'orders', [...new Set(orders)])
      : (await readOpenOrders(deps.chain.rpc, deps.addresses.program, maker)).orders;
  if (found.length === 0) throw noMatch('the maker has no open order');
  const made: Ready[] = [];
  for (let from = 0; from < found.length; from += CANCELS_PER_TRANSACTION) {
    made.push(...(await craftCancels(deps, maker, found.slice(from, from + CANCELS_PER_TRANSACTION), price)));
  }
  const requestId = uuidv7(deps.clock);
  await rememberAll(deps, requestId, maker, made);
  return { requestId, transactions: made.map(({ crafted }) => base64Of(crafted)), code: 0 };
}

/** @throws AppError INVALID_REQUEST unless each of them is open and the maker's. */
async function findOrders(
  deps: TriggerV1Deps,
  maker: Address,
  field: string,
  orders: readonly string[],
): Promise<OpenOrder[]> {
  return Promise.all(
    orders.map(async (given) => {
      if (!isAddress(given)) throw refuse(`${field}: expected a public key in base58 (32 bytes)`);
      const order = await readOrder(deps.chain, deps.addresses.program, given);
      if (!order) throw noMatch(`${given}: no order is open there; it may have been filled or cancelled`);
      if (order.maker !== maker) throw noMatch(`${given}: the order is another maker's`);
      return { address: given, order };
    }),
  );
}

function noMatch(cause: string): AppError {
  return new AppError('INVALID_REQUEST', { message: 'no matching orders found', details: { cause } });
}

/** One transaction, or two with a half each where one has no room for all. */
async function craftCancels(
  deps: TriggerV1Deps,
  maker: Address,
  orders: readonly OpenOrder[],
  price: bigint,
): Promise<Ready[]> {
  const cancelling = await cancellingOf(deps, maker, orders);
  try {
    const tried = await tryOut(deps, (blockhash, budget) => craftOrderCancelling(cancelling, blockhash, budget), price);
    if ('crafted' in tried) return [tried];
    const { message, name } = tried.failure;
    throw new AppError('CRAFT_FAILED', {
      message: 'something went wrong while generating cancel instructions',
      details: { cause: `the chain would refuse it: ${name ?? message}` },
    });
  } catch (error) {
    if (!(error instanceof TransactionTooLarge) || orders.length === 1) throw error;
    const half = Math.ceil(orders.length / 2);
    const first = await craftCancels(deps, maker, orders.slice(0, half), price);
    return [...first, ...(await craftCancels(deps, maker, orders.slice(half), price))];
  }
}

/** SOL goes to the wallet as SOL; tokens to the maker's associated account, made again where it has been closed. */
async function cancellingOf(
  { chain, addresses }: TriggerV1Deps,
  maker: Address,
  orders: readonly OpenOrder[],
): Promise<OrderCancelling> {
  const made = new Set<Address>();
  const cancels = await Promise.all(
    orders.map(async ({ address, order }) => {
      const { inputMint, inputTokenProgram, inputMintReserve } = order;
      const common = { order: address, inputMint, inputTokenProgram, inputMintReserve };
      if (inputMint === WRAPPED_SOL_MINT) return { ...common, createInput: false };
      const makerInputMintAccount = associatedTokenAddress(maker, inputMint, inputTokenProgram);
      const account = await chain.account(makerInputMintAccount);
      const isMissing = account === undefined || account.owner === SYSTEM_PROGRAM;
      const createInput = isMissing && !made.has(makerInputMintAccount);
      if (createInput) made.add(makerInputMintAccount);
      return { ...common, makerInputMintAccount, createInput };
    }),
  );
  return { maker, cancels, addresses };
}
