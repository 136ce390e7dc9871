import { extension, u64 } from './test-vm.js';

// Token-2022 mints for the tests of programs that keep tokens for somebody: those to be refused, and those to be taken.

const U64_MAX = 2n ** 64n - 1n;
const TRANSFER_FEE_CONFIG = 1;
const TRANSFER_FEE_AMOUNT = 2;
const NON_TRANSFERABLE = 9;
const TRANSFER_HOOK = 14;
export const METADATA_POINTER = 18;
const PAUSABLE = 26;

/** A mint's fee now and from some epoch on. */
export function taxes(older: number, newer: number): Uint8Array {
  const fee = (bps: number) => Buffer.concat([u64(0n), u64(U64_MAX), Buffer.from([bps & 255, bps >> 8])]);
  return extension(TRANSFER_FEE_CONFIG, Buffer.concat([Buffer.alloc(72), fee(older), fee(newer)]));
}
/** What the accounts of a mint with a fee have. */
export const TAXED_ACCOUNTS = extension(TRANSFER_FEE_AMOUNT, new Uint8Array(8));
/** A mint's hook, of a program whose address has a 1 at this byte, or of none. */
export const hook = (programByte: number | undefined) => {
  const data = Buffer.alloc(64).fill(1, 0, 32);
  if (programByte !== undefined) data[32 + programByte] = 1;
  return extension(TRANSFER_HOOK, data);
};

/** Fees that take something, now or from some epoch on. */
export const TAXES = [
  [1, 1],
  [1, 0],
  [0, 1],
  [256, 0],
  [0, 10_000],
] as const;
/** Where the basis points of both fees stand in a mint whose first extension they are. */
export const TAX_BPS_AT = [166 + 4 + 88, 166 + 4 + 106];

/** Extensions that keep a mint from moving, that only accounts have, or that nobody knows yet. */
export const REFUSED_KINDS = [
  2,
  5,
  7,
  8,
  NON_TRANSFERABLE,
  11,
  13,
  15,
  17,
  27,
  28,
  31,
  32,
  33,
  63,
  64,
  65,
  82,
  256 + 12,
  0x8000,
];

const F64_ONE = Buffer.alloc(8);
F64_ONE.writeDoubleLE(1);

/** Extensions that leave amounts as they are, and what accounts of such mints have. */
export const HARMLESS: [mint: Uint8Array, accounts?: Uint8Array][] = [
  [taxes(0, 0), TAXED_ACCOUNTS],
  [hook(undefined), extension(15, new Uint8Array(1))],
  [extension(3, new Uint8Array(32).fill(1))],
  [extension(4, new Uint8Array(65))],
  [extension(6, Uint8Array.of(1))],
  [extension(10, new Uint8Array(52))],
  [extension(12, new Uint8Array(32).fill(1))],
  [Buffer.concat([taxes(0, 0), extension(16, new Uint8Array(129))]), TAXED_ACCOUNTS],
  [extension(METADATA_POINTER, new Uint8Array(64).fill(1))],
  [extension(19, new Uint8Array(300).fill(1))],
  [extension(20, new Uint8Array(64))],
  [extension(21, new Uint8Array(80))],
  [extension(22, new Uint8Array(64))],
  [extension(23, new Uint8Array(72))],
  [extension(25, Buffer.concat([Buffer.alloc(32), F64_ONE, Buffer.alloc(8), F64_ONE]))],
  [extension(PAUSABLE, new Uint8Array(33)), extension(27)],
  [Buffer.concat([extension(METADATA_POINTER, new Uint8Array(64)), new Uint8Array(40)])],
  [new Uint8Array(3)],
  // Not enough for the kind of an extension: NON_TRANSFERABLE, if it were.
  [Uint8Array.of(NON_TRANSFERABLE)],
  [new Uint8Array(0)],
];
