import { address } from './address.js';
import { readU32, readU64 } from './integers.js';
import type { Instruction } from './message.js';
import { BPF_LOADER_2, BPF_LOADER_UPGRADEABLE, COMPUTE_BUDGET_PROGRAM, SYSTEM_PROGRAM } from './programs.js';

/** What the chain charges for each signature. */
export const LAMPORTS_PER_SIGNATURE = 5_000n;
const MICRO_LAMPORTS_PER_LAMPORT = 1_000_000n;
const MOST_UNITS = 1_400_000;
/** What an instruction may use where the transaction sets no limit: of a program in the validator itself, and of any other. */
const BUILTIN_UNITS = 3_000;
const DEFAULT_UNITS = 200_000;

/** Where a budget instruction has its number, after the byte of its kind. */
const SET_LIMIT = { kind: 2, length: 5 };
const SET_PRICE = { kind: 3, length: 9 };

const ED25519 = address('Ed25519SigVerify111111111111111111111111111');
const SECP256K1 = address('KeccakSecp256k11111111111111111111111111111');
const SECP256R1 = address('Secp256r1SigVerify1111111111111111111111111');

/** Each is paid for every signature that it checks, whose number is its first byte. */
export const SIGNATURE_PROGRAMS: ReadonlySet<string> = new Set([ED25519, SECP256K1, SECP256R1]);

const BUILTIN_PROGRAMS: ReadonlySet<string> = new Set([
  SYSTEM_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  BPF_LOADER_2,
  BPF_LOADER_UPGRADEABLE,
  // The third of these programs is not among them: it came later.
  ED25519,
  SECP256K1,
  address('BPFLoader1111111111111111111111111111111111'),
  address('LoaderV411111111111111111111111111111111111'),
  address('Vote111111111111111111111111111111111111111'),
]);

export interface Budget {
  computeUnitLimit: number;
  /** Micro-lamports a compute unit. */
  computeUnitPrice: bigint;
}

type Called = Pick<Instruction, 'program' | 'data'>;

/** Signature fees plus the priority fee in lamports, rounded up as the chain does. */
export function feeOf(signatures: number, { computeUnitLimit, computeUnitPrice }: Budget): bigint {
  const microLamports = BigInt(computeUnitLimit) * computeUnitPrice;
  return (
    BigInt(signatures) * LAMPORTS_PER_SIGNATURE +
    (microLamports + MICRO_LAMPORTS_PER_LAMPORT - 1n) / MICRO_LAMPORTS_PER_LAMPORT
  );
}

/** What a transaction of these instructions costs its fee payer in lamports, whether it succeeds or not. */
export function networkFee(signers: number, instructions: readonly Called[]): bigint {
  const checked = instructions.filter(({ program }) => SIGNATURE_PROGRAMS.has(program));
  const signatures = checked.reduce((sum, { data }) => sum + (data[0] ?? 0), signers);
  const computeUnitLimit = unitLimit(instructions);
  return feeOf(signatures, { computeUnitLimit, computeUnitPrice: unitPrice(instructions) });
}

/** Whether an instruction does nothing but to set the limit or the price of compute units, which the fee holds. */
export const setsFee = (instruction: Called): boolean => sets(instruction, SET_LIMIT) || sets(instruction, SET_PRICE);

/** The price of a compute unit in micro-lamports; 0 where none is set. */
export function unitPrice(instructions: readonly Called[]): bigint {
  const price = instructions.find((each) => sets(each, SET_PRICE));
  return price ? readU64(price.data, 1) : 0n;
}

/** The compute units that a transaction may use, as asked for or by default. */
function unitLimit(instructions: readonly Called[]): number {
  const limit = instructions.find((each) => sets(each, SET_LIMIT));
  if (limit) return Math.min(readU32(limit.data, 1), MOST_UNITS);
  const units = ({ program }: Called) => (BUILTIN_PROGRAMS.has(program) ? BUILTIN_UNITS : DEFAULT_UNITS);
  return Math.min(
    instructions.reduce((sum, each) => sum + units(each), 0),
    MOST_UNITS,
  );
}

/** The chain reads one with bytes after it, too. */
function sets({ program, data }: Called, { kind, length }: { kind: number; length: number }): boolean {
  return program === COMPUTE_BUDGET_PROGRAM && data[0] === kind && data.length >= length;
}
