import { randomBytes } from 'node:crypto';
import { calledPrograms, mintsLeft } from '@slipway/checks';
import { type Address, associatedTokenAddress, decodeTokenAccount, WRAPPED_SOL_MINT } from '@slipway/wire';
import { type ChainAccount, givesAwaySol, isMade } from '../../chain/index.js';
import { mintsMade, type Place, type Swap, temporaryWrappedSol } from '../../crafting/swap.js';
import { type Crafted, TransactionTooLarge } from '../../crafting/transaction.js';
import { explain, isOutOfUnits, suspectHops, tryOutSwap } from '../../landing/index.js';
import { FillReadings } from '../../routing/fill-readings.js';
import { type Hop, isRefused, type Token, tokenOf } from '../../routing/router.js';
import { expiredFills } from '../../store/failed-fills.js';
import { atMost } from './conclude-fill.js';
import type { FillDeps, TriggerKeeperDeps } from './deps.js';
import { chooseMarket, chooseOthers, type PoolChoice } from './failed-routes.js';
import { marketOf } from './market.js';
import { isEnough, type Offer, offerOf, refusal, type Skipped, tooLittle } from './offers.js';
import type { Sale } from './sale.js';

/** The time limit for all quotes of a fill. */
const QUOTES_MS = 2_000;
/** Each try uses fewer pools than the one before, or others. */
const MOST_TRIES = 5;

/** A fill whose simulation succeeded. */
export interface PreparedFill {
  crafted: Crafted;
  lastValidBlockHeight: bigint;
  /** Whether this very message was simulated. */
  isSimulated: boolean;
  /** What it sells of the order, in the smallest unit: the rest or a part of it. */
  amount: bigint;
  /** What it buys at least. */
  least: bigint;
  /** What the account that it sells from holds. */
  held: bigint | undefined;
  /** Over which it goes. */
  pools: Address[];
}

/** A sale, and what all tries have in common. */
interface Trade {
  sale: Sale;
  input: Token;
  output: Token;
  target: Target;
  /** How many fills of the order have expired, since the last one that was taken into a block. */
  expired: number;
}

/**
 * Crafts and simulates the transaction that fills an order by its fired leg: all of it, or as much as the market takes
 * within the slippage. Returns the reason if that is not possible.
 */
export async function prepareFill(deps: FillDeps, asked: Sale): Promise<PreparedFill | Skipped> {
  const [input, output] = await Promise.all([readToken(deps, asked.inputMint), readToken(deps, asked.outputMint)]);
  if (!input || !output) return { skipped: 'its mints are not on the chain' };
  if ('unclear' in input) return { skipped: input.unclear };
  if ('unclear' in output) return { skipped: output.unclear };
  // In one turn of the event loop, so that they are read with one call.
  const [source, target, expired] = await Promise.all([
    deps.chain.account(asked.source),
    targetOf(deps, asked, output),
    expiredFills(deps.store, asked),
  ]);
  if ('skipped' in target) return target;
  const held = holds(source);
  if (held === 0n) return { skipped: EMPTY };
  // Of an old row, or after a false word of a node, less is there than the row says: that is sold, as a part, and the rest stays open.
  // What others have sent there is sold, too, where the rent of an emptied account has to pay for one of the wallet.
  const isOther = held !== undefined && (held < asked.amount || target.create);
  const sale = isOther ? { ...asked, amount: held } : asked;
  const signal = AbortSignal.timeout(QUOTES_MS);
  const readings = new FillReadings();
  const trade = { sale, input, output, target, expired };
  const open = (pools: PoolChoice) => marketOf(deps, sale, trade, signal, { readings, ...pools });
  const chosen = await chooseMarket(deps, trade, open, signal);
  if ('skipped' in chosen) return chosen;
  let { market, offer } = chosen;
  const avoided = new Set<Address>();
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const { amount, quote } = offer;
    // The account is closed only if it will be empty by its row, too (others may have sent tokens to it, and a node may show less than
    // there is), and not after a failed fill. SOL that is left in it is paid to the wallet.
    const isSold = quote.inAmount === amount || input.mint === WRAPPED_SOL_MINT;
    const isEmptied = amount >= asked.amount && isSold && sale.failures === 0 && held === amount;
    const tried = await tryFill(deps, trade, offer, isEmptied);
    if (tried !== 'too large' && !('skipped' in tried)) {
      const [ofOrder, pools] = [atMost(amount, asked.amount), quote.hops.map(({ venue }) => venue)];
      return { ...tried, amount: ofOrder, least: offer.least, held, pools };
    }
    if (tried !== 'too large') {
      const { skipped, suspects = [] } = tried;
      if (suspects.length === 0 || !quote.without) return { skipped };
      // It also has the router try these pools out, for others.
      await quote.without(suspects, signal);
      for (const { venue } of suspects) avoided.add(venue);
      const others = await chooseOthers(chosen, avoided, open, sale.amount);
      if ('skipped' in others) return others;
      ({ market, offer } = others);
      continue;
    }
    if (!quote.simpler) break;
    const simpler = await quote.simpler(signal);
    if (isRefused(simpler)) return refusal(simpler);
    offer = offerOf(market, amount, simpler);
    if (!isEnough(market, offer)) return { skipped: tooLittle(market, offer) };
  }
  return { skipped: 'a transaction has no room for its route' };
}

const EMPTY = 'nothing is left in its account';
/** The rent of the closed account pays for the created one. */
const NO_ACCOUNT = 'the wallet has no token account for the output, and this fill makes none: make it, and it fills';

const holds = (account: ChainAccount | undefined) => account && decodeTokenAccount(account.data)?.amount;

/** `suspects`: the hops whose pools have made the simulation fail. */
type Tried =
  | Omit<PreparedFill, 'amount' | 'least' | 'held' | 'pools'>
  | { skipped: string; suspects?: readonly Hop[] }
  | 'too large';

async function tryFill(deps: FillDeps, trade: Trade, offer: Offer, isEmptied: boolean): Promise<Tried> {
  if (isEmptied) {
    const closing = await tryOnce(deps, trade, offer, true);
    if (closing !== 'too large' && !('skipped' in closing)) return closing;
    // An account is made only where the source is closed: a simpler route may have the room for that, and one without a pool that
    // fails may do it.
    const isOfRoute = closing === 'too large' || (closing.suspects?.length ?? 0) > 0;
    if (isOfRoute && trade.target.create) return closing;
    // Without the router program a venue may leave a remainder, and only an empty account can be closed.
  }
  return tryOnce(deps, trade, offer, false);
}

async function tryOnce(deps: FillDeps, trade: Trade, offer: Offer, isClosing: boolean): Promise<Tried> {
  const swap = await swapOf(deps, trade, offer, isClosing);
  if (swap === 'too large' || 'skipped' in swap) return swap;
  const bid = { contended: offer.quote.hops.map(({ venue }) => venue), expired: trade.expired };
  const tried = await tryOutSwap(deps.chain, swap.swap, { bid, seen: deps.units.of(swap.swap) }).catch((error) => {
    if (error instanceof TransactionTooLarge) return 'too large' as const;
    throw error;
  });
  if (tried === 'too large' || !('err' in tried)) return tried;
  if (isOutOfUnits(tried) && offer.quote.simpler) return 'too large';
  const suspects = suspectHops(offer.quote.hops, tried, deps.programs.router);
  return { skipped: explain(tried.err).message, suspects };
}

async function readToken(
  { chain, contradictions }: TriggerKeeperDeps,
  mint: Address,
): Promise<Token | { unclear: string } | undefined> {
  const facts = await chain.mint(mint);
  if (!facts) return undefined;
  const unclear = await contradictions(mint, facts);
  return unclear === undefined ? tokenOf(mint, facts) : { unclear };
}

/** What a program owns, it spends. A page may have had the wallet assign itself to one. */
const NO_WALLET = 'its wallet is an account of a program, which would have the SOL';
const NOT_OF_VAULT = 'the account for what it buys is not one of its vault';
/** An account of SPL Token can be given to somebody else, and stays at the address that follows from the wallet. */
const NOT_OF_WALLET = 'the token account for what it buys at the address of its wallet belongs to somebody else';
const SOL_OF_ANOTHER = 'somebody else may close the token account for the SOL that it buys, and would have that';

interface Target {
  place: Exclude<Place, { kind: 'sol' }>;
  /** Owner of the output account during the trade. */
  owner: Address;
  /** Owner of the output in the end. */
  receiver: Address;
  create: boolean;
}

async function targetOf(
  { chain }: TriggerKeeperDeps,
  { vault, wallet, vaultOutput }: Sale,
  output: Token,
): Promise<Target | { skipped: string }> {
  if (vaultOutput) {
    const held = await chain.account(vaultOutput);
    const tokens = held && decodeTokenAccount(held.data);
    // The store says which account it is; the chain says whose.
    if (tokens?.owner !== vault || tokens.mint !== output.mint) return { skipped: NOT_OF_VAULT };
    return { place: { kind: 'token', account: vaultOutput }, owner: vault, receiver: vault, create: false };
  }
  if (output.mint === WRAPPED_SOL_MINT) {
    if (isMade(await chain.account(wallet))) return { skipped: NO_WALLET };
    const place = temporaryWrappedSol(vault, randomBytes(12).toString('hex'));
    return { place, owner: vault, receiver: wallet, create: false };
  }
  const account = associatedTokenAddress(wallet, output.mint, output.tokenProgram);
  const found = await chain.account(account);
  const create = !isMade(found);
  if (!create && decodeTokenAccount(found.data)?.owner !== wallet) return { skipped: NOT_OF_WALLET };
  if (!create && givesAwaySol(found.data)) return { skipped: SOL_OF_ANOTHER };
  return { place: { kind: 'token', account }, owner: wallet, receiver: wallet, create };
}

async function swapOf(
  { payer, programs }: TriggerKeeperDeps,
  { sale: { source, vault, wallet, paysForAccount }, input, output, target }: Trade,
  { amount, quote, least }: Offer,
  isClosing: boolean,
): Promise<{ swap: Swap } | { skipped: string } | 'too large'> {
  const built = await quote.build({
    owner: vault,
    source,
    destination: target.place.account,
    receiver: target.owner,
    feePayer: payer,
    rentPayer: payer,
    minOut: least,
    emptySource: isClosing,
    leftTo: wallet,
    absentSigners: new Set([wallet]),
  });
  if (isRefused(built)) return built.refused === 'too-large' ? 'too large' : { skipped: built.reason };
  // Otherwise anybody could have the keeper pay for accounts, and close them for the rent.
  if (target.create && !(isClosing && paysForAccount)) return { skipped: NO_ACCOUNT };
  const closeTo = target.create ? payer : wallet;
  const { instructions } = built;
  const inFull = [...calledPrograms(instructions, programs.router), ...mintsLeft(instructions, programs)];
  return {
    swap: {
      taker: vault,
      receiver: target.receiver,
      feePayer: payer,
      rentPayer: payer,
      leftTo: wallet,
      trade: { ...built, inFull, inFullIfRoom: mintsMade(instructions) },
      programs,
      input: { ...input, place: { kind: 'token', account: source }, amount, ...(isClosing && { closeTo }) },
      output: { ...output, place: target.place, least, create: target.create },
    },
  };
}
