import { createHash } from 'node:crypto';
import {
  type Address,
  compileMessage,
  decodeTransaction,
  decompileInstructions,
  type Instruction,
  type LookupTable,
  MAX_TRANSACTION_SIZE,
  requiredSigners,
  setComputeUnitLimit,
  setComputeUnitPrice,
  unsignedTransaction,
} from '@slipway/wire';

/** What the chain charges for each required signature. */
export const LAMPORTS_PER_SIGNATURE = 5_000n;
const MICRO_LAMPORTS_PER_LAMPORT = 1_000_000n;

export interface Budget {
  computeUnitLimit: number;
  /** Micro-lamports a compute unit. */
  computeUnitPrice: bigint;
}

interface CraftInput {
  feePayer: Address;
  /** Come first among the signers after the fee payer; a market maker requires the taker there. */
  firstSigners?: Address[];
  /** Without compute budget instructions: those come from `budget`. */
  instructions: Instruction[];
  blockhash: string;
  budget: Budget;
  /** Leaves the limit to the chain, if its default is what `budget` says: that saves 8 bytes. */
  impliedLimit?: boolean;
  lookupTables?: LookupTable[];
}

export interface Crafted {
  /** The unsigned transaction: zero-filled signatures, then the message. */
  wire: Uint8Array;
  message: Uint8Array;
  messageHash: Uint8Array;
  signers: Address[];
  /** All instructions, budget included, as read back from the bytes. */
  instructions: Instruction[];
  /** What the fee payer is charged, in lamports, whatever the transaction does. */
  feeLamports: bigint;
}

/** The unsigned transaction as answers carry it. */
export function base64Of({ wire }: Pick<Crafted, 'wire'>): string {
  return Buffer.from(wire).toString('base64');
}

/** The crafted transaction does not fit into a packet. */
export class TransactionTooLarge extends Error {
  override readonly name = 'TransactionTooLarge';
  constructor(
    readonly size: number,
    readonly limit: number,
  ) {
    super(`the transaction has ${size} bytes, ${size - limit} more than the ${limit} that the chain takes`);
  }
}

/** The bytes do not say what was asked for. This is a bug of ours; such a transaction is never handed out. */
export class CraftCheckFailed extends Error {
  override readonly name = 'CraftCheckFailed';
}

/**
 * Crafts a version 0 transaction and reads it back before returning it. Same input, same bytes; no I/O, no clock.
 * @throws TransactionTooLarge, CraftCheckFailed
 */
export function craftTransaction(input: CraftInput): Crafted {
  const { feePayer, firstSigners, instructions, blockhash, budget, lookupTables = [] } = input;
  const all = [
    ...(input.impliedLimit ? [] : [setComputeUnitLimit(budget.computeUnitLimit)]),
    setComputeUnitPrice(budget.computeUnitPrice),
    ...instructions,
  ];
  const message = compileMessage({
    version: 0,
    feePayer,
    ...(firstSigners && { signers: firstSigners }),
    instructions: all,
    blockhash,
    lookupTables,
  });
  const wire = unsignedTransaction(message);
  if (wire.length > MAX_TRANSACTION_SIZE) throw new TransactionTooLarge(wire.length, MAX_TRANSACTION_SIZE);

  const { decoded } = decodeTransaction(wire);
  const signers = requiredSigners(decoded);
  if (signers[0] !== feePayer) throw new CraftCheckFailed('the fee payer is not the first signer');
  if (decoded.blockhash !== blockhash) throw new CraftCheckFailed('the blockhash is another one');
  const read = decompileInstructions(decoded, lookupTables);
  assertSameInstructions(read, all);
  return {
    wire,
    message,
    messageHash: hashMessage(message),
    signers,
    instructions: read,
    feeLamports: feeOf(signers.length, budget),
  };
}

/** The identity of what is signed: SHA-256 over the message bytes. */
export function hashMessage(message: Uint8Array): Uint8Array {
  return createHash('sha256').update(message).digest();
}

/** Signature fees plus the priority fee, rounded up as the chain does. */
export function feeOf(signatures: number, { computeUnitLimit, computeUnitPrice }: Budget): bigint {
  const microLamports = BigInt(computeUnitLimit) * computeUnitPrice;
  return (
    BigInt(signatures) * LAMPORTS_PER_SIGNATURE +
    (microLamports + MICRO_LAMPORTS_PER_LAMPORT - 1n) / MICRO_LAMPORTS_PER_LAMPORT
  );
}

function assertSameInstructions(read: Instruction[], asked: Instruction[]): void {
  if (read.length !== asked.length)
    throw new CraftCheckFailed(`${read.length} instructions instead of ${asked.length}`);
  for (const [index, wanted] of asked.entries()) {
    const got = read[index]!;
    const same =
      got.program === wanted.program &&
      got.accounts.length === wanted.accounts.length &&
      // Roles may only grow: a message marks an account with the strongest role that any instruction gives it.
      wanted.accounts.every((meta, position) => {
        const other = got.accounts[position]!;
        return other.address === meta.address && other.signer >= meta.signer && other.writable >= meta.writable;
      }) &&
      Buffer.compare(got.data, wanted.data) === 0;
    if (!same) throw new CraftCheckFailed(`instruction ${index} is not the one that was asked for`);
  }
}
