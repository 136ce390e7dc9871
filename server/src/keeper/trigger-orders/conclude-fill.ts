import {
  type Address,
  associatedTokenAddress,
  decodeTokenAccount,
  WRAPPED_SOL_2022_MINT,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { type Held, type LandedTransaction, readTransaction } from '../../chain/index.js';
import { isSince } from '../../landing/index.js';
import { findRequest } from '../../store/ledger.js';
import type { PendingFill } from '../../store/trigger-order-fills.js';
import { findTriggerOrder, type TriggerOrderRow } from '../../store/trigger-orders.js';
import type { FillDeps } from './deps.js';
import type { Moved } from './fill-writes.js';
import { type Sale, saleOf, thereBefore } from './sale.js';

type Deps = Pick<FillDeps, 'store' | 'chain' | 'log' | 'writes'>;

interface ConcludeOptions {
  /** How often to ask the node, which may know a transaction only a moment after its status. */
  tries?: number;
  /** The order as it was claimed for this fill; without it, it is read. */
  order?: TriggerOrderRow;
  /** Whether it was asked often enough, over minutes, so that what is said now stands. */
  isAskedEnough?: boolean;
}

/** What a fill has moved, and whether nothing is left to be sold. */
interface Believed {
  moved: Moved;
  whole: boolean;
}

/** So small a fraction (1/n) of what was offered is nothing: anybody may send something to an account. */
const DUST = 10_000n;

/** Records what a landed fill has moved; otherwise, why the node is to be asked again. Idempotent, also across instances. */
export async function concludeFill(
  deps: Deps,
  fill: PendingFill,
  options: ConcludeOptions = {},
): Promise<string | undefined> {
  const { order = await findTriggerOrder(deps.store, fill.orderId), isAskedEnough = false, ...more } = options;
  const landed = await readTransaction(deps.chain.rpc, fill.signature, more);
  if (!order || !landed) return 'the node does not have its transaction';
  const told = await movedBy(deps.chain, saleOf(order), landed);
  // Of a closed account, what somebody has sent there in the meantime has left it, too.
  const moved = { ...told, input: atMost(told.input, fill.offered) };
  const { least = 0n } = fill;
  if (moved.output < least)
    return `the node says that it has bought ${moved.output}, and it cannot be less than ${least}`;
  const believed = await compared(deps.chain, order, fill, { landed, moved, isAskedEnough });
  if (typeof believed === 'string') return believed;
  await record(deps, fill, order, believed);
  return undefined;
}

/**
 * Records a landed fill of which the nodes have forgotten the transaction, or tell what cannot be, by what its accounts hold; false if
 * they do not show it either. An output that went to the wallet is recorded as the least that it can have been.
 */
export async function concludeByBalances(deps: Deps, fill: PendingFill): Promise<boolean> {
  const [order, request] = await Promise.all([
    findTriggerOrder(deps.store, fill.orderId),
    findRequest(deps.store, fill.requestId),
  ]);
  const believed = order && (await shownByBalances(deps.chain, order, fill, request?.slot ?? 0n));
  if (!believed) return false;
  deps.log.warn(
    { order: order.id, signature: fill.signature },
    'no node tells what the transaction of a fill has moved: it is recorded by what its accounts hold',
  );
  await record(deps, fill, order, believed);
  return true;
}

async function record({ writes, log }: Deps, fill: PendingFill, order: TriggerOrderRow, { moved, whole }: Believed) {
  const sale = saleOf(order);
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

/**
 * What one answer says that a fill has moved, compared with what the accounts hold that stay in the vault. Only fills take from them, and
 * anybody may send something there. A node may lag, or lie once, about either: then it is asked again. Where its issuer has taken some of
 * a token, they never agree; so what is said in the end is recorded, because nothing is sold that is not there.
 */
async function compared(
  chain: FillDeps['chain'],
  order: TriggerOrderRow,
  { offered }: PendingFill,
  { landed, moved, isAskedEnough }: { landed: LandedTransaction; moved: Moved; isAskedEnough: boolean },
): Promise<Believed | string> {
  const { source, amount, vaultOutput } = saleOf(order);
  const isAll = offered >= amount;
  const [left, bought] = await Promise.all([
    isAll ? 0n : heldBy(chain, source),
    vaultOutput && heldBy(chain, vaultOutput),
  ]);
  const [sold, kept] = [
    landed.tokens.get(source) ?? NOTHING,
    (vaultOutput && landed.tokens.get(vaultOutput)) ?? NOTHING,
  ];
  const isLess = (!isAll && left < sold.after) || (bought ?? 0n) < kept.after;
  // The row says more than there was: it is an old one, or a node has told too much before.
  const isEmptied = !isAll && sold.before < amount && isDust(sold.after, offered);
  if (!isAskedEnough && isLess) return 'the node shows less in its accounts than its transaction has left there';
  // To sell the rest of an order is given up by no few answers, which may all be of one moment.
  if (!isAskedEnough && isEmptied) return 'the node says that it has emptied its account, and more should be there';
  const whole = isAll || (isEmptied && isDust(left, offered));
  if (!vaultOutput || bought === undefined || bought - order.progress.held <= moved.output) return { moved, whole };
  // It is the order's, whoever has put it there, and is sold as such; unless only one answer has it.
  const again = await heldBy(chain, vaultOutput);
  const output = atMost(again, bought) - order.progress.held;
  return { moved: output > moved.output ? { ...moved, output } : moved, whole };
}

const NOTHING: Held = { before: 0n, after: 0n };

export const isDust = (amount: bigint, offered: bigint): boolean => amount * DUST <= offered;

/** None where there is no such account. */
async function heldBy(chain: FillDeps['chain'], account: Address): Promise<bigint> {
  const found = await chain.account(account);
  return (found && decodeTokenAccount(found.data)?.amount) ?? 0n;
}

/** Of an account of SOL of Token-2022, what its tokens say is traded as they are; the lamports beside them are its rent. */
function changeBesideTokens({ lamports, tokens }: LandedTransaction, account: Address, mint: Address): bigint {
  const all = change(lamports.get(account));
  return mint === WRAPPED_SOL_2022_MINT ? all - change(tokens.get(account)) : all;
}

export const atMost = (amount: bigint, most: bigint): bigint => (amount > most ? most : amount);

const change = (held: Held | undefined): bigint => (held ? held.after - held.before : 0n);

/**
 * Only the fill takes from the order's accounts while it is under way. A node that lags shows less than it moved; one that has not reached
 * the slot `since` at which it landed may show what was there before the order's deposit, or an earlier fill.
 */
async function shownByBalances(
  chain: FillDeps['chain'],
  order: TriggerOrderRow,
  fill: PendingFill,
  since: bigint,
): Promise<Believed | undefined> {
  const { offered, least } = fill;
  if (least === undefined) return undefined;
  const sale = saleOf(order);
  const { source, amount, vaultOutput } = sale;
  const before = thereBefore(sale, fill);
  const held = async (address: typeof source) => {
    const { account, slot } = await chain.accountReading(address);
    if (!(await isSince(slot, since, chain))) return undefined;
    return account ? decodeTokenAccount(account.data)?.amount : 0n;
  };
  const left = await held(source);
  if (left === undefined || left >= before) return undefined;
  const input = atMost(before - left, offered);
  const bought = vaultOutput && (await held(vaultOutput));
  const output = vaultOutput ? (bought ?? 0n) - order.progress.held : least;
  if (output < least) return undefined;
  // The row says more than there was, and nothing of that is left: two answers, minutes apart.
  const isEmptied = before < amount && isDust(left, offered);
  // Whether there is something to close is looked at more than once.
  return { moved: { input, output, isClosed: false }, whole: offered >= amount || isEmptied };
}
