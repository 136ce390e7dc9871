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
import {
  deleteSubmission,
  findRequest,
  insertSubmission,
  type LedgerRow,
  renewLeases,
  takeAbandoned,
} from '../store/ledger.js';
import type { Store } from '../store/sql.js';
import { broadcast, NotAccepted } from './broadcast.js';
import { createDelegatedSend, type Deliver, type Resolution } from './delegated-send.js';
import { createGroupedWrites, ReservationRefused, type Settlement, type WantedClaim } from './grouped-writes.js';
import { type Lifetime, lifetimeOf } from './lifetime.js';
import { preflight } from './preflight.js';
import { createTracker, type Verdict } from './tracker.js';

export interface Landing {
  /**
   * Adds our signatures, claims the request, sends, and answers with the request in its final state. However often and
   * wherever it is called for one request, one transaction leaves and everybody gets the same row.
   * @throws ReservationRefused, WouldFail: nothing has left.
   */
  execute(request: LedgerRow, signedByUser: Transaction, detail?: unknown): Promise<LedgerRow>;
  /**
   * `execute` for a transaction whose fee payer, a market maker, signs last and sends it: claims the request, gives the
   * transaction to `deliver` once, and follows it. Where the answer is lost, the chain is searched for the message until
   * its blockhash is dead; it is never handed over a second time.
   * @throws ReservationRefused, WouldFail: nothing has left.
   */
  delegate(request: LedgerRow, signedByTaker: Transaction, deliver: Deliver): Promise<LedgerRow>;
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
  sendRpcs: readonly Rpc[];
  signer: Signer;
  /** By area. */
  settlements: Readonly<Record<string, Settlement>>;
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

export function createLanding(deps: LandingDeps): Landing {
  const { store, clock, steadyNow, chain, sendRpcs, signer, log } = deps;
  const tracker = createTracker({ chain, sendRpcs, log, steadyNow });
  const executing = new Map<string, Promise<LedgerRow>>();
  const submitting = new Map<string, Promise<string>>();
  const following = new Map<string, Promise<LedgerRow>>();
  const closing = new AbortController();
  const handing = createDelegatedSend({ store, chain, log, closing: closing.signal });
  const leaseUntil = () => new Date(clock.now() + LEASE_MS);
  const { claim, settle } = createGroupedWrites({ store, clock, leaseUntil, settlements: deps.settlements });

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

  /** Waits for the truth about a request that has been sent, and writes it down if nobody else did. */
  function follow(
    row: LedgerRow,
    toEnd: (row: LedgerRow) => Promise<LedgerRow> = (own) => followToEnd(own),
  ): Promise<LedgerRow> {
    if (row.state !== 'sending') return Promise.resolve(row);
    const known = following.get(row.id);
    if (known) return known;
    const end = toEnd(row).finally(() => following.delete(row.id));
    following.set(row.id, end);
    return end;
  }

  async function followToEnd(row: LedgerRow, takenOver = false): Promise<LedgerRow> {
    if (row.state !== 'sending') return row;
    const { id, signature, wire } = row;
    if (!wire) throw new Error(`request ${id} is being sent, but its transaction is missing`);
    if (!signature) return resolve(row, await handing.search(row));
    const lifetime: Lifetime =
      row.lastValidBlockHeight > 0n
        ? { kind: 'height', lastValidBlockHeight: row.lastValidBlockHeight }
        : lifetimeOf(decodeTransaction(wire).message, aliveAtOf(row));
    const giveUpAt = lifetime.kind === 'nonce' ? { giveUpAt: steadyNow() + GIVE_UP_MS } : {};
    const verdict = await tracker.track({ signature, wire, lifetime, takenOver, ...giveUpAt });
    // One message has many right signatures: who signed last may have sent another one than they have told us.
    if (verdict.event === 'expired' && row.handedOver) return resolve(row, await handing.search(row));
    return conclude(id, verdict);
  }

  function resolve(row: LedgerRow, resolution: Resolution): Promise<LedgerRow> {
    if ('verdict' in resolution) return conclude(row.id, resolution.verdict);
    tracker.pollNow();
    return followToEnd(resolution.row);
  }

  async function conclude(id: string, verdict: Verdict): Promise<LedgerRow> {
    const settled = (await settle({ id, verdict })) ?? (await findRequest(store, id));
    if (!settled) throw new Error(`request ${id} has disappeared while it was being sent`);
    deps.observe(settled);
    return settled;
  }

  function followInBackground(row: LedgerRow, takenOver = false): void {
    follow(row, (own) => followToEnd(own, takenOver)).catch((error: Error) =>
      log.debug({ request: row.id, reason: error.message }, 'left to a later run'),
    );
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
    const transaction = await cosign(request, signedByUser);
    const wire = encodeTransaction(transaction);
    const signature = transactionSignature(transaction);
    const other = await claimed(request, { signature, wire, detail });
    if (other) return follow(other);
    // From here on only the chain says what happened: a way that hangs or errs may have taken it all the same.
    const end = follow({ ...request, state: 'sending', signature, wire: Buffer.from(wire) });
    broadcast(sendRpcs, wire, log).then(tracker.pollNow, (error: Error) =>
      log.warn({ request: request.id, reason: error.message }, 'no way has accepted the transaction yet'),
    );
    return end;
  }

  async function handOverOnce(request: LedgerRow, signedByTaker: Transaction, ask: Deliver): Promise<LedgerRow> {
    const transaction = await cosign(request, signedByTaker);
    const wire = encodeTransaction(transaction);
    const other = await claimed(request, { signature: null, wire, detail: undefined });
    if (other) return follow(other);
    const row: LedgerRow = { ...request, state: 'sending', signature: null, wire: Buffer.from(wire), handedOver: true };
    return follow(row, async () => resolve(row, await handing.deliver(row, transaction, ask)));
  }

  /** Nothing where this call has won the request; else the row as somebody else has taken it on. */
  async function claimed(
    request: LedgerRow,
    wanted: Pick<WantedClaim, 'signature' | 'wire' | 'detail'>,
  ): Promise<LedgerRow | undefined> {
    const { id, area } = request;
    const doomed = await preflight(chain, wanted.wire, wanted.signature);
    if (doomed) {
      // It fails also where another copy has just landed it, on a node that does not know that yet.
      const row = await findRequest(store, id);
      if (row && row.state !== 'crafted') return row;
      throw doomed;
    }
    const result = await claim({ id, area, ...wanted });
    if (typeof result === 'object') throw new ReservationRefused(result.refused);
    if (result === 'won') return undefined;
    const row = await findRequest(store, id);
    if (!row) throw new Error(`request ${id} has disappeared`);
    return row;
  }

  /** What is called for one request while a call for it is under way gets the same end. */
  function once(request: LedgerRow, run: () => Promise<LedgerRow>): Promise<LedgerRow> {
    if (request.state !== 'crafted') return follow(request);
    const known = executing.get(request.id);
    if (known) return known;
    const end = run().finally(() => executing.delete(request.id));
    executing.set(request.id, end);
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
      await broadcast(sendRpcs, wire, log);
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
    execute: (request, signedByUser, detail) => once(request, () => executeOnce(request, signedByUser, detail)),
    delegate: (request, signedByTaker, deliver) => once(request, () => handOverOnce(request, signedByTaker, deliver)),

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
      for (const row of rows) followInBackground(row, true);
      return rows.length;
    },

    close() {
      clearInterval(renewal);
      closing.abort();
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
