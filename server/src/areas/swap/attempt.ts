import {
  type Address,
  associatedTokenRent,
  rentExemptLamports,
  TOKEN_ACCOUNT_SPACE,
  WireError,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import type { Swap } from '../../crafting/swap.js';
import {
  type Budget,
  CraftCheckFailed,
  type Crafted,
  feeOf,
  LAMPORTS_PER_SIGNATURE,
  TransactionTooLarge,
} from '../../crafting/transaction.js';
import { walletMinimum } from '../../crafting/wallet.js';
import { explain, isOutOfUnits, suspectHops, tryOutSwap, usualBudget } from '../../landing/index.js';
import { decimalString } from '../../lib/decimal.js';
import { type Hop, isRefused, type Token } from '../../routing/router.js';
import { automaticSlippageBps, leastOf } from '../../routing/slippage.js';
import type { SwapDeps } from './deps.js';
import { type OrderRequest, refuse } from './order-request.js';
import { settingOf, untradedOf } from './setting.js';
import type { Candidate, Order } from './swap-order.js';
import { coversGas } from './terms.js';

/** Why the taker cannot swap, with the contract's error code. */
export interface Obstacle {
  code: 1 | 2 | 3;
  message: string;
}

export interface Ready {
  crafted: Crafted;
  swap: Swap;
  lastValidBlockHeight: bigint;
  signatureLamports: bigint;
  priorityLamports: bigint;
  /** Rent that stays in accounts. */
  rentLamports: bigint;
}

/** A quote that cannot be used, and what another one of the same router must avoid. */
export interface Failure {
  failed: string;
  /** The error number of the simulation. */
  error?: number;
  /** The transaction does not fit; a simpler route might. */
  isTooLarge?: boolean;
  /** A simulation failed at these hops. */
  suspects?: readonly Hop[];
}

export type Attempt = Ready | { obstacle: Obstacle } | Failure;

/** A candidate's swap before its simulation, with the lamports that it takes besides the network fee. */
interface Draft {
  candidate: Candidate;
  swap: Swap;
  /** Stays in accounts. */
  rentLamports: bigint;
  /** Comes back when the transaction ends. */
  lentLamports: bigint;
}

const isSol = ({ mint }: Token) => mint === WRAPPED_SOL_MINT;

/** The order's slippage against its quote, in basis points. */
export function slippageBpsOf({ quote }: Candidate, manual: OrderRequest['manual']): number {
  if (quote.guaranteed) return 0;
  return manual?.slippageBps ?? automaticSlippageBps(quote);
}

/** The minimum output, never below 1. */
export function leastOutput(outAmount: bigint, slippageBps: number): bigint {
  const least = leastOf(outAmount, BigInt(slippageBps));
  return least > 0n ? least : 1n;
}

/** Crafts and simulates the transaction of a quote, or says why that is not possible. */
export async function attempt(deps: SwapDeps, order: Order, candidate: Candidate): Promise<Attempt> {
  const poor = inputObstacle(order);
  if (poor) return { obstacle: poor };
  const { quote, terms } = candidate;
  const hasNativeSol = deps.routing.routers.some(({ id, nativeSol }) => id === quote.router && nativeSol);
  const setting = settingOf(deps, order, terms, hasNativeSol);
  const least = leastOutput(quote.outAmount, slippageBpsOf(candidate, order.asked.manual));
  const built = await quote.build({ ...setting.parties, minOut: least });
  if (isRefused(built)) return { failed: built.reason, isTooLarge: built.refused === 'too-large' };
  const untraded = untradedOf(deps, order, terms, setting, { least, feeAmount: quote.feeAmount });
  const feePayer = built.feePayer ?? untraded.feePayer;
  const swap: Swap = { ...untraded, feePayer, trade: built, programs: deps.programs };
  const rentLamports = swap.output.create ? associatedTokenRent(order.output.tokenProgram) : 0n;
  const draft: Draft = { candidate, swap, rentLamports, lentLamports: built.lentLamports };
  const cheapest = lamportsObstacle(order, draft, LAMPORTS_PER_SIGNATURE);
  if (cheapest) return { obstacle: cheapest };
  requireRichEnough(order, swap);
  try {
    return await tryOut(deps, order, draft);
  } catch (error) {
    if (error instanceof TransactionTooLarge) return { failed: error.message, isTooLarge: true };
    if (error instanceof CraftCheckFailed || error instanceof WireError) {
      // The router's bug; try the next candidate.
      deps.log.error({ router: candidate.quote.router, err: error }, 'a router built a wrong transaction');
      return { failed: 'the router has built a wrong transaction' };
    }
    throw error;
  }
}

async function tryOut(deps: SwapDeps, order: Order, draft: Draft): Promise<Attempt> {
  const { swap, rentLamports } = draft;
  const tried = await tryOutSwap(deps.chain, swap, {
    budgetOf: (units, price, more) => budgetOf(usualBudget(units, price, more), order.asked.manual),
  });
  if ('err' in tried) {
    const { quote } = draft.candidate;
    if (isOutOfUnits(tried) && quote.simpler) return { failed: explain(tried.err).message, isTooLarge: true };
    const suspects = suspectHops(quote.hops, tried, deps.programs.router);
    const at = suspects.map(({ label, venue }) => `${label} ${venue}`).join(', ');
    const { code, message } = explain(tried.err);
    return { failed: `${at && `${at}: `}${message}`, error: code, suspects };
  }
  const { crafted, lastValidBlockHeight } = tried;
  const tooDear = lamportsObstacle(order, draft, crafted.feeLamports);
  if (tooDear) return { obstacle: tooDear };
  const unpaid = gasObstacle(deps, order, draft, crafted.feeLamports);
  if (unpaid) return { obstacle: unpaid };
  const signatureLamports = feeOf(crafted.signers.length, { computeUnitLimit: 0, computeUnitPrice: 0n });
  const priorityLamports = crafted.feeLamports - signatureLamports + (swap.tip?.lamports ?? 0n);
  return { crafted, swap, lastValidBlockHeight, signatureLamports, priorityLamports, rentLamports };
}

function budgetOf(budget: Budget, manual: OrderRequest['manual']): Budget {
  const { computeUnitPrice: usualPrice } = budget;
  const priorityFee = manual?.priorityFee;
  if (!priorityFee) return budget;
  // Rounded down: the chain rounds the fee up, and it must not exceed what was asked for.
  const requestedPrice = (priorityFee.lamports * 1_000_000n) / BigInt(budget.computeUnitLimit);
  return {
    ...budget,
    computeUnitPrice: priorityFee.exact || requestedPrice < usualPrice ? requestedPrice : usualPrice,
  };
}

// ---- funds ------------------------------------------------------------------------------------------------------

function inputObstacle({ wallets, asked }: Order): Obstacle | undefined {
  const has = wallets.source?.amount ?? wallets.lamports.taker;
  return has < asked.amount ? { code: 1, message: 'Insufficient funds' } : undefined;
}

/** The obstacle if the taker or the payer has too little SOL. */
function lamportsObstacle(
  { wallets, input }: Order,
  { swap, rentLamports, lentLamports }: Draft,
  feeLamports: bigint,
): Obstacle | undefined {
  const needed = { taker: isSol(input) ? swap.input.amount : 0n, payer: 0n };
  const add = (address: Address, lamports: bigint) => {
    if (address === swap.taker) needed.taker += lamports;
    else if (address === wallets.payer) needed.payer += lamports;
  };
  add(swap.feePayer, feeLamports + (swap.tip?.lamports ?? 0n));
  add(swap.rentPayer, rentLamports + lentLamports + wrappedRent(swap));
  for (const party of ['taker', 'payer'] as const) {
    // A wallet that pays nothing may hold any balance.
    const missing = needed[party] === 0n ? 0n : needed[party] + walletMinimum() - wallets.lamports[party];
    if (missing > 0n) return { code: 2, message: `Top up ${decimalString(missing, 9)} SOL for gas` };
  }
  return undefined;
}

/** The taker must pay where the gas wallet would not recover its cost. */
function gasObstacle(
  deps: SwapDeps,
  { input, output }: Order,
  { candidate, swap, rentLamports }: Draft,
  feeLamports: bigint,
): Obstacle | undefined {
  const { gasless, side } = candidate.terms;
  const lamports = rentLamports + (swap.feePayer === deps.gasWallet ? feeLamports : 0n);
  if (!gasless || lamports === 0n) return undefined;
  const token = side === 'input' ? input : output;
  const isCovered = coversGas(deps, candidate, token, swap.output.least, lamports);
  return isCovered ? undefined : { code: 2, message: `Top up ${decimalString(lamports, 9)} SOL for gas` };
}

function wrappedRent({ input, output }: Swap): bigint {
  const isWrapped = input.place.kind === 'wrapped' || output.place.kind === 'wrapped';
  return isWrapped ? rentExemptLamports(TOKEN_ACCOUNT_SPACE) : 0n;
}

/** The chain refuses to create an account below the rent-exempt minimum. */
function requireRichEnough({ wallets, output }: Order, { output: { least } }: Swap): void {
  if (isSol(output) && wallets.lamports.receiver + least < walletMinimum() && wallets.receiver !== wallets.taker) {
    throw refuse('receiver', `a wallet without SOL must get at least ${walletMinimum()} lamports`);
  }
}
