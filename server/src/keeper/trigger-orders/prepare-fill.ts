import { randomBytes, randomInt } from 'node:crypto';
import {
  type Address,
  associatedTokenAddress,
  decodeTokenAccount,
  SYSTEM_PROGRAM,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import type { ChainAccount } from '../../chain/index.js';
import { UNITS_APART, unitLimitFrom } from '../../crafting/budget.js';
import { type Place, type Swap, temporaryWrappedSol } from '../../crafting/swap.js';
import { type Crafted, TransactionTooLarge } from '../../crafting/transaction.js';
import { explain } from '../../landing/index.js';
import { tryOutSwap } from '../../landing/try-out.js';
import { isRefused, type Token } from '../../routing/router.js';
import type { TriggerOrderRow } from '../../store/trigger-orders.js';
import type { Leg } from '../../trigger-orders/order.js';
import type { TriggerKeeperDeps } from './deps.js';
import { findOffer, isEnough, type Market, type Offer, offerOf, tooLittle } from './offers.js';
import { type Sale, saleOf, slippageOf, worthIn } from './terms.js';

const QUOTE_MS = 2_000;
/** Each over fewer pools than the one before. */
const MOST_TRIES = 5;
/** No fill sells less than 5 USD, nor leaves less: half of the smallest order. */
const LEAST_PART = { amount: 5n, token: { usd: 1, decimals: 0 } };

/** A fill that was tried out and would succeed. */
export interface PreparedFill {
  crafted: Crafted;
  lastValidBlockHeight: bigint;
  /** What it sells, in the smallest unit: all that is left of the order, or a part. */
  amount: bigint;
}

/**
 * Makes the transaction that fills an order by one of its legs, all of it or as much as the market takes within the
 * slippage, and tries it out; or says why it cannot be.
 */
export async function prepareFill(
  deps: TriggerKeeperDeps,
  order: TriggerOrderRow,
  leg: Leg,
): Promise<PreparedFill | { skipped: string }> {
  const { chain, router, prices } = deps;
  const sale = saleOf(order);
  const [input, output, source] = await Promise.all([
    tokenOf(deps, sale.inputMint),
    tokenOf(deps, sale.outputMint),
    chain.account(sale.source),
  ]);
  if (!input || !output) return { skipped: 'its mints are not on the chain' };
  const [from, to] = [prices.usd(input.mint), prices.usd(output.mint)];
  if (from === undefined || to === undefined) {
    return { skipped: 'there is no fresh price of what it sells and of what it buys' };
  }
  const [sold, bought] = [
    { ...input, usd: from },
    { ...output, usd: to },
  ];
  const signal = AbortSignal.timeout(QUOTE_MS);
  const common = { input, output, owner: order.vault as Address, excludeVenues: new Set<string>() };
  const market: Market = {
    quote: (amount) => router.quote({ ...common, mode: 'exact-in', amount }, signal),
    slippage: ({ priceImpact }) => slippageOf(order, leg, priceImpact),
    fair: (amount) => worthIn(amount, sold, bought),
  };
  const target = await targetOf(deps, order, sale, output);
  let offer = await findOffer(market, sale.amount, worthIn(LEAST_PART.amount, LEAST_PART.token, sold));
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    if ('skipped' in offer) return offer;
    const { amount, quote } = offer;
    // What others have sent to the account stays, and so does the account; and what has failed is tried without this.
    const isEmptied = amount === sale.amount && order.progress.failures === 0 && holds(source) === amount;
    const tried = await tryFill(deps, order, { sale, input, output, target, offer }, isEmptied);
    if (tried !== 'too large') return 'skipped' in tried ? tried : { ...tried, amount };
    if (!quote.simpler) break;
    const simpler = await quote.simpler(signal);
    if (isRefused(simpler)) return { skipped: simpler.reason };
    offer = offerOf(market, amount, simpler);
    if (!isEnough(offer)) return { skipped: tooLittle(offer) };
  }
  return { skipped: 'a transaction has no room for its route' };
}

/** The rent of an account that is closed pays for the one that is made. */
const NO_ACCOUNT =
  'the wallet has no token account for the output, and a fill makes one only where it empties the order: make it, and it fills';

const holds = (account: ChainAccount | undefined) => account && decodeTokenAccount(account.data)?.amount;

type Tried = Omit<PreparedFill, 'amount'> | { skipped: string } | 'too large';

async function tryFill(
  deps: TriggerKeeperDeps,
  order: TriggerOrderRow,
  parts: FillParts,
  isEmptied: boolean,
): Promise<Tried> {
  if (isEmptied) {
    const closing = await tryOnce(deps, order, parts, true);
    if (closing !== 'too large' && !('skipped' in closing)) return closing;
    // Without the router program a venue may leave something, and what is not empty cannot be closed.
  }
  return tryOnce(deps, order, parts, false);
}

async function tryOnce(
  deps: TriggerKeeperDeps,
  order: TriggerOrderRow,
  parts: FillParts,
  isClosing: boolean,
): Promise<Tried> {
  const swap = await swapOf(deps, order, parts, isClosing);
  if (swap === 'too large' || 'skipped' in swap) return swap;
  const tried = await tryOutSwap(deps.chain, swap.swap, (units, computeUnitPrice) => ({
    computeUnitLimit: unitLimitFrom(units, randomInt(UNITS_APART)),
    computeUnitPrice,
  })).catch((error) => {
    if (error instanceof TransactionTooLarge) return 'too large' as const;
    throw error;
  });
  return tried !== 'too large' && 'err' in tried ? { skipped: explain(tried.err).message } : tried;
}

async function tokenOf({ chain }: TriggerKeeperDeps, mint: Address): Promise<Token | undefined> {
  const facts = await chain.mint(mint);
  return facts && { mint, tokenProgram: facts.tokenProgram, decimals: facts.decimals };
}

interface Target {
  place: Exclude<Place, { kind: 'sol' }>;
  /** Owner of the place while the trade runs. */
  owner: Address;
  /** Whose the output is at the end. */
  receiver: Address;
  create: boolean;
}

async function targetOf(
  { chain }: TriggerKeeperDeps,
  order: TriggerOrderRow,
  { vaultOutput }: Sale,
  output: Token,
): Promise<Target> {
  const [vault, wallet] = [order.vault as Address, order.wallet as Address];
  if (vaultOutput) {
    return { place: { kind: 'token', account: vaultOutput }, owner: vault, receiver: vault, create: false };
  }
  if (output.mint === WRAPPED_SOL_MINT) {
    const place = temporaryWrappedSol(vault, randomBytes(12).toString('hex'));
    return { place, owner: vault, receiver: wallet, create: false };
  }
  const account = associatedTokenAddress(wallet, output.mint, output.tokenProgram);
  const found = await chain.account(account);
  const create = found === undefined || found.owner === SYSTEM_PROGRAM;
  return { place: { kind: 'token', account }, owner: wallet, receiver: wallet, create };
}

interface FillParts {
  sale: Sale;
  input: Token;
  output: Token;
  target: Target;
  offer: Offer;
}

async function swapOf(
  { payer, programs }: TriggerKeeperDeps,
  order: TriggerOrderRow,
  { sale: { source }, input, output, target, offer: { amount, quote, least } }: FillParts,
  isClosing: boolean,
): Promise<{ swap: Swap } | { skipped: string } | 'too large'> {
  const [vault, wallet] = [order.vault as Address, order.wallet as Address];
  const built = await quote.build({
    ...{ owner: vault, source, destination: target.place.account, receiver: target.owner },
    ...{ feePayer: payer, rentPayer: payer, minOut: least, emptySource: isClosing },
    absentSigners: new Set([wallet]),
  });
  if (isRefused(built)) return built.refused === 'too-large' ? 'too large' : { skipped: built.reason };
  // Else anybody could have accounts made at the keeper's cost, and close them.
  if (target.create && !isClosing) return { skipped: NO_ACCOUNT };
  const closeTo = target.create ? payer : wallet;
  return {
    swap: {
      ...{ taker: vault, receiver: target.receiver, feePayer: payer, rentPayer: payer, trade: built, programs },
      input: { ...input, place: { kind: 'token', account: source }, amount, ...(isClosing && { closeTo }) },
      output: { ...output, place: target.place, least, create: target.create },
    },
  };
}
