import {
  type Address,
  type Budget,
  decodeTransaction,
  decompileInstructions,
  type Instruction,
  type LookupTable,
  parseComputeUnitLimit,
  parseComputeUnitPrice,
  requiredSigners,
} from '@slipway/wire/formats';

export { type Budget, feeOf, LAMPORTS_PER_SIGNATURE } from '@slipway/wire/formats';

/** A transaction as its bytes say it. */
export interface ReadTransaction {
  /** The fee payer first. */
  signers: Address[];
  /** All of them, those of the budget included. */
  instructions: Instruction[];
}

/** The bytes do not say what was asked for. */
export class CraftCheckFailed extends Error {
  override readonly name = 'CraftCheckFailed';
}

/**
 * The signers and instructions of a transaction's bytes, which may be hostile.
 * @throws WireError for bytes that are none, and for a lookup table that is not among `tables`
 */
export function readTransaction(wire: Uint8Array, tables: LookupTable[] = []): ReadTransaction & { blockhash: string } {
  const { decoded } = decodeTransaction(wire);
  const signers = requiredSigners(decoded);
  return { signers, instructions: decompileInstructions(decoded, tables), blockhash: decoded.blockhash };
}

/** Throws a CraftCheckFailed that names the kind of transaction. */
export type Expect = (truth: unknown, what: string) => asserts truth;

export function expecting(kind: string): Expect {
  return (truth, what) => {
    if (!truth) throw new CraftCheckFailed(`${kind}: ${what}`);
  };
}

/** Checks the compute budget, which comes first; the other instructions. */
export function afterBudget(instructions: readonly Instruction[], budget: Budget, expect: Expect): Instruction[] {
  const [limit, price, ...rest] = instructions;
  expect(limit && parseComputeUnitLimit(limit) === budget.computeUnitLimit, 'wrong compute unit limit');
  expect(price && parseComputeUnitPrice(price) === budget.computeUnitPrice, 'wrong compute unit price');
  return rest;
}

/** Checks that these sign, and nobody else; the first pays the fee. */
export function checkSigners(signers: readonly Address[], wanted: readonly Address[], expect: Expect): void {
  const needed = new Set(wanted);
  expect(signers.length === needed.size && signers.every((each) => needed.has(each)), 'wrong signers');
  expect(signers[0] === wanted[0], 'another fee payer');
}
