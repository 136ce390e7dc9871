import { readFileSync } from 'node:fs';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Address, Instruction } from '@slipway/wire';
import type { ChainAccount } from '../../../../chain/index.js';
import type { Side } from '../../venue.js';
import type { Trial } from './trials.js';

/** A trade that the real program executed, or refused, as `scripts/record-venues.mjs` wrote it down. Bytes are base64. */
export interface RecordedTrade {
  slot: string;
  pool: Address;
  from: Side;
  offered: string;
  done: { paid: string; received: string } | null;
  computeUnits: number;
  /** The accounts that the quote rests on: owner and deflated bytes, because most of them are zeros. */
  accounts: Record<Address, [owner: Address, data: string]>;
  parties: { owner: Address; source: Address; destination: Address };
  /** As it was executed: accounts with w for writable and s for signer. */
  instruction: { accounts: string[]; data: string };
}

interface RecordedVenue {
  program: Address;
  /** Where the program and the pools came from. */
  source: string;
  trades: RecordedTrade[];
}

const FOLDER = new URL('../../../../../fixtures/venues/', import.meta.url);

/** Where the trades of a venue are recorded. Also for `scripts/record-venues.mjs`. */
export const recordedFile = (name: string): URL => new URL(`${name}.json`, FOLDER);

export const readRecorded = (name: string): RecordedVenue => JSON.parse(readFileSync(recordedFile(name), 'utf8'));

/** The accounts as they were, so that a pool can be opened with them. */
export function accountsOf({ accounts }: RecordedTrade): Map<Address, ChainAccount> {
  return new Map(
    Object.entries(accounts).map(([address, [owner, data]]) => [
      address as Address,
      { lamports: 1n, owner, executable: false, data: inflateRawSync(Buffer.from(data, 'base64')) },
    ]),
  );
}

/** The instruction, in the recorded form. */
export function writtenInstruction({ accounts, data }: Instruction): RecordedTrade['instruction'] {
  return {
    accounts: accounts.map(
      ({ address, writable, signer }) => `${address} ${writable ? 'w' : '-'}${signer ? 's' : '-'}`,
    ),
    data: Buffer.from(data).toString('base64'),
  };
}

/** A trial as it is recorded by `scripts/record-venues.mjs`. @throws if the program was not called */
export function recordedTrade({ pool, from, offered, time, accounts, done, outcome, ...trial }: Trial): RecordedTrade {
  const { instruction, parties } = trial;
  if (!instruction || !parties || !outcome) throw new Error(`pool ${pool.address} was not traded with`);
  return {
    slot: `${time.slot}`,
    pool: pool.address,
    from,
    offered: `${offered}`,
    done: done && done.received > 0n ? { paid: `${done.paid}`, received: `${done.received}` } : null,
    computeUnits: outcome.computeUnits,
    accounts: Object.fromEntries(
      accounts.map(([address, { owner, data }]) => [address, [owner, deflateRawSync(data).toString('base64')]]),
    ),
    parties,
    instruction: writtenInstruction(instruction),
  };
}
