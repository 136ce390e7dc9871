import {
  type Address,
  ASSOCIATED_TOKEN_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '@slipway/wire';
import type { Crafted } from '../crafting/transaction.js';
import type { LedgerRow } from '../store/ledger.js';
import { lastCalls } from './calls.js';
import { explain, failedFloor, failedIndex, failedProgram } from './explain.js';

/** Error of the router program: a venue has paid nothing. */
const NOTHING_RECEIVED = 6008;

interface FailedSimulation {
  err: unknown;
  logs: readonly string[];
  sample: Crafted;
}

/**
 * The hops of a route whose pools a failed simulation speaks against: the one that failed, or all of them where too
 * little came out in the end; none where something else failed.
 */
export function suspectHops<Hop extends { venue: Address }>(
  hops: readonly Hop[],
  { err, logs, sample }: FailedSimulation,
  router: Address | undefined,
): readonly Hop[] {
  const failed = sample.instructions[failedIndex(err) ?? -1];
  if (!failed) return [];
  if (failedFloor(err, sample.wire)) return hops;
  if (failed.program !== router) {
    return hops.filter(({ venue }) => failed.accounts.some(({ address }) => address === venue));
  }
  const { programs, isLastFailed } = lastCalls(logs);
  // The router calls venues and, to take a fee or hand something on, the token programs.
  if (isLastFailed && isToken(programs.at(-1))) return [];
  const last = hops[programs.filter((program) => !isToken(program)).length - 1];
  const isLast = isLastFailed || explain(err).code === NOTHING_RECEIVED;
  return last && isLast ? [last] : hops;
}

/** Whether a transaction that failed on the chain may have failed for the pools of its route; it does not tell which one. */
export function speaksAgainstPools({ error, wire }: Pick<LedgerRow, 'error' | 'wire'>): boolean {
  const program = wire ? failedProgram(error, wire) : undefined;
  if (!wire || program === undefined) return false;
  if (failedFloor(error, wire)) return true;
  return !isToken(program) && program !== SYSTEM_PROGRAM && program !== ASSOCIATED_TOKEN_PROGRAM;
}

/** As the runtime writes it, before what a program logs itself is cut off. */
const OUT_OF_UNITS = /^Program \S+ failed: (?:exceeded CUs meter|Computational budget exceeded)/;

/** Whether a simulation has used up the compute units of a transaction, so that fewer pools might do. */
export function isOutOfUnits({ logs }: Pick<FailedSimulation, 'logs'>): boolean {
  return logs.some((line) => OUT_OF_UNITS.test(line));
}

const isToken = (program: Address | undefined) => program === TOKEN_PROGRAM || program === TOKEN_2022_PROGRAM;
