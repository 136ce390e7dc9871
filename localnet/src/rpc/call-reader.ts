import type { Address } from '@slipway/wire';
import { ByteReader } from './byte-reader.js';

/** An instruction with its accounts resolved. */
export interface InstructionCall {
  program: Address;
  accounts: Address[];
  data: Uint8Array;
}

/** What a parser reads: the n-th account (RangeError where it is missing) and the data. */
export interface CallReader {
  account: (index: number) => Address;
  accounts: Address[];
  data: ByteReader;
}

export type ParsedCall = { type: string; info: Record<string, unknown> };

export function callReader({ accounts, data }: InstructionCall): CallReader {
  const account = (index: number): Address => {
    const address = accounts[index];
    if (address === undefined) throw new RangeError('the instruction has too few accounts');
    return address;
  };
  return { account, accounts, data: new ByteReader(data) };
}
