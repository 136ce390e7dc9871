import type { Address, Instruction } from '@slipway/wire';
import type { CallFailure } from '../../lib/json-call.js';
import type { Refusal, RouterId, Token } from '../router.js';

/** A question to another company's routing service. Amounts are in the smallest unit. */
export interface Question {
  input: Token;
  output: Token;
  amount: bigint;
}

export interface Price {
  outAmount: bigint;
  /** The share by which the trade moves the market: 0.004 is 0.4 %. */
  priceImpact: number;
  /** Names of the venues that it goes through. */
  labels: string[];
}

export interface TradeQuestion extends Question {
  owner: Address;
  /** Owner of the output's associated token account. */
  receiver: Address;
  slippageBps: number;
}

export interface Trade {
  /** The minimum output that the service promises. */
  least: bigint;
  outAmount: bigint;
  instructions: Instruction[];
  lookupTables: Address[];
}

/** A routing service behind an HTTP API. Its methods resolve with a refusal that says why there is no answer. */
export interface RoutingService {
  readonly id: RouterId;
  /** As the contract shows it. */
  readonly name: string;
  /** The programs that its trade may be an instruction of: an instruction of any other program is not run. */
  readonly programs: ReadonlySet<Address>;
  price(question: Question, signal: AbortSignal): Promise<Price | Refusal>;
  trade(question: TradeQuestion, signal: AbortSignal): Promise<Trade | Refusal>;
}

/** Whether this is a refusal; takes answers that have not been validated, too. */
export function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && 'refused' in value;
}

/** Why an answer of this HTTP status is refused; undefined if it may be a good one. */
export function refusedStatus(name: string, status: number): Refusal | undefined {
  const no = (reason: string): Refusal => ({ refused: 'unavailable', reason: `${name} ${reason}` });
  if (status === 401 || status === 403) return no(`refuses its credentials (${status}): the operator must renew them`);
  if (status === 429) return no('has had too many requests from here (429)');
  if (status >= 500) return no(`has a fault (${status})`);
  return undefined;
}

export function refusedCall(name: string, { kind, message }: CallFailure): Refusal {
  return { refused: kind === 'timeout' ? 'timeout' : 'unavailable', reason: `${name}: ${message}` };
}

export const nonsense = (name: string, what: string): Refusal => ({
  refused: 'unavailable',
  reason: `${name} gave an answer that cannot be used: ${what}`,
});
