import { createHmac } from 'node:crypto';
import { address } from '@slipway/wire';
import type { Clock } from '../../lib/clock.js';
import { callJson } from '../../lib/json-call.js';
import type { Refusal } from '../router.js';
import {
  addressOf,
  amountOf,
  type Fields,
  fieldsOf,
  instructionOf,
  listOf,
  Nonsense,
  numberOf,
  textOf,
} from './read.js';
import {
  isRefusal,
  type Price,
  type Question,
  type RoutingService,
  refusedStatus,
  type Trade,
  type TradeQuestion,
} from './service.js';

export interface OkxSettings {
  url: string;
  apiKey: string;
  secretKey: string;
  passphrase: string;
}

const NAME = 'OKX DEX Router';
/** OKX's router, and the one for its newer routes. */
export const OKX_PROGRAM = address('6m2CDdhRgxpH4WjvdzxAYbGxwdGUz5MziiL5jek2kBma');
const NEWER_PROGRAM = address('proVF4pMXVaYqmy4NjniPh4pqKNfMmsihgd4wdkCX3u');
const PATH = '/api/v6/dex/aggregator/';
const SOLANA = '501';
const TIMEOUT_MS = 5_000;
/** Bytes of an answer. */
const MOST = { quote: 64 << 10, 'swap-instruction': 256 << 10 };
/** Codes of the published table: no liquidity, or not for this amount, or not for this token. */
const NO_ROUTE: ReadonlySet<unknown> = new Set(['82000', '82102', '82103', '82104', '82112', '82116']);
const WRONG_KEYS = /^501(0[3-7]|1[1-3])$/;
const TOO_MANY = '50011';

/** OKX's DEX aggregator: `GET quote` and `GET swap-instruction`, signed with the key's secret. */
export function createOkx(settings: OkxSettings, clock: Clock): RoutingService {
  return {
    id: 'okx',
    name: NAME,
    programs: new Set([OKX_PROGRAM, NEWER_PROGRAM]),
    async price(question, signal) {
      const data = await call(settings, clock, { method: 'quote', query: pairOf(question) }, signal);
      return isRefusal(data) ? data : readPrice(data, question);
    },
    async trade(question, signal) {
      const { owner, receiver, slippageBps } = question;
      const query = {
        ...pairOf(question),
        userWalletAddress: owner,
        slippagePercent: `${slippageBps / 100}`,
        ...(receiver !== owner && { swapReceiverAddress: receiver }),
      };
      const data = await call(settings, clock, { method: 'swap-instruction', query }, signal);
      return isRefusal(data) ? data : readTrade(data, question);
    },
  };
}

async function call(
  { url, apiKey, secretKey, passphrase }: OkxSettings,
  clock: Clock,
  { method, query }: { method: keyof typeof MOST; query: Record<string, string> },
  signal: AbortSignal,
): Promise<unknown | Refusal> {
  const target = new URL(`${url}${PATH}${method}?${new URLSearchParams({ chainIndex: SOLANA, ...query })}`);
  const timestamp = new Date(clock.now()).toISOString();
  const signed = `${timestamp}GET${target.pathname}${target.search}`;
  const headers = {
    'OK-ACCESS-KEY': apiKey,
    'OK-ACCESS-PASSPHRASE': passphrase,
    'OK-ACCESS-TIMESTAMP': timestamp,
    'OK-ACCESS-SIGN': createHmac('sha256', secretKey).update(signed).digest('base64'),
  };
  const answer = await callJson(target, { headers, timeoutMs: TIMEOUT_MS, signal, most: MOST[method] });
  const refused = refusedStatus(NAME, answer.status);
  if (refused) return refused;
  const { code, data } = fieldsOf(answer.body, 'the answer');
  if (code === '0') return data;
  if (NO_ROUTE.has(code)) return { refused: 'no-route', reason: `${NAME} has no route (code ${code})` };
  if (typeof code === 'string' && WRONG_KEYS.test(code)) return refusedStatus(NAME, 401)!;
  if (code === TOO_MANY) return refusedStatus(NAME, 429)!;
  throw new Nonsense(`code ${textOf(code)}`);
}

function pairOf({ input, output, amount }: Question) {
  return { amount: `${amount}`, fromTokenAddress: input.mint, toTokenAddress: output.mint };
}

function readPrice(data: unknown, question: Question): Price {
  const route = fieldsOf(listOf(data, 'data')[0], 'data[0]');
  const labels = listOf(route.dexRouterList ?? [], 'dexRouterList').map((leg) => {
    const { dexProtocol } = fieldsOf(leg, 'dexRouterList');
    return textOf(fieldsOf(dexProtocol ?? {}, 'dexProtocol').dexName ?? NAME);
  });
  return { ...readRoute(route, question), labels };
}

function readTrade(answer: unknown, question: TradeQuestion): Trade {
  const data = fieldsOf(Array.isArray(answer) ? answer[0] : answer, 'data');
  const { outAmount } = readRoute(fieldsOf(data.routerResult, 'routerResult'), question);
  return {
    outAmount,
    // OKX's API has no field for it.
    least: (outAmount * BigInt(10_000 - question.slippageBps)) / 10_000n,
    instructions: listOf(data.instructionLists, 'instructionLists').map((each, i) =>
      instructionOf(each, `instructionLists[${i}]`),
    ),
    lookupTables: listOf(data.addressLookupTableAccount ?? [], 'addressLookupTableAccount').map((each) =>
      addressOf(each, 'addressLookupTableAccount'),
    ),
  };
}

/** What a route takes and gives; the same in both answers. */
function readRoute(route: Fields, { input, output, amount }: Question) {
  const mintOf = (side: string) => fieldsOf(route[side], side).tokenContractAddress;
  if (mintOf('fromToken') !== input.mint || mintOf('toToken') !== output.mint) {
    throw new Nonsense('another pair of mints');
  }
  if (amountOf(route.fromTokenAmount, 'fromTokenAmount') !== amount) {
    throw new Nonsense('another fromTokenAmount than was asked for');
  }
  return {
    outAmount: amountOf(route.toTokenAmount, 'toTokenAmount'),
    // In percent, negative if it costs.
    priceImpact: Math.abs(numberOf(route.priceImpactPercent, 'priceImpactPercent')) / 100,
  };
}
