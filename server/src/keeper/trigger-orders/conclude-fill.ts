import {
  type Address,
  associatedTokenAddress,
  decodeTokenAccount,
  WRAPPED_SOL_2022_MINT,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { type Held, type LandedTransaction, readTransaction } from '../../chain/index.js';
import type { PendingFill } from '../../store/trigger-order-fills.js';
import { findTriggerOrder, type TriggerOrderRow } from '../../store/trigger-orders.js';
import type { FillDeps } from './deps.js';
import type { Moved } from './fill-writes.js';
import { type Sale, saleOf } from './sale.js';

type Deps = Pick<FillDeps, 'store' | 'chain' | 'log' | 'writes'>;

interface ConcludeOptions {
  /** How often to ask the node, which may know a transaction only a moment after its status. */
  tries?: number;
  /** The order as it was claimed for this fill; without it, it is read. */
  order?: TriggerOrderRow;
}

/** Records what a landed fill has moved; false if the node cannot tell. Idempotent, also across instances. */
export async function concludeFill(deps: Deps, fill: PendingFill, options: ConcludeOptions = {}): Promise<boolean> {
  const { order = await findTriggerOrder(deps.store, fill.orderId), ...more } = options;
  const landed = await readTransaction(deps.chain.rpc, fill.signature, more);
  if (!order || !landed) return false;
  const sale = saleOf(order);
  const moved = await movedBy(deps.chain, sale, landed);
  // Of a closed account, what somebody has sent there in the meantime has left it, too.
  await record(deps, fill, sale, { ...moved, input: atMost(moved.input, fill.offered) });
  return true;
}

/**
 * Records a landed fill of which the nodes have forgotten the transaction, or tell what cannot be, by what its accounts hold; false if
 * they do not show it either. An output that went to the wallet is recorded as the least that it can have been.
 */
export async function concludeByBalances(deps: Deps, fill: PendingFill): Promise<boolean> {
  const order = await findTriggerOrder(deps.store, fill.orderId);
  const moved = order && (await shownByBalances(deps.chain, order, fill));
  if (!moved) return false;
  deps.log.warn(
    { order: order.id, signature: fill.signature },
    'no node tells what the transaction of a fill has moved: it is recorded by what its accounts hold',
  );
  await record(deps, fill, saleOf(order), moved);
  return true;
}

async function record({ writes, log }: Deps, fill: PendingFill, sale: Sale, moved: Moved) {
  const whole = fill.offered >= sale.amount;
  if (!(await writes.conclude({ fill, sale, whole, moved }))) return;
  const { input, output } = moved;
  log.info(
    { order: fill.orderId, signature: fill.signature, input: `${input}`, output: `${output}`, whole },
    'filled an order',
  );
}

/**
 * What a fill has sold and bought. The wallet pays nothing itself: it gains the output, and the rent of the closed
 * input account, which counts as neither; and what a pool has left of SOL, which was not sold. Where the keeper has made the
 * wallet's account, the rent is the keeper's.
 */
async function movedBy(
  chain: FillDeps['chain'],
  { wallet, inputMint, outputMint, source, vaultOutput }: Sale,
  landed: LandedTransaction,
): Promise<Moved> {
  const { lamports, tokens, feeLamports } = landed;
  const isClosed = lamports.get(source)?.after === 0n;
  const paid = change(lamports.get(wallet));
  const gained = paid + (isClosed ? changeBesideTokens(landed, source, inputMint) : 0n);
  const isHome = isClosed && inputMint === WRAPPED_SOL_MINT && paid > 0n;
  const input = isHome ? -gained : -change(tokens.get(source));
  if (vaultOutput) return { input, output: change(tokens.get(vaultOutput)), isClosed };
  if (outputMint === WRAPPED_SOL_MINT) return { input, output: gained, isClosed };
  const mint = await chain.mint(outputMint);
  if (!mint) throw new Error(`the mint ${outputMint} of a fill is gone`);
  const account = associatedTokenAddress(wallet, outputMint, mint.tokenProgram);
  const output = change(tokens.get(account));
  if (!isHome) return { input, output, isClosed };
  // What the keeper has, and what it has paid: whatever lay in either account before, and whoever made the wallet's.
  const [keeper] = lamports.values();
  const rent = change(keeper) + feeLamports + changeBesideTokens(landed, account, outputMint);
  return { input: input - rent, output, isClosed };
}

/** Of an account of SOL of Token-2022, what its tokens say is traded as they are; the lamports beside them are its rent. */
function changeBesideTokens({ lamports, tokens }: LandedTransaction, account: Address, mint: Address): bigint {
  const all = change(lamports.get(account));
  return mint === WRAPPED_SOL_2022_MINT ? all - change(tokens.get(account)) : all;
}

const atMost = (amount: bigint, most: bigint): bigint => (amount > most ? most : amount);

const change = (held: Held | undefined): bigint => (held ? held.after - held.before : 0n);

/** Only the fill takes from the order's accounts while it is under way. A node that lags shows less than it moved. */
async function shownByBalances(
  chain: FillDeps['chain'],
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
  const input = atMost(amount - left, offered);
  const output = vaultOutput ? ((await held(vaultOutput)) ?? 0n) - order.progress.held : least;
  if (output < least) return undefined;
  // Whether there is something to close is looked at more than once.
  return { input, output, isClosed: false };
}
