import {
  type Address,
  address,
  COMPUTE_BUDGET_PROGRAM,
  decodeTransaction,
  decompileInstructions,
  type Instruction,
  invalidSigners,
  missingSigners,
  parseMemo,
  type Transaction,
  unsignedTransaction,
  WireError,
} from '@slipway/wire';

/** Wallets add its assertions to what they sign; it moves nothing. */
const LIGHTHOUSE_PROGRAM = address('L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95');

/** The contents of a login transaction. */
export interface LoginTransaction {
  wallet: Address;
  challenge: string;
  blockhash: string;
}

/**
 * Reads a login transaction; undefined if it could be anything but a login. A login has one signer and one memo, and
 * otherwise only what wallets add by themselves (compute budget, Lighthouse assertions). Signatures are not checked.
 */
export function readLoginTransaction({ message }: Transaction): LoginTransaction | undefined {
  const wire = decodeTransaction(unsignedTransaction(message)).decoded;
  const [wallet, ...others] = wire.accounts.slice(0, wire.header.requiredSignatures);
  const memos: string[] = [];
  for (const instruction of instructionsOf(wire)) {
    const text = parseMemo(instruction);
    if (text !== undefined) memos.push(text);
    else if (instruction.program !== COMPUTE_BUDGET_PROGRAM && instruction.program !== LIGHTHOUSE_PROGRAM)
      return undefined;
  }
  const [challenge] = memos;
  if (wallet === undefined || others.length > 0 || challenge === undefined || memos.length > 1) return undefined;
  return { wallet, challenge, blockhash: wire.blockhash };
}

/** Whether every signature that the transaction needs is present and valid. */
export function isFullySigned(transaction: Transaction): boolean {
  return missingSigners(transaction).length === 0 && invalidSigners(transaction).length === 0;
}

function instructionsOf(message: Parameters<typeof decompileInstructions>[0]): Instruction[] {
  try {
    return decompileInstructions(message);
  } catch (error) {
    // It uses a lookup table, which no login needs.
    if (error instanceof WireError) return [];
    throw error;
  }
}
