import { type Address, decodeTransaction, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@slipway/wire';

/** A TransactionError of the chain, as shown in answers. */
export interface Explanation {
  /** A program's own error number, or one of the negative codes of `POST /ultra/v1/execute`. */
  code: number;
  message: string;
}

/** The output would have been below the minimum: error 6001 of the router program. */
export const SLIPPAGE: Explanation = { code: 6001, message: 'Slippage tolerance exceeded' };
export const EXPIRED: Explanation = { code: -1005, message: 'Transaction expired' };
/** It has a durable nonce, which never expires, and was followed for as long as that is done. */
export const GIVEN_UP: Explanation = {
  code: EXPIRED.code,
  message: 'It has not landed in five minutes, but may as long as its nonce stands: advance that before you pay anew',
};
const INVALID_TRANSACTION = -1002;

/** An explanation in the form in which it is stored in place of a chain error. */
export function rfqError({ code, message }: Explanation): unknown {
  return { Rfq: { code, message } };
}

/** Why a settled request did not land. */
export function explainEnd({ state, error }: { state: string; error: unknown }): Explanation {
  return state === 'expired' && error === null ? EXPIRED : explain(error);
}

/**
 * `err` in the RPC's form: a name, an object with one key, or `{InstructionError: [index, name or {Custom: n}]}`; or in
 * the form of `rfqError`.
 */
export function explain(err: unknown): Explanation {
  if (typeof err === 'object' && err !== null && 'Rfq' in err) return err.Rfq as Explanation;
  if (err === 'BlockhashNotFound') return EXPIRED;
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

/** The program of the failed instruction; undefined if `err` is not about an instruction. */
export function failedProgram(err: unknown, wire: Uint8Array): Address | undefined {
  const failed = failedInstruction(err, wire);
  return failed?.accounts[failed.programIndex];
}

/** The mint whose transfer from an account to itself failed. It moves nothing and only asserts a minimum balance. */
export function failedFloor(err: unknown, wire: Uint8Array): Address | undefined {
  const failed = failedInstruction(err, wire);
  const program = failed?.accounts[failed.programIndex];
  if (!failed || (program !== TOKEN_PROGRAM && program !== TOKEN_2022_PROGRAM)) return undefined;
  const [source, mint, destination] = failed.accountIndexes;
  return source !== undefined && source === destination ? failed.accounts[mint!] : undefined;
}

/** Which instruction failed, counted from 0; undefined if `err` is not about one. */
export function failedIndex(err: unknown): number | undefined {
  if (typeof err !== 'object' || err === null || !('InstructionError' in err)) return undefined;
  return (err.InstructionError as [number, unknown])[0];
}

function failedInstruction(err: unknown, wire: Uint8Array) {
  const index = failedIndex(err);
  if (index === undefined) return undefined;
  const { decoded } = decodeTransaction(wire);
  const failed = decoded.instructions[index];
  return failed && { ...failed, accounts: decoded.accounts };
}

function nameOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'object' && value !== null) return Object.keys(value)[0] ?? 'unknown';
  return 'unknown';
}
