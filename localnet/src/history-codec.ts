import { type Address, base58Decode, base58Encode, address as toAddress, writeAddress } from '@slipway/wire';
import { asBuffer } from './bytes.js';
import type { InnerInstructionGroup, StoredTransaction, TokenBalance, TransactionErrorJson } from './types.js';

const SIGNATURE = 64;
const KEY = 32;
// Signature, slot, and the lengths of error, memo, keys and wire bytes.
const HEAD = SIGNATURE + 8 + 4 * 2;

/** What the index of the history needs of a record. */
export interface IndexedPart {
  /** The 64 bytes as a latin1 string. */
  signature: string;
  slot: number;
  err: TransactionErrorJson | null;
  memo: string | null;
  /** The addresses of all accounts, 32 bytes each. */
  keys: Buffer;
  wire: Buffer;
}

/** The bytes of an executed transaction: what the index needs comes first, then the rest as JSON. */
export function encodeRecord(transaction: StoredTransaction, accounts: Address[], memo: string | null): Buffer {
  const { signature, slot, wire, err } = transaction;
  const error = Buffer.from(err === null ? '' : JSON.stringify(err));
  const note = Buffer.from(memo ?? '');
  const rest = Buffer.from(JSON.stringify(toMetaJson(transaction)));
  const record = Buffer.allocUnsafe(
    HEAD + error.length + note.length + accounts.length * KEY + wire.length + rest.length,
  );
  record.set(base58Decode(signature) ?? new Uint8Array(), 0);
  record.writeBigUInt64LE(slot, SIGNATURE);
  record.writeUInt16LE(error.length, SIGNATURE + 8);
  record.writeUInt16LE(note.length, SIGNATURE + 10);
  record.writeUInt16LE(accounts.length, SIGNATURE + 12);
  record.writeUInt16LE(wire.length, SIGNATURE + 14);
  let position = HEAD;
  record.set(error, position);
  position += error.length;
  record.set(note, position);
  position += note.length;
  for (const account of accounts) {
    writeAddress(account, record, position);
    position += KEY;
  }
  record.set(wire, position);
  record.set(rest, position + wire.length);
  return record;
}

export function readIndexedPart(record: Buffer): IndexedPart {
  const layout = layoutOf(record);
  return {
    signature: record.toString('latin1', 0, SIGNATURE),
    slot: Number(record.readBigUInt64LE(SIGNATURE)),
    err: readError(record, layout.note),
    memo: layout.keys > layout.note ? record.toString('utf8', layout.note, layout.keys) : null,
    keys: record.subarray(layout.keys, layout.wire),
    wire: record.subarray(layout.wire, layout.rest),
  };
}

export function decodeRecord(record: Buffer): StoredTransaction {
  const layout = layoutOf(record);
  const meta: MetaJson = JSON.parse(record.toString('utf8', layout.rest));
  return {
    signature: base58Encode(record.subarray(0, SIGNATURE)),
    slot: record.readBigUInt64LE(SIGNATURE),
    wire: record.subarray(layout.wire, layout.rest),
    err: readError(record, layout.note),
    blockTime: BigInt(meta.blockTime),
    fee: BigInt(meta.fee),
    unitsConsumed: BigInt(meta.unitsConsumed),
    preBalances: meta.preBalances.map(BigInt),
    postBalances: meta.postBalances.map(BigInt),
    preTokenBalances: meta.preTokenBalances.map(readTokenBalance),
    postTokenBalances: meta.postTokenBalances.map(readTokenBalance),
    logs: meta.logs,
    innerInstructions: meta.innerInstructions.map(({ index, instructions }) => ({
      index,
      instructions: instructions.map((inner) => ({ ...inner, data: readBytes(inner.data) })),
    })),
    returnData: meta.returnData && {
      programId: toAddress(meta.returnData.programId),
      data: readBytes(meta.returnData.data),
    },
    loadedAddresses: {
      writable: meta.loadedAddresses.writable.map(toAddress),
      readonly: meta.loadedAddresses.readonly.map(toAddress),
    },
  };
}

type Inner = InnerInstructionGroup['instructions'][number];

interface MetaJson {
  blockTime: string;
  fee: string;
  unitsConsumed: string;
  preBalances: string[];
  postBalances: string[];
  preTokenBalances: (Omit<TokenBalance, 'amount'> & { amount: string })[];
  postTokenBalances: (Omit<TokenBalance, 'amount'> & { amount: string })[];
  logs: string[];
  innerInstructions: { index: number; instructions: (Omit<Inner, 'data'> & { data: string })[] }[];
  returnData: { programId: string; data: string } | null;
  loadedAddresses: { writable: string[]; readonly: string[] };
}

function layoutOf(record: Buffer): { note: number; keys: number; wire: number; rest: number } {
  const note = HEAD + record.readUInt16LE(SIGNATURE + 8);
  const keys = note + record.readUInt16LE(SIGNATURE + 10);
  const wire = keys + record.readUInt16LE(SIGNATURE + 12) * KEY;
  return { note, keys, wire, rest: wire + record.readUInt16LE(SIGNATURE + 14) };
}

function readError(record: Buffer, end: number): TransactionErrorJson | null {
  return end > HEAD ? JSON.parse(record.toString('utf8', HEAD, end)) : null;
}

function readTokenBalance(json: MetaJson['preTokenBalances'][number]): TokenBalance {
  return { ...json, amount: BigInt(json.amount) };
}

function readBytes(base64: string): Uint8Array {
  return Buffer.from(base64, 'base64');
}

function toMetaJson(transaction: StoredTransaction): MetaJson {
  const { returnData, innerInstructions } = transaction;
  return {
    blockTime: transaction.blockTime.toString(),
    fee: transaction.fee.toString(),
    unitsConsumed: transaction.unitsConsumed.toString(),
    preBalances: transaction.preBalances.map(String),
    postBalances: transaction.postBalances.map(String),
    preTokenBalances: transaction.preTokenBalances.map(writeTokenBalance),
    postTokenBalances: transaction.postTokenBalances.map(writeTokenBalance),
    logs: transaction.logs,
    innerInstructions: innerInstructions.map(({ index, instructions }) => ({
      index,
      instructions: instructions.map((inner) => ({ ...inner, data: writeBytes(inner.data) })),
    })),
    returnData: returnData && { programId: returnData.programId, data: writeBytes(returnData.data) },
    loadedAddresses: transaction.loadedAddresses,
  };
}

function writeTokenBalance(balance: TokenBalance): MetaJson['preTokenBalances'][number] {
  return { ...balance, amount: balance.amount.toString() };
}

function writeBytes(bytes: Uint8Array): string {
  return asBuffer(bytes).toString('base64');
}
