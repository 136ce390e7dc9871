import { address, COMPUTE_BUDGET_PROGRAM, type DecodedMessage, SYSTEM_PROGRAM } from '@slipway/wire';
import { asBuffer } from './bytes.js';

const LAMPORTS_PER_SIGNATURE = 5000n;
const MAX_COMPUTE_UNITS = 1_400_000n;
const DEFAULT_UNITS = 200_000n;
const BUILTIN_UNITS = 3_000n;
const MICRO = 1_000_000n;

const SET_COMPUTE_UNIT_LIMIT = 2;
const SET_COMPUTE_UNIT_PRICE = 3;

const SIGNATURE_PROGRAMS = new Set<string>([
  address('Ed25519SigVerify111111111111111111111111111'),
  address('KeccakSecp256k11111111111111111111111111111'),
  address('Secp256r1SigVerify1111111111111111111111111'),
]);

const BUILTIN_PROGRAMS = new Set<string>([
  ...SIGNATURE_PROGRAMS,
  SYSTEM_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  address('BPFLoader1111111111111111111111111111111111'),
  address('BPFLoader2111111111111111111111111111111111'),
  address('BPFLoaderUpgradeab1e11111111111111111111111'),
  address('LoaderV411111111111111111111111111111111111'),
  address('Vote111111111111111111111111111111111111111'),
]);

/** The compute units a message may use, as asked for or by default. */
function computeUnitLimit(message: DecodedMessage): bigint {
  const asked = budgetInstruction(message, SET_COMPUTE_UNIT_LIMIT, 5)?.readUInt32LE(1);
  if (asked !== undefined) return min(BigInt(asked), MAX_COMPUTE_UNITS);
  const units = message.instructions.reduce((sum, { programIndex }) => {
    return sum + (BUILTIN_PROGRAMS.has(message.accounts[programIndex] ?? '') ? BUILTIN_UNITS : DEFAULT_UNITS);
  }, 0n);
  return min(units, MAX_COMPUTE_UNITS);
}

/** The price of a compute unit in micro-lamports; 0 when the message names none. */
export function computeUnitPrice(message: DecodedMessage): bigint {
  return budgetInstruction(message, SET_COMPUTE_UNIT_PRICE, 9)?.readBigUInt64LE(1) ?? 0n;
}

/** What the transaction costs its fee payer in lamports, whether it succeeds or not. */
export function transactionFee(message: DecodedMessage): bigint {
  const precompiled = message.instructions.reduce((count, { programIndex, data }) => {
    return count + (SIGNATURE_PROGRAMS.has(message.accounts[programIndex] ?? '') ? (data[0] ?? 0) : 0);
  }, 0);
  const signatures = BigInt(message.header.requiredSignatures + precompiled);
  const priority = (computeUnitPrice(message) * computeUnitLimit(message) + MICRO - 1n) / MICRO;
  return signatures * LAMPORTS_PER_SIGNATURE + priority;
}

function budgetInstruction(message: DecodedMessage, kind: number, length: number): Buffer | undefined {
  for (const { programIndex, data } of message.instructions) {
    if (message.accounts[programIndex] === COMPUTE_BUDGET_PROGRAM && data[0] === kind && data.length === length) {
      return asBuffer(data);
    }
  }
  return undefined;
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
