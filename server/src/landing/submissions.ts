import { encodeTransaction, type Transaction, transactionSignature } from '@slipway/wire';
import { hashMessage } from '../crafting/transaction.js';
import { FewAtATime } from '../lib/few-at-a-time.js';
import type { Guest, Places } from '../lib/places.js';
import {
  deleteSubmission,
  findRequest,
  findSent,
  insertSubmission,
  isGivenUp,
  type LedgerRow,
} from '../store/ledger.js';
import { askSince } from './ask-since.js';
import { broadcastFirst, NotAccepted } from './broadcast.js';
import { type Alive, type CanLandChain, CannotLand, landedAt, requireLandable } from './can-land.js';
import type { LandingDeps } from './deps.js';
import type { Following } from './following.js';
import type { SignedTransaction } from './signed-transaction.js';
import type { SubmissionPayload } from './submission-payload.js';

export interface SubmissionsDeps
  extends Pick<LandingDeps, 'store' | 'clock' | 'steadyNow' | 'chain' | 'sendRpcs' | 'log'> {
  following: Pick<Following, 'follow'>;
  places: Places;
}

/**
 * How long one that never lands has its place, from when it was posted: longer than a fresh blockhash lives. It costs no fee,
 * and with a blockhash that is nearly dead it would end at once, and be a row for days.
 */
const LEAST_MS = 90_000;
/**
 * Blockhashes, and transactions that have a dead one, that the node is asked about together for one caller. What is refused keeps no
 * place, so that who makes up blockhashes would have it asked about ever more of them before those of others. All of a page's key, or
 * without one, have four times as many.
 */
const MOST_ASKED = 16;
const MOST_ASKED_TOGETHER = 64;

/** What is done with what was posted: it is sent, or only followed. */
interface Course extends Alive {
  /** Landed a moment before, or sent by another way. */
  isOnChain: boolean;
}

interface Place {
  leave: () => void;
  keptUntil: number;
  /** However it ends. */
  isKept?: boolean | undefined;
}

/** Sends transactions that others created and signed; each has a row in the ledger, with its signature as the id. */
export class Submissions {
  readonly #deps: SubmissionsDeps;
  readonly #posted = new Map<string, Promise<string>>();
  readonly #asked = new FewAtATime(MOST_ASKED);
  readonly #askedTogether = new FewAtATime(MOST_ASKED_TOGETHER);
  /** Places of those that have ended early. */
  #kept: { until: number; leave: () => void }[] = [];

  constructor(deps: SubmissionsDeps) {
    this.#deps = deps;
  }

  /** See `Landing.submit`. */
  submit(signed: SignedTransaction, caller: Guest, apiKey?: string): Promise<string> {
    const signature = transactionSignature(signed.transaction);
    const known = this.#posted.get(signature);
    if (known) return known;
    const end = this.#submitOnce(signed, caller, apiKey).finally(() => this.#posted.delete(signature));
    this.#posted.set(signature, end);
    return end;
  }

  async #submitOnce(signed: SignedTransaction, caller: Guest, apiKey?: string): Promise<string> {
    const { places, steadyNow } = this.#deps;
    this.#leaveKept();
    const keptUntil = steadyNow() + LEAST_MS;
    // Before the chain is asked, so that what is over the limit costs no call.
    const leave = places.enter(caller);
    let row: LedgerRow | undefined;
    let course: Course | undefined;
    try {
      course = await this.#courseOf(signed, caller);
      row = course && (await this.#insert(signed.transaction, { wallet: signed.signers[0]!, apiKey, ...course }));
      if (row && !course?.isOnChain) await this.#send(row);
    } catch (error) {
      const isSent = row !== undefined && !(error instanceof NotAccepted && error.definite);
      if (isSent) this.#follow(row!, caller, { leave, keptUntil });
      else leave();
      throw error;
    }
    // Whoever posts what has landed of others pays no fee for it, either.
    if (row) this.#follow(row, caller, { leave, keptUntil, isKept: course?.isOnChain });
    else leave();
    return transactionSignature(signed.transaction);
  }

  /**
   * Undefined if the ledger has it. What cannot land at a node that is behind may have its blockhash, its nonce or what pays its fee
   * since then.
   * @throws CannotLand, ChainUnavailable
   */
  async #courseOf(signed: SignedTransaction, caller: Guest): Promise<Course | undefined> {
    const chain = this.#chainFor(caller);
    const look = () => this.#look(chain, signed);
    const seen = await askSince(chain.newestSlot, look, (what) =>
      what instanceof CannotLand ? what.deadAt : undefined,
    );
    if (seen instanceof CannotLand) throw seen;
    return seen;
  }

  /**
   * A post may come to two copies, or after it was sent by another way: what has landed by now is not refused.
   * @throws ChainUnavailable
   */
  async #look(chain: CanLandChain, signed: SignedTransaction): Promise<Course | CannotLand | undefined> {
    try {
      return { ...(await requireLandable(chain, signed)), isOnChain: false };
    } catch (error) {
      if (!(error instanceof CannotLand)) throw error;
      const signature = transactionSignature(signed.transaction);
      const known = await findSent(this.#deps.store, signature);
      if (known && !isGivenUp(known)) return undefined;
      const slot = await landedAt(chain, signature, error);
      // A node that has not reached that slot may have neither it nor what it lives by, and would tell it as expired.
      if (slot !== undefined) return { aliveAt: slot, lastValidBlockHeight: 0n, isOnChain: true };
      return known ? undefined : error;
    }
  }

  #chainFor(caller: Guest): CanLandChain {
    const { id, together } = caller;
    const chain = this.#deps.chain.by(caller);
    const inTurn = <T>(ask: () => Promise<T>): Promise<T> =>
      this.#asked.run(id, () => (together === undefined ? ask() : this.#askedTogether.run(together, ask)));
    return {
      accountReading: chain.accountReading,
      latestBlockhash: chain.latestBlockhash,
      newestSlot: chain.newestSlot,
      isBlockhashValid: (blockhash) => inTurn(() => chain.isBlockhashValid(blockhash)),
      statuses: (signatures, options) => inTurn(() => chain.statuses(signatures, options)),
    };
  }

  async #send({ id, wire }: LedgerRow): Promise<void> {
    const { store, sendRpcs, log } = this.#deps;
    try {
      await broadcastFirst(sendRpcs, wire!, log);
    } catch (error) {
      const isRefused = error instanceof NotAccepted && error.definite;
      if (isRefused) await store.transaction((tx) => deleteSubmission(tx, id));
      throw error;
    }
  }

  #follow(row: LedgerRow, caller: Guest, { leave, keptUntil, isKept = false }: Place): void {
    const { following, log } = this.#deps;
    following.follow(row, { caller }).then(
      ({ state }) => {
        if (isKept || state === 'expired') this.#kept.push({ until: keptUntil, leave });
        else leave();
      },
      (error: Error) => {
        log.debug({ request: row.id, reason: error.message }, 'left to a later run');
        leave();
      },
    );
  }

  #leaveKept(): void {
    const now = this.#deps.steadyNow();
    const isOver = ({ until }: { until: number }) => until <= now;
    if (!this.#kept.some(isOver)) return;
    for (const { leave } of this.#kept.filter(isOver)) leave();
    this.#kept = this.#kept.filter((each) => !isOver(each));
  }

  /** Undefined if the ledger has the signature already. */
  async #insert(
    transaction: Transaction,
    { wallet, aliveAt, lastValidBlockHeight, apiKey }: Alive & { wallet: string; apiKey: string | undefined },
  ): Promise<LedgerRow | undefined> {
    const { store, clock } = this.#deps;
    const signature = transactionSignature(transaction);
    const now = new Date(clock.now());
    const payload: SubmissionPayload = { aliveAt: aliveAt.toString() };
    const submission = {
      signature,
      wallet,
      wire: encodeTransaction(transaction),
      messageHash: hashMessage(transaction.message),
      lastValidBlockHeight,
      payload,
      createdAt: now,
      expiresAt: now,
      sentAt: now,
      apiKey: apiKey ?? null,
    };
    if (!(await store.transaction((tx) => insertSubmission(tx, submission)))) return undefined;
    const row = await findRequest(store, signature);
    if (!row) throw new Error(`submission ${signature} has disappeared`);
    return row;
  }
}
