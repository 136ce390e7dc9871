import { associatedTokenAddress, WRAPPED_SOL_MINT } from '@slipway/wire';
import { type Held, type LandedTransaction, readTransaction } from '../../chain/index.js';
import { changeOrders } from '../../store/trigger-order-changes.js';
import { isFillPending, type PendingFill } from '../../store/trigger-order-fills.js';
import { oweRent } from '../../store/trigger-order-rents.js';
import { findTriggerOrder, lockTriggerOrders } from '../../store/trigger-orders.js';
import { IllegalEvent } from '../../trigger-orders/order.js';
import { backOffMs } from '../back-offs.js';
import type { TriggerKeeperDeps } from './deps.js';
import { type Sale, saleOf } from './sale.js';
import { BACK_OFF, fillEvent } from './settlement.js';

/** Records what a landed fill has moved. Idempotent, also across instances. */
export async function concludeFill({ store, chain, clock, log }: TriggerKeeperDeps, fill: PendingFill): Promise<void> {
  const order = await findTriggerOrder(store, fill.orderId);
  const landed = await readTransaction(chain.rpc, fill.signature);
  if (!order || !landed) return;
  const { id } = order;
  const sale = saleOf(order);
  const whole = fill.offered >= sale.amount;
  const isClosed = landed.lamports.get(sale.source)?.after === 0n;
  const { input, output } = await movedBy(chain, sale, landed, isClosed);
  const at = new Date(clock.now());
  await store.transaction(async (tx) => {
    await lockTriggerOrders(tx, [id], { skip: false });
    if (!(await isFillPending(tx, fill))) return;
    const into = sale.vaultOutput ? ('vault' as const) : ('wallet' as const);
    const told = { id: fill.requestId, state: 'success', amount: input, at } as const;
    const history = () => [{ ...fillEvent(sale, told), signature: fill.signature, outputAmount: output }];
    // After a partial fill, the market has nothing more to give for now.
    const times = { retryAt: whole ? null : new Date(at.getTime() + backOffMs(1, BACK_OFF)) };
    const filled = { id, event: { type: 'fill_landed', input, output, into, whole } as const, times, history };
    const outcome = (await changeOrders(tx, [filled], at)).get(id);
    if (outcome instanceof IllegalEvent) throw outcome;
    if (whole && !isClosed) await oweRent(tx, id);
    if (whole && sale.vaultOutput) await changeOrders(tx, [{ id, event: { type: 'exit_opened' } }], at);
  });
  log.info({ order: id, signature: fill.signature, input: `${input}`, output: `${output}`, whole }, 'filled an order');
}

/**
 * What a fill has sold and bought. The wallet pays nothing itself: it gains the output, and the rent of the closed
 * input account, which counts as neither.
 */
async function movedBy(
  chain: TriggerKeeperDeps['chain'],
  { wallet, inputMint, outputMint, source, vaultOutput }: Sale,
  { lamports, tokens }: LandedTransaction,
  isClosed: boolean,
): Promise<{ input: bigint; output: bigint }> {
  const gained = change(lamports.get(wallet)) + (isClosed ? change(lamports.get(source)) : 0n);
  const input = isClosed && inputMint === WRAPPED_SOL_MINT ? -gained : -change(tokens.get(source));
  if (vaultOutput) return { input, output: change(tokens.get(vaultOutput)) };
  if (outputMint === WRAPPED_SOL_MINT) return { input, output: gained };
  const mint = await chain.mint(outputMint);
  if (!mint) throw new Error(`the mint ${outputMint} of a fill is gone`);
  const account = associatedTokenAddress(wallet, outputMint, mint.tokenProgram);
  return { input, output: change(tokens.get(account)) };
}

const change = (held: Held | undefined): bigint => (held ? held.after - held.before : 0n);
