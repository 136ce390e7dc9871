import { randomInt } from 'node:crypto';
import {
  type Address,
  associatedTokenRent,
  rentExemptLamports,
  TOKEN_ACCOUNT_SPACE,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { type Place, type Swap, temporaryWrappedSol } from '../../crafting/swap.js';
import {
  type Budget,
  CraftCheckFailed,
  type Crafted,
  feeOf,
  LAMPORTS_PER_SIGNATURE,
  TransactionTooLarge,
} from '../../crafting/transaction.js';
import { WALLET_MINIMUM } from '../../crafting/wallet.js';
import { explain, tryOutSwap, usualBudget } from '../../landing/index.js';
import { decimalString } from '../../lib/decimal.js';
import { type Built, isRefused, type Quote, type Token } from '../../routing/router.js';
import { automaticSlippageBps } from '../../routing/slippage.js';
import type { SwapDeps } from './deps.js';
import { type OrderRequest, refuse } from './order-request.js';
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

/** `isTooLarge`: the transaction does not fit; a simpler route might. */
export type Attempt = Ready | { obstacle: Obstacle } | { failed: string; isTooLarge: boolean };

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
  return manual?.slippageBps ?? automaticSlippageBps(quote.priceImpact);
}

/** The minimum output, never below 1. */
export function leastOf(outAmount: bigint, slippageBps: number): bigint {
  const least = (outAmount * BigInt(10_000 - slippageBps)) / 10_000n;
  return least > 0n ? least : 1n;
}

/** Crafts and simulates the transaction of a quote, or says why that is not possible. */
export async function attempt(deps: SwapDeps, order: Order, candidate: Candidate): Promise<Attempt> {
  const poor = inputObstacle(order);
  if (poor) return { obstacle: poor };
  const plan = planOf(deps, order, candidate);
  const built = await candidate.quote.build(plan.parties);
  if (isRefused(built)) return { failed: built.reason, isTooLarge: built.refused === 'too-large' };
  const swap = swapOf(deps, order, candidate, plan, built);
  const rentLamports = swap.output.create ? associatedTokenRent(order.output.tokenProgram) : 0n;
  const draft: Draft = { candidate, swap, rentLamports, lentLamports: built.lentLamports };
  const cheapest = lamportsObstacle(order, draft, LAMPORTS_PER_SIGNATURE);
  if (cheapest) return { obstacle: cheapest };
  requireRichEnough(order, swap);
  try {
    return await tryOut(deps, order, draft);
  } catch (error) {
    if (error instanceof TransactionTooLarge) return { failed: error.message, isTooLarge: true };
    if (error instanceof CraftCheckFailed) {
      // The router's bug; try the next candidate.
      deps.log.error({ router: candidate.quote.router, err: error }, 'a router built a wrong transaction');
      return { failed: 'the router has built a wrong transaction', isTooLarge: false };
    }
    throw error;
  }
}

async function tryOut(deps: SwapDeps, order: Order, draft: Draft): Promise<Attempt> {
  const { swap, rentLamports } = draft;
  const tried = await tryOutSwap(deps.chain, swap, {
    budgetOf: (units, price) => budgetOf(units, price, order.asked.manual),
  });
  if ('err' in tried) return { failed: explain(tried.err).message, isTooLarge: false };
  const { crafted, lastValidBlockHeight } = tried;
  const tooDear = lamportsObstacle(order, draft, crafted.feeLamports);
  if (tooDear) return { obstacle: tooDear };
  const unpaid = gasObstacle(deps, order, draft, crafted.feeLamports);
  if (unpaid) return { obstacle: unpaid };
  const signatureLamports = feeOf(crafted.signers.length, { computeUnitLimit: 0, computeUnitPrice: 0n });
  const priorityLamports = crafted.feeLamports - signatureLamports + (swap.tip?.lamports ?? 0n);
  return { crafted, swap, lastValidBlockHeight, signatureLamports, priorityLamports, rentLamports };
}

function budgetOf(units: number, usualPrice: bigint, manual: OrderRequest['manual']): Budget {
  const budget = usualBudget(units, usualPrice);
  const priorityFee = manual?.priorityFee;
  if (!priorityFee) return budget;
  // Rounded down: the chain rounds the fee up, and it must not exceed what was asked for.
  const requestedPrice = (priorityFee.lamports * 1_000_000n) / BigInt(budget.computeUnitLimit);
  return {
    ...budget,
    computeUnitPrice: priorityFee.exact || requestedPrice < usualPrice ? requestedPrice : usualPrice,
  };
}

// ---- who pays, and where both sides are held --------------------------------------------------------------------

interface Plan {
  input: Place;
  output: Place;
  feePayer: Address;
  rentPayer: Address;
  least: bigint;
  parties: Parameters<Quote['build']>[0];
}

function planOf({ routing, gasWallet }: SwapDeps, order: Order, candidate: Candidate): Plan {
  const { asked, wallets, requestId } = order;
  const { quote, terms } = candidate;
  const { taker, receiver } = wallets;
  const native = routing.routers.some(({ id, nativeSol }) => id === quote.router && nativeSol);
  const place = (account: Address | undefined): Place => {
    if (account !== undefined) return { kind: 'token', account };
    return native ? { kind: 'sol' } : temporaryWrappedSol(taker, requestId.replaceAll('-', ''));
  };
  const input = place(wallets.source?.account);
  const output = place(wallets.destination?.account);
  const payer = wallets.payer ?? (terms.gasless ? gasWallet : taker);
  const least = leastOf(quote.outAmount, slippageBpsOf(candidate, asked.manual));
  return {
    input,
    output,
    feePayer: payer,
    rentPayer: payer,
    least,
    parties: {
      owner: taker,
      ...(input.kind !== 'sol' && { source: input.account }),
      ...(output.kind !== 'sol' && { destination: output.account }),
      receiver: output.kind === 'wrapped' ? taker : receiver,
      feePayer: payer,
      rentPayer: payer,
      absentSigners: new Set(terms.gasless ? [] : [gasWallet]),
      minOut: least,
      ...(terms.bps > 0 && terms.account && { feeAccount: terms.account }),
    },
  };
}

function swapOf(deps: SwapDeps, order: Order, { quote, terms }: Candidate, plan: Plan, built: Built): Swap {
  const { asked, wallets } = order;
  const { taker, receiver, destination } = wallets;
  const side = ({ mint, tokenProgram }: Token, place: Place) => ({ mint, tokenProgram, place });
  const create = destination !== undefined && !destination.exists;
  const tipAccount = asked.manual?.tipLamports && deps.tipAccounts[randomInt(Math.max(1, deps.tipAccounts.length))];
  return {
    taker,
    receiver,
    rentPayer: plan.rentPayer,
    feePayer: built.feePayer ?? plan.feePayer,
    input: { ...side(order.input, plan.input), amount: asked.amount },
    output: { ...side(order.output, plan.output), least: plan.least, create },
    ...(terms.bps > 0 &&
      terms.account && {
        fee: { account: terms.account, side: terms.side, bps: terms.bps, amount: quote.feeAmount },
      }),
    ...(asked.closeAuthority && create && receiver === taker && { closeAuthority: asked.closeAuthority }),
    ...(tipAccount && { tip: { account: tipAccount, lamports: asked.manual?.tipLamports ?? 0n } }),
    trade: built,
    programs: deps.programs,
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
    const missing = needed[party] === 0n ? 0n : needed[party] + WALLET_MINIMUM - wallets.lamports[party];
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
  const isCovered = lamports <= gasless.maxLamports && coversGas(deps, candidate, token, swap.output.least, lamports);
  return isCovered ? undefined : { code: 2, message: `Top up ${decimalString(lamports, 9)} SOL for gas` };
}

function wrappedRent({ input, output }: Swap): bigint {
  const isWrapped = input.place.kind === 'wrapped' || output.place.kind === 'wrapped';
  return isWrapped ? rentExemptLamports(TOKEN_ACCOUNT_SPACE) : 0n;
}

/** The chain refuses to create an account below the rent-exempt minimum. */
function requireRichEnough({ wallets, output }: Order, { output: { least } }: Swap): void {
  if (isSol(output) && wallets.lamports.receiver + least < WALLET_MINIMUM && wallets.receiver !== wallets.taker) {
    throw refuse('receiver', `a wallet without SOL must get at least ${WALLET_MINIMUM} lamports`);
  }
}
