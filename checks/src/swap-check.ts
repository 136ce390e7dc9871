import { equalBytes, type Fill, parseFill, parsePoolSwap, parseRoute, type Route } from '@slipway/programs/formats';
import {
  type Address,
  associatedTokenAddress,
  createAddressWithSeed,
  holdsSol,
  type Instruction,
  mostRentLamports,
  parseCloseAccount,
  parseCreateAssociatedTokenIdempotent,
  parseInitializeAccount3,
  parseRevoke,
  parseSetCloseAuthority,
  parseSyncNative,
  parseSystemCreateAccountWithSeed,
  parseSystemTransfer,
  parseTransferChecked,
  parseUnwrapLamports,
  TOKEN_ACCOUNT_SPACE,
  WRAPPED_SOL_MINT,
} from '@slipway/wire/formats';
import { checkMadeAccounts } from './made-accounts.js';
import { isKnownHop } from './route-check.js';
import { keptLamports } from './swap-lamports.js';
import type { Swap } from './swap-terms.js';
import { afterBudget, type Budget, type Expect, expecting, type ReadTransaction } from './transaction.js';
import { parseVenueSwap, type VenueSwap } from './venue-swaps.js';

const expect: Expect = expecting('crafted swap');
/** Chains ask for different rents; lamports. */
const MOST_RENT = mostRentLamports(TOKEN_ACCOUNT_SPACE);

/** What a transaction does in the worst case: as much taken and as little given as its instructions allow. */
interface Books {
  lamports: Map<Address, bigint>;
  tokens: Map<Address, bigint>;
  /** Accounts that were created and not closed yet; `native` once they hold wrapped SOL, beside their `rent`. */
  temporary: Map<Address, { initialized: boolean; native: boolean; rent?: bigint }>;
  feeInRoute: boolean;
  /** What has been transferred to the fee account. */
  feeTokens: bigint;
  closeAuthoritySet: boolean;
  destinationMade: boolean;
  sourceClosed: boolean;
  /** Whether what is left of SOL in the source has been paid out. */
  sourceUnwrapped: boolean;
  traded: boolean;
  /** Whether the trade must be the only one. */
  tradesOnce: boolean;
  /** What the taker's wallet must hold at the end, for the chain to let the transaction pass. */
  keptLamports: bigint | undefined;
}

/**
 * Reads a crafted swap back from its bytes and compares who signs, gives and gets with what was asked.
 * @throws CraftCheckFailed
 */
export function checkSwap({ signers, instructions }: ReadTransaction, swap: Swap, budget: Budget): void {
  checkSigners(signers, swap);
  const rest = afterBudget(instructions, budget, expect);
  checkMadeAccounts(rest, expect);
  const books: Books = {
    lamports: new Map(),
    tokens: new Map(),
    temporary: new Map(),
    feeInRoute: false,
    feeTokens: 0n,
    closeAuthoritySet: false,
    destinationMade: false,
    sourceClosed: false,
    sourceUnwrapped: false,
    traded: false,
    tradesOnce: false,
    keptLamports: undefined,
  };
  for (const instruction of rest) {
    const understood = readers.some((read) => read(instruction, books, swap));
    expect(understood, `an instruction of ${instruction.program} that is not understood`);
  }
  expect(books.traded, 'no trade');
  expect(books.temporary.size === 0, 'a temporary account is left open');
  expect(books.closeAuthoritySet === (swap.closeAuthority !== undefined), 'wrong close authority');
  expect(books.destinationMade === swap.output.create, 'the destination is made, or not, against what was asked');
  expect(
    books.sourceClosed === (swap.input.closeTo !== undefined),
    'the source is closed, or not, against what was asked',
  );
  expect(books.keptLamports === keptLamports(swap, budget), 'the wallet does not keep its SOL');
  checkLosses(books, swap);
  checkGains(books, swap);
}

function checkSigners(signers: readonly Address[], { taker, feePayer, rentPayer, trade }: Swap): void {
  const needed = new Set([feePayer, taker, ...trade.extraSigners]);
  const wrong = signers.find((signer) => !needed.has(signer) && signer !== rentPayer);
  expect(wrong === undefined, `${wrong} must sign, which nobody asked for`);
  for (const signer of needed) expect(signers.includes(signer), `${signer} does not sign`);
  expect(signers[0] === feePayer, 'another fee payer');
}

/** No account loses anything but the input and the tip. */
function checkLosses({ lamports, tokens }: Books, { taker, feePayer, input, output, receiver, tip }: Swap): void {
  const source = input.place.kind === 'token' ? input.place.account : undefined;
  for (const [account, change] of tokens) {
    const most = account === source ? input.amount : 0n;
    expect(change >= -most, `${-change} would leave ${account}, and ${most} is the most that may`);
  }
  for (const [account, change] of lamports) {
    let most = account === feePayer ? (tip?.lamports ?? 0n) : 0n;
    if (account === taker && input.place.kind !== 'token') most += input.amount;
    const least = account === receiver && output.place.kind !== 'token' ? output.least : 0n;
    expect(change >= least - most, `${change} lamports for ${account}, at least ${least - most} were asked`);
  }
}

/** Only the receiver, the fee account and the tip account get anything, and they get what was asked. */
function checkGains({ lamports, tokens, feeInRoute, feeTokens }: Books, swap: Swap): void {
  const { taker, receiver, feePayer, rentPayer, output, fee, tip } = swap;
  const known = new Set([taker, receiver, feePayer, rentPayer, fee?.account, tip?.account]);
  if (output.place.kind === 'token') {
    known.add(output.place.account);
    const arrives = tokens.get(output.place.account) ?? 0n;
    expect(arrives >= output.least, `only ${arrives} of ${output.least} are sure to arrive`);
  } else {
    expect(lamports.has(receiver) || output.least === 0n, 'the receiver gets no SOL');
  }
  for (const [account, change] of [...tokens, ...lamports]) {
    expect(change <= 0n || known.has(account), `${account} gets something that nobody asked for`);
  }
  if (!fee) return;
  // A trade out of it could bring back what was transferred, so that it goes to and fro.
  expect((tokens.get(fee.account) ?? 0n) === feeTokens, 'a trade with what was paid as a fee');
  const paid = feeTokens + (lamports.get(fee.account) ?? 0n);
  expect(paid === (feeInRoute ? 0n : fee.amount), 'another fee than asked');
}

type Reader = (instruction: Instruction, books: Books, swap: Swap) => boolean;

/** Each records its own kind of instruction in the books, and returns false for any other. */
const readers: readonly Reader[] = [
  reader(parseSystemCreateAccountWithSeed, (made, { lamports, temporary }, { taker, rentPayer }) => {
    expect(made.base === taker && made.payer === rentPayer, 'a temporary account of somebody else');
    expect(made.newAccount === createAddressWithSeed(taker, made.seed, made.owner), 'a wrong temporary account');
    change(lamports, rentPayer, -made.lamports);
    change(lamports, made.newAccount, made.lamports);
    temporary.set(made.newAccount, { initialized: false, native: false });
  }),
  reader(parseSystemTransfer, ({ from, to, lamports }, books, { taker, feePayer }) => {
    expect(from === taker || from === feePayer, `SOL of ${from}`);
    if (from === to) {
      expect(from === taker && books.traded && books.keptLamports === undefined, 'a transfer that asks for nothing');
      books.keptLamports = lamports;
      return;
    }
    change(books.lamports, from, -lamports);
    change(books.lamports, to, lamports);
  }),
  reader(parseInitializeAccount3, ({ account, mint, owner }, books, { taker, rentPayer, input }) => {
    const { temporary } = books;
    expect(temporary.get(account)?.initialized === false, 'an account that was not made here');
    expect(owner === taker, 'a temporary account of another owner');
    const native = mint === WRAPPED_SOL_MINT;
    const held = books.lamports.get(account) ?? 0n;
    const isInput = native && input.place.kind === 'wrapped' && input.place.account === account;
    // Whoever pays its rent himself makes it with what it wraps; for others, services before rents were lowered did so, too.
    const wrapped = isInput && (rentPayer === taker || held > MOST_RENT) ? input.amount : 0n;
    const rent = held - wrapped;
    expect(rent > 0n && rent <= MOST_RENT, 'a temporary account with more than its rent');
    temporary.set(account, { initialized: true, native, ...(native && { rent }) });
    if (!native) return;
    countSol(account, rent, books);
  }),
  reader(parseCreateAssociatedTokenIdempotent, (made, books, { taker, rentPayer, receiver, output }) => {
    const { payer, account, owner, mint, tokenProgram } = made;
    expect(payer === rentPayer, 'rent paid by another');
    expect(account === associatedTokenAddress(owner, mint, tokenProgram), 'a wrong associated token account');
    expect(mint === output.mint && (owner === receiver || owner === taker), 'an account that nobody asked for');
    if (output.place.kind === 'token' && account === output.place.account) books.destinationMade = true;
    else {
      // The taker's own account is created only for the output to pass through. It may have been there before: closing
      // it would pay out what it held of wrapped SOL.
      expect(!holdsSol(mint), 'an account of wrapped SOL that is no temporary one');
      books.temporary.set(account, { initialized: true, native: false });
    }
  }),
  reader(parseTransferChecked, ({ source, mint, destination, authority, amount }, books, swap) => {
    const { taker, receiver, input, output, fee, trade } = swap;
    expect(authority === taker, `tokens of ${authority}`);
    // Any other could have a transfer hook, which is code of whoever made it.
    expect(mint === input.mint || mint === output.mint, `a transfer of ${mint}`);
    // After a trade by another company's program, it has the chain compare what an account holds.
    const isGuard = trade.foreign && source === destination;
    expect(isGuard || (amount > 0n && source !== destination), 'a transfer that moves nothing');
    // Of some tokens each transfer keeps a part: going to and fro between the taker's accounts, they would lose all. What pays the
    // receiver itself, as routes and pools do, has nothing handed on, of which less would arrive.
    const isToReceiver = output.place.kind === 'token' && destination === output.place.account;
    const isHandedOn = receiver !== taker && books.tradesOnce && isToReceiver;
    expect(isGuard || isHandedOn || destination === fee?.account, `a transfer from ${source} to ${destination}`);
    if (!isGuard && destination === fee?.account) books.feeTokens += amount;
    change(books.tokens, source, -amount);
    change(books.tokens, destination, amount);
  }),
  reader(parseRevoke, ({ account, authority }, { traded }, { taker, input, output }) => {
    const places = [input.place, output.place].map((place) => (place.kind === 'sol' ? undefined : place.account));
    expect(traded && authority === taker && places.includes(account), 'a delegate of another account');
  }),
  // It only brings an amount up to date.
  reader(parseSyncNative, ({ account }, books) => {
    const { rent } = books.temporary.get(account) ?? {};
    if (rent !== undefined) countSol(account, rent, books);
  }),
  reader(parseUnwrapLamports, ({ source, destination, authority }, books, swap) => {
    const { lamports, tokens, temporary } = books;
    const { taker, receiver, rentPayer, input, leftTo = taker } = swap;
    if (input.closeTo && input.place.kind === 'token' && source === input.place.account) {
      // Before the trade, this would take the input along.
      expect(authority === taker && books.traded && !books.sourceClosed, 'the source is unwrapped too early');
      expect(destination === leftTo, 'what is left in the source goes to another');
      books.sourceUnwrapped = true;
      return;
    }
    expect(authority === taker && temporary.get(source)?.native, 'SOL is unwrapped that the swap has not wrapped');
    // It may be more than is counted here: also what the chain's rent leaves of what the account was made with.
    expect([taker, receiver, rentPayer, leftTo].includes(destination), 'SOL is unwrapped for somebody else');
    change(lamports, destination, tokens.get(source) ?? 0n);
    tokens.delete(source);
  }),
  reader(parseCloseAccount, ({ account, destination, authority }, books, swap) => {
    const { lamports, tokens, temporary } = books;
    const { input } = swap;
    if (input.closeTo && input.place.kind === 'token' && account === input.place.account) {
      // Before the trade, this would take the input along.
      expect(authority === swap.taker && books.traded && !books.sourceClosed, 'the source is closed too early');
      expect(destination === input.closeTo, 'the rent of the source goes to another');
      const isPaidOut = !holdsSol(input.mint) || destination === (swap.leftTo ?? swap.taker) || books.sourceUnwrapped;
      expect(isPaidOut, 'what is left in the source goes to who gets its rent');
      books.sourceClosed = true;
      return;
    }
    const closed = temporary.get(account);
    expect(authority === swap.taker && closed, 'an account is closed that the swap has not made');
    expect(destination === swap.rentPayer, 'the rent goes to another');
    const held = tokens.get(account) ?? 0n;
    expect(closed.native || held === 0n, `an account is closed with ${held} tokens`);
    change(lamports, destination, (lamports.get(account) ?? 0n) + held);
    tokens.delete(account);
    lamports.delete(account);
    temporary.delete(account);
  }),
  reader(parseSetCloseAuthority, ({ account, authority, closeAuthority }, books, { taker, output, ...swap }) => {
    const isDestination = output.place.kind === 'token' && output.place.account === account;
    expect(isDestination && authority === taker, 'a close authority of another account');
    expect(closeAuthority === swap.closeAuthority, 'another close authority');
    expect(!holdsSol(output.mint), 'whoever may close an account of SOL gets all that is in it');
    books.closeAuthoritySet = true;
  }),
  trade((instruction, { router }) => (router ? parseRoute(instruction, router) : undefined), enterRoute),
  // What a maker pays is counted as what arrives: of a token whose transfers keep a part, it could take all in many trades. Whether
  // the token of this one is such, who has the bytes checked must see on the chain.
  trade((instruction, { orderEngine }) => parseFill(instruction, orderEngine), enterFill, true),
  trade((instruction, { tokenSwap }) => parsePoolSwap(instruction, tokenSwap), enterVenueSwap),
  trade(parseVenueSwap, enterVenueSwap),
  (instruction, books, swap) => enterForeign(instruction, books, swap) && setTraded(books, true),
];

function reader<T>(
  parse: (instruction: Instruction) => T | undefined,
  enter: (read: T, books: Books, swap: Swap) => void,
): Reader {
  return (instruction, books, swap) => {
    const read = parse(instruction);
    if (read !== undefined) enter(read, books, swap);
    return read !== undefined;
  };
}

function trade<T>(
  parse: (instruction: Instruction, programs: Swap['programs']) => T | undefined,
  enter: (read: T, books: Books, swap: Swap) => void,
  once = false,
): Reader {
  return (instruction, books, swap) =>
    reader((each) => parse(each, swap.programs), enter)(instruction, books, swap) && setTraded(books, once);
}

function setTraded(books: Books, once: boolean): true {
  expect(!books.traded || !(once || books.tradesOnce), 'a second trade');
  books.traded = true;
  books.tradesOnce = once;
  return true;
}

/** The router ensures that none of the taker's token accounts loses anything but `amountIn` of the source. */
function enterRoute(route: Route, books: Books, { taker, fee, programs }: Swap): void {
  expect(route.taker === taker, 'a route of another taker');
  const foreign = route.hops.find((hop) => !isKnownHop(hop, taker, programs.tokenSwap));
  expect(!foreign, `a hop of ${foreign?.program} that is no swap of a known venue`);
  change(books.tokens, route.source, -route.amountIn);
  change(books.tokens, route.destination, route.minOut);
  if (!route.fee) return;
  expect(fee && route.fee.account === fee.account && route.fee.bps === fee.bps, 'another fee than asked');
  expect((route.fee.from === route.source) === (fee.side === 'input'), 'the fee is taken from the other side');
  books.feeInRoute = true;
}

function enterFill(fill: Fill, { lamports, tokens }: Books, { taker }: Swap): void {
  expect(fill.taker === taker, 'a fill of another taker');
  if (fill.takerInputAccount) change(tokens, fill.takerInputAccount, -fill.inputAmount);
  else change(lamports, taker, -fill.inputAmount);
  if (fill.takerOutputAccount) change(tokens, fill.takerOutputAccount, fill.outputAmount);
  else change(lamports, taker, fill.outputAmount);
}

type Traded = Pick<VenueSwap, 'authority' | 'source' | 'destination' | 'amountIn' | 'minimumAmountOut'>;

function enterVenueSwap(swap: Traded, { tokens }: Books, { taker }: Swap): void {
  expect(swap.authority === taker, 'a trade of another taker');
  change(tokens, swap.source, -swap.amountIn);
  change(tokens, swap.destination, swap.minimumAmountOut);
}

/** The foreign program could use the signature of any signer that is named: only the taker may be. */
function enterForeign(instruction: Instruction, books: Books, { taker, feePayer, rentPayer, trade }: Swap): boolean {
  const { foreign } = trade;
  if (!foreign || !isSameInstruction(instruction, foreign.instruction)) return false;
  const others = [feePayer, rentPayer, ...trade.extraSigners].filter((signer) => signer !== taker);
  const named = instruction.accounts.find(({ address }) => others.includes(address));
  expect(named === undefined, `${named?.address} is handed to a program of another company`);
  change(books.tokens, foreign.source, -foreign.amountIn);
  change(books.tokens, foreign.destination, foreign.least);
  return true;
}

/** Ignores signer and writable flags, which an account has for the whole transaction. */
function isSameInstruction(a: Instruction, b: Instruction): boolean {
  const sameAccounts =
    a.accounts.length === b.accounts.length && a.accounts.every(({ address }, i) => address === b.accounts[i]!.address);
  return a.program === b.program && sameAccounts && equalBytes(a.data, b.data);
}

/** What a temporary account of wrapped SOL has above its rent is tokens from here on. */
function countSol(account: Address, rent: bigint, { lamports, tokens }: Pick<Books, 'lamports' | 'tokens'>): void {
  change(tokens, account, (lamports.get(account) ?? 0n) - rent);
  lamports.set(account, rent);
}

function change(books: Map<Address, bigint>, account: Address, by: bigint): void {
  books.set(account, (books.get(account) ?? 0n) + by);
}
