import { associatedTokenAddress, decodeTokenAccount, WRAPPED_SOL_MINT } from '@slipway/wire';
import { type Held, type LandedTransaction, readTransaction } from '../../chain/index.js';
import { changeOrders } from '../../store/trigger-order-changes.js';
import { isFillPending, type PendingFill } from '../../store/trigger-order-fills.js';
import { oweRent } from '../../store/trigger-order-rents.js';
import { findTriggerOrder, lockTriggerOrders, type TriggerOrderRow } from '../../store/trigger-orders.js';
import { IllegalEvent } from '../../trigger-orders/order.js';
import { backOffMs } from '../back-offs.js';
import type { TriggerKeeperDeps } from './deps.js';
import { type Sale, saleOf } from './sale.js';
import { BACK_OFF, fillEvent } from './settlement.js';

type Deps = Pick<TriggerKeeperDeps, 'store' | 'chain' | 'clock' | 'log'>;

interface Moved {
  input: bigint;
  output: bigint;
  /** Whether the account of the input was closed. */
  isClosed: boolean;
}

/**
 * Records what a landed fill has moved; false if the node cannot tell. Idempotent, also across instances. `tries`: how
 * often to ask the node, which may know a transaction only a moment after its status.
 */
export async function concludeFill(deps: Deps, fill: PendingFill, options?: { tries: number }): Promise<boolean> {
  const order = await findTriggerOrder(deps.store, fill.orderId);
  const landed = await readTransaction(deps.chain.rpc, fill.signature, options);
  if (!order || !landed) return false;
  await record(deps, order, fill, await movedBy(deps.chain, saleOf(order), landed));
  return true;
}

/**
 * Records a landed fill of which the nodes have forgotten the transaction, by what its accounts hold; false if they do
 * not show it either. An output that went to the wallet is recorded as the least that it can have been.
 */
export async function concludeByBalances(deps: Deps, fill: PendingFill): Promise<boolean> {
  const order = await findTriggerOrder(deps.store, fill.orderId);
  const moved = order && (await shownByBalances(deps.chain, order, fill));
  if (!moved) return false;
  deps.log.warn(
    { order: order.id, signature: fill.signature },
    'no node has the transaction of a fill any more: it is recorded by what its accounts hold',
  );
  await record(deps, order, fill, moved);
  return true;
}

async function record({ store, clock, log }: Deps, order: TriggerOrderRow, fill: PendingFill, moved: Moved) {
  const { id } = order;
  const { input, output, isClosed } = moved;
  const sale = saleOf(order);
  const whole = fill.offered >= sale.amount;
  const at = new Date(clock.now());
  const isRecorded = await store.transaction(async (tx) => {
    await lockTriggerOrders(tx, [id], { skip: false });
    if (!(await isFillPending(tx, fill))) return false;
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
    return true;
  });
  if (isRecorded)
    log.info(
      { order: id, signature: fill.signature, input: `${input}`, output: `${output}`, whole },
      'filled an order',
    );
}

/**
 * What a fill has sold and bought. The wallet pays nothing itself: it gains the output, and the rent of the closed
 * input account, which counts as neither.
 */
async function movedBy(
  chain: TriggerKeeperDeps['chain'],
  { wallet, inputMint, outputMint, source, vaultOutput }: Sale,
  { lamports, tokens }: LandedTransaction,
): Promise<Moved> {
  const isClosed = lamports.get(source)?.after === 0n;
  const gained = change(lamports.get(wallet)) + (isClosed ? change(lamports.get(source)) : 0n);
  const input = isClosed && inputMint === WRAPPED_SOL_MINT ? -gained : -change(tokens.get(source));
  if (vaultOutput) return { input, output: change(tokens.get(vaultOutput)), isClosed };
  if (outputMint === WRAPPED_SOL_MINT) return { input, output: gained, isClosed };
  const mint = await chain.mint(outputMint);
  if (!mint) throw new Error(`the mint ${outputMint} of a fill is gone`);
  const account = associatedTokenAddress(wallet, outputMint, mint.tokenProgram);
  return { input, output: change(tokens.get(account)), isClosed };
}

const change = (held: Held | undefined): bigint => (held ? held.after - held.before : 0n);

/** Only the fill takes from the order's accounts while it is under way. A node that lags shows less than it moved. */
async function shownByBalances(
  chain: TriggerKeeperDeps['chain'],
  order: TriggerOrderRow,
  { offered, least }: PendingFill,
): Promise<Moved | undefined> {
  if (least === undefined) return undefined;
  const { source, amount, vaultOutput } = saleOf(order);
  const held = async (account: typeof source) => {
    const found = await chain.account(account);
    return found ? decodeTokenAccount(found.data)?.amount : 0n;
  };
  const left = await held(source);
  if (left === undefined || left >= amount) return undefined;
  const input = amount - left < offered ? amount - left : offered;
  const output = vaultOutput ? ((await held(vaultOutput)) ?? 0n) - order.progress.held : least;
  if (output < least) return undefined;
  return { input, output, isClosed: (await chain.account(source)) === undefined };
}
