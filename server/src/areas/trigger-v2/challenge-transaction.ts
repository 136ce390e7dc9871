import {
  type Address,
  address,
  COMPUTE_BUDGET_PROGRAM,
  compileMessage,
  decodeTransaction,
  decompileInstructions,
  type Instruction,
  invalidSigners,
  MAX_TRANSACTION_SIZE,
  MEMO_PROGRAM,
  memo,
  missingSigners,
  parseMemo,
  setComputeUnitLimit,
  type Transaction,
  unsignedTransaction,
  WireError,
} from '@slipway/wire';
import { CraftCheckFailed } from '../../crafting/transaction.js';

/** Wallets add its assertions to what they sign; it moves nothing. */
const LIGHTHOUSE_PROGRAM = address('L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95');
/** What a login transaction calls: a transaction cannot call what pays for it, so none of these can log in. */
export const LOGIN_PROGRAMS: ReadonlySet<Address> = new Set([COMPUTE_BUDGET_PROGRAM, MEMO_PROGRAM]);
/** Enough for the longest memo, and no more than careful wallets accept for a login. */
const COMPUTE_UNITS = 200_000;

/** The contents of a login transaction. */
interface LoginTransaction {
  wallet: Address;
  challenge: string;
  blockhash: string;
}

/**
 * A login transaction for wallets that sign only transactions, such as hardware wallets: legacy, paid by the wallet,
 * with the challenge as its memo. `blockhash` is random, so no chain ever accepts it.
 * @throws CraftCheckFailed if the bytes do not decode to what was asked for.
 */
export function craftLoginTransaction({ wallet, challenge, blockhash }: LoginTransaction): Uint8Array {
  const message = compileMessage({
    version: 'legacy',
    feePayer: wallet,
    instructions: [setComputeUnitLimit(COMPUTE_UNITS), memo(challenge)],
    blockhash,
  });
  const wire = unsignedTransaction(message);
  const read = wire.length > MAX_TRANSACTION_SIZE ? undefined : readLoginTransaction(decodeTransaction(wire));
  if (read?.wallet !== wallet || read.challenge !== challenge || read.blockhash !== blockhash) {
    throw new CraftCheckFailed('crafted login: not what was asked for');
  }
  return wire;
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
