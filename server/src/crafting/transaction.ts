import { createHash } from 'node:crypto';
import { type Budget, CraftCheckFailed, type ReadTransaction, readTransaction } from '@slipway/checks';
import {
  type Address,
  compileMessage,
  type Instruction,
  type LookupTable,
  MAX_TRANSACTION_SIZE,
  networkFee,
  setComputeUnitLimit,
  setComputeUnitPrice,
  unsignedTransaction,
} from '@slipway/wire';

export { type Budget, CraftCheckFailed, feeOf, LAMPORTS_PER_SIGNATURE } from '@slipway/checks';

interface CraftInput {
  feePayer: Address;
  /** Come first among the signers after the fee payer; a market maker requires the taker there. */
  firstSigners?: Address[];
  /** Without compute budget instructions: those come from `budget`. */
  instructions: Instruction[];
  blockhash: string;
  /** Without a limit it is the chain's default: that saves 8 bytes. */
  budget: Pick<Budget, 'computeUnitPrice'> & Partial<Budget>;
  lookupTables?: LookupTable[];
  /**
   * Accounts that decide who gets something: never taken from a lookup table, because what stands there is known by the
   * node's word only.
   */
  inFull?: readonly Address[];
  /** Other accounts that are taken from a lookup table only where the transaction is too large otherwise. */
  inFullIfRoom?: readonly Address[];
}

export interface Crafted extends ReadTransaction {
  /** The unsigned transaction: zero-filled signatures, then the message. */
  wire: Uint8Array;
  message: Uint8Array;
  messageHash: Uint8Array;
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

/**
 * Crafts a version 0 transaction and reads it back before returning it. Same input, same bytes; no I/O, no clock.
 * @throws TransactionTooLarge, CraftCheckFailed
 */
export function craftTransaction(input: CraftInput): Crafted {
  const { feePayer, firstSigners, instructions, blockhash, budget, lookupTables = [] } = input;
  const { inFull = [], inFullIfRoom = [] } = input;
  const all = [
    ...(budget.computeUnitLimit === undefined ? [] : [setComputeUnitLimit(budget.computeUnitLimit)]),
    setComputeUnitPrice(budget.computeUnitPrice),
    ...instructions,
  ];
  const first = firstSigners && { signers: firstSigners };
  const compile = (known: readonly Address[]) =>
    compileMessage({ version: 0, feePayer, ...first, instructions: all, blockhash, lookupTables, inFull: known });
  const roomy = compile([...inFull, ...inFullIfRoom]);
  const isRoomy = unsignedTransaction(roomy).length <= MAX_TRANSACTION_SIZE;
  const message = isRoomy || inFullIfRoom.length === 0 ? roomy : compile(inFull);
  const wire = unsignedTransaction(message);
  if (wire.length > MAX_TRANSACTION_SIZE) throw new TransactionTooLarge(wire.length, MAX_TRANSACTION_SIZE);

  const { signers, instructions: read, blockhash: readBlockhash } = readTransaction(wire, lookupTables);
  if (signers[0] !== feePayer) throw new CraftCheckFailed('the fee payer is not the first signer');
  if (readBlockhash !== blockhash) throw new CraftCheckFailed('the blockhash is another one');
  assertSameInstructions(read, all);
  return {
    wire,
    message,
    messageHash: hashMessage(message),
    signers,
    instructions: read,
    feeLamports: networkFee(signers.length, read),
  };
}

/** The identity of what is signed: SHA-256 over the message bytes. */
export function hashMessage(message: Uint8Array): Uint8Array {
  return createHash('sha256').update(message).digest();
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
