import { checkSwap, keptLamports, type Place, type Swap } from '@slipway/checks';
import {
  type Address,
  createAddressWithSeed,
  createAssociatedTokenIdempotent,
  type Instruction,
  parseInitializeAccount3,
  rentExemptLamports,
  systemCreateAccountWithSeed,
  systemTransfer,
  TOKEN_ACCOUNT_SPACE,
  TOKEN_PROGRAM,
  tokenCloseAccount,
  tokenInitializeAccount3,
  tokenSetCloseAuthority,
  tokenSyncNative,
  tokenUnwrapLamports,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { type Budget, type Crafted, craftTransaction } from './transaction.js';

export type { ForeignTrade, Place, Swap, SwapPrograms } from '@slipway/checks';

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
    instructions: [...before(swap), ...trade.instructions, ...afterwards(swap), ...keepSol(swap, budget)],
    blockhash,
    budget,
    lookupTables: trade.lookupTables,
    inFull: [...partiesOf(swap), ...(trade.inFull ?? [])],
    ...(trade.inFullIfRoom && { inFullIfRoom: trade.inFullIfRoom }),
  });
  checkSwap(crafted, swap, budget);
  return crafted;
}

/** The mints of accounts that instructions open, but for SOL: a signer counts rent that is lent for one that it does not know. */
export const mintsMade = (instructions: readonly Instruction[]): Address[] =>
  instructions.flatMap((each) => parseInitializeAccount3(each)?.mint ?? []).filter((mint) => mint !== WRAPPED_SOL_MINT);

/** Every account that the terms name: none of them is taken from a lookup table, because the node says what that holds. */
export function partiesOf({
  taker,
  receiver,
  rentPayer,
  input,
  output,
  fee,
  closeAuthority,
  tip,
  leftTo,
}: Untraded): Address[] {
  const places = [input.place, output.place].map((place) => (place.kind === 'sol' ? undefined : place.account));
  const all = [
    ...places,
    taker,
    receiver,
    rentPayer,
    input.closeTo,
    fee?.account,
    closeAuthority,
    tip?.account,
    leftTo,
  ];
  return all.filter((each) => each !== undefined);
}

/** The system program transfers from a wallet to itself only if the lamports are there, and the wallet is its own. */
function keepSol(swap: Swap, budget: Budget): Instruction[] {
  const lamports = keptLamports(swap, budget);
  return lamports === undefined ? [] : [systemTransfer({ from: swap.taker, to: swap.taker, lamports })];
}

/** What `craftSwap` puts around the trade: a route must fit beside it. */
export function aroundTrade(swap: Untraded): Instruction[] {
  return [...before(swap), ...afterwards(swap)];
}

/** A swap whose trade is not known yet. */
export type Untraded = Omit<Swap, 'trade' | 'programs'>;

function before({ taker, receiver, rentPayer, input, output }: Untraded): Instruction[] {
  const instructions: Instruction[] = [];
  if (input.place.kind === 'wrapped') instructions.push(...lendWrapped(taker, rentPayer, input.place, input.amount));
  if (output.create) {
    const { mint, tokenProgram } = output;
    instructions.push(createAssociatedTokenIdempotent({ payer: rentPayer, owner: receiver, mint, tokenProgram }));
  }
  if (output.place.kind === 'wrapped') instructions.push(...lendWrapped(taker, rentPayer, output.place, 0n));
  return instructions;
}

/** The same as `openWrapped`, where the rent goes back to who has lent it, and all other SOL to somebody else. */
function lendWrapped(
  taker: Address,
  rentPayer: Address,
  place: Place & { kind: 'wrapped' },
  amount: bigint,
): Instruction[] {
  if (rentPayer === taker) return openWrapped(taker, rentPayer, place, amount);
  const { account } = place;
  return [
    ...openWrapped(taker, rentPayer, place, 0n),
    // Where the chain asks for less rent than is lent, the rest is wrapped SOL of the taker's by now.
    tokenUnwrapLamports({ source: account, destination: rentPayer, authority: taker }),
    ...(amount > 0n
      ? [systemTransfer({ from: taker, to: account, lamports: amount }), tokenSyncNative({ account })]
      : []),
  ];
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
  const { taker, receiver, feePayer, rentPayer, input, output, closeAuthority, tip, leftTo = taker } = swap;
  const instructions: Instruction[] = [];
  // A venue may take a little less than it was offered: the rest belongs to the taker.
  if (input.place.kind === 'wrapped') instructions.push(...closeWrapped(taker, rentPayer, input.place.account, taker));
  if (input.place.kind === 'token' && input.closeTo) {
    const { closeTo: destination, tokenProgram, mint } = input;
    const { account } = input.place;
    // Closing pays out the SOL that is left in it, too.
    if (mint === WRAPPED_SOL_MINT && destination !== leftTo) {
      instructions.push(tokenSyncNative({ account }));
      instructions.push(tokenUnwrapLamports({ source: account, destination: leftTo, authority: taker }));
    }
    instructions.push(tokenCloseAccount({ account, destination, authority: taker, tokenProgram }));
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
