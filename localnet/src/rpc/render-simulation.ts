import type { Address } from '@slipway/wire';
import type { Blockhash, SimulationResult } from '../types.js';
import { integer } from './json.js';
import { renderInnerInstructions, renderReturnData } from './render-transaction.js';

export interface SimulationParts {
  /** The accounts that were asked for, already in the caller's form. */
  accounts?: unknown[];
  /** All keys of the transaction, where inner instructions were asked for. */
  innerInstructionKeys?: Address[];
}

/** The value of `simulateTransaction`, and the `data` of a preflight failure. */
export function renderSimulation(result: SimulationResult, parts: SimulationParts = {}): unknown {
  const { replacementBlockhash, loadedAddresses } = result;
  const keys = parts.innerInstructionKeys;
  return {
    err: result.err,
    logs: result.logs,
    accounts: parts.accounts ?? null,
    unitsConsumed: integer(result.unitsConsumed),
    loadedAccountsDataSize: result.loadedAccountsDataSize,
    returnData: renderReturnData(result.returnData),
    innerInstructions: keys ? renderInnerInstructions(result.innerInstructions, keys, true) : null,
    replacementBlockhash: replacementBlockhash ? renderBlockhash(replacementBlockhash) : null,
    fee: integer(result.fee),
    loadedAddresses,
    preBalances: null,
    postBalances: null,
    preTokenBalances: null,
    postTokenBalances: null,
  };
}

/** A blockhash with the last block height that it is valid at. */
export function renderBlockhash({ blockhash, lastValidBlockHeight }: Blockhash): unknown {
  return { blockhash, lastValidBlockHeight: integer(lastValidBlockHeight) };
}
