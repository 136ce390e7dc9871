import { BLOCKHASH_LIFE_MS, type Chain } from '../chain/index.js';
import type { Crafted } from '../crafting/transaction.js';
import type { Clock } from '../lib/clock.js';
import { uuidv7 } from '../lib/ids.js';
import type { Guest } from '../lib/places.js';
import type { KeyName } from '../signer/index.js';
import type { LedgerRow, NewRequest } from '../store/ledger.js';

/** How long a request id still answers after its blockhash has expired. */
const GRACE_MS = 2 * 60_000;

/** A crafted transaction, and what is needed when it comes back signed. */
export interface CraftedRequest {
  /** The request id, if it was created before the transaction; otherwise a new one is created. */
  id?: string;
  area: string;
  wallet: string;
  crafted: Pick<Crafted, 'messageHash'>;
  /** Of the blockhash that it was crafted with. */
  lastValidBlockHeight: bigint;
  /** Our keys that sign it before it is sent. */
  cosigners: readonly KeyName[];
  /** What the area needs when it comes back signed. Must be JSON without undefined, bigint and NUL characters. */
  payload: unknown;
}

/** The same parts, whose calls to the node take turns, by the caller of this call, with those of others. */
export function calledBy<Deps extends { chain: Chain }>(
  deps: Deps,
  { payer: caller }: { payer: Guest | undefined },
): Deps & { caller: Guest | undefined } {
  return { ...deps, caller, chain: deps.chain.by(caller) };
}

/** `calledBy`, with which requests are stored as asked for by the key of the call, too. */
export function askedBy<Deps extends { chain: Chain; remember: (request: NewRequest) => Promise<void> }>(
  deps: Deps,
  call: { apiKey: { readonly id: string } | undefined; payer: Guest | undefined },
): Deps {
  const apiKey = call.apiKey?.id ?? null;
  return { ...calledBy(deps, call), remember: (request) => deps.remember({ ...request, apiKey }) };
}

/** The ledger row for a transaction that a client will sign and post. */
export function newRequest(request: CraftedRequest, clock: Clock): NewRequest {
  const now = clock.now();
  return rowOf(request, clock, new Date(now), new Date(now + BLOCKHASH_LIFE_MS + GRACE_MS));
}

/**
 * Stores a transaction that only our keys sign, for `execute`. Nobody else gets its id, so the id has expired from the
 * start: if it is never sent, the row may be deleted at any time. `insert` resolves when the row is stored.
 */
export async function rememberOwn(
  insert: (row: NewRequest) => Promise<void>,
  request: CraftedRequest,
  clock: Clock,
): Promise<LedgerRow> {
  const now = new Date(clock.now());
  const inserted = rowOf(request, clock, now, now);
  await insert(inserted);
  // Not read back: what is signed next must be what was crafted here.
  return unsent(inserted);
}

function unsent(inserted: NewRequest): LedgerRow {
  return {
    ...inserted,
    messageHash: Buffer.from(inserted.messageHash),
    cosigners: [...inserted.cosigners],
    state: 'crafted',
    seal: null,
    signature: null,
    wire: null,
    handedOver: false,
    sentAt: null,
    settledAt: null,
    slot: null,
    error: null,
    leaseUntil: null,
    apiKey: inserted.apiKey ?? null,
  };
}

function rowOf(request: CraftedRequest, clock: Clock, createdAt: Date, expiresAt: Date): NewRequest {
  const { crafted, id = uuidv7(clock), ...row } = request;
  return { ...row, id, messageHash: crafted.messageHash, createdAt, expiresAt };
}
