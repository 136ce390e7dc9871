import { type Address, isAddress } from '@slipway/wire';
import type { Clock } from '../../lib/clock.js';
import { callWebhook, type MakerEndpoint, WebhookFailure } from './webhook.js';

/** What the makers are asked. Amounts are in the smallest unit. */
export interface RfqQuestion {
  requestId: string;
  quoteType: 'exactIn' | 'exactOut';
  inputMint: Address;
  outputMint: Address;
  amount: bigint;
  taker?: Address;
  receiver?: Address;
  /** Micro-lamports per compute unit, as a suggestion. */
  computeUnitPrice?: bigint;
}

export interface Offer {
  endpoint: MakerEndpoint;
  quoteId: string;
  /** The maker's wallet. */
  maker: Address;
  inAmount: bigint;
  outAmount: bigint;
}

const U64 = /^[1-9][0-9]{0,19}$/;
const U64_MAX = 2n ** 64n - 1n;

/**
 * Asks one maker for a quote and checks that the answer matches the request.
 * @throws WebhookFailure with the reason to leave the maker out.
 */
export async function askForOffer(
  endpoint: MakerEndpoint,
  question: RfqQuestion & { quoteId: string },
  options: { timeoutMs: number; signal: AbortSignal; clock: Clock },
): Promise<Offer> {
  const { requestId, quoteId, quoteType, inputMint, outputMint, amount, taker, receiver } = question;
  const { clock, ...limits } = options;
  const body = {
    requestId,
    quoteId,
    quoteType,
    protocol: 'v1',
    tokenIn: inputMint,
    tokenOut: outputMint,
    amount: amount.toString(),
    // The fee of the request is taken by separate transfers.
    feeBps: 0,
    ...(taker && { taker }),
    ...(receiver && { receiver }),
    ...(question.computeUnitPrice !== undefined && {
      suggestedPrioritizationFees: Number(question.computeUnitPrice),
    }),
  };
  const answer = await callWebhook(endpoint, { path: '/quote', body, ...limits }, clock);
  if (answer.status === 404) throw new WebhookFailure('nonsense', 'does not quote this');
  if (answer.status !== 200) throw new WebhookFailure('nonsense', `answered ${answer.status}`);
  return readOffer(endpoint, question, answer.body);
}

function readOffer(endpoint: MakerEndpoint, question: RfqQuestion & { quoteId: string }, body: unknown): Offer {
  const said = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const expect = (field: string, value: string) => {
    if (said[field] !== value) throw new WebhookFailure('nonsense', `another ${field} than was asked for`);
  };
  expect('requestId', question.requestId);
  expect('quoteId', question.quoteId);
  expect('tokenIn', question.inputMint);
  expect('tokenOut', question.outputMint);
  expect('protocol', 'v1');
  expect(question.quoteType === 'exactIn' ? 'amountIn' : 'amountOut', question.amount.toString());
  if (question.taker && said.taker !== undefined) expect('taker', question.taker);
  const maker = said.maker;
  if (typeof maker !== 'string' || !isAddress(maker)) throw new WebhookFailure('nonsense', 'maker is no address');
  if (maker === question.taker || maker === question.receiver) {
    throw new WebhookFailure('nonsense', 'the maker would trade with itself');
  }
  const inAmount = readAmount('amountIn', said.amountIn);
  const outAmount = readAmount('amountOut', said.amountOut);
  return { endpoint, quoteId: question.quoteId, maker, inAmount, outAmount };
}

function readAmount(field: string, value: unknown): bigint {
  const amount = typeof value === 'string' && U64.test(value) ? BigInt(value) : 0n;
  if (amount === 0n || amount > U64_MAX) throw new WebhookFailure('nonsense', `${field} is no amount`);
  return amount;
}

/** The mints that a maker trades. @throws WebhookFailure */
export async function readTokens(endpoint: MakerEndpoint, clock: Clock): Promise<ReadonlySet<string>> {
  const { status, body } = await callWebhook(endpoint, { path: '/tokens', timeoutMs: 2_000 }, clock);
  if (status !== 200 || !Array.isArray(body)) throw new WebhookFailure('nonsense', 'gives no list of its tokens');
  return new Set(body.filter((mint) => typeof mint === 'string' && isAddress(mint)));
}
