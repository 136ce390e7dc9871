import { ChainError } from '../chain-error.js';
import type { SimulationResult, TransactionErrorJson } from '../types.js';
import { integer } from './json.js';
import { transactionErrorText } from './transaction-error-text.js';

/** The codes of JSON-RPC 2.0 and those that a validator adds. */
export const RPC_CODE = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  preflightFailure: -32002,
  signatureVerification: -32003,
  blockNotAvailable: -32004,
  nodeUnhealthy: -32005,
  unsupportedTransactionVersion: -32015,
  minContextSlotNotReached: -32016,
} as const;

/** An answer of the kind `error`: what stands in a JSON-RPC response, and what `Localnet.call` rejects with. */
export class RpcError extends Error {
  readonly code: number;
  readonly data?: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
    if (data !== undefined) this.data = data;
  }
}

/** Error -32602 that names the parameter and tells what is wrong with it. */
export function invalidParam(name: string, problem: string): RpcError {
  return new RpcError(RPC_CODE.invalidParams, `Invalid param: ${name}: ${problem}`);
}

/** Error -32601, with a validator's text. */
export function methodNotFound(): RpcError {
  return new RpcError(RPC_CODE.methodNotFound, 'Method not found');
}

/** Error -32003 of a transaction whose signatures are missing or wrong. */
export function signatureFailure(): RpcError {
  return new RpcError(RPC_CODE.signatureVerification, 'Transaction signature verification failure');
}

/** Whether a transaction names lookup tables, or places in them, that cannot be used. */
export function isUnloadable(err: TransactionErrorJson): err is string {
  return typeof err === 'string' && err.includes('AddressLookupTable');
}

/** Error -32602 of such a transaction: a validator refuses it before it is simulated. */
export function unloadable(err: string): RpcError {
  return new RpcError(RPC_CODE.invalidParams, `invalid transaction: ${transactionErrorText(err)}`);
}

/** Error -32016 of a request that asks for a slot which the chain has not reached. */
export function minContextSlotNotReached(slot: bigint): RpcError {
  return new RpcError(RPC_CODE.minContextSlotNotReached, 'Minimum context slot has not been reached', {
    contextSlot: integer(slot),
  });
}

/**
 * The error that a validator gives where the chain refused. `renderSimulation` makes the `data` of a preflight failure.
 * Errors of another kind are bugs: undefined.
 */
export function rpcErrorOf(
  error: unknown,
  slot: bigint,
  renderSimulation: (simulation: SimulationResult) => unknown,
): RpcError | undefined {
  if (error instanceof RpcError) return error;
  if (!(error instanceof ChainError)) return undefined;
  const refusedBy = (err: string) => preflightFailure(err, renderSimulation(error.simulation ?? notExecuted(err)));
  switch (error.kind) {
    case 'preflight':
      if (!error.simulation?.err) return new RpcError(RPC_CODE.internal, error.message);
      if (isUnloadable(error.simulation.err)) return unloadable(error.simulation.err);
      return preflightFailure(error.simulation.err, renderSimulation(error.simulation));
    case 'blockhash':
      return refusedBy('BlockhashNotFound');
    case 'already-processed':
      return refusedBy('AlreadyProcessed');
    case 'signature':
      return signatureFailure();
    case 'sanitize':
      return new RpcError(RPC_CODE.invalidParams, `invalid transaction: ${error.message}`);
    case 'invalid':
      return new RpcError(RPC_CODE.invalidParams, error.message);
    case 'data':
      return new RpcError(RPC_CODE.nodeUnhealthy, `Node is unhealthy: ${error.message}`);
    case 'min-context-slot':
      return minContextSlotNotReached(slot);
    default:
      return new RpcError(RPC_CODE.internal, error.message);
  }
}

function preflightFailure(err: NonNullable<SimulationResult['err']>, data: unknown): RpcError {
  return new RpcError(RPC_CODE.preflightFailure, `Transaction simulation failed: ${transactionErrorText(err)}`, data);
}

/** What a simulation tells about a transaction that was refused before its first instruction. */
function notExecuted(err: string): SimulationResult {
  return {
    err,
    logs: [],
    unitsConsumed: 0n,
    postAccounts: new Map(),
    returnData: null,
    innerInstructions: [],
    loadedAccountsDataSize: 0,
    loadedAddresses: { writable: [], readonly: [] },
    fee: 0n,
  };
}
