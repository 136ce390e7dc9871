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
import { type Question, type RoutingService, refusedStatus } from './service.js';

export interface DflowSettings {
  url: string;
  apiKey: string;
}

const NAME = 'DFlow';
/** DFlow's aggregator, version 4. */
export const DFLOW_PROGRAM = address('DF1ow4tspfHX9JwWJsAb9epbkA8hmpSEAtxXy1V27QBH');
const NO_ROUTE: ReadonlySet<unknown> = new Set(['route_not_found', 'no_route_found']);
const TIMEOUT_MS = 5_000;

/** DFlow's swap API: `GET /quote`, then `POST /swap-instructions` with that quote. */
export function createDflow({ url, apiKey }: DflowSettings): RoutingService {
  const headers = { 'x-api-key': apiKey };

  async function call(path: string, signal: AbortSignal, body?: object): Promise<Fields | Refusal> {
    const options = { headers, timeoutMs: TIMEOUT_MS, signal, ...(body && { body }) };
    const answer = await callJson(new URL(`${url}${path}`), options);
    const refused = refusedStatus(NAME, answer.status);
    if (refused) return refused;
    const said = fieldsOf(answer.body, 'the answer');
    if (NO_ROUTE.has(said.code)) return { refused: 'no-route', reason: `${NAME} has no route` };
    if (answer.status !== 200) throw new Nonsense(`status ${answer.status}, code ${textOf(said.code)}`);
    return said;
  }

  async function quote({ input, output, amount }: Question, slippageBps: number, signal: AbortSignal) {
    const query = new URLSearchParams({
      ...{ inputMint: input.mint, outputMint: output.mint },
      ...{ amount: `${amount}`, slippageBps: `${slippageBps}` },
    });
    const said = await call(`/quote?${query}`, signal);
    if ('refused' in said) return said as unknown as Refusal;
    if (said.inputMint !== input.mint || said.outputMint !== output.mint) throw new Nonsense('another pair of mints');
    if (amountOf(said.inAmount, 'inAmount') !== amount) throw new Nonsense('another inAmount than was asked for');
    return { said, outAmount: amountOf(said.outAmount, 'outAmount') };
  }

  return {
    id: 'dflow',
    name: NAME,
    programs: new Set([DFLOW_PROGRAM]),
    async price(question, signal) {
      const quoted = await quote(question, 0, signal);
      if ('refused' in quoted) return quoted;
      const { said, outAmount } = quoted;
      const labels = listOf(said.routePlan, 'routePlan').map((leg) => textOf(fieldsOf(leg, 'routePlan').venue));
      return { outAmount, labels, priceImpact: numberOf(said.priceImpactPct, 'priceImpactPct') };
    },
    async trade(question, signal) {
      const quoted = await quote(question, question.slippageBps, signal);
      if ('refused' in quoted) return quoted;
      const said = await call('/swap-instructions', signal, {
        quoteResponse: quoted.said,
        userPublicKey: question.owner,
        wrapAndUnwrapSol: false,
        destinationTokenAccount: { associatedTokenAccount: { owner: question.receiver } },
      });
      if ('refused' in said) return said as unknown as Refusal;
      const several = (field: string) =>
        listOf(said[field] ?? [], field).map((each, i) => instructionOf(each, `${field}[${i}]`));
      return {
        outAmount: quoted.outAmount,
        least: amountOf(quoted.said.otherAmountThreshold, 'otherAmountThreshold'),
        instructions: [
          ...several('setupInstructions'),
          instructionOf(said.swapInstruction, 'swapInstruction'),
          ...several('otherInstructions'),
          ...several('cleanupInstructions'),
        ],
        lookupTables: listOf(said.addressLookupTableAddresses ?? [], 'addressLookupTableAddresses').map((each) =>
          addressOf(each, 'addressLookupTableAddresses'),
        ),
      };
    },
  };
}
