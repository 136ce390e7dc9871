import type { Address } from '@slipway/wire';
import { NO_MEMO } from '../../chain/index.js';
import { base64Of, type Crafted } from '../../crafting/transaction.js';
import { AppError } from '../../errors/index.js';
import {
  accept,
  askedBy,
  type CraftedRequest,
  calledBy,
  explainEnd,
  isRefusal,
  newRequest,
  type Refusal,
} from '../../landing/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { endAgain, reopenFound } from '../../store/lost-deposits.js';
import { changeOrders } from '../../store/trigger-order-changes.js';
import { findTriggerOrder, type TriggerOrderRow } from '../../store/trigger-orders.js';
import { IllegalEvent } from '../../trigger-orders/order.js';
import { shownState } from '../../trigger-orders/state.js';
import { vaultOf } from './access.js';
import { whatIsWrong } from './bad-transaction.js';
import {
  readWithdrawal,
  type TriggerV2Deps,
  tags,
  WITHDRAWAL_AREA,
  type WithdrawalPayload,
  walletRoute,
} from './deps.js';
import { findLeft, isGone, type OwnHolding, readHoldings } from './order-holdings.js';
import { CancelAnswer, ConfirmBody, Confirmed, OrderParams } from './schema.js';
import { craftWithdrawal } from './vault-transactions.js';

const AGAIN = 'Please initiate cancel again.';
const GONE =
  'The token accounts of this order are gone from the chain: if nodes go on to say so, it ends within 20 minutes';
const REQUIRES_MEMOS = 'the token account of the wallet requires memos; turn that off first';

export function registerCancelOrder(app: TypedServer, deps: TriggerV2Deps): void {
  app.post(
    '/trigger/v2/orders/price/cancel/:orderId',
    {
      config: { ...walletRoute, crafts: true, errors: { 404: 'Order not found' } },
      schema: {
        tags,
        summary: 'Cancel an order, and craft the withdrawal of its funds',
        description:
          'The order is not filled any more. While a fill is under way, this is 400 with `Retry-After`, and is remembered. Sign `transaction` and post it to `confirm-cancel`. This is also how the funds of an expired order come back, a deposit that was called lost and has landed, and what a withdrawal has not brought that was called landed.',
        params: OrderParams,
        response: { 200: CancelAnswer },
      },
    },
    (request) => cancelOrder(askedBy(deps, request), request.wallet, request.params.orderId),
  );
}

export function registerConfirmCancel(app: TypedServer, deps: TriggerV2Deps): void {
  app.post(
    '/trigger/v2/orders/price/confirm-cancel/:orderId',
    {
      config: { ...walletRoute, bucket: 'execute', errors: { 404: 'Order not found' } },
      schema: {
        tags,
        summary: 'Land the signed withdrawal of a cancelled order',
        description:
          'Lands the withdrawal. The order stays as it is until that has landed, and `pending_withdraw` where only a part has come home: cancel it again for the rest.',
        params: OrderParams,
        body: ConfirmBody,
        response: { 200: Confirmed },
      },
    },
    (request) => confirmCancel(calledBy(deps, request), request.wallet, request.params.orderId, request.body),
  );
}

/**
 * Ends an order and crafts the withdrawal that returns everything to its wallet. May be repeated until that lands. Of one whose deposit
 * was called lost, or whose withdrawal was called landed, the chain decides: nobody but the vault can have made its accounts, by the deposit.
 */
export async function cancelOrder(deps: TriggerV2Deps, wallet: Address, id: string): Promise<CancelAnswer> {
  const order = await findTriggerOrder(deps.store, id);
  if (!order) throw new AppError('NOT_FOUND', { message: 'Order not found' });
  if (!(await isTheirs(deps, order, wallet))) {
    throw new AppError('FORBIDDEN', { message: 'Forbidden: this order is not yours' });
  }
  const now = new Date(deps.clock.now());
  const found = await findLeft(deps, order, await vaultOf(deps.signer, wallet), now);
  const mints = found.filter(({ amount }) => amount > 0n).map(({ token }) => token.mint);
  const changes = [{ id, event: { type: 'cancel_asked' } as const }];
  const outcomes = await deps.store.transaction(async (tx) => {
    if (found.length > 0) await reopenFound(tx, [{ id, mints }], now);
    return changeOrders(tx, changes, now);
  });
  const outcome = outcomes.get(id);
  if (!outcome || outcome instanceof IllegalEvent) {
    throw notCancellable(shownState(order.progress.state));
  }
  if (outcome.progress.state !== 'ready_to_cancel') {
    throw new AppError('ORDER_UNDER_WAY');
  }
  return craft(deps, outcome, wallet, { isRepeated: order.progress.state === 'ready_to_cancel' });
}

/**
 * Whether the order is the wallet's. Where somebody else has written the row, the chain decides: the accounts of an
 * order can only be made with the signature of its wallet's vault.
 */
async function isTheirs(deps: TriggerV2Deps, order: TriggerOrderRow, wallet: Address): Promise<boolean> {
  if (order.wallet === wallet) return true;
  if (await deps.landing.vouchesForOrder(order)) return false;
  return (await readHoldings(deps, order, await vaultOf(deps.signer, wallet))).length > 0;
}

async function craft(
  deps: TriggerV2Deps,
  order: TriggerOrderRow,
  wallet: Address,
  { isRepeated }: { isRepeated: boolean },
): Promise<CancelAnswer> {
  const { chain, clock, signer } = deps;
  const vault = await vaultOf(signer, wallet);
  const all = await readHoldings(deps, order, vault, { isRepeated });
  if (all.length === 0) {
    await endWhereGone(deps, order, vault);
    throw new AppError('CRAFT_FAILED', { message: GONE });
  }
  const [{ blockhash, lastValidBlockHeight }, price] = await Promise.all([
    chain.latestBlockhash(),
    chain.computeUnitPrice(),
  ]);
  const signers = { wallet, vault, tracker: signer.address('tracker') };
  const craftOf = (some: readonly OwnHolding[]) => craftWithdrawal(signers, some, blockhash, price);
  const holdings = await movable(deps, all, craftOf);
  const crafted = craftOf(holdings);
  const payload: WithdrawalPayload = {
    orderId: order.id,
    withdrawn: holdings
      .filter(({ amount, own, staysOpen }) => amount > 0n || (own > 0n && !staysOpen))
      .map(({ token, amount }) => ({ mint: token.mint, amount: amount.toString() })),
    ...((holdings.length < all.length || holdings.some(({ staysOpen }) => staysOpen)) && { isPart: true }),
  };
  const craftedRequest: CraftedRequest = {
    area: WITHDRAWAL_AREA,
    wallet,
    crafted,
    lastValidBlockHeight,
    cosigners: [`vault:${wallet}`, 'tracker'],
    payload,
  };
  const request = newRequest(craftedRequest, clock);
  await deps.remember(request);
  const { withdrawn } = payload;
  return { id: order.id, transaction: base64Of(crafted), requestId: request.id, withdrawn };
}

/**
 * Those that can be withdrawn together: an issuer who has frozen or paused one of two tokens must not hold up the other.
 * What is left comes with a later withdrawal. All of them, where the fault lies elsewhere.
 */
async function movable(
  { chain }: TriggerV2Deps,
  holdings: readonly OwnHolding[],
  craftOf: (some: readonly OwnHolding[]) => Crafted,
): Promise<readonly OwnHolding[]> {
  if (holdings.length < 2) return holdings;
  const works = async (some: readonly OwnHolding[]) =>
    (await chain.simulate(craftOf(some).wire, { sigVerify: false })).err === null;
  if (await works(holdings)) return holdings;
  const alone = await Promise.all(holdings.map((holding) => works([holding])));
  const some = holdings.filter((_, index) => alone[index]);
  return some.length > 0 ? some : holdings;
}

/** An order in whose accounts a node has shown what had come home is cancelled again. */
async function endWhereGone(deps: TriggerV2Deps, order: TriggerOrderRow, vault: Address): Promise<void> {
  if (!(await isGone(deps, order, vault))) return;
  const now = new Date(deps.clock.now());
  if (await deps.store.transaction((tx) => endAgain(tx, order, now))) throw notCancellable('cancelled');
}

/** Lands the signed withdrawal, which ends the order. Posting the same pair again gets the same answer. */
export async function confirmCancel(
  deps: TriggerV2Deps,
  wallet: Address,
  id: string,
  { signedTransaction, cancelRequestId }: ConfirmBody,
): Promise<Confirmed> {
  const order = await findTriggerOrder(deps.store, id);
  // A withdrawal that the service has crafted for this wallet says whose the order is.
  const crafted = order && (await deps.findRequest(cancelRequestId));
  if (!order || (order.wallet !== wallet && crafted?.wallet !== wallet)) {
    throw new AppError('NOT_FOUND', { message: 'Order not found' });
  }
  const withdrawal = await accept(deps, {
    area: WITHDRAWAL_AREA,
    base64: signedTransaction,
    request: cancelRequestId,
    async terms(request) {
      if (request.wallet !== wallet || readWithdrawal(request).orderId !== id) throw unknownWithdrawal();
      return { ours: [await vaultOf(deps.signer, wallet), deps.signer.address('tracker')] };
    },
    prepare: () => id,
  });
  if (isRefusal(withdrawal)) throw explainRefusal(withdrawal);
  const { state, signature } = withdrawal;
  if (state === 'landed') {
    const { withdrawn } = readWithdrawal(withdrawal);
    // Whether that was all is found out as it is settled: a node may have hidden one of the accounts as it was crafted.
    const { progress } = (await findTriggerOrder(deps.store, id)) ?? order;
    return { id, txSignature: signature!, withdrawn, orderState: shownState(progress.state) };
  }
  if (state === 'expired') throw expired();
  const { message } = explainEnd(withdrawal);
  throw new AppError('EXECUTION_FAILED', { message: `Withdrawal failed: ${message}. ${AGAIN}` });
}

function explainRefusal(refusal: Refusal): AppError {
  switch (refusal.reason) {
    case 'undecodable':
      return refuse('Invalid transaction format');
    case 'unknown-request':
    case 'expired-request':
      return unknownWithdrawal();
    case 'too-late':
      return expired();
    case 'reserved':
      return refuse('Order not in cancellation state');
    case 'would-fail': {
      const { code, message } = explainEnd({ state: 'failed', error: refusal.err });
      return refuse(`Withdrawal would fail: ${code === NO_MEMO ? REQUIRES_MEMOS : message}. ${AGAIN}`);
    }
    default:
      return refuse(`Invalid withdrawal transaction: ${whatIsWrong(refusal)}`);
  }
}

function notCancellable(shown: string): AppError {
  return refuse(`Cannot cancel order in '${shown}' state`);
}

function unknownWithdrawal(): AppError {
  return refuse(`Withdrawal transaction not found in cache. ${AGAIN}`);
}

function expired(): AppError {
  return refuse(`Withdrawal transaction expired. ${AGAIN}`);
}

function refuse(message: string): AppError {
  return new AppError('INVALID_REQUEST', { message });
}
