import { randomBytes } from 'node:crypto';
import { type RouteFee, type RouteHop, routeInstruction } from '@slipway/programs';
import {
  type Address,
  createAddressWithSeed,
  type Instruction,
  rentExemptLamports,
  systemCreateAccountWithSeed,
  TOKEN_ACCOUNT_SPACE,
  tokenCloseAccount,
  tokenInitializeAccount3,
  tokenTransferChecked,
  tokenUnwrapLamports,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import type { QuoteRequest, SwapParties, Token } from '../router.js';
import { isLeft, type Outcome, type Part, type Plan } from './plan.js';

const WHOLE = 10_000;
/** Of a temporary account's seed, which has 12 characters. */
const SEED_BYTES = 9;
/** Offset of the amount in the data of a checked transfer. */
const TRANSFER_AMOUNT_AT = 1;

export interface BuildInput {
  plan: Plan;
  outcome: Outcome;
  request: Pick<QuoteRequest, 'input' | 'output' | 'amount' | 'fee'>;
  /** Both token accounts are given. */
  parties: SwapParties & { source: Address; destination: Address };
  /** Our router program; undefined if it is not deployed. */
  router: Address | undefined;
  /** Looks up an intermediate token by its mint. */
  tokenOf(mint: Address): Token;
}

interface Instructions {
  instructions: Instruction[];
  /** Lent by the rent payer while the transaction runs. */
  lentLamports: bigint;
}

/** Builds the instructions of a plan, with the amounts of the quoted outcome. Those of accounts in between are new each time. */
export function buildPlan(input: BuildInput): Instructions {
  return input.router === undefined ? buildPlain(input) : buildRoute(input, input.router);
}

// ---- over the router program ------------------------------------------------------------------------------------------

function buildRoute(input: BuildInput, router: Address): Instructions {
  const { plan, outcome, request, parties, tokenOf } = input;
  const { owner, source, destination, receiver, minOut } = parties;
  const between = plan.steps.slice(1).map((step) => tokenOf(step.input));
  // A fee on the output must be taken from an account of the owner, so the output passes through one.
  const isHandedOn = request.fee?.side === 'output' && receiver !== owner;
  const temporary = temporaryAccounts(input, isHandedOn ? [...between, request.output] : between);
  const places = [source, ...temporary.addresses, ...(isHandedOn ? [] : [destination])];

  // Intermediate accounts must end up empty; the source may keep what is not worth passing on. Only dust is given to a pool: what
  // another leaves where it ends may be nearly all by the time that the route runs, and nobody would ever have it.
  const isDust = outcome.trades.some(({ step, rest }) => step === 0 && rest > 0n);
  const isHandedOver = isDust || (parties.emptySource && !isLeft(outcome));
  const rests = [isHandedOver ? request.input : undefined, ...between];
  const hops = plan.steps.flatMap(({ parts }, i) =>
    parts.map((part, j) => {
      const rest = j === parts.length - 1 && part.state.leaves === 'dust' ? rests[i] : undefined;
      return routeHop(part, owner, [places[i]!, places[i + 1]!], rest);
    }),
  );
  if (isHandedOn) hops.push(handOn(request.output, owner, places.at(-1)!, destination));
  const fee = feeOf(input, request.fee?.side === 'input' ? source : places.at(-1)!);
  const parts = { taker: owner, source, destination, amountIn: request.amount, minOut, hops, ...(fee && { fee }) };
  return {
    instructions: [...temporary.open, routeInstruction(parts, router), ...temporary.close],
    lentLamports: temporary.lentLamports,
  };
}

function routeHop(part: Part, owner: Address, [from, to]: [Address, Address], rest: Token | undefined): RouteHop {
  const { venue } = part.pool;
  const accounts = { owner, source: from, destination: to, amountIn: 0n, minOut: 0n };
  const hop = {
    ...part.state.swap(part.from, accounts),
    amountOffset: venue.amountOffset,
    from,
    to,
    shareBps: part.bps,
  };
  if (!rest) return hop;
  const { mint, decimals, tokenProgram } = rest;
  return { ...hop, rest: { account: part.state.tokens[part.from].vault, mint, decimals, tokenProgram } };
}

function handOn({ mint, decimals, tokenProgram }: Token, owner: Address, from: Address, to: Address): RouteHop {
  const transfer = { source: from, mint, destination: to, authority: owner, amount: 0n, decimals, tokenProgram };
  return { ...tokenTransferChecked(transfer), amountOffset: TRANSFER_AMOUNT_AT, from, to, shareBps: WHOLE };
}

function feeOf({ request, parties }: BuildInput, from: Address): RouteFee | undefined {
  const { fee, input, output } = request;
  if (!fee) return undefined;
  const { mint, decimals, tokenProgram } = fee.side === 'input' ? input : output;
  return { bps: fee.bps, from, account: parties.feeAccount!, mint, decimals, tokenProgram };
}

// ---- accounts that exist only within the transaction --------------------------------------------------------------------

interface TemporaryAccounts {
  addresses: Address[];
  open: Instruction[];
  close: Instruction[];
  lentLamports: bigint;
}

/** Token accounts of the owner, at addresses that nobody knows before: who sends lamports to one has the swap fail that makes it. */
function temporaryAccounts(input: BuildInput, tokens: readonly Token[]): TemporaryAccounts {
  const { owner, rentPayer, leftTo = owner } = input.parties;
  const lamports = rentExemptLamports(TOKEN_ACCOUNT_SPACE);
  const made = tokens.map(({ mint, tokenProgram }) => {
    const seed = randomBytes(SEED_BYTES).toString('base64url');
    const account = createAddressWithSeed(owner, seed, tokenProgram);
    const parts = { payer: rentPayer, newAccount: account, lamports, space: TOKEN_ACCOUNT_SPACE };
    return {
      account,
      open: [
        systemCreateAccountWithSeed({ ...parts, owner: tokenProgram, base: owner, seed }),
        tokenInitializeAccount3({ account, mint, owner, tokenProgram }),
        // What is lent above the chain's rent is wrapped SOL of the owner's from here on.
        ...(mint === WRAPPED_SOL_MINT && rentPayer !== owner
          ? [tokenUnwrapLamports({ source: account, destination: rentPayer, authority: owner })]
          : []),
      ],
      close: [
        // Closing pays out all SOL that is in it. An account of any other token can only be closed when it is empty.
        ...(mint === WRAPPED_SOL_MINT && rentPayer !== leftTo && mayLeave(input.plan, mint)
          ? [tokenUnwrapLamports({ source: account, destination: leftTo, authority: owner })]
          : []),
        tokenCloseAccount({ account, destination: rentPayer, authority: owner, tokenProgram }),
      ],
    };
  });
  return {
    addresses: made.map(({ account }) => account),
    open: made.flatMap(({ open }) => open),
    close: made.flatMap(({ close }) => close),
    lentLamports: lamports * BigInt(made.length),
  };
}

/** Whether more than dust of a token may be left between two steps. */
function mayLeave({ steps }: Plan, mint: Address): boolean {
  return steps.some(({ input, parts }) => input === mint && parts.at(-1)!.state.leaves === 'part');
}

// ---- without it ---------------------------------------------------------------------------------------------------------

/**
 * A single step: each part is its venue's own instruction with its own minimum output; a fee on the input comes first.
 */
function buildPlain({ outcome, request, parties }: BuildInput): Instructions {
  const { owner, source, destination, minOut, feeAccount } = parties;
  const instructions: Instruction[] = [];
  if (request.fee && outcome.feeAmount > 0n) {
    const { mint, decimals, tokenProgram } = request.input;
    const transfer = { source, mint, destination: feeAccount!, authority: owner, decimals, tokenProgram };
    instructions.push(tokenTransferChecked({ ...transfer, amount: outcome.feeAmount }));
  }
  for (const { part, offered, received } of outcome.trades) {
    const least = ceilDiv(minOut * received, outcome.outAmount);
    const accounts = { owner, source, destination, amountIn: offered, minOut: least };
    instructions.push(part.state.swap(part.from, accounts));
  }
  return { instructions, lentLamports: 0n };
}

const ceilDiv = (a: bigint, b: bigint) => (a + b - 1n) / b;
