import type { Address } from '@slipway/wire';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { type Chain, type PastTransaction, readPastTransaction, type Unreadable } from '../chain/index.js';
import { type EventPlace, type HistoryPlace, type IndexCursor, lockIndexCursor } from '../store/index-cursors.js';
import type { Store, Tx } from '../store/sql.js';

/** What an index needs, whatever its program is. */
export interface IndexDeps {
  store: Store;
  chain: Chain;
  steadyNow: () => number;
  log: Logger;
  registry: Registry;
}

/** A program whose history is read into the store: what differs from one to the other. */
export interface IndexedProgram<E> {
  program: Address;
  /** What the index is of, in logs: "limit orders". */
  subject: string;
  /** Counts the transactions whose content the RPC cannot give. */
  unreadGauge: { name: string; help: string };
  /** Whether `sync` waits for the whole history; else what is older than a page is read in the background, and slowly. */
  waitsForHistory: boolean;
  /** For how long newer transactions wait for one that the node lists and does not have yet: for programs to which late ones are dear. */
  patienceMs: number;
  /** What the transaction did, in its order. */
  decode(transaction: PastTransaction): E[];
  /** Called in every transaction of the store that writes, before anything else. */
  begin?(tx: Tx): Promise<void>;
  /** Stores events, together with how far the history is read. They can be older than others that are stored, or known. */
  record(tx: Tx, events: readonly (E & EventPlace)[]): Promise<void>;
  /** Called at the end of each `sync`, also of one that fails: for what is too dear to be done with every batch. */
  finish?(): Promise<void>;
  /** Where the state of the program's accounts tells what its history does not. */
  accounts?: {
    /** Adds what the accounts hold and no history tells of. Once a process, before any history is read. */
    addUnknown(): Promise<void>;
    /** Ends what has no account any more. Once a process and after each gap, when the history is read. */
    endGone(): Promise<void>;
  };
}

/** Transactions that are read and stored at once. */
export const BATCH = 25;

export function inBatches<T>(all: readonly T[]): T[][] {
  const count = Math.ceil(all.length / BATCH);
  return Array.from({ length: count }, (_, index) => all.slice(index * BATCH, (index + 1) * BATCH));
}

/** Who holds this cursor writes to the program's tables; all others wait. */
export async function lockProgram(
  tx: Tx,
  { program, begin }: Pick<IndexedProgram<unknown>, 'program' | 'begin'>,
): Promise<IndexCursor> {
  await begin?.(tx);
  return lockIndexCursor(tx, program);
}

/** What each of the transactions did, or why that cannot be told. @throws ChainUnavailable */
export function readEvents<E>(
  { rpc }: Pick<Chain, 'rpc'>,
  { decode }: Pick<IndexedProgram<E>, 'decode'>,
  batch: readonly { txId: string }[],
): Promise<(E[] | Unreadable)[]> {
  return Promise.all(
    batch.map(async ({ txId }) => {
      const transaction = await readPastTransaction(rpc, txId);
      if ('unreadable' in transaction) return transaction;
      try {
        return decode(transaction);
      } catch {
        return { unreadable: 'it holds what the program does not write' };
      }
    }),
  );
}

/** The events with their places. */
export function placed<E>({ place, events }: { place: HistoryPlace; events: readonly E[] }): (E & EventPlace)[] {
  return events.map((event, number) => ({ ...place, ...event, number }));
}
