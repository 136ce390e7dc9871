import {
  type Address,
  createAddressWithSeed,
  createAssociatedTokenIdempotent,
  type Instruction,
  type LookupTable,
  rentExemptLamports,
  systemCreateAccountWithSeed,
  systemTransfer,
  TOKEN_ACCOUNT_SPACE,
  TOKEN_PROGRAM,
  tokenCloseAccount,
  tokenInitializeAccount3,
  tokenSetCloseAuthority,
  tokenUnwrapLamports,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { checkSwap } from './swap-check.js';
import { type Budget, type Crafted, craftTransaction } from './transaction.js';

/**
 * Where one side of a swap is held: in a token account, as a wallet's SOL, or as SOL that the transaction wraps into an
 * account that exists only while it runs.
 */
export type Place =
  | { kind: 'token'; account: Address }
  | { kind: 'sol' }
  | { kind: 'wrapped'; account: Address; seed: string };

interface SwapSide {
  mint: Address;
  tokenProgram: Address;
  place: Place;
}

/**
 * Everything that a swap's transaction consists of, and that its bytes are compared with. Amounts in the smallest unit.
 */
export interface Swap {
  taker: Address;
  /** Owns the destination, or gets the SOL. */
  receiver: Address;
  /** Pays the network fee and the tip. */
  feePayer: Address;
  /** Pays rent, and gets back that of temporary accounts. */
  rentPayer: Address;
  /**
   * `amount` is the most that leaves the taker. `closeTo`: the trade empties the token account that holds the input,
   * which is then closed; its rent, and any SOL left in it, goes there.
   */
  input: SwapSide & { amount: bigint; closeTo?: Address };
  /** `least` must arrive. `create`: the receiver's associated token account must be created. */
  output: SwapSide & { least: bigint; create: boolean };
  /** `amount` is exact where the fee is a transfer; within a route `bps` is what counts. */
  fee?: { account: Address; side: 'input' | 'output'; bps: number; amount: bigint };
  /** Who may close the taker's destination, which this transaction makes. */
  closeAuthority?: Address;
  tip?: { account: Address; lamports: bigint };
  /** What the router built. */
  trade: {
    instructions: Instruction[];
    extraSigners: readonly Address[];
    lookupTables: LookupTable[];
    moreUnits?: number;
    foreign?: ForeignTrade;
  };
  programs: SwapPrograms;
}

/**
 * A trade by another company's program, whose instruction says its terms in its own way. The bytes can be compared with
 * what the company gave; what they do is compared with these terms in a simulation.
 */
export interface ForeignTrade {
  instruction: Instruction;
  source: Address;
  destination: Address;
  amountIn: bigint;
  least: bigint;
}

/** The programs whose trades we can read. */
export interface SwapPrograms {
  router?: Address | undefined;
  orderEngine: Address;
  tokenSwap: Address;
}

/** A wrapped SOL account of the owner for one transaction; the seed must be unpredictable. */
export function temporaryWrappedSol(owner: Address, seed: string): Place & { kind: 'wrapped' } {
  return { kind: 'wrapped', seed, account: createAddressWithSeed(owner, seed, TOKEN_PROGRAM) };
}

/**
 * Crafts the transaction of a swap and checks what its bytes say: nobody loses or gains except as asked, and it
 * contains nothing that is not understood. Same input, same bytes.
 * @throws TransactionTooLarge, CraftCheckFailed
 */
export function craftSwap(swap: Swap, blockhash: string, budget: Budget): Crafted {
  const { feePayer, trade } = swap;
  const crafted = craftTransaction({
    feePayer,
    firstSigners: [swap.taker],
    instructions: [...before(swap), ...trade.instructions, ...afterwards(swap)],
    blockhash,
    budget,
    lookupTables: trade.lookupTables,
  });
  checkSwap(crafted, swap, budget);
  return crafted;
}

/** What `craftSwap` puts around the trade: a route must fit beside it. */
export function aroundTrade(swap: Untraded): Instruction[] {
  return [...before(swap), ...afterwards(swap)];
}

/** A swap whose trade is not known yet. */
export type Untraded = Omit<Swap, 'trade' | 'programs'>;

function before({ taker, receiver, rentPayer, input, output }: Untraded): Instruction[] {
  const instructions: Instruction[] = [];
  if (input.place.kind === 'wrapped') instructions.push(...openWrapped(taker, rentPayer, input.place, input.amount));
  if (output.create) {
    const { mint, tokenProgram } = output;
    instructions.push(createAssociatedTokenIdempotent({ payer: rentPayer, owner: receiver, mint, tokenProgram }));
  }
  if (output.place.kind === 'wrapped') instructions.push(...openWrapped(taker, rentPayer, output.place, 0n));
  return instructions;
}

/** Creates a temporary account of the taker with this much wrapped SOL, or, without an amount, for another mint. */
export function openWrapped(
  taker: Address,
  rentPayer: Address,
  { account, seed }: Place & { kind: 'wrapped' },
  amount: bigint,
  mint: Address = WRAPPED_SOL_MINT,
): Instruction[] {
  const common = { payer: rentPayer, newAccount: account, base: taker, seed };
  const shape = { space: TOKEN_ACCOUNT_SPACE, owner: TOKEN_PROGRAM };
  const rent = rentExemptLamports(TOKEN_ACCOUNT_SPACE);
  // Somebody else may pay the rent, but the SOL is the taker's own.
  const ownRent = rentPayer === taker;
  const create = systemCreateAccountWithSeed({ ...common, ...shape, lamports: ownRent ? rent + amount : rent });
  const fund = !ownRent && amount > 0n ? [systemTransfer({ from: taker, to: account, lamports: amount })] : [];
  return [create, ...fund, tokenInitializeAccount3({ account, mint, owner: taker })];
}

function afterwards(swap: Untraded): Instruction[] {
  const { taker, receiver, feePayer, rentPayer, input, output, closeAuthority, tip } = swap;
  const instructions: Instruction[] = [];
  // A venue may take a little less than it was offered: the rest belongs to the taker.
  if (input.place.kind === 'wrapped') instructions.push(...closeWrapped(taker, rentPayer, input.place.account, taker));
  if (input.place.kind === 'token' && input.closeTo) {
    const { closeTo: destination, tokenProgram } = input;
    instructions.push(tokenCloseAccount({ account: input.place.account, destination, authority: taker, tokenProgram }));
  }
  if (output.place.kind === 'wrapped') {
    instructions.push(...closeWrapped(taker, rentPayer, output.place.account, receiver));
  }
  if (closeAuthority && output.place.kind === 'token') {
    const { account } = output.place;
    const { tokenProgram } = output;
    instructions.push(tokenSetCloseAuthority({ account, authority: taker, closeAuthority, tokenProgram }));
  }
  if (tip) instructions.push(systemTransfer({ from: feePayer, to: tip.account, lamports: tip.lamports }));
  return instructions;
}

/** The SOL goes to its owner and the rent back to who paid it. */
function closeWrapped(taker: Address, rentPayer: Address, account: Address, owner: Address): Instruction[] {
  const close = tokenCloseAccount({ account, destination: rentPayer, authority: taker });
  if (owner === rentPayer) return [close];
  return [tokenUnwrapLamports({ source: account, destination: owner, authority: taker }), close];
}
