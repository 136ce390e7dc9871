import {
  decodeTransaction,
  encodeTransaction,
  type Transaction,
  transactionSignature,
  withSignature,
} from '@slipway/wire';
import type { Logger } from 'pino';
import type { Chain, Rpc } from '../chain/index.js';
import { hashMessage } from '../crafting/transaction.js';
import type { Clock } from '../lib/clock.js';
import type { KeyName, Signer } from '../signer/index.js';
import { groupCalls } from '../store/group-calls.js';
import {
  claimMany,
  deleteSubmission,
  findRequest,
  insertSubmission,
  type LedgerRow,
  renewLeases,
  settleMany,
  takeAbandoned,
  unclaim,
} from '../store/ledger.js';
import type { Store, Tx } from '../store/sql.js';
import { broadcast, NotAccepted } from './broadcast.js';
import { type Lifetime, lifetimeOf } from './lifetime.js';
import { findObstacle } from './obstacle.js';
import { createTracker, type Verdict } from './tracker.js';

/** What an area adds to its requests' claim and end, in the same store transaction, for a group of them at a time. */
export interface AreaHooks {
  /** Answers, by request id, why requests must not go on. Those are given back as if they had never been posted. */
  reserve(tx: Tx, claimed: readonly Claimed[]): Promise<Map<string, string>>;
  settle(tx: Tx, settled: readonly LedgerRow[]): Promise<void>;
}

export interface Claimed {
  id: string;
  /** What the area has given to `execute`. */
  detail: unknown;
}

/** The area did not let the request go on; nothing has left, and the request id is as it was. */
export class ReservationRefused extends Error {
  override readonly name = 'ReservationRefused';
}

export interface Landing {
  /**
   * Adds our signatures, claims the request, sends, and answers with the request in its final state. However often and
   * wherever it is called for one request, one transaction leaves and everybody gets the same row.
   * @throws ReservationRefused, WouldFail: nothing has left.
   */
  execute(request: LedgerRow, signedByUser: Transaction, detail?: unknown): Promise<LedgerRow>;
  /**
   * Takes over a fully signed transaction: resolves with its signature as soon as one way has accepted it. `aliveAt` is a
   * slot at which its blockhash was known to be valid.
   * @throws NotAccepted when no way did. Where that is not certain, it is followed all the same.
   */
  submit(transaction: Transaction, wallet: string, aliveAt: bigint): Promise<string>;
  /** Goes on with what a stopped copy has left under way; `all`: also with what another copy seems to be busy with. */
  resume(options: { all: boolean }): Promise<number>;
  close(): void;
}

export interface LandingDeps {
  store: Store;
  clock: Clock;
  steadyNow: () => number;
  chain: Chain;
  /** Every way of sending; the first is the one that the chain is read from. */
  ways: readonly Rpc[];
  signer: Signer;
  /** By area. */
  hooks: Readonly<Record<string, AreaHooks>>;
  /** Told of every transaction that has come to its end here, after that is in the store. */
  observe: (settled: LedgerRow) => void;
  log: Logger;
}

/** How long a copy that says nothing is believed to be alive. */
const LEASE_MS = 6_000;
/** A durable nonce never expires: after this long nobody waits for it any more. */
const GIVE_UP_MS = 5 * 60_000;
/** At a time; what is beyond is taken up by the next run. */
const MAX_RESUMED = 10_000;
const END_OF_TIME = new Date(8.64e15);

interface WantedClaim extends Claimed {
  area: string;
  signature: string;
  wire: Uint8Array;
}

type ClaimResult = 'won' | 'lost' | { refused: string };

export function createLanding(deps: LandingDeps): Landing {
  const { store, clock, steadyNow, chain, ways, signer, log } = deps;
  const tracker = createTracker({ chain, ways, log, steadyNow });
  const executing = new Map<string, Promise<LedgerRow>>();
  const submitting = new Map<string, Promise<string>>();
  const following = new Map<string, Promise<LedgerRow>>();
  const leaseUntil = () => new Date(clock.now() + LEASE_MS);

  const renewal = setInterval(() => {
    const ids = [...following.keys()];
    if (ids.length === 0) return;
    store
      .transaction((tx) => renewLeases(tx, ids, leaseUntil()))
      .catch((error: Error) =>
        log.warn({ reason: error.message }, 'cannot renew leases; another copy may follow the same transactions'),
      );
  }, LEASE_MS / 3);
  renewal.unref();

  const claim = groupCalls<WantedClaim, ClaimResult>({
    run: (wanted) => store.transaction((tx) => writeClaims(tx, wanted)),
    maxGroup: 200,
  });
  const settle = groupCalls<{ id: string; verdict: Verdict }, LedgerRow | undefined>({
    run: (items) => store.transaction((tx) => writeVerdicts(tx, items)),
    maxGroup: 200,
  });

  async function writeClaims(tx: Tx, wanted: WantedClaim[]): Promise<ClaimResult[]> {
    const times = { sentAt: new Date(clock.now()), leaseUntil: leaseUntil() };
    const won = await claimMany(
      tx,
      wanted.map(({ id, signature, wire }) => ({ id, signature, wire, ...times })),
    );
    const refused = new Map<string, string>();
    const claimed = wanted.filter(({ id }) => won.has(id));
    for (const [area, group] of byArea(claimed)) {
      for (const [id, why] of (await deps.hooks[area]?.reserve(tx, group)) ?? []) refused.set(id, why);
    }
    for (const id of refused.keys()) await unclaim(tx, id);
    return wanted.map(({ id }) => {
      const why = refused.get(id);
      if (why !== undefined) return { refused: why };
      return won.has(id) ? 'won' : 'lost';
    });
  }

  async function writeVerdicts(tx: Tx, items: { id: string; verdict: Verdict }[]): Promise<(LedgerRow | undefined)[]> {
    const settledAt = new Date(clock.now());
    const settled = await settleMany(
      tx,
      items.map(({ id, verdict }) => ({
        id,
        event: verdict.event,
        slot: verdict.slot ?? undefined,
        error: verdict.error,
        settledAt,
      })),
    );
    for (const [area, rows] of byArea(settled)) await deps.hooks[area]?.settle(tx, rows);
    const byId = new Map(settled.map((row) => [row.id, row]));
    return items.map(({ id }) => byId.get(id));
  }

  /** Waits for the truth about a request that has been sent, and writes it down if nobody else did. */
  function follow(row: LedgerRow): Promise<LedgerRow> {
    if (row.state !== 'sending') return Promise.resolve(row);
    const known = following.get(row.id);
    if (known) return known;
    const end = followToEnd(row).finally(() => following.delete(row.id));
    following.set(row.id, end);
    return end;
  }

  async function followToEnd(row: LedgerRow): Promise<LedgerRow> {
    const { id, signature, wire } = row;
    if (!signature || !wire) throw new Error(`request ${id} is being sent, but its transaction is missing`);
    const lifetime: Lifetime =
      row.lastValidBlockHeight > 0n
        ? { kind: 'height', lastValidBlockHeight: row.lastValidBlockHeight }
        : lifetimeOf(decodeTransaction(wire).message, aliveAtOf(row));
    const giveUpAt = lifetime.kind === 'nonce' ? steadyNow() + GIVE_UP_MS : undefined;
    const verdict = await tracker.track({ signature, wire, lifetime, ...(giveUpAt !== undefined && { giveUpAt }) });
    const settled = (await settle({ id, verdict })) ?? (await findRequest(store, id));
    if (!settled) throw new Error(`request ${id} has disappeared while it was being sent`);
    deps.observe(settled);
    return settled;
  }

  function followInBackground(row: LedgerRow): void {
    follow(row).catch((error: Error) => log.debug({ request: row.id, reason: error.message }, 'left to a later run'));
  }

  async function cosign(request: LedgerRow, signedByUser: Transaction): Promise<Transaction> {
    let transaction = signedByUser;
    for (const key of request.cosigners as KeyName[]) {
      const [address, signature] = [await signer.publicKey(key), await signer.sign(key, transaction.message)];
      transaction = withSignature(transaction, address, signature);
    }
    return transaction;
  }

  async function executeOnce(request: LedgerRow, signedByUser: Transaction, detail: unknown): Promise<LedgerRow> {
    const { id, area } = request;
    const transaction = await cosign(request, signedByUser);
    const wire = encodeTransaction(transaction);
    const signature = transactionSignature(transaction);
    const doomed = await findObstacle(chain, wire, signature);
    if (doomed) {
      // It fails also where another copy has just landed it, on a node that does not know that yet.
      const row = await findRequest(store, id);
      if (row && row.state !== 'crafted') return follow(row);
      throw doomed;
    }
    const result = await claim({ id, area, signature, wire, detail });
    if (typeof result === 'object') throw new ReservationRefused(result.refused);
    if (result === 'lost') {
      const row = await findRequest(store, id);
      if (!row) throw new Error(`request ${id} has disappeared`);
      return follow(row);
    }
    // From here on only the chain says what happened: a way that hangs or errs may have taken it all the same.
    const end = follow({ ...request, state: 'sending', signature, wire: Buffer.from(wire) });
    broadcast(ways, wire, log).then(tracker.pollNow, (error: Error) =>
      log.warn({ request: id, reason: error.message }, 'no way has accepted the transaction yet'),
    );
    return end;
  }

  async function submitOnce(transaction: Transaction, wallet: string, aliveAt: bigint): Promise<string> {
    const wire = encodeTransaction(transaction);
    const signature = transactionSignature(transaction);
    const now = clock.now();
    const isNew = await store.transaction((tx) =>
      insertSubmission(tx, {
        signature,
        wallet,
        wire,
        messageHash: hashMessage(transaction.message),
        // Unknown: `lifetimeOf` reads what there is from the message.
        lastValidBlockHeight: 0n,
        payload: { aliveAt: aliveAt.toString() } satisfies SubmissionPayload,
        createdAt: new Date(now),
        expiresAt: new Date(now),
        sentAt: new Date(now),
        leaseUntil: leaseUntil(),
      }),
    );
    if (!isNew) return signature;
    const row = await findRequest(store, signature);
    if (!row) throw new Error(`submission ${signature} has disappeared`);
    try {
      await broadcast(ways, wire, log);
    } catch (error) {
      const refused = error instanceof NotAccepted && error.definite;
      if (refused) await store.transaction((tx) => deleteSubmission(tx, signature));
      else followInBackground(row);
      throw error;
    }
    followInBackground(row);
    tracker.pollNow();
    return signature;
  }

  return {
    execute(request, signedByUser, detail) {
      if (request.state !== 'crafted') return follow(request);
      const known = executing.get(request.id);
      if (known) return known;
      const end = executeOnce(request, signedByUser, detail).finally(() => executing.delete(request.id));
      executing.set(request.id, end);
      return end;
    },

    submit(transaction, wallet, aliveAt) {
      const signature = transactionSignature(transaction);
      const known = submitting.get(signature);
      if (known) return known;
      const end = submitOnce(transaction, wallet, aliveAt).finally(() => submitting.delete(signature));
      submitting.set(signature, end);
      return end;
    },

    async resume({ all }) {
      const now = all ? END_OF_TIME : new Date(clock.now());
      const rows = await store.transaction((tx) => takeAbandoned(tx, now, leaseUntil(), MAX_RESUMED));
      for (const row of rows) followInBackground(row);
      return rows.length;
    },

    close() {
      clearInterval(renewal);
      tracker.close();
    },
  };
}

interface SubmissionPayload {
  aliveAt: string;
}

function aliveAtOf({ payload }: LedgerRow): bigint {
  return BigInt((payload as Partial<SubmissionPayload>).aliveAt ?? 0);
}

function byArea<T extends { area: string }>(items: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(item.area);
    if (group) group.push(item);
    else groups.set(item.area, [item]);
  }
  return groups;
}
