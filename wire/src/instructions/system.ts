import { type Address, addressFromBytes, writeAddress } from '../address.js';
import { readU32, readU64, writeU32, writeU64 } from '../integers.js';
import {
  type DecodedMessage,
  type Instruction,
  isWritable,
  readonlyAccount,
  readonlySigner,
  writableAccount,
  writableSigner,
} from '../message.js';
import { RECENT_BLOCKHASHES_SYSVAR, RENT_SYSVAR, SYSTEM_PROGRAM } from '../programs.js';

const CREATE_ACCOUNT = 0;
const TRANSFER = 2;
const CREATE_ACCOUNT_WITH_SEED = 3;
const ADVANCE_NONCE = 4;
const INITIALIZE_NONCE = 6;
const ALLOCATE_WITH_SEED = 9;

const TRANSFER_LENGTH = 12;
const ADVANCE_NONCE_LENGTH = 4;

export interface SystemTransfer {
  from: Address;
  to: Address;
  lamports: bigint;
}

/** Moves lamports out of a wallet. Throws RangeError when `lamports` is no u64. */
export function systemTransfer({ from, to, lamports }: SystemTransfer): Instruction {
  const data = newData(TRANSFER, TRANSFER_LENGTH);
  writeU64(lamports, 'lamports', data, 4);
  return { program: SYSTEM_PROGRAM, accounts: [writableSigner(from), writableAccount(to)], data };
}

/** What a system transfer moves; undefined when it is another instruction. */
export function parseSystemTransfer(instruction: Instruction): SystemTransfer | undefined {
  if (!isSystem(instruction, TRANSFER, TRANSFER_LENGTH)) return undefined;
  const [from, to] = instruction.accounts;
  if (from === undefined || to === undefined) return undefined;
  return { from: from.address, to: to.address, lamports: readU64(instruction.data, 4) };
}

export interface SystemCreateAccount {
  payer: Address;
  newAccount: Address;
  lamports: bigint;
  /** Bytes of account data. */
  space: number;
  owner: Address;
}

/** Makes an account, which must sign. Throws RangeError when `lamports` is no u64 or `space` no whole number. */
export function systemCreateAccount(input: SystemCreateAccount): Instruction {
  const data = newData(CREATE_ACCOUNT, 52);
  writeU64(input.lamports, 'lamports', data, 4);
  writeU64(BigInt(input.space), 'space', data, 12);
  writeAddress(input.owner, data, 20);
  return { program: SYSTEM_PROGRAM, accounts: [writableSigner(input.payer), writableSigner(input.newAccount)], data };
}

export interface SystemCreateAccountWithSeed extends SystemCreateAccount {
  /** Signs in place of the new account, whose address is `createAddressWithSeed(base, seed, owner)`. */
  base: Address;
  seed: string;
}

/** Makes an account at an address derived from `base`. Throws RangeError when `lamports` is no u64 or `space` no whole number. */
export function systemCreateAccountWithSeed(input: SystemCreateAccountWithSeed): Instruction {
  const seed = new TextEncoder().encode(input.seed);
  const data = newData(CREATE_ACCOUNT_WITH_SEED, 92 + seed.length);
  writeAddress(input.base, data, 4);
  writeU64(BigInt(seed.length), 'the length of the seed', data, 36);
  data.set(seed, 44);
  writeU64(input.lamports, 'lamports', data, 44 + seed.length);
  writeU64(BigInt(input.space), 'space', data, 52 + seed.length);
  writeAddress(input.owner, data, 60 + seed.length);
  const accounts = [writableSigner(input.payer), writableAccount(input.newAccount)];
  if (input.base !== input.payer) accounts.push(readonlySigner(input.base));
  return { program: SYSTEM_PROGRAM, accounts, data };
}

export type SystemAllocateWithSeed = Omit<SystemCreateAccountWithSeed, 'payer' | 'lamports'>;

/**
 * Gives an account at an address derived from `base`, which has no data, its bytes and its owner. It does not matter what SOL it
 * has: an account that holds any cannot be made. Throws RangeError when `space` is no whole number.
 */
export function systemAllocateWithSeed({ newAccount, base, seed, space, owner }: SystemAllocateWithSeed): Instruction {
  const text = new TextEncoder().encode(seed);
  const data = newData(ALLOCATE_WITH_SEED, 84 + text.length);
  writeAddress(base, data, 4);
  writeU64(BigInt(text.length), 'the length of the seed', data, 36);
  data.set(text, 44);
  writeU64(BigInt(space), 'space', data, 44 + text.length);
  writeAddress(owner, data, 52 + text.length);
  return { program: SYSTEM_PROGRAM, accounts: [writableAccount(newAccount), readonlySigner(base)], data };
}

/** The account that is made; undefined when it is another instruction. Does not derive the address again. */
export function parseSystemCreateAccountWithSeed(instruction: Instruction): SystemCreateAccountWithSeed | undefined {
  const { program, accounts, data } = instruction;
  if (program !== SYSTEM_PROGRAM || data.length < 92 || readU32(data, 0) !== CREATE_ACCOUNT_WITH_SEED) return undefined;
  const seedLength = data.length - 92;
  if (readU64(data, 36) !== BigInt(seedLength)) return undefined;
  const [payer, newAccount, signedBase] = accounts.map((meta) => meta.address);
  const base = addressFromBytes(data, 4);
  if (!payer || !newAccount || (base !== payer && base !== signedBase)) return undefined;
  const at = 44 + seedLength;
  return {
    payer,
    newAccount,
    base,
    seed: new TextDecoder('utf-8', { ignoreBOM: true }).decode(data.subarray(44, at)),
    lamports: readU64(data, at),
    space: Number(readU64(data, at + 8)),
    owner: addressFromBytes(data, at + 16),
  };
}

export interface NonceUse {
  nonce: Address;
  authority: Address;
}

/** Makes a durable nonce usable: must be the first instruction of the transaction that carries the nonce. */
export function advanceNonce({ nonce, authority }: NonceUse): Instruction {
  return {
    program: SYSTEM_PROGRAM,
    accounts: [writableAccount(nonce), readonlyAccount(RECENT_BLOCKHASHES_SYSVAR), readonlySigner(authority)],
    data: newData(ADVANCE_NONCE, ADVANCE_NONCE_LENGTH),
  };
}

/**
 * The nonce account that a message lives by: what its first instruction advances. As validators tell, by four bytes, whatever follows
 * them, and by the first account, which must not be looked up or read-only. Where the others come from is for the program to see.
 */
export function nonceAccountOf(message: DecodedMessage): Address | undefined {
  const first = message.instructions[0];
  if (!first || message.accounts[first.programIndex] !== SYSTEM_PROGRAM) return undefined;
  if (first.data.length < ADVANCE_NONCE_LENGTH || readU32(first.data, 0) !== ADVANCE_NONCE) return undefined;
  const index = first.accountIndexes[0];
  return index !== undefined && isWritable(message, index) ? message.accounts[index] : undefined;
}

/** Turns a new account of 80 bytes, owned by the system program, into a durable nonce. */
export function initializeNonce({ nonce, authority }: NonceUse): Instruction {
  const data = newData(INITIALIZE_NONCE, 36);
  writeAddress(authority, data, 4);
  return {
    program: SYSTEM_PROGRAM,
    accounts: [writableAccount(nonce), readonlyAccount(RECENT_BLOCKHASHES_SYSVAR), readonlyAccount(RENT_SYSVAR)],
    data,
  };
}

function newData(kind: number, length: number): Uint8Array {
  const data = new Uint8Array(length);
  writeU32(kind, 'the instruction', data, 0);
  return data;
}

function isSystem({ program, data }: Instruction, kind: number, length: number): boolean {
  return program === SYSTEM_PROGRAM && data.length === length && readU32(data, 0) === kind;
}
