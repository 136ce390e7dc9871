import {
  type Address,
  ASSOCIATED_TOKEN_PROGRAM,
  associatedTokenAddress,
  COMPUTE_BUDGET_PROGRAM,
  type Instruction,
  type LookupTable,
  parseCreateAssociatedTokenIdempotent,
  tokenTransferChecked,
  WRAPPED_SOL_2022_MINT,
} from '@slipway/wire';
import type { Chain } from '../../chain/index.js';
import type { Clock } from '../../lib/clock.js';
import { CallFailure } from '../../lib/json-call.js';
import { absurdity, type UsdOf } from '../absurdity.js';
import { feeFrom } from '../fee.js';
import type { Built, Quote, QuoteRequest, Refusal, Router, SwapParties, Token } from '../router.js';
import { settledTable } from '../settled-table.js';
import { createDflow, type DflowSettings } from './dflow.js';
import { guardsOf } from './guards.js';
import { createOkx, type OkxSettings } from './okx.js';
import { Nonsense } from './read.js';
import { nonsense, type Price, type RoutingService, refusedCall, type Trade, type TradeQuestion } from './service.js';

export { createDflow, DFLOW_PROGRAM } from './dflow.js';
export { createOkx, OKX_PROGRAM } from './okx.js';
export type { RoutingService } from './service.js';

/** The services for which there are credentials. */
export function routingServices(
  { dflow, okx }: { dflow?: DflowSettings; okx?: OkxSettings },
  clock: Clock,
): RoutingService[] {
  return [...(dflow ? [createDflow(dflow)] : []), ...(okx ? [createOkx(okx, clock)] : [])];
}

/** Milliseconds that building a quote's instructions may take. */
const BUILD_MS = 5_000;
/** After so many trades in a row that did not come in time, a service is asked for no price for a while: each order waits for them. */
const MOST_SILENCES = 3;
const LEFT_ALONE_MS = 60_000;
const BPS = 10_000n;

type Chained = Pick<Chain, 'account' | 'latestBlockhash'>;

interface ServiceRouterDeps {
  chain: Chained;
  usd: UsdOf;
  steadyNow: () => number;
}

/**
 * Another company's routing service as a router. Its instructions are taken apart, and only the trade itself is kept:
 * the transaction around it is ours, with our accounts in place of the wallet's own.
 */
export function createServiceRouter(service: RoutingService, { chain, usd, steadyNow }: ServiceRouterDeps): Router {
  const { id, name } = service;
  let silences = 0;
  let aloneUntil = Number.NEGATIVE_INFINITY;

  /** Only silence counts: whether a trade is refused depends on what it is asked for, which strangers choose. */
  function heard(built: Built | Refusal): Built | Refusal {
    const refused = 'refused' in built ? built.refused : undefined;
    // Nobody was asked.
    if (refused === 'unsupported-request') return built;
    silences = refused === 'timeout' ? silences + 1 : 0;
    if (silences >= MOST_SILENCES) aloneUntil = steadyNow() + LEFT_ALONE_MS;
    return built;
  }

  async function quote(request: QuoteRequest, signal: AbortSignal): Promise<Quote | Refusal> {
    const { mode, input, output, amount, fee } = request;
    if (mode !== 'exact-in') return { refused: 'unsupported-request', reason: `${name} is asked exact-in only` };
    // Its program could make itself the one who closes the account, with all that is in it.
    if ([input, output].some(({ mint }) => mint === WRAPPED_SOL_2022_MINT))
      return { refused: 'unsupported-request', reason: `${name} is not asked for SOL of Token-2022` };
    if (steadyNow() < aloneUntil) {
      return {
        refused: 'unavailable',
        reason: `${name} has given no trade in time, and is asked again within a minute`,
      };
    }
    const onInput = fee?.side === 'input' ? feeFrom(amount, fee.bps) : 0n;
    const traded = amount - onInput;
    if (traded <= 0n) return { refused: 'no-route', reason: 'nothing is left after the fee' };
    const price = await askService(name, () => service.price({ input, output, amount: traded }, signal));
    if ('refused' in price) return price;
    const absurd = absurdity(request, { inAmount: traded, outAmount: price.outAmount }, usd);
    if (absurd) return nonsense(name, absurd);
    const onOutput = fee?.side === 'output' ? feeFrom(price.outAmount, fee.bps) : 0n;
    const outAmount = price.outAmount - onOutput;
    if (outAmount <= 0n) return { refused: 'no-route', reason: 'nothing is left after the fee' };
    const terms: Terms = { request, traded, onInput, onOutput };
    return {
      router: id,
      inAmount: amount,
      outAmount,
      feeAmount: onInput + onOutput,
      hops: [hopOf(service, price, terms)],
      priceImpact: price.priceImpact,
      isImpactClaimed: true,
      guaranteed: false,
      build: async (parties) => heard(await build(service, chain, terms, price, parties)),
    };
  }

  return {
    id,
    name,
    nativeSol: false,
    exactOut: false,
    thirdPartyPayer: false,
    paysNetworkFee: false,
    sponsorable: 'nothing',
    sendsByItself: false,
    quote,
  };
}

interface Terms {
  request: QuoteRequest;
  /** What the service's trade takes: the input without a fee on it. */
  traded: bigint;
  onInput: bigint;
  onOutput: bigint;
}

function hopOf({ name, programs }: RoutingService, { labels, outAmount }: Price, { request, traded }: Terms) {
  const [venue] = programs;
  return {
    venue: venue!,
    label: labels.length > 0 ? `${name}: ${[...new Set(labels)].join(', ')}` : name,
    inputMint: request.input.mint,
    outputMint: request.output.mint,
    inAmount: traded,
    outAmount,
    fee: 0n,
    bps: Number(BPS),
  };
}

async function build(
  service: RoutingService,
  chain: Chained,
  terms: Terms,
  price: Price,
  parties: SwapParties,
): Promise<Built | Refusal> {
  const refusal = refuse(service, terms, parties);
  if (refusal) return refusal;
  const { request, traded, onInput, onOutput } = terms;
  const { input, output } = request;
  const { owner, receiver, feeAccount, minOut } = parties;
  const [source, destination] = [parties.source!, parties.destination!];
  const least = minOut + onOutput;
  const question = { input, output, amount: traded, owner, receiver };
  const trade = await tradeOf(service, question, least, price.outAmount);
  if ('refused' in trade) return trade;
  const instruction = takeTrade(service, trade, question, { source, destination });
  if ('refused' in instruction) return instruction;
  const lookupTables = await readTables(chain, trade.lookupTables);
  if (!lookupTables) return nonsense(service.name, 'a lookup table that is not on the chain, or is not used any more');
  const pay = (token: Token, from: Address, amount: bigint): Instruction[] =>
    amount > 0n
      ? [tokenTransferChecked({ ...token, source: from, destination: feeAccount!, authority: owner, amount })]
      : [];
  const [kept, got, wallet] = await Promise.all([
    guardsOf(chain, { token: input, account: source, owner, change: -(traded + onInput) }),
    receiver === owner ? guardsOf(chain, { token: output, account: destination, owner, change: least }) : [],
    chain.account(owner),
  ]);
  if (!kept || !got) return { refused: 'unsupported-request', reason: 'somebody else may move tokens of an account' };
  const guarded = [...pay(input, source, onInput), instruction, ...kept, ...got];
  return {
    instructions: [...guarded, ...pay(output, destination, onOutput)],
    extraSigners: [],
    lookupTables,
    lentLamports: 0n,
    foreign: { instruction, source, destination, amountIn: traded, least, takerLamports: wallet?.lamports ?? 0n },
  };
}

/** Gets the service's trade, and once more if the price has moved since the slippage was calculated. */
async function tradeOf(
  { name, trade }: RoutingService,
  question: Omit<TradeQuestion, 'slippageBps'>,
  least: bigint,
  expected: bigint,
): Promise<Trade | Refusal> {
  const signal = AbortSignal.timeout(BUILD_MS);
  let outAmount = expected;
  for (let tries = 0; tries < 2; tries++) {
    const slippageBps = outAmount > least ? Number(((outAmount - least) * BPS) / outAmount) : 0;
    const made = await askService(name, () => trade({ ...question, slippageBps }, signal));
    if ('refused' in made || made.least >= least) return made;
    outAmount = made.outAmount;
  }
  return { refused: 'unavailable', reason: `${name} promises less than the least output: its price has moved` };
}

function refuse({ name }: RoutingService, terms: Terms, parties: SwapParties): Refusal | undefined {
  const no = (reason: string): Refusal => ({ refused: 'unsupported-request', reason });
  const { owner, receiver, source, destination, feePayer, rentPayer, absentSigners, feeAccount } = parties;
  if (terms.request.owner !== owner) return no('the quote was for another taker');
  if (feePayer !== owner || rentPayer !== owner) return no(`who trades through ${name} pays the network fee himself`);
  if (absentSigners.has(owner)) return no('the taker must sign');
  if (!source || !destination) return no('there is no account for the input or for the output');
  if (terms.onInput + terms.onOutput > 0n && !feeAccount) return no('there is no account for the fee');
  if (terms.onOutput > 0n && receiver !== owner) return no('a fee on the output of another receiver');
  return undefined;
}

/**
 * Picks the one instruction of the service's own program, over the accounts that this transaction uses. The compute
 * budget and the accounts of the two mints are ours to create; we know no reason for anything else.
 */
function takeTrade(
  { name, programs }: RoutingService,
  { instructions }: Trade,
  { input, output, owner, receiver }: { input: Token; output: Token; owner: Address; receiver: Address },
  { source, destination }: { source: Address; destination: Address },
): Instruction | Refusal {
  const ours = (instruction: Instruction) => {
    if (instruction.program === COMPUTE_BUDGET_PROGRAM) return true;
    if (instruction.program !== ASSOCIATED_TOKEN_PROGRAM) return false;
    const mint = parseCreateAssociatedTokenIdempotent(instruction)?.mint;
    return mint === input.mint || mint === output.mint;
  };
  const rest = instructions.filter((instruction) => !ours(instruction));
  const other = rest.find(({ program }) => !programs.has(program));
  if (other) return nonsense(name, `an instruction of ${other.program}, which nobody asked for`);
  const [trade, second] = rest;
  if (!trade || second) return nonsense(name, `${rest.length} instructions of its program instead of one`);
  const signer = trade.accounts.find((each) => each.signer && each.address !== owner);
  if (signer) return nonsense(name, `${signer.address} would have to sign`);
  const places = new Map([
    [associatedTokenAddress(owner, input.mint, input.tokenProgram), source],
    [associatedTokenAddress(receiver, output.mint, output.tokenProgram), destination],
  ]);
  const accounts = trade.accounts.map((each) => ({ ...each, address: places.get(each.address) ?? each.address }));
  const lacks = [source, destination].find((account) => !accounts.some(({ address }) => address === account));
  if (lacks) return nonsense(name, `a trade without the account ${lacks}`);
  return { ...trade, accounts };
}

/** Undefined if one of them cannot be used, for which a node refuses even to simulate. */
async function readTables(chain: Chained, addresses: Address[]): Promise<LookupTable[] | undefined> {
  if (addresses.length === 0) return [];
  const [{ slot }, ...found] = await Promise.all([
    chain.latestBlockhash(),
    ...addresses.map((each) => chain.account(each)),
  ]);
  const tables: LookupTable[] = [];
  for (const [i, address] of addresses.entries()) {
    const table = settledTable(found[i], slot);
    if (!table) return undefined;
    tables.push({ address, addresses: table.addresses });
  }
  return tables;
}

/** The service's answer, or why there is none; a failed call is never reported as "no route". */
export async function askService<T extends object>(
  name: string,
  ask: () => Promise<T | Refusal>,
): Promise<T | Refusal> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof CallFailure) return refusedCall(name, error);
    if (error instanceof Nonsense) return nonsense(name, error.message);
    throw error;
  }
}
