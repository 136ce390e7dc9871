import { feeOf } from '@slipway/checks';
import {
  type Address,
  type DecodedMessage,
  decodeMessage,
  decompileInstructions,
  type Instruction,
  type LookupTable,
  parseComputeUnitLimit,
  parseComputeUnitPrice,
  requiredSigners,
} from '@slipway/wire/formats';
import { allow } from './refusal.js';

/** What a message says, as far as its bytes tell without the chain. */
export interface ToSign {
  /** The fee payer first. */
  signers: readonly Address[];
  /** What the fee payer is charged, in lamports, whatever the transaction does. */
  feeLamports: bigint;
  instructions: readonly Instruction[];
}

const MOST_UNITS = 1_400_000;
/** No address begins like this. */
const UNKNOWN = 'lookup ';

/**
 * Reads a message that may be hostile. What it takes from a lookup table gets a name that no account has: the signer has
 * no chain to look it up, and the chain refuses a message that takes from a table what it also names in full.
 * @throws NotAllowed, WireError
 */
export function readToSign(message: Uint8Array): ToSign {
  const decoded = decodeMessage(message);
  const instructions = decompileInstructions(decoded, unknownTables(decoded));
  const signers = requiredSigners(decoded);
  return { signers, feeLamports: feeLamportsOf(signers.length, instructions), instructions };
}

/** Whether an account comes from a lookup table. */
export const isUnknown = (account: Address): boolean => account.startsWith(UNKNOWN);

function unknownTables({ lookups }: DecodedMessage): LookupTable[] {
  allow(new Set(lookups.map(({ table }) => table)).size === lookups.length, 'a lookup table is named twice');
  return lookups.map(({ table, writable, readonly }) => {
    const addresses: Address[] = [];
    for (const index of [...writable, ...readonly]) addresses[index] = `${UNKNOWN}${table} ${index}` as Address;
    return { address: table, addresses };
  });
}

function feeLamportsOf(signatures: number, instructions: readonly Instruction[]): bigint {
  const limits = instructions.map(parseComputeUnitLimit).filter((each) => each !== undefined);
  const prices = instructions.map(parseComputeUnitPrice).filter((each) => each !== undefined);
  allow(limits.length <= 1 && prices.length <= 1, 'more than one compute budget');
  return feeOf(signatures, {
    computeUnitLimit: Math.min(limits[0] ?? MOST_UNITS, MOST_UNITS),
    computeUnitPrice: prices[0] ?? 0n,
  });
}

/**
 * The instructions that name an account. No program that is called without it can use its signature, so that these are
 * all that a signature of it can bring about, besides the fee.
 */
export function naming({ instructions }: Pick<ToSign, 'instructions'>, account: Address): Instruction[] {
  return instructions.filter(
    ({ program, accounts }) => program === account || accounts.some(({ address }) => address === account),
  );
}

/** Whether the account stands at these places of the instruction, and nowhere else. */
export function standsOnlyAt({ program, accounts }: Instruction, account: Address, places: readonly number[]): boolean {
  return program !== account && accounts.every(({ address }, at) => (address === account) === places.includes(at));
}
