import { createHash } from 'node:crypto';
import { type Address, transactionSignature } from '@slipway/wire';
import { AppError, requireAddress, requireAmount } from '../../errors/index.js';
import {
  checkAgainstCrafted,
  explainEnd,
  isRefusal,
  ReservationRefused,
  readSigned,
  type SignedTransaction,
  WouldFail,
} from '../../landing/index.js';
import { uuidv7 } from '../../lib/ids.js';
import type { LedgerRow } from '../../store/ledger.js';
import { findByDeposit, type TriggerOrderRow } from '../../store/trigger-orders.js';
import { apply, newOrder } from '../../trigger-orders/order.js';
import { requireOwnVault } from './access.js';
import { DEPOSIT_AREA, type DepositPayload, type TriggerV2Deps } from './deps.js';
import { requirePair } from './order-checks.js';
import { explainMissingPrice, invalid, priceUnavailable, readTerms } from './order-terms.js';
import type { OrderBody, OrderCreated } from './schema.js';
import { explainRefusal } from './settlement.js';

const REPEATED = 'This order was created before with the same deposit';

/** Creates an order and lands the deposit that pays for it: both, or neither. */
export async function createOrder(deps: TriggerV2Deps, wallet: Address, body: OrderBody): Promise<OrderCreated> {
  const mints = requireMints(body);
  const amount = requireAmount('inputAmount', body.inputAmount);
  requireAddress('userPubkey', body.userPubkey);
  const asked = { field: 'userPubkey', value: body.userPubkey, withoutVault: 'INVALID_REQUEST' } as const;
  const vault = await requireOwnVault(deps.store, wallet, asked);

  const bodyHash = hashOf(body);
  const existing = await findByDeposit(deps.store, wallet, body.depositRequestId);
  if (existing) return repeated(deps, existing, bodyHash);

  requirePair(deps, mints.inputMint, mints.outputMint);
  if (deps.stables.has(mints.triggerMint)) {
    throw new AppError('INVALID_REQUEST', { message: 'Trigger mint is not supported' });
  }
  const terms = readTerms(body, deps.clock.now(), () => requirePrice(deps, body, mints.triggerMint));
  const request = await findDeposit(deps, wallet, body);
  const payload = request.payload as DepositPayload;
  const signed = checkDeposit(deps, vault, request, body.depositSignedTx);

  const now = new Date(deps.clock.now());
  const order: TriggerOrderRow = {
    ...{ id: uuidv7(deps.clock), wallet, vault, depositRequestId: request.id, bodyHash, ...mints, ...terms },
    ...{ inputAccount: payload.inputAccount, outputAccount: payload.outputAccount, funded: false },
    ...{ createdAt: now, updatedAt: now, triggeredAt: null, leaseUntil: null, retryAt: null },
    progress: apply(newOrder(body.orderType, amount), { type: 'deposit_sent' }),
  };
  return land(deps, request, signed, order);
}

function requireMints(body: OrderBody) {
  return {
    inputMint: requireAddress('inputMint', body.inputMint),
    outputMint: requireAddress('outputMint', body.outputMint),
    triggerMint: requireAddress('triggerMint', body.triggerMint),
  };
}

function requirePrice({ prices }: TriggerV2Deps, { trailingBps }: OrderBody, mint: Address): number {
  const usd = prices.usd(mint);
  if (usd !== undefined) return usd;
  if (trailingBps !== undefined) throw priceUnavailable();
  const why = explainMissingPrice(prices, mint);
  throw new AppError('EXECUTION_FAILED', { message: `Failed to fetch the trigger mint price: ${why}` });
}

/** The same for bodies that say the same in another order of fields. */
function hashOf(body: OrderBody): Buffer {
  return createHash('sha256')
    .update(JSON.stringify(Object.entries(body).sort()))
    .digest();
}

async function findDeposit(deps: TriggerV2Deps, wallet: Address, body: OrderBody): Promise<LedgerRow> {
  const request = await deps.findRequest(body.depositRequestId);
  const isAlive = request && request.expiresAt.getTime() >= deps.clock.now();
  if (!isAlive || request.area !== DEPOSIT_AREA || request.wallet !== wallet) {
    throw new AppError('INVALID_REQUEST', {
      message: 'Deposit transaction not found in cache. Please craft a new deposit first.',
    });
  }
  const crafted = request.payload as DepositPayload;
  const differs = (['inputMint', 'outputMint'] as const).find((field) => crafted[field] !== body[field]);
  if (differs) throw invalid(differs, 'the deposit was crafted for another mint');
  if (crafted.amount !== body.inputAmount) throw invalid('inputAmount', 'the deposit was crafted for another amount');
  if (crafted.type !== body.orderType) throw invalid('orderType', `the deposit was crafted for ${crafted.type}`);
  return request;
}

function checkDeposit(deps: TriggerV2Deps, vault: Address, request: LedgerRow, base64: string): SignedTransaction {
  const signed = readSigned(base64);
  const refusal = isRefusal(signed)
    ? signed
    : checkAgainstCrafted(signed, request, [vault, deps.signer.address('tracker')]);
  if (refusal) throw badDeposit(explainRefusal(refusal));
  return signed as SignedTransaction;
}

function badDeposit(why: string): AppError {
  return new AppError('INVALID_REQUEST', { message: `Invalid signed deposit transaction: ${why}` });
}

async function land(
  deps: TriggerV2Deps,
  request: LedgerRow,
  signed: SignedTransaction,
  order: TriggerOrderRow,
): Promise<OrderCreated> {
  if (request.state === 'crafted' && (await deps.chain.blockHeight()) > request.lastValidBlockHeight) {
    throw badDeposit('it has expired; craft a new deposit');
  }
  let row: LedgerRow;
  try {
    row = await deps.landing.execute(request, signed.transaction, order);
  } catch (error) {
    if (error instanceof ReservationRefused) throw duplicate();
    if (error instanceof WouldFail) throw badDeposit(explainDoomed(error.err));
    throw error;
  }
  if (row.state !== 'landed') throw badDeposit(`${explainEnd(row).message}; craft a new deposit`);
  const stored = await findByDeposit(deps.store, order.wallet, request.id);
  if (!stored) throw new Error(`the deposit ${request.id} has landed without its order`);
  if (Buffer.compare(stored.bodyHash, order.bodyHash) !== 0) throw duplicate();
  return {
    ...{ id: stored.id, txSignature: transactionSignature(signed.transaction), depositConfirmed: true },
    ...(stored.id !== order.id && { message: REPEATED }),
  };
}

function explainDoomed(err: unknown): string {
  const { code, message } = explainEnd({ state: 'failed', error: err });
  // Of the programs that a deposit calls, error 1 is a lack of funds; of the transaction, that is a name.
  if (code !== 1 && err !== 'AccountNotFound' && !/InsufficientFunds/.test(message)) return message;
  return 'the wallet has too little of inputMint, or of SOL for the fee and the rents; fund it and post the same again';
}

/** The answer to a body that has come before: the same when that is finished, else a refusal. */
async function repeated(deps: TriggerV2Deps, order: TriggerOrderRow, bodyHash: Buffer): Promise<OrderCreated> {
  const { state } = order.progress;
  if (state === 'deposit_failed') throw badDeposit('it did not land; craft a new deposit');
  const inFlight = state === 'pending_deposit' || state === 'depositing';
  if (inFlight || Buffer.compare(order.bodyHash, bodyHash) !== 0) throw duplicate();
  const request = await deps.findRequest(order.depositRequestId);
  if (!request?.signature) throw new Error(`the deposit ${order.depositRequestId} of an order has no signature`);
  return { id: order.id, txSignature: request.signature, depositConfirmed: true, message: REPEATED };
}

function duplicate(): AppError {
  return new AppError('INVALID_REQUEST', { message: 'Duplicate deposit: an order has been created with it already' });
}
