import { type Fill, fillInstruction } from '@slipway/programs';
import {
  type Address,
  associatedTokenAddress,
  associatedTokenRent,
  createAssociatedTokenIdempotent,
  type Instruction,
  systemTransfer,
  TOKEN_2022_PROGRAM,
  tokenCloseAccount,
  tokenSyncNative,
  tokenTransferChecked,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { type Chain, isMade, readMintExtensions } from '../../chain/index.js';
import type { Built, MakerQuote, Quote, QuoteRequest, Refusal, SwapParties, Token } from '../router.js';

interface FillTerms {
  request: QuoteRequest;
  quote: Pick<Quote, 'inAmount' | 'outAmount' | 'feeAmount'>;
  maker: MakerQuote;
  /** The maker's token accounts. */
  makerInput: Address;
  makerOutput: Address;
  orderEngine: Address;
}

/**
 * The maker's trade, and around it what the taker pays besides: the fee, and the output to another receiver. The maker
 * takes part only in the fill.
 */
export async function buildFill(terms: FillTerms, parties: SwapParties, chain: Pick<Chain, 'account'>) {
  const refusal = refuse(terms, parties);
  if (refusal) return refusal;
  const { request, quote, maker } = terms;
  const { owner, receiver, source, feeAccount } = parties;
  const feeOf = (side: 'input' | 'output') => (request.fee?.side === side ? quote.feeAmount : 0n);
  const [relay, isTaxed] = await Promise.all([relayTo(terms, parties, chain), mayKeepPart(request.output, chain)]);
  if (isTaxed) {
    const reason = `of ${request.output.mint}, transfers may keep a part: less than the market maker's offer would arrive`;
    return { refused: 'unsupported-token', reason } satisfies Refusal;
  }
  const own = receiver === owner ? parties.destination : relay.account;
  const fill: Fill = {
    taker: owner,
    maker: maker.address,
    ...(source && { takerInputAccount: source }),
    makerInputAccount: terms.makerInput,
    ...(own && { takerOutputAccount: own }),
    makerOutputAccount: terms.makerOutput,
    inputMint: request.input.mint,
    inputTokenProgram: request.input.tokenProgram,
    outputMint: request.output.mint,
    outputTokenProgram: request.output.tokenProgram,
    inputAmount: quote.inAmount - feeOf('input'),
    outputAmount: quote.outAmount + feeOf('output'),
    expireAt: BigInt(maker.expireAt),
  };
  const built: Built = {
    instructions: [
      ...pay(owner, source, request.input, feeAccount, feeOf('input')),
      ...relay.before,
      fillInstruction(fill, terms.orderEngine),
      ...pay(owner, own, request.output, feeAccount, feeOf('output')),
      ...relay.after,
    ],
    extraSigners: [maker.address],
    feePayer: maker.address,
    lookupTables: [],
    lentLamports: relay.lentLamports,
  };
  return built;
}

function refuse({ request, quote, maker }: FillTerms, parties: SwapParties): Refusal | undefined {
  const no = (reason: string): Refusal => ({ refused: 'unsupported-request', reason });
  if (request.mode !== 'exact-in') return no('an exact-out quote only sizes the input');
  if (request.owner !== parties.owner) return no('the market maker has quoted for another taker');
  const signers = [parties.owner, maker.address];
  if (signers.some((signer) => parties.absentSigners.has(signer))) return no('the taker and the maker must sign');
  if (parties.receiver === maker.address) return no('the market maker cannot be the receiver');
  if (parties.rentPayer === maker.address) return no('the market maker pays no rent');
  if (quote.outAmount < parties.minOut) return no('less than the least output');
  if (quote.feeAmount > 0n && !parties.feeAccount) return no('there is no account for the fee');
  if (!parties.source && request.input.mint !== WRAPPED_SOL_MINT) return no('there is no account for the input');
  if (!parties.destination && request.output.mint !== WRAPPED_SOL_MINT) return no('there is no account for the output');
  return undefined;
}

/** A fee that is to come into force tells so days before. An order engine of others need not look at what arrives. */
async function mayKeepPart({ mint, tokenProgram }: Token, chain: Pick<Chain, 'account'>): Promise<boolean> {
  if (tokenProgram !== TOKEN_2022_PROGRAM) return false;
  const account = await chain.account(mint);
  const extensions = account && readMintExtensions(account.data);
  if (!extensions) return true;
  const { transferFee } = extensions;
  return transferFee !== undefined && (transferFee.olderBps > 0 || transferFee.newer.bps > 0);
}

interface Relay {
  /** The owner's account that the output passes through; undefined: its wallet. */
  account?: Address;
  before: Instruction[];
  after: Instruction[];
  lentLamports: bigint;
}

/** A fill pays only the taker; another receiver gets the output from there. */
async function relayTo(
  { request: { output }, quote }: FillTerms,
  { owner, receiver, destination, rentPayer }: SwapParties,
  chain: Pick<Chain, 'account'>,
): Promise<Relay> {
  if (receiver === owner) return { before: [], after: [], lentLamports: 0n };
  if (output.mint === WRAPPED_SOL_MINT) {
    const after = destination
      ? pay(owner, undefined, output, destination, quote.outAmount)
      : [systemTransfer({ from: owner, to: receiver, lamports: quote.outAmount })];
    return { before: [], after, lentLamports: 0n };
  }
  const { mint, tokenProgram } = output;
  const account = associatedTokenAddress(owner, mint, tokenProgram);
  const passOn = pay(owner, account, output, destination, quote.outAmount);
  if (isMade(await chain.account(account))) return { account, before: [], after: passOn, lentLamports: 0n };
  return {
    account,
    before: [createAssociatedTokenIdempotent({ payer: rentPayer, owner, mint, tokenProgram })],
    after: [...passOn, tokenCloseAccount({ account, destination: rentPayer, authority: owner, tokenProgram })],
    lentLamports: associatedTokenRent(tokenProgram),
  };
}

/** Pays from the owner's token account, or from its SOL if there is none, to a token account. */
function pay(
  owner: Address,
  source: Address | undefined,
  { mint, tokenProgram, decimals }: Token,
  to: Address | undefined,
  amount: bigint,
): Instruction[] {
  if (amount === 0n || !to) return [];
  if (!source) return [systemTransfer({ from: owner, to, lamports: amount }), tokenSyncNative({ account: to })];
  return [tokenTransferChecked({ source, mint, destination: to, authority: owner, amount, decimals, tokenProgram })];
}
