import { checkSwap, type Place, type ReadTransaction, type Swap } from '@slipway/checks';
import { ORDER_ENGINE_PROGRAM, parseFill, parseRoute, TOKEN_SWAP_PROGRAM } from '@slipway/programs/formats';
import {
  type Address,
  type Instruction,
  parseCreateAssociatedTokenIdempotent,
  parseInitializeAccount3,
  parseSystemCreateAccountWithSeed,
  parseSystemTransfer,
  parseTransferChecked,
  type SystemCreateAccountWithSeed,
  TOKEN_PROGRAM,
  address as toAddress,
  WRAPPED_SOL_MINT,
} from '@slipway/wire/formats';
import type { Programs } from './context.js';
import { expect } from './refuse.js';
import { budgetOf, checkFee, namedAccount } from './transaction.js';

/** What a swap was asked to do. Amounts in the smallest unit. */
export interface SwapAsked {
  taker: string;
  receiver: string;
  inputMint: string;
  outputMint: string;
  /** The most that leaves the taker. */
  amount: bigint;
  /** The least that arrives. */
  least: bigint;
  /** Somebody else pays for the network. */
  gasless: boolean;
  /** What the taker pays at most for the network: fees and tip. */
  maxFeeLamports: bigint;
  tipLamports: bigint;
  /** The receiver's token account may be made at the taker's cost. */
  mayCreate: boolean;
  programs: Partial<Programs>;
}

/**
 * Checks that a transaction does this swap and nothing else. What may be in it in more than one way (accounts of its
 * own, a fee out of the amounts, who else signs) is taken from the bytes, and then checked with all the rest.
 * @throws CraftCheckFailed
 */
export function checkAskedSwap(asked: SwapAsked, read: ReadTransaction): void {
  const [taker, receiver] = [toAddress(asked.taker), toAddress(asked.receiver)];
  const [inputMint, outputMint] = [toAddress(asked.inputMint), toAddress(asked.outputMint)];
  const { router } = asked.programs;
  const isRoute = (each: Instruction) => parseRoute(each, each.program) !== undefined;
  expect(
    router !== undefined || !read.instructions.some(isRoute),
    'it uses a router: give createClient its address as programs.router, or sandbox: true for a sandbox',
  );
  const programs = {
    router: router === undefined ? undefined : toAddress(router),
    orderEngine: toAddress(asked.programs.orderEngine ?? ORDER_ENGINE_PROGRAM),
    tokenSwap: toAddress(asked.programs.tokenSwap ?? TOKEN_SWAP_PROGRAM),
  };
  const { amount, least, maxFeeLamports, gasless } = asked;
  const budget = budgetOf(read);
  const [feePayer] = read.signers;
  expect(feePayer === taker || gasless, 'another fee payer');
  const { made, wrapped, rentPayer = feePayer! } = accountsMade(read.instructions);
  expect(rentPayer === taker || rentPayer === feePayer, 'rent paid by another');
  const input = { mint: inputMint, ...placeOf(read, taker, inputMint, programs, wrapped), amount };
  const output = { mint: outputMint, ...placeOf(read, receiver, outputMint, programs, wrapped), least };
  const { place } = output;
  const create = place.kind === 'token' && made.has(place.account);
  expect(!create || rentPayer !== taker || asked.mayCreate, 'an account is made that was not quoted');
  const swap: Swap = {
    taker,
    receiver,
    feePayer: feePayer!,
    rentPayer,
    input,
    output: { ...output, create },
    trade: {
      instructions: [],
      extraSigners: read.signers.filter((each) => ![taker, feePayer, rentPayer].includes(each)),
      lookupTables: [],
    },
    programs,
  };
  const { fee, tip } = paymentsOf(read.instructions, swap, asked.tipLamports, wrapped?.newAccount);
  checkFee(read, budget, taker, maxFeeLamports, tip?.lamports);
  checkSwap(read, { ...swap, ...(fee && { fee }), ...(tip && { tip }) }, budget);
}

/** The token accounts that are made, with the temporary one of wrapped SOL, and who pays their rent. */
function accountsMade(instructions: readonly Instruction[]) {
  const made = new Set<Address>();
  const temporary = new Map<Address, SystemCreateAccountWithSeed>();
  let wrapped: SystemCreateAccountWithSeed | undefined;
  let rentPayer: Address | undefined;
  for (const instruction of instructions) {
    const associated = parseCreateAssociatedTokenIdempotent(instruction);
    const seeded = parseSystemCreateAccountWithSeed(instruction);
    const opened = parseInitializeAccount3(instruction);
    if (associated) made.add(associated.account);
    if (seeded) temporary.set(seeded.newAccount, seeded);
    if (opened?.mint === WRAPPED_SOL_MINT) wrapped ??= temporary.get(opened.account);
    rentPayer ??= associated?.payer ?? seeded?.payer;
  }
  return { made, wrapped, rentPayer };
}

function placeOf(
  read: ReadTransaction,
  owner: Address,
  mint: Address,
  { orderEngine }: Swap['programs'],
  wrapped: SystemCreateAccountWithSeed | undefined,
): { place: Place; tokenProgram: Address } {
  if (mint !== WRAPPED_SOL_MINT) {
    const { account, tokenProgram } = namedAccount(read, owner, mint);
    return { place: { kind: 'token', account }, tokenProgram };
  }
  const fills = read.instructions.some((each) => parseFill(each, orderEngine));
  if (fills && !wrapped) return { place: { kind: 'sol' }, tokenProgram: TOKEN_PROGRAM };
  expect(wrapped, 'SOL that is not wrapped for this swap');
  return { place: { kind: 'wrapped', account: wrapped.newAccount, seed: wrapped.seed }, tokenProgram: TOKEN_PROGRAM };
}

/**
 * The fee and the tip. Whom the fee is paid to, and how much it is, is no matter: it comes out of the amount that may
 * leave, or out of what is more than the least that must arrive.
 */
function paymentsOf(
  instructions: readonly Instruction[],
  { taker, feePayer, input, output, programs }: Swap,
  tipLamports: bigint,
  wrapped: Address | undefined,
): Pick<Swap, 'fee' | 'tip'> {
  let fee: Swap['fee'];
  let tip: Swap['tip'];
  for (const instruction of instructions) {
    const inRoute = programs.router ? parseRoute(instruction, programs.router) : undefined;
    if (inRoute?.fee) {
      const { account, bps, from } = inRoute.fee;
      fee ??= { account, bps, side: from === inRoute.source ? 'input' : 'output', amount: 0n };
    }
    const sol = parseSystemTransfer(instruction);
    if (sol && sol.to !== wrapped) {
      const isTip = tipLamports > 0n && sol.from === feePayer && sol.lamports <= tipLamports && !tip;
      if (isTip) tip = { account: sol.to, lamports: sol.lamports };
      else fee ??= { account: sol.to, bps: 0, side: 'input', amount: sol.lamports };
    }
    const tokens = parseTransferChecked(instruction);
    const own = [input.place, output.place].some(
      (place) => place.kind === 'token' && place.account === tokens?.destination,
    );
    if (tokens && !own && tokens.authority === taker)
      fee ??= { account: tokens.destination, bps: 0, side: 'input', amount: tokens.amount };
  }
  return { ...(fee && { fee }), ...(tip && { tip }) };
}
