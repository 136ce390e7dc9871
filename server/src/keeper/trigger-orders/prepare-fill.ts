import { randomBytes, randomInt } from 'node:crypto';
import { type Address, associatedTokenAddress, SYSTEM_PROGRAM, WRAPPED_SOL_MINT } from '@slipway/wire';
import { UNITS_APART, unitLimitFrom } from '../../crafting/budget.js';
import { type Place, type Swap, temporaryWrappedSol } from '../../crafting/swap.js';
import { type Crafted, TransactionTooLarge } from '../../crafting/transaction.js';
import { explain } from '../../landing/index.js';
import type { Leg } from '../../orders/order.js';
import { isRefused, type Quote, type QuoteRequest, type Token } from '../../routing/router.js';
import { tryOutSwap } from '../../routing/try-out.js';
import type { OrderRow } from '../../store/orders.js';
import type { TriggerKeeperDeps } from './deps.js';
import { leastOf, type Sale, saleOf, slippageOf, worthIn } from './terms.js';

const QUOTE_MS = 2_000;
/** Each over fewer pools than the one before. */
const MOST_TRIES = 5;

/** A fill that was tried out and would succeed. */
export interface PreparedFill {
  crafted: Crafted;
  lastValidBlockHeight: bigint;
  sale: Sale;
}

/** Makes the transaction that fills all of an order by one of its legs, and tries it out; or says why it cannot be. */
export async function prepareFill(
  deps: TriggerKeeperDeps,
  order: OrderRow,
  leg: Leg,
): Promise<PreparedFill | { skipped: string }> {
  const { chain, router } = deps;
  const sale = saleOf(order);
  const [input, output] = await Promise.all([tokenOf(deps, sale.inputMint), tokenOf(deps, sale.outputMint)]);
  if (!input || !output) return { skipped: 'its mints are not on the chain' };
  const fair = fairOutput(deps, sale.amount, input, output);
  if (fair === undefined) return { skipped: 'there is no fresh price of what it sells and of what it buys' };
  const target = await targetOf(deps, order, sale, output);
  const request: QuoteRequest = {
    ...{ mode: 'exact-in', input, output, amount: sale.amount, owner: order.vault as Address },
    excludeVenues: new Set<string>(),
  };
  const signal = AbortSignal.timeout(QUOTE_MS);
  let quote = await router.quote(request, signal);
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    if (isRefused(quote)) return { skipped: quote.reason };
    const slippage = slippageOf(order, leg, quote.priceImpact);
    // Both must hold: neither a pool that was moved nor a price that is off may give the order away.
    const bounds = [leastOf(quote.outAmount, slippage), leastOf(fair, slippage), 1n];
    const least = bounds.reduce((most, bound) => (bound > most ? bound : most));
    if (quote.outAmount < least) {
      return { skipped: `the market gives ${quote.outAmount} and its slippage allows no less than ${least}` };
    }
    const swap = await swapOf(deps, order, { sale, input, output, target, quote, least });
    if (swap !== 'too large') {
      if ('skipped' in swap) return swap;
      const tried = await tryOutSwap(chain, swap.swap, (units, computeUnitPrice) => ({
        computeUnitLimit: unitLimitFrom(units, randomInt(UNITS_APART)),
        computeUnitPrice,
      })).catch((error) => {
        if (error instanceof TransactionTooLarge) return 'too large' as const;
        throw error;
      });
      if (tried !== 'too large') {
        return 'err' in tried ? { skipped: explain(tried.err).message } : { ...tried, sale };
      }
    }
    if (!quote.simpler) break;
    quote = await quote.simpler(signal);
  }
  return { skipped: 'a transaction has no room for its route' };
}

/** By the prices, in the smallest unit of the output. */
function fairOutput({ prices }: TriggerKeeperDeps, amount: bigint, input: Token, output: Token): bigint | undefined {
  const [from, to] = [prices.usd(input.mint), prices.usd(output.mint)];
  if (from === undefined || to === undefined) return undefined;
  return worthIn(amount, { ...input, usd: from }, { ...output, usd: to });
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
  order: OrderRow,
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
  quote: Quote;
  /** The least that must arrive. */
  least: bigint;
}

async function swapOf(
  { payer, programs }: TriggerKeeperDeps,
  order: OrderRow,
  { sale, input, output, target, quote, least }: FillParts,
): Promise<{ swap: Swap } | { skipped: string } | 'too large'> {
  const vault = order.vault as Address;
  const built = await quote.build({
    ...{ owner: vault, source: sale.source, destination: target.place.account, receiver: target.owner },
    ...{ feePayer: payer, rentPayer: payer, minOut: least },
    absentSigners: new Set([order.wallet as Address]),
  });
  if (isRefused(built)) return built.refused === 'too-large' ? 'too large' : { skipped: built.reason };
  return {
    swap: {
      ...{ taker: vault, receiver: target.receiver, feePayer: payer, rentPayer: payer, trade: built, programs },
      input: { ...input, place: { kind: 'token', account: sale.source }, amount: sale.amount },
      output: { ...output, place: target.place, least, create: target.create },
    },
  };
}
