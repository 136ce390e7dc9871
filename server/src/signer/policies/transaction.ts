import { feeOf } from '@slipway/checks';
import {
  type Address,
  COMPUTE_BUDGET_PROGRAM,
  type DecodedMessage,
  decodeMessage,
  decompileInstructions,
  type Instruction,
  type LookupTable,
  MAX_TRANSACTION_SIZE,
  parseComputeUnitLimit,
  parseComputeUnitPrice,
  parseInitializeAccount3,
  requiredSigners,
  SIGNATURE_PROGRAMS,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  unsignedTransaction,
  WRAPPED_SOL_MINT,
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
/** How the data of such an instruction of the system program begins. */
const ADVANCE_NONCE = [4, 0, 0, 0];
const TOO_LARGE = `with its signatures it has more than the ${MAX_TRANSACTION_SIZE} bytes that the chain takes`;
/** No address begins like this. */
const UNKNOWN = 'lookup ';

/**
 * Reads a message that may be hostile. What it takes from a lookup table gets a name that no account has: the signer has
 * no chain to look it up, and the chain refuses a message that takes from a table what it also names in full.
 * @throws NotAllowed, WireError
 */
export function readToSign(message: Uint8Array): ToSign {
  // Before it is read: what is too large costs nothing.
  allow(message.length <= MAX_TRANSACTION_SIZE, TOO_LARGE);
  const decoded = decodeMessage(message);
  allow(unsignedTransaction(message).length <= MAX_TRANSACTION_SIZE, TOO_LARGE);
  const instructions = decompileInstructions(decoded, unknownTables(decoded));
  allow(!instructions.some(advancesNonce), 'a durable nonce: whoever keeps its signatures could land it at any time');
  const signers = requiredSigners(decoded);
  return { signers, feeLamports: feeLamportsOf(signers.length, instructions), instructions };
}

/**
 * The chain takes the blockhash of a message for a durable nonce by these four bytes, whatever follows them. The service makes
 * none, so that what it signs is dead a minute after a stop.
 */
function advancesNonce({ program, data }: Instruction): boolean {
  return program === SYSTEM_PROGRAM && ADVANCE_NONCE.every((byte, at) => data[at] === byte);
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
  const budgets = instructions.filter(
    ({ program, data }) => program === COMPUTE_BUDGET_PROGRAM && [2, 3].includes(data[0]!),
  );
  // The chain reads one with bytes after it, too.
  allow(budgets.length === limits.length + prices.length, 'a compute budget that is not written as usual');
  const checked = instructions.filter(({ program }) => SIGNATURE_PROGRAMS.has(program));
  return feeOf(
    checked.reduce((sum, { data }) => sum + (data[0] ?? 0), signatures),
    {
      computeUnitLimit: Math.min(limits[0] ?? MOST_UNITS, MOST_UNITS),
      computeUnitPrice: prices[0] ?? 0n,
    },
  );
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

/**
 * Whether an account that is made in this transaction takes wrapped SOL for this owner, or else fails it: somebody else's could
 * be emptied before it is closed. A mint that comes from a lookup table is unknown here, but the token program closes no account
 * that holds another token. That of Token-2022 does not do: a delegate of the mint could take the tokens out first.
 */
export function isWrappedSolOf(
  { instructions }: Pick<ToSign, 'instructions'>,
  account: Address,
  owner: Address,
): boolean {
  const [made, ...others] = instructions.map(parseInitializeAccount3).filter((each) => each?.account === account);
  if (!made || others.length > 0 || made.owner !== owner || made.tokenProgram !== TOKEN_PROGRAM) return false;
  return made.mint === WRAPPED_SOL_MINT || isUnknown(made.mint);
}

/** Whether the account stands at these places of the instruction, and nowhere else. */
export function standsOnlyAt({ program, accounts }: Instruction, account: Address, places: readonly number[]): boolean {
  return program !== account && accounts.every(({ address }, at) => (address === account) === places.includes(at));
}
