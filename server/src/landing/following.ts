import { decodeTransaction } from '@slipway/wire';
import type { Guest } from '../lib/places.js';
import { findRequest, isSubmission, LANDING_LEASE, type LedgerRow, renewLeases } from '../store/ledger.js';
import { StoreUnavailable } from '../store/sql.js';
import type { DelegatedSend, Resolution } from './delegated-send.js';
import type { LandingDeps } from './deps.js';
import { OLD_MS } from './history-since.js';
import { type Lifetime, lifetimeByHeight, lifetimeOf } from './lifetime.js';
import type { Resending } from './pace.js';
import { PayloadMismatch } from './payload.js';
import { isLedByAnother } from './signed-transaction.js';
import { aliveAtOf } from './submission-payload.js';
import type { Tracker, Verdict } from './tracker.js';

/** A durable nonce never expires, so give up on its transaction after this long. */
const GIVE_UP_MS = 5 * 60_000;
/** Longer than a call waits for a slow node: then what this instance has under way is left to others. */
export const MOST_BLIND_MS = 2 * LANDING_LEASE;

export interface FollowingDeps extends Pick<LandingDeps, 'store' | 'clock' | 'steadyNow' | 'observe' | 'log'> {
  tracker: Pick<Tracker, 'track' | 'pollNow'>;
  delegated: Pick<DelegatedSend, 'search'>;
  settle: (item: { id: string; verdict: Verdict }) => Promise<LedgerRow | undefined>;
  /** How often a transaction is sent again; undefined as the tracker does. */
  resendingOf?: (row: LedgerRow) => Resending | undefined;
  /** Whether a key of ours signs this transaction first; of none, when left out. */
  isOurs?: (wire: Uint8Array) => boolean;
  /** For how many milliseconds the node has told nothing: another instance may do better. None, when left out. */
  blindFor?: () => number;
}

interface HowToFollow {
  caller?: Guest;
  toEnd?: (row: LedgerRow) => Promise<LedgerRow>;
}

/** Waits for the outcomes of sent transactions, stores them, and renews their leases in the meantime. */
export class Following {
  readonly #deps: FollowingDeps;
  readonly #ends = new Map<string, Promise<LedgerRow>>();
  readonly #renewal: NodeJS.Timeout;

  constructor(deps: FollowingDeps) {
    this.#deps = deps;
    this.#renewal = setInterval(() => this.#renewLeases(), LANDING_LEASE / 3);
    this.#renewal.unref();
  }

  /**
   * Resolves with the request in its final state. `toEnd` gets it there unless this process follows it already; by
   * default it waits for the chain. `caller`: who has posted it, by default the key whose holder hears of its end.
   * @throws StoreUnavailable where the database knows no more that it was sent
   */
  async follow(
    row: LedgerRow,
    { caller, toEnd = (own) => this.#followToEnd(own, { caller }) }: HowToFollow = {},
  ): Promise<LedgerRow> {
    if (row.state !== 'sending') return ended(row);
    const known = this.#ends.get(row.id);
    if (known) return known;
    const end = toEnd(row).finally(() => this.#ends.delete(row.id));
    this.#ends.set(row.id, end);
    return end;
  }

  /** `follow` without a caller that waits. `takenOver`: from an instance that may have stopped before sending it. */
  followInBackground(row: LedgerRow, { takenOver = false } = {}): void {
    this.follow(row, { toEnd: (own) => this.#followToEnd(own, { takenOver }) }).catch((error: Error) =>
      this.#deps.log[error instanceof PayloadMismatch ? 'warn' : 'debug'](
        { request: row.id, reason: error.message },
        'left to a later run',
      ),
    );
  }

  /** The final state of a request whose transaction a third party signs last and sends. `caller`: as of `follow`. */
  resolve(row: LedgerRow, resolution: Resolution, caller: Guest | undefined): Promise<LedgerRow> {
    if ('verdict' in resolution) return this.#conclude(row.id, resolution.verdict);
    this.#deps.tracker.pollNow();
    return this.#followToEnd(resolution.row, { caller });
  }

  close(): void {
    clearInterval(this.#renewal);
  }

  #renewLeases(): void {
    const { store, log, blindFor = () => 0 } = this.#deps;
    const ids = [...this.#ends.keys()];
    if (ids.length === 0 || blindFor() > MOST_BLIND_MS) return;
    store
      .transaction((tx) => renewLeases(tx, ids))
      .catch((error: Error) =>
        log.warn({ reason: error.message }, 'cannot renew leases; another instance may follow the same transactions'),
      );
  }

  async #followToEnd(
    row: LedgerRow,
    { takenOver = false, caller }: { takenOver?: boolean; caller?: Guest | undefined } = {},
  ): Promise<LedgerRow> {
    if (row.state !== 'sending') return ended(row);
    const { tracker, delegated, steadyNow, clock } = this.#deps;
    const { id, signature, wire, sentAt } = row;
    if (!wire) throw new Error(`request ${id} is being sent, but its transaction is missing`);
    const asker = caller ?? (row.apiKey === null ? undefined : { id: row.apiKey });
    if (!signature) return this.resolve(row, await delegated.search(row, { caller: asker }), asker);
    const lifetime = lifetimeOfRow(row, wire);
    const giveUpAt = lifetime.kind === 'nonce' ? { giveUpAt: steadyNow() + GIVE_UP_MS } : {};
    const resending = this.#deps.resendingOf?.(row);
    const begun = steadyNow();
    const at = sentAt?.getTime() ?? clock.now();
    const isOld = () => at < clock.now() - OLD_MS || begun < steadyNow() - OLD_MS;
    const verdict = await tracker.track({
      signature,
      wire,
      lifetime,
      takenOver,
      ...giveUpAt,
      // What a stranger posts has a place as long as it is followed: that is told as the node has it.
      ...((isOld() || !isSubmission(row)) && { sent: { at, isOld } }),
      ...(resending && { resending }),
      isOurs: this.#deps.isOurs?.(wire) ?? false,
      caller: asker,
    });
    return verdict.event === 'expired' ? this.#expire(row, wire, verdict, asker) : this.#conclude(id, verdict);
  }

  /** A message has many valid signatures: whoever signs it first may have sent another one than he told us. */
  async #expire(row: LedgerRow, wire: Uint8Array, expired: Verdict, caller: Guest | undefined): Promise<LedgerRow> {
    const { delegated } = this.#deps;
    if (row.handedOver) return this.resolve(row, await delegated.search(row, { caller }), caller);
    // What was withheld would have failed when it was posted.
    const end: Verdict = row.error === null ? expired : { event: 'failed', slot: null, error: row.error };
    const isSearched = isLedByAnother(row, decodeTransaction(wire).decoded.accounts[0]!);
    const told = isSearched ? await delegated.search(row, { whenDead: end, caller }) : { verdict: end };
    return this.resolve(row, told, caller);
  }

  async #conclude(id: string, verdict: Verdict): Promise<LedgerRow> {
    const { store, settle, observe } = this.#deps;
    const settled = (await settle({ id, verdict })) ?? (await findRequest(store, id));
    if (!settled) throw new Error(`request ${id} has disappeared while it was being sent`);
    observe(ended(settled));
    return settled;
  }
}

/**
 * A standby that has taken over may lack the last second, and have as unsent what was sent: that is no outcome. Who posts it
 * again has it claimed again, and is told what has become of it.
 */
function ended(row: LedgerRow): LedgerRow {
  if (row.state !== 'crafted') return row;
  throw new StoreUnavailable(new Error(`it has lost that request ${row.id} was sent; post it again`));
}

export function lifetimeOfRow(row: LedgerRow, wire: Uint8Array): Lifetime {
  const { lastValidBlockHeight } = row;
  if (lastValidBlockHeight > 0n) return lifetimeByHeight(wire, lastValidBlockHeight);
  return lifetimeOf(decodeTransaction(wire).message, aliveAtOf(row));
}
