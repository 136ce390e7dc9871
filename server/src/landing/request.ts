import { BLOCKHASH_LIFE_MS } from '../chain/index.js';
import type { Crafted } from '../crafting/transaction.js';
import type { Clock } from '../lib/clock.js';
import { uuidv7 } from '../lib/ids.js';
import type { KeyName } from '../signer/index.js';
import { findRequest, insertCrafted, type LedgerRow, type NewRequest } from '../store/ledger.js';
import type { Store } from '../store/sql.js';

/** How long after its blockhash a request id still answers for what became of it. */
const GRACE_MS = 2 * 60_000;

/** A crafted transaction, and what is needed when it comes back signed. */
export interface CraftedRequest {
  /** The request id, where it was made before the transaction; a new one otherwise. */
  id?: string;
  area: string;
  wallet: string;
  crafted: Pick<Crafted, 'messageHash'>;
  /** Of the blockhash that it was crafted with. */
  lastValidBlockHeight: bigint;
  /** The keys of ours that sign it before it is sent. */
  cosigners: readonly KeyName[];
  /** What the area needs when it comes back; must be JSON without undefined, bigint and NUL characters. */
  payload: unknown;
}

/** The ledger's row of a transaction that a client signs and posts. */
export function newRequest(made: CraftedRequest, clock: Clock): NewRequest {
  const now = clock.now();
  return rowOf(made, clock, new Date(now), new Date(now + BLOCKHASH_LIFE_MS + GRACE_MS));
}

/**
 * Writes down a transaction that only keys of ours sign, for `execute`. Its id is told to nobody, so it is dead from the
 * start: a row that was never sent may be deleted at any time.
 */
export async function rememberOwn(store: Store, made: CraftedRequest, clock: Clock): Promise<LedgerRow> {
  const now = new Date(clock.now());
  const request = rowOf(made, clock, now, now);
  await store.single((tx) => insertCrafted(tx, [request]));
  const row = await findRequest(store, request.id);
  if (!row) throw new Error(`request ${request.id} has disappeared`);
  return row;
}

function rowOf(made: CraftedRequest, clock: Clock, createdAt: Date, expiresAt: Date): NewRequest {
  const { crafted, id = uuidv7(clock), ...row } = made;
  return { ...row, id, messageHash: crafted.messageHash, createdAt, expiresAt };
}
