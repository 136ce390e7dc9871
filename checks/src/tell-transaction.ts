import {
  INVITE_PROGRAM,
  LIMIT_ORDER_PROGRAM,
  ORDER_ENGINE_PROGRAM,
  parseCancelOrder,
  parseCreateCurveConfig,
  parseFill,
  parseInitializeCurvePool,
  parseInitializeOrder,
  parseInviteInstruction,
  parsePoolSwap,
  parseRoute,
  TOKEN_SWAP_PROGRAM,
} from '@slipway/programs/formats';
import {
  type Address,
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  type Instruction,
  MEMO_PROGRAM,
  MEMO_V1_PROGRAM,
  networkFee,
  parseCloseAccount,
  parseCreateAssociatedTokenIdempotent,
  parseInitializeAccount3,
  parseMemo,
  parseRevoke,
  parseSetCloseAuthority,
  parseSyncNative,
  parseSystemCreateAccountWithSeed,
  parseSystemTransfer,
  parseTransferChecked,
  parseUnwrapLamports,
  SYSTEM_PROGRAM,
  setsFee,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from '@slipway/wire/formats';
import { isKnownHop } from './route-check.js';
import type { ReadTransaction } from './transaction.js';
import {
  DAMM_V2_PROGRAM,
  DBC_PROGRAM,
  DLMM_PROGRAM,
  IMMUTABLE_WHIRLPOOL_PROGRAM,
  parseVenueSwap,
  RAYDIUM_CPMM_PROGRAM,
  WHIRLPOOL_PROGRAM,
} from './venue-swaps.js';

/** How addresses and amounts are written for a reader. */
export interface Wording {
  name(address: Address): string;
  /** An amount of a mint's smallest unit; of SOL the mint is that of wrapped SOL. Undefined: of a mint unknown here. */
  amount(amount: bigint, mint: Address | undefined): string;
  /** The mint of a token account, where it is known. */
  mintOf(account: Address): Address | undefined;
  /** The router as whoever asks knows it. A call of any other program is not understood, however much it looks like a route. */
  router: Address | undefined;
}

/** What one instruction does. */
export interface ToldInstruction {
  program: Address;
  /** Undefined for one that is not understood: it may do anything that its program and the signatures allow. */
  does: string | undefined;
}

/** A transaction for a reader who is asked to sign it. */
export interface ToldTransaction {
  feePayer: Address;
  /** Signature and priority fees, in lamports. */
  feeLamports: bigint;
  /** Without those that the fee holds. */
  instructions: ToldInstruction[];
}

/** The names of the programs that are understood, but for the router, which is where its operator has put it. */
export const PROGRAM_NAMES: Readonly<Record<Address, string>> = {
  [SYSTEM_PROGRAM]: 'System',
  [TOKEN_PROGRAM]: 'Token',
  [TOKEN_2022_PROGRAM]: 'Token-2022',
  [ASSOCIATED_TOKEN_PROGRAM]: 'Associated Token Account',
  [COMPUTE_BUDGET_PROGRAM]: 'Compute Budget',
  [MEMO_PROGRAM]: 'Memo',
  [MEMO_V1_PROGRAM]: 'Memo v1',
  [ORDER_ENGINE_PROGRAM]: 'Order Engine',
  [TOKEN_SWAP_PROGRAM]: 'Token Swap',
  [LIMIT_ORDER_PROGRAM]: 'Limit Order',
  [INVITE_PROGRAM]: 'Invite Escrow',
  [RAYDIUM_CPMM_PROGRAM]: 'Raydium CPMM',
  [DAMM_V2_PROGRAM]: 'Meteora DAMM v2',
  [DLMM_PROGRAM]: 'Meteora DLMM',
  [WHIRLPOOL_PROGRAM]: 'Orca Whirlpool',
  [IMMUTABLE_WHIRLPOOL_PROGRAM]: 'Orca Whirlpool',
  [DBC_PROGRAM]: 'Bonding Curve',
};

/** Says what a transaction's bytes do. It compares them with nothing: whoever knows what was asked uses the checks. */
export function tellTransaction({ signers, instructions }: ReadTransaction, wording: Wording): ToldTransaction {
  const made = new Map<Address, Address>();
  for (const instruction of instructions) {
    const opened = parseInitializeAccount3(instruction) ?? parseCreateAssociatedTokenIdempotent(instruction);
    if (opened) made.set(opened.account, opened.mint);
  }
  const known: Wording = { ...wording, mintOf: (account) => made.get(account) ?? wording.mintOf(account) };
  return {
    feePayer: signers[0]!,
    feeLamports: networkFee(signers.length, instructions),
    instructions: instructions
      .filter((each) => !setsFee(each))
      .map((instruction) => ({
        program: instruction.program,
        does: firstOf(instruction, known),
      })),
  };
}

function firstOf(instruction: Instruction, wording: Wording): string | undefined {
  for (const tell of tellers) {
    const told = tell(instruction, wording);
    if (told !== undefined) return told;
  }
  return undefined;
}

type Teller = (instruction: Instruction, wording: Wording) => string | undefined;

function teller<T>(
  parse: (instruction: Instruction) => T | undefined,
  tell: (read: T, wording: Wording) => string,
): Teller {
  return (instruction, wording) => {
    const read = parse(instruction);
    return read === undefined ? undefined : tell(read, wording);
  };
}

/** What somebody has written into the transaction: a line of his own could pass for one of ours. */
const onOneLine = (text: string): string => text.replace(/[\n\v\f\r\u0085\u2028\u2029]+/g, ' ');

const sol = (lamports: bigint, { amount }: Wording) => amount(lamports, WRAPPED_SOL_MINT);

const tellers: readonly Teller[] = [
  teller(parseSystemTransfer, ({ from, to, lamports }, wording) =>
    from === to
      ? `${wording.name(from)} still has ${sol(lamports, wording)} at the end, or nothing happens`
      : `${wording.name(from)} pays ${sol(lamports, wording)} to ${wording.name(to)}`,
  ),
  teller(
    parseSystemCreateAccountWithSeed,
    ({ payer, newAccount, lamports, owner }, wording) =>
      `${wording.name(payer)} pays ${sol(lamports, wording)} into the new account ${wording.name(newAccount)} of ${wording.name(owner)}`,
  ),
  teller(
    parseTransferChecked,
    ({ source, destination, authority, amount, mint }, wording) =>
      `${wording.name(authority)} pays ${wording.amount(amount, mint)} from ${wording.name(source)} to ${wording.name(destination)}`,
  ),
  teller(
    parseCreateAssociatedTokenIdempotent,
    ({ payer, owner, mint }, { name }) =>
      `${name(payer)} pays the rent of the token account of ${name(owner)} for ${name(mint)}`,
  ),
  teller(
    parseInitializeAccount3,
    ({ account, owner, mint }, { name }) =>
      `${name(account)} becomes a token account of ${name(owner)} for ${name(mint)}`,
  ),
  teller(
    parseCloseAccount,
    ({ account, destination }, { name }) => `${name(account)} is closed; its SOL goes to ${name(destination)}`,
  ),
  teller(
    parseUnwrapLamports,
    ({ source, destination }, { name }) => `The SOL in ${name(source)} is unwrapped and goes to ${name(destination)}`,
  ),
  teller(
    parseSetCloseAuthority,
    ({ account, closeAuthority }, { name }) => `${name(closeAuthority)} may close ${name(account)} from now on`,
  ),
  teller(parseRevoke, ({ account }, { name }) => `Nobody else may take from ${name(account)} any more`),
  teller(parseSyncNative, () => 'The amount of wrapped SOL is brought up to date'),
  teller(parseMemo, (text) => `Notes: ${onOneLine(text)}`),
  tellRoute,
  teller(parseFill, (fill, { name, amount }) => {
    const gives = `${amount(fill.inputAmount, fill.inputMint)} to ${name(fill.maker)}`;
    return `${name(fill.taker)} gives ${gives}, and gets ${amount(fill.outputAmount, fill.outputMint)}`;
  }),
  teller(
    (each) => parsePoolSwap(each) ?? parseVenueSwap(each),
    ({ authority, source, destination, amountIn, minimumAmountOut }, wording) =>
      `${wording.name(authority)} ${swapped(wording, source, amountIn, destination, minimumAmountOut)}`,
  ),
  teller(parseInitializeOrder, (order, { name, amount }) => {
    const terms = `${amount(order.makingAmount, order.inputMint)} for ${amount(order.takingAmount, order.outputMint)}`;
    const slippage = order.slippageBps === undefined ? '' : `, or ${order.slippageBps / 100} % less`;
    const fee = order.feeBps === undefined ? "the program's fee" : `${order.feeBps / 100} %`;
    const receiver = order.referral === undefined ? '' : ` to ${name(order.referral)}`;
    return `${name(order.maker)} offers ${terms}${slippage}, and locks it until it is filled or cancelled; whoever fills it pays ${fee}${receiver} on top`;
  }),
  teller(
    parseCancelOrder,
    ({ maker, order, inputMint }, { name }) =>
      `The order ${name(order)} is cancelled; its ${name(inputMint)} goes back to ${name(maker)}`,
  ),
  teller((each) => parseInviteInstruction(each), tellInvite),
  teller(parseCreateCurveConfig, () => 'The terms of a bonding curve are written down'),
  teller(
    parseInitializeCurvePool,
    ({ creator, name: title, symbol, pool }, { name }) =>
      `${name(creator)} launches ${name(pool.baseMint)}, which calls itself ${onOneLine(`${title} (${symbol})`)}`,
  ),
];

function tellRoute(instruction: Instruction, wording: Wording): string | undefined {
  const route = wording.router && parseRoute(instruction, wording.router);
  if (!route) return undefined;
  const { taker, source, destination, amountIn, minOut, hops } = route;
  // A hop that is no swap of a known venue could use the taker's signature for anything.
  if (!hops.every((hop) => isKnownHop(hop, taker, TOKEN_SWAP_PROGRAM))) return undefined;
  const venues = [...new Set(hops.map(({ program }) => wording.name(program)))].join(', ');
  return `${wording.name(taker)} ${swapped(wording, source, amountIn, destination, minOut)}; by ${venues}`;
}

function swapped(wording: Wording, source: Address, amountIn: bigint, destination: Address, least: bigint): string {
  const { mintOf, name, amount } = wording;
  const gives = `${amount(amountIn, mintOf(source))} at most`;
  return `gives ${gives}, and ${name(destination)} gets ${amount(least, mintOf(destination))} at least`;
}

function tellInvite(invite: NonNullable<ReturnType<typeof parseInviteInstruction>>, { name, amount }: Wording): string {
  switch (invite.name) {
    case 'initialize':
      return `${name(invite.sender)} locks ${amount(invite.amount, WRAPPED_SOL_MINT)} for whoever has the code`;
    case 'initializeToken':
      return `${name(invite.sender)} locks ${amount(invite.amount, invite.mint)} for whoever has the code`;
    case 'claim':
      return `${name(invite.claimer)} gets the SOL of the invite ${name(invite.inviteInfo)}`;
    case 'claimToken':
      return `${name(invite.claimerTokenAccount)} gets the ${name(invite.mint)} of the invite ${name(invite.inviteInfo)}`;
    case 'clawback':
    case 'expire':
      return `The SOL of the invite ${name(invite.inviteInfo)} goes back to ${name(invite.sender)}`;
    case 'clawbackToken':
    case 'expireToken':
      return `The ${name(invite.mint)} of the invite ${name(invite.inviteInfo)} goes to ${name(invite.senderTokenAccount)}`;
  }
}
