import { createHash } from 'node:crypto';
import type { Address } from '@slipway/wire';
import { AppError, requireAddress, requireAmount } from '../../errors/index.js';
import { accept, calledBy, explainEnd, isRefusal, type Refusal } from '../../landing/index.js';
import { uuidv7 } from '../../lib/ids.js';
import type { TypedServer } from '../../lib/typed-server.js';
import type { NoPrice } from '../../prices/index.js';
import type { LedgerRow } from '../../store/ledger.js';
import { findByDeposit, type TriggerOrderRow } from '../../store/trigger-orders.js';
import { WHY_IGNORED } from '../../trigger-orders/explain-order.js';
import { apply, newOrder } from '../../trigger-orders/order.js';
import { requireOwnVault } from './access.js';
import { whatIsWrong } from './bad-transaction.js';
import { DEPOSIT_AREA, type Login, readDeposit, type TriggerV2Deps, tags, walletRoute } from './deps.js';

import { requireDepth, requirePair, requirePrice } from './order-checks.js';
import { invalid, priceUnavailable, readTerms } from './order-terms.js';
import { OrderBody, OrderCreated } from './schema.js';

const REPEATED = 'This order was created before with the same deposit';

export function registerCreateOrder(app: TypedServer, deps: TriggerV2Deps): void {
  app.post(
    '/trigger/v2/orders/price',
    {
      config: { ...walletRoute, bucket: 'execute' },
      schema: {
        tags,
        summary: 'Create an order, and land its signed deposit',
        description:
          'Lands the signed deposit and creates the order. Nothing moves if the order is refused. The same body gets the same order.',
        body: OrderBody,
        response: { 200: OrderCreated },
      },
    },
    (request) => {
      const { wallet, loginToken: token, body } = request;
      return createOrder(calledBy(deps, request), { wallet, token }, body, () => request.charge(1, 'main'));
    },
  );
}

/** Counts an ordinary call. */
export type Charge = () => Promise<{ allowed: boolean } | undefined>;

/** Creates an order and lands the deposit that funds it: both, or neither. */
export async function createOrder(
  deps: TriggerV2Deps,
  { wallet, token }: Login,
  body: OrderBody,
  charge: Charge,
): Promise<OrderCreated> {
  const mints = requireMints(body);
  const amount = requireAmount('inputAmount', body.inputAmount);
  requireAddress('userPubkey', body.userPubkey);
  const asked = { field: 'userPubkey', value: body.userPubkey, withoutVault: 'INVALID_REQUEST' } as const;
  const vault = await requireOwnVault(deps, wallet, asked);

  const bodyHash = hashOf(body);
  const existing = await findByDeposit(deps.store, wallet, body.depositRequestId);
  if (existing) return repeated(deps, existing, bodyHash);

  requirePair(deps, mints.inputMint, mints.outputMint);
  if (deps.stables.has(mints.triggerMint)) {
    throw new AppError('INVALID_REQUEST', { message: 'Trigger mint is not supported' });
  }
  const termsAt = readTerms(body, deps.clock.now());
  const orderId = uuidv7(deps.clock);
  const deposit = await accept(deps, {
    area: DEPOSIT_AREA,
    base64: body.depositSignedTx,
    request: body.depositRequestId,
    requestFirst: true,
    terms(request) {
      requireSame(request, wallet, body);
      return { ours: [vault, deps.signer.address('tracker')] };
    },
    async prepare(request): Promise<Omit<TriggerOrderRow, 'seal'>> {
      const terms = termsAt(await priceFor(deps, body, mints, charge));
      const { inputAccount, outputAccount } = readDeposit(request);
      const now = new Date(deps.clock.now());
      return {
        id: orderId,
        wallet,
        vault,
        depositRequestId: request.id,
        bodyHash,
        ...mints,
        ...terms,
        inputAccount,
        outputAccount,
        funded: false,
        createdAt: now,
        updatedAt: now,
        triggeredAt: null,
        leaseUntil: null,
        retryAt: null,
        progress: apply(newOrder(body.orderType, amount), { type: 'deposit_sent' }),
      };
    },
    async seal(order): Promise<TriggerOrderRow> {
      const proof = { deposit: Buffer.from(body.depositSignedTx, 'base64') };
      return { ...order, seal: await deps.signer.sealOrder({ token, order, proof }) };
    },
  });
  if (isRefusal(deposit)) throw explainRefusal(deposit);
  return created(deps, requireLanded(deposit), orderId, bodyHash);
}

function requireMints(body: OrderBody) {
  return {
    inputMint: requireAddress('inputMint', body.inputMint),
    outputMint: requireAddress('outputMint', body.outputMint),
    triggerMint: requireAddress('triggerMint', body.triggerMint),
  };
}

/**
 * The price that a trailing order begins at, one that may move its mark later; any other order needs only that there is one. None is asked for twice: by pools, it
 * takes the longer the more of them the token has, which is the poster's choice.
 */
async function priceFor(
  deps: TriggerV2Deps,
  { trailingBps }: OrderBody,
  { triggerMint, ...pair }: ReturnType<typeof requireMints>,
  charge: Charge,
): Promise<number> {
  const { prices } = deps;
  const now = prices.forNewOrder(triggerMint);
  if ('none' in now && UNFOUND.includes(now.none)) await lookFor(deps, triggerMint, charge);
  const price = trailingBps === undefined ? now : prices.forOrders(triggerMint);
  if (trailingBps !== undefined && 'none' in price && price.none !== 'shallow') throw priceUnavailable(price.why);
  const usd = requirePrice(price, 'triggerMint', 'EXECUTION_FAILED');
  for (const field of ['inputMint', 'outputMint'] as const) {
    if (pair[field] !== triggerMint) requireDepth(deps, [field, pair[field]]);
  }
  if (trailingBps === undefined) return usd;
  const tick = deps.tick(triggerMint);
  if (typeof tick === 'string') throw priceUnavailable(`${WHY_IGNORED[tick]}; try again shortly`);
  return tick.usd;
}

/** What the pools that are known say, where others may not have been found yet. */
const UNFOUND: readonly NoPrice['none'][] = ['missing', 'shallow', 'contradicting', 'unsettled'];

/**
 * The trigger may be any token, and a refused order keeps its deposit: whoever posts ever others has their pools looked for no
 * more often than he may ask for quotes. Those of the pair were when the deposit was crafted.
 */
async function lookFor({ prices }: TriggerV2Deps, mint: Address, charge: Charge): Promise<void> {
  if ((await charge())?.allowed !== false) prices.ask(mint);
}

/** Equal for bodies that differ only in the order of their fields, of which a stranger may send thousands. */
export function hashOf(body: object): Buffer {
  // By their names alone: otherwise each comparison would make a text of both fields with their values.
  const fields = Object.entries(body).sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(fields)).digest();
}

/** Checks that the deposit was crafted for this wallet and this order. */
function requireSame(request: LedgerRow, wallet: Address, body: OrderBody): void {
  if (request.wallet !== wallet) throw unknownDeposit();
  const crafted = readDeposit(request);
  const differs = (['inputMint', 'outputMint'] as const).find((field) => crafted[field] !== body[field]);
  if (differs) throw invalid(differs, 'the deposit was crafted for another mint');
  if (crafted.amount !== body.inputAmount) throw invalid('inputAmount', 'the deposit was crafted for another amount');
  if (crafted.type !== body.orderType) throw invalid('orderType', `the deposit was crafted for ${crafted.type}`);
}

function unknownDeposit(): AppError {
  return new AppError('INVALID_REQUEST', {
    message: 'Deposit transaction not found in cache. Please craft a new deposit first.',
  });
}

function explainRefusal(refusal: Refusal): AppError {
  switch (refusal.reason) {
    case 'unknown-request':
    case 'expired-request':
      return unknownDeposit();
    case 'too-late':
      return badDeposit('it has expired; craft a new deposit');
    case 'reserved':
      return duplicate();
    case 'would-fail':
      return badDeposit(explainDoomed(refusal.err));
    default:
      return badDeposit(whatIsWrong(refusal));
  }
}

function badDeposit(why: string): AppError {
  return new AppError('INVALID_REQUEST', { message: `Invalid signed deposit transaction: ${why}` });
}

/** The answer to a deposit that has landed. Its order may have been created by another post. */
async function created(
  { store }: TriggerV2Deps,
  deposit: LedgerRow,
  orderId: string,
  bodyHash: Buffer,
): Promise<OrderCreated> {
  const order = await findByDeposit(store, deposit.wallet, deposit.id);
  if (!order) throw new Error(`the deposit ${deposit.id} has landed without its order`);
  if (Buffer.compare(order.bodyHash, bodyHash) !== 0) throw duplicate();
  const answer = createdBy(order, deposit);
  return order.id === orderId ? answer : { ...answer, message: REPEATED };
}

function explainDoomed(err: unknown): string {
  const { code, message } = explainEnd({ state: 'failed', error: err });
  // In the programs that a deposit calls, error 1 means insufficient funds; the transaction itself reports that by
  // name.
  if (code !== 1 && err !== 'AccountNotFound' && !/InsufficientFunds/.test(message)) return message;
  return 'the wallet has too little of inputMint, or of SOL for the fee and the rents; fund it and post the same again';
}

/**
 * The answer to a deposit that was posted before: the same to an equal body, once the deposit has come to its end, also
 * when the instance that sent it has stopped since; a refusal to any other body.
 */
async function repeated(deps: TriggerV2Deps, order: TriggerOrderRow, bodyHash: Buffer): Promise<OrderCreated> {
  if (order.progress.state === 'deposit_failed') throw badDeposit('it did not land; craft a new deposit');
  if (Buffer.compare(order.bodyHash, bodyHash) !== 0) throw duplicate();
  const request = await deps.findRequest(order.depositRequestId);
  if (!request?.signature) throw new Error(`the deposit ${order.depositRequestId} of an order has no signature`);
  const deposit = await deps.landing.outcome(request);
  // Called lost, and found in the vault since.
  if (order.progress.state !== 'ready_to_cancel' && order.progress.state !== 'cancelled') requireLanded(deposit);
  return { ...createdBy(order, deposit), message: REPEATED };
}

function requireLanded(deposit: LedgerRow): LedgerRow {
  if (deposit.state === 'landed') return deposit;
  throw badDeposit(`${explainEnd(deposit).message}; craft a new deposit`);
}

function createdBy({ id }: TriggerOrderRow, { signature }: LedgerRow): OrderCreated {
  return { id, txSignature: signature!, depositConfirmed: true };
}

function duplicate(): AppError {
  return new AppError('INVALID_REQUEST', { message: 'Duplicate deposit: an order has been created with it already' });
}
