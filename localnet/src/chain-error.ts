import type { SimulationResult } from './types.js';

export type ChainErrorKind =
  /** The simulation before the send failed; `simulation` holds it. */
  | 'preflight'
  /** A required signature is missing or does not verify. */
  | 'signature'
  /** The bytes are no transaction, or its shape is refused. */
  | 'sanitize'
  | 'blockhash'
  | 'already-processed'
  | 'min-context-slot'
  /** The upstream of a fork cannot be asked. */
  | 'upstream'
  /** A caller's argument: the message tells which. */
  | 'invalid'
  | 'closed'
  /** The data folder cannot be used, or a program file cannot: the message tells which and why. */
  | 'data';

/** A request that the chain refused: nothing was executed and no fee was charged. */
export class ChainError extends Error {
  readonly kind: ChainErrorKind;
  readonly simulation?: SimulationResult;

  constructor(kind: ChainErrorKind, message: string, simulation?: SimulationResult) {
    super(message);
    this.name = 'ChainError';
    this.kind = kind;
    if (simulation) this.simulation = simulation;
  }
}
