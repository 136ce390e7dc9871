import { type Address, decodeTransaction, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@slipway/wire';

/** A TransactionError of the chain, as answers tell it. */
export interface Explanation {
  /** A program's own error number, or one of the negative codes of `POST /ultra/v1/execute`. */
  code: number;
  message: string;
}

/** Less than the least output would have come out: error 6001 of the router program. */
export const SLIPPAGE: Explanation = { code: 6001, message: 'Slippage tolerance exceeded' };
export const EXPIRED: Explanation = { code: -1005, message: 'Transaction expired' };
const INVALID_TRANSACTION = -1002;

/** An explanation as it is stored in the place of an error of the chain. */
export function rfqError({ code, message }: Explanation): unknown {
  return { Rfq: { code, message } };
}

/** Why a request that is settled has not landed. */
export function explainEnd({ state, error }: { state: string; error: unknown }): Explanation {
  return state === 'expired' && error === null ? EXPIRED : explain(error);
}

/**
 * `err` as the RPC writes it: a name, or an object of one name, or `{InstructionError: [index, name or {Custom: n}]}`;
 * or what `rfqError` made.
 */
export function explain(err: unknown): Explanation {
  if (typeof err === 'object' && err !== null && 'Rfq' in err) return err.Rfq as Explanation;
  if (typeof err === 'object' && err !== null && 'InstructionError' in err) {
    const [, cause] = err.InstructionError as [number, unknown];
    if (typeof cause === 'object' && cause !== null && 'Custom' in cause) {
      const code = Number(cause.Custom);
      return { code, message: `custom program error: #${code}` };
    }
    return { code: INVALID_TRANSACTION, message: `instruction failed: ${nameOf(cause)}` };
  }
  return { code: INVALID_TRANSACTION, message: `transaction failed: ${nameOf(err)}` };
}

/** Of the instruction that `err` tells of; undefined where it tells of none. */
export function failedProgram(err: unknown, wire: Uint8Array): Address | undefined {
  const failed = failedInstruction(err, wire);
  return failed?.accounts[failed.programIndex];
}

/**
 * Whether what failed is a transfer of an account to itself, which moves nothing: it only demands that so much is there.
 */
export function failedFloor(err: unknown, wire: Uint8Array): boolean {
  const failed = failedInstruction(err, wire);
  const program = failed?.accounts[failed.programIndex];
  if (!failed || (program !== TOKEN_PROGRAM && program !== TOKEN_2022_PROGRAM)) return false;
  const [source, , destination] = failed.accountIndexes;
  return source !== undefined && source === destination;
}

function failedInstruction(err: unknown, wire: Uint8Array) {
  if (typeof err !== 'object' || err === null || !('InstructionError' in err)) return undefined;
  const [index] = err.InstructionError as [number, unknown];
  const { decoded } = decodeTransaction(wire);
  const failed = decoded.instructions[index];
  return failed && { ...failed, accounts: decoded.accounts };
}

function nameOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'object' && value !== null) return Object.keys(value)[0] ?? 'unknown';
  return 'unknown';
}
