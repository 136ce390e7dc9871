import { encodeTransaction, type Transaction, transactionSignature } from '@slipway/wire';
import { hashMessage } from '../crafting/transaction.js';
import { deleteSubmission, findRequest, insertSubmission, type LedgerRow } from '../store/ledger.js';
import { broadcast, NotAccepted } from './broadcast.js';
import type { LandingDeps } from './deps.js';
import { type Following, leaseFrom } from './following.js';
import type { SubmissionPayload } from './submission-payload.js';
import type { Tracker } from './tracker.js';

export interface SubmissionsDeps extends Pick<LandingDeps, 'store' | 'clock' | 'sendRpcs' | 'log'> {
  following: Pick<Following, 'followInBackground'>;
  tracker: Pick<Tracker, 'pollNow'>;
}

/** Sends transactions that others created and signed; each has a row in the ledger, with its signature as the id. */
export class Submissions {
  readonly #deps: SubmissionsDeps;
  readonly #underWay = new Map<string, Promise<string>>();

  constructor(deps: SubmissionsDeps) {
    this.#deps = deps;
  }

  /** See `Landing.submit`. */
  submit(transaction: Transaction, wallet: string, aliveAt: bigint): Promise<string> {
    const signature = transactionSignature(transaction);
    const known = this.#underWay.get(signature);
    if (known) return known;
    const end = this.#submitOnce(transaction, wallet, aliveAt).finally(() => this.#underWay.delete(signature));
    this.#underWay.set(signature, end);
    return end;
  }

  async #submitOnce(transaction: Transaction, wallet: string, aliveAt: bigint): Promise<string> {
    const { following, tracker, sendRpcs, log } = this.#deps;
    const signature = transactionSignature(transaction);
    const row = await this.#insert(transaction, wallet, aliveAt);
    if (!row) return signature;
    try {
      await broadcast(sendRpcs, row.wire!, log);
    } catch (error) {
      const refused = error instanceof NotAccepted && error.definite;
      if (refused) await this.#deps.store.transaction((tx) => deleteSubmission(tx, signature));
      else following.followInBackground(row);
      throw error;
    }
    following.followInBackground(row);
    tracker.pollNow();
    return signature;
  }

  /** Undefined if the ledger has the signature already. */
  async #insert(transaction: Transaction, wallet: string, aliveAt: bigint): Promise<LedgerRow | undefined> {
    const { store, clock } = this.#deps;
    const signature = transactionSignature(transaction);
    const now = new Date(clock.now());
    const payload: SubmissionPayload = { aliveAt: aliveAt.toString() };
    const submission = {
      signature,
      wallet,
      wire: encodeTransaction(transaction),
      messageHash: hashMessage(transaction.message),
      // Unknown: `lifetimeOf` derives the lifetime from the message.
      lastValidBlockHeight: 0n,
      payload,
      createdAt: now,
      expiresAt: now,
      sentAt: now,
      leaseUntil: leaseFrom(now.getTime()),
    };
    if (!(await store.transaction((tx) => insertSubmission(tx, submission)))) return undefined;
    const row = await findRequest(store, signature);
    if (!row) throw new Error(`submission ${signature} has disappeared`);
    return row;
  }
}
