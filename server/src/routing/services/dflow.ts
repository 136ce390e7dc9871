import { address } from '@slipway/wire';
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
import { isRefusal, type Question, type RoutingService, refusedStatus, type Trade } from './service.js';

export interface DflowSettings {
  url: string;
  apiKey: string;
}

const NAME = 'DFlow';
/** DFlow's aggregator, version 4. */
export const DFLOW_PROGRAM = address('DF1ow4tspfHX9JwWJsAb9epbkA8hmpSEAtxXy1V27QBH');
const NO_ROUTE: ReadonlySet<unknown> = new Set(['route_not_found', 'no_route_found']);
const TIMEOUT_MS = 5_000;
/** Bytes of an answer. */
const MOST = { price: 64 << 10, trade: 256 << 10 };

/** DFlow's swap API: `GET /quote`, then `POST /swap-instructions` with that quote. */
export function createDflow(settings: DflowSettings): RoutingService {
  return {
    id: 'dflow',
    name: NAME,
    programs: new Set([DFLOW_PROGRAM]),
    async price(question, signal) {
      const quoted = await quote(settings, question, 0, signal);
      if (isRefusal(quoted)) return quoted;
      const { fields, outAmount } = quoted;
      const labels = listOf(fields.routePlan, 'routePlan').map((leg) => textOf(fieldsOf(leg, 'routePlan').venue));
      return { outAmount, labels, priceImpact: numberOf(fields.priceImpactPct, 'priceImpactPct') };
    },
    async trade(question, signal) {
      const quoted = await quote(settings, question, question.slippageBps, signal);
      if (isRefusal(quoted)) return quoted;
      const fields = await call(settings, '/swap-instructions', signal, {
        quoteResponse: quoted.fields,
        userPublicKey: question.owner,
        wrapAndUnwrapSol: false,
        destinationTokenAccount: { associatedTokenAccount: { owner: question.receiver } },
      });
      if (isRefusal(fields)) return fields;
      const { outAmount } = quoted;
      const least = amountOf(quoted.fields.otherAmountThreshold, 'otherAmountThreshold');
      return { outAmount, least, ...readInstructions(fields) };
    },
  };
}

async function call(
  { url, apiKey }: DflowSettings,
  path: string,
  signal: AbortSignal,
  body?: object,
): Promise<Fields | Refusal> {
  const most = body ? MOST.trade : MOST.price;
  const options = { headers: { 'x-api-key': apiKey }, timeoutMs: TIMEOUT_MS, signal, most, ...(body && { body }) };
  const answer = await callJson(new URL(`${url}${path}`), options);
  const refused = refusedStatus(NAME, answer.status);
  if (refused) return refused;
  const fields = fieldsOf(answer.body, 'the answer');
  if (NO_ROUTE.has(fields.code)) return { refused: 'no-route', reason: `${NAME} has no route` };
  if (answer.status !== 200) throw new Nonsense(`status ${answer.status}, code ${textOf(fields.code)}`);
  return fields;
}

async function quote(
  settings: DflowSettings,
  { input, output, amount }: Question,
  slippageBps: number,
  signal: AbortSignal,
): Promise<{ fields: Fields; outAmount: bigint } | Refusal> {
  const query = new URLSearchParams({
    inputMint: input.mint,
    outputMint: output.mint,
    amount: `${amount}`,
    slippageBps: `${slippageBps}`,
  });
  const fields = await call(settings, `/quote?${query}`, signal);
  if (isRefusal(fields)) return fields;
  if (fields.inputMint !== input.mint || fields.outputMint !== output.mint) throw new Nonsense('another pair of mints');
  if (amountOf(fields.inAmount, 'inAmount') !== amount) throw new Nonsense('another inAmount than was asked for');
  return { fields, outAmount: amountOf(fields.outAmount, 'outAmount') };
}

function readInstructions(fields: Fields): Pick<Trade, 'instructions' | 'lookupTables'> {
  const several = (field: string) =>
    listOf(fields[field] ?? [], field).map((each, i) => instructionOf(each, `${field}[${i}]`));
  return {
    instructions: [
      ...several('setupInstructions'),
      instructionOf(fields.swapInstruction, 'swapInstruction'),
      ...several('otherInstructions'),
      ...several('cleanupInstructions'),
    ],
    lookupTables: listOf(fields.addressLookupTableAddresses ?? [], 'addressLookupTableAddresses').map((each) =>
      addressOf(each, 'addressLookupTableAddresses'),
    ),
  };
}
