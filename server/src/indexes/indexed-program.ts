import type { Address } from '@slipway/wire';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { type Chain, type PastTransaction, readPastTransaction, type Unreadable } from '../chain/index.js';
import type { Clock } from '../lib/clock.js';
import { type EventPlace, type HistoryPlace, type IndexCursor, lockIndexCursor } from '../store/index-cursors.js';
import type { Sql, Store, Tx } from '../store/sql.js';

/** What an index needs, whatever its program is. */
export interface IndexDeps {
  store: Store;
  chain: Chain;
  clock: Clock;
  steadyNow: () => number;
  log: Logger;
  registry: Registry;
}

/** What is specific to one indexed program. */
export interface IndexedProgram<E> {
  program: Address;
  /** What is indexed, for logs: "limit orders". */
  subject: string;
  /** Counts the transactions whose content the RPC cannot give. */
  unreadGauge: { name: string; help: string };
  /**
   * Whether `sync` waits for the whole history; otherwise all but the newest page is backfilled slowly in the
   * background.
   */
  waitsForHistory: boolean;
  /**
   * How long newer transactions wait for one that the node lists but does not give yet, because late events are costly.
   */
  patienceMs: number;
  /** What the transaction did, in order. */
  decode(transaction: PastTransaction): E[];
  /** Called first in every store transaction that writes. */
  begin?(tx: Tx): Promise<void>;
  /** Stores events in the transaction that moves the cursor. They may be older than stored ones, or stored already. */
  record(tx: Tx, events: readonly (E & EventPlace)[]): Promise<void>;
  /** The newest transactions of which events are stored, newest first. */
  newest(sql: Sql, most: number): Promise<Pick<HistoryPlace, 'txId' | 'slot'>[]>;
  /**
   * Called at the end of each `sync`, even if it failed: for work that is too expensive for every batch. Does a step of it,
   * and returns whether there is another one.
   */
  finish?(): Promise<boolean>;
  /** For programs whose accounts tell what the available history does not. */
  accounts?: {
    /** Adds what is in the accounts but not in the history. Called once per process, before any history is read. */
    addUnknown(): Promise<void>;
    /**
     * Ends what no longer has an account. Called once per process and after each gap, when the history has been read.
     */
    endGone(): Promise<void>;
  };
}

/** What happened longer ago is no news: an index that begins reads the whole history. */
const NEWS_MS = 24 * 60 * 60_000;

/** When what is told as an event must have happened, or later. */
export function newsSince(clock: Clock): Date {
  return new Date(clock.now() - NEWS_MS);
}

/** How many are read and stored at a time: so many calls are made within seconds even while others leave few. */
export const BATCH = 4;
/** How many rows are written at a time. */
const WRITTEN = 25;

export function inBatches<T>(all: readonly T[]): T[][] {
  const count = Math.ceil(all.length / WRITTEN);
  return Array.from({ length: count }, (_, index) => all.slice(index * WRITTEN, (index + 1) * WRITTEN));
}

/** Locks the program's cursor: only its holder writes to the program's tables, and all others wait. */
export async function lockProgram(
  tx: Tx,
  { program, begin }: Pick<IndexedProgram<unknown>, 'program' | 'begin'>,
): Promise<IndexCursor> {
  await begin?.(tx);
  return lockIndexCursor(tx, program);
}

/** What each of the transactions did, and in which slot, or why it could not be read. @throws ChainUnavailable */
export function readEvents<E>(
  { rpc }: Pick<Chain, 'rpc'>,
  { decode }: Pick<IndexedProgram<E>, 'decode'>,
  batch: readonly { txId: string }[],
): Promise<({ slot: bigint; calledLength: number; events: E[] } | Unreadable)[]> {
  return Promise.all(
    batch.map(async ({ txId }) => {
      const transaction = await readPastTransaction(rpc, txId);
      if ('unreadable' in transaction) return transaction;
      try {
        const { slot, calledLength } = transaction;
        return { slot, calledLength, events: decode(transaction) };
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
