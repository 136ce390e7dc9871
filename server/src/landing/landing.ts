import {
  type Address,
  decodeTransaction,
  encodeTransaction,
  type Transaction,
  transactionSignature,
} from '@slipway/wire';
import type { Rpc } from '../chain/index.js';
import type { Due } from '../crafting/payment.js';
import type { Guest } from '../lib/places.js';
import { isWalletRole, type Signer, usableAddresses } from '../signer/index.js';
import { tell } from '../store/event-outbox.js';
import { failUnsent, isSubmission, type LedgerRow, takeAbandoned, withhold } from '../store/ledger.js';
import type { LossBar, LossKind } from '../store/losses.js';
import type { TriggerOrderRow } from '../store/trigger-orders.js';
import { broadcast } from './broadcast.js';
import { Claiming, type HowToSend, trialChainOf } from './claiming.js';
import { createDelegatedSend, type DelegatedSend, type Deliver } from './delegated-send.js';
import type { LandingDeps } from './deps.js';
import { endEvents } from './end-events.js';
import { Following, lifetimeOfRow, MOST_BLIND_MS } from './following.js';
import { createGroupedWrites } from './grouped-writes.js';
import type { Deaths } from './lifetime.js';
import { isAsOrdered } from './order-seal.js';
import { ownFirst } from './own-first.js';
import { OWN, posted, UNSENT } from './pace.js';
import { whyNotPaid } from './paid.js';
import { PostedAnswers } from './posted-answers.js';
import { preflight } from './preflight.js';
import { isAsCrafted } from './seal.js';
import type { SignedTransaction } from './signed-transaction.js';
import { type PurseReading, Spending } from './spending.js';
import { openStrangers, type Strangers } from './strangers.js';
import { createTracker, type Tracker } from './tracker.js';
import { unlandedAt } from './unlanded.js';

/** Per run; the next run takes over the rest. */
const MAX_RESUMED = 10_000;
/** A node that is wrong, as one of a minor fork, is so for seconds: nobody must hear for minutes that what has landed has expired. */
const LOOKED_MS = 5_000;

/** Sends transactions, each exactly once, and follows them until their outcome is known from the chain. */
export class Landing {
  /** Whether what was posted too late has landed by another way: the history of the chain is dear to look at. */
  readonly looks: PostedAnswers<boolean>;
  readonly #deps: LandingDeps;
  /** To send what the keepers do, and what clients post. */
  readonly #ways: Record<'own' | 'others', readonly Rpc[]>;
  readonly #tracker: Tracker;
  readonly #strangers: Strangers;
  readonly #delegated: DelegatedSend;
  readonly #claiming: Claiming;
  readonly #spending: Spending;
  readonly #following: Following;
  readonly #executing = new Map<string, Promise<LedgerRow>>();
  readonly #closing = new AbortController();

  constructor(deps: LandingDeps) {
    this.#deps = deps;
    const { store, clock, steadyNow, chain, observe, log, settlements } = deps;
    this.looks = new PostedAnswers(() => LOOKED_MS, steadyNow);
    const ways = deps.sendRpcs.map((rpc) => ownFirst(rpc, steadyNow));
    this.#ways = { own: ways.map(({ own }) => own), others: ways.map(({ others }) => others) };
    const { searchChain = chain, endsChain = chain } = deps;
    const { own: ownRpcs, others: sendRpcs } = this.#ways;
    const tracker = createTracker({ chain, endsChain, sendRpcs, ownRpcs, log, steadyNow });
    const delegated = createDelegatedSend({ store, clock, chain: searchChain, log, closing: this.#closing.signal });
    this.#spending = new Spending(clock, settlements);
    const writes = createGroupedWrites({ store, clock, settlements, spending: this.#spending });
    const following = new Following({
      store,
      clock,
      steadyNow,
      observe,
      log,
      tracker,
      delegated,
      settle: writes.settle,
      resendingOf({ area, error }) {
        if (error !== null) return UNSENT;
        return settlements[area]?.isOurs ? OWN : posted(trialChainOf(deps, area));
      },
      isOurs: (wire) => isPaidBy(deps.signer, wire),
      blindFor: () => tracker.blindFor(),
    });
    this.#tracker = tracker;
    this.#delegated = delegated;
    this.#claiming = new Claiming(deps, writes);
    this.#following = following;
    this.#strangers = openStrangers(deps, { delegated, settle: writes.settle });
  }

  /**
   * Whether the service has crafted this request as the store has it now. If not, somebody has written to the
   * database, and nothing may be signed.
   */
  async vouchesFor(request: LedgerRow): Promise<boolean> {
    const isOurs = await isAsCrafted(this.#deps.signer, request);
    const { id, area, cosigners } = request;
    if (!isOurs) this.#deps.log.error({ request: id, area, cosigners }, 'this row was not written by the service');
    return isOurs;
  }

  /** Whether a trigger order is as its owner made it. If not, nothing of it may be sold. */
  vouchesForOrder(order: TriggerOrderRow): Promise<boolean> {
    return isAsOrdered(this.#deps.signer, order);
  }

  /** The addresses of the service's wallets that may have to sign a request: a key may have been exchanged since it was made. */
  walletsOf({ cosigners }: Pick<LedgerRow, 'cosigners'>): Address[] {
    const wallets = this.#deps.signer.wallets();
    return cosigners.filter(isWalletRole).flatMap((role) => usableAddresses(wallets[role]));
  }

  /**
   * Simulates the transaction, adds our signatures, claims the request, sends it, and returns the request in its final state.
   * Idempotent across instances: however often it is called for a request, only one transaction is sent and every
   * caller gets the same row. `detail` is passed to the area's settlement, or what `how.sealed` makes in its place.
   * @throws ReservationRefused, WouldFail, SignerRefused, Stopped: nothing was sent.
   */
  execute(
    request: LedgerRow,
    signedByUser: Transaction,
    detail?: unknown,
    how: Pick<HowToSend, 'sealed' | 'caller'> = {},
  ): Promise<LedgerRow> {
    return this.#once(request, async () => {
      const { end } = await this.send(request, signedByUser, { ...how, detail, isSimulated: false });
      return end;
    });
  }

  /**
   * `execute` of a request that nobody else knows of. Resolves once it is on its way, with the promise of its final state.
   * @throws ReservationRefused, WouldFail, SignerRefused, Stopped: nothing was sent.
   */
  async send(request: LedgerRow, signedByUser: Transaction, how: HowToSend): Promise<{ end: Promise<LedgerRow> }> {
    const { settlements, log } = this.#deps;
    const claimed = await this.#claiming.toSend(request, signedByUser, how);
    if ('id' in claimed) return { end: this.#following.follow(claimed) };
    const { wire, signature } = claimed;
    // From here on only the chain is trusted: an RPC that hangs or fails may still have accepted the transaction.
    const end = this.#following.follow({ ...request, state: 'sending', signature, wire: Buffer.from(wire) });
    broadcast(this.#ways[settlements[request.area]?.isOurs ? 'own' : 'others'], wire, log).then(
      () => this.#tracker.pollNow(),
      (error: Error) => {
        this.#tracker.refused(signature, error);
        log.warn({ request: request.id, reason: error.message }, 'no RPC has accepted the transaction yet');
      },
    );
    return { end };
  }

  /** The final state of a request that was sent, by whichever instance. Sends it again while it may still land. */
  outcome(sent: LedgerRow): Promise<LedgerRow> {
    return this.#following.follow(sent);
  }

  /**
   * `execute` for a transaction that its fee payer, a market maker, signs last and sends: claims the request, passes
   * the transaction to `deliver` once, and follows it. If the answer is lost, the chain is searched for the message
   * until its blockhash is dead; the transaction is never handed over twice.
   * @throws ReservationRefused, WouldFail, Stopped: nothing was sent.
   */
  delegate(request: LedgerRow, signedByTaker: Transaction, deliver: Deliver, caller?: Guest): Promise<LedgerRow> {
    return this.#once(request, () => this.#delegate(request, signedByTaker, deliver, caller));
  }

  /**
   * Ends a request that `execute` refused because it would fail, so that posting it again cannot land it. `err` is the
   * chain's error. If another instance has sent the transaction in the meantime, its outcome counts. Either way the
   * result is the request in its final state.
   */
  async fail({ id }: LedgerRow, signedByUser: Transaction, err: unknown): Promise<LedgerRow> {
    const { store, clock, settlements } = this.#deps;
    const failure = { id, wire: encodeTransaction(signedByUser), error: err, settledAt: new Date(clock.now()) };
    const failed = await store.transaction(async (tx) => {
      const ended = await failUnsent(tx, failure);
      if (ended && !settlements[ended.area]?.isOurs) await tell(tx, endEvents([ended]));
      return ended;
    });
    const row = failed ?? (await this.#claiming.find(id));
    return this.#following.follow(row);
  }

  /**
   * `fail` where another than its wallet pays for it and has all signatures: it is not sent, but it is followed until it can land
   * no more. The result is the request in its final state, as the chain has it.
   */
  async withhold({ id }: LedgerRow, signed: Transaction, err: unknown): Promise<LedgerRow> {
    const { store, clock } = this.#deps;
    const sentAt = new Date(clock.now());
    const unsent = { id, signature: transactionSignature(signed), wire: encodeTransaction(signed), error: err, sentAt };
    const row = (await store.transaction((tx) => withhold(tx, unsent))) ?? (await this.#claiming.find(id));
    return this.#following.follow(row);
  }

  /**
   * Lands a fully signed transaction of a stranger: resolves with its signature as soon as one RPC has accepted it.
   * `caller`: whom it is counted for; `apiKey`: the id of the key whose holder hears of its end.
   * @throws NoPlace, CannotLand, Stopped: nothing was sent.
   * @throws NotAccepted if no RPC did. Unless all of them definitely refused it, it is followed anyway.
   */
  async submit(signed: SignedTransaction, caller: Guest, apiKey?: string): Promise<string> {
    await this.#deps.stops?.require('posts');
    return this.#strangers.submissions.submit(signed, caller, apiKey);
  }

  /** Whether a transaction under way would fail on the chain as it is now. False if it may have landed. */
  async wouldFail({ area, wire, signature }: LedgerRow): Promise<boolean> {
    return wire !== null && (await preflight(trialChainOf(this.#deps, area), wire, signature)) !== undefined;
  }

  /** Sends a transaction under way once more, whichever instance follows it. */
  sendAgain({ id, wire, signature }: LedgerRow): void {
    // The last signer of one that was handed over sends it.
    if (wire === null || signature === null) return;
    const { log } = this.#deps;
    broadcast(this.#ways.others, wire, log).catch((error: Error) =>
      log.debug({ request: id, reason: error.message }, 'rebroadcast failed'),
    );
  }

  /** Why one of our wallets would not sign a transaction of this area and wallet now; undefined if it would. */
  async barOf(area: string, wallet: string, kind?: LossKind): Promise<LossBar | undefined> {
    return this.#claiming.isHeld(area) ? 'too-many' : this.#spending.barOf(this.#deps.store, area, wallet, kind);
  }

  /** Why a landed transaction must not be relied on for good yet, according to all nodes; undefined where it is a final payment. */
  whyNotPaid(signature: string, due: Due | undefined): Promise<string | undefined> {
    return whyNotPaid(this.#deps.sendRpcs, signature, due);
  }

  /**
   * The slot at which a transaction that was told landed is dead, and has not, according to all nodes; undefined where it may have.
   * `said`: what they have said of that before.
   */
  async unlandedAt(row: LedgerRow, said: Deaths): Promise<bigint | undefined> {
    const { wire, signature } = row;
    if (wire === null || signature === null) return undefined;
    return unlandedAt(this.#deps, { signature, lifetime: lifetimeOfRow(row, wire), said });
  }

  /** What our wallets have lost within the last hour. */
  losses(): Promise<PurseReading[]> {
    return this.#spending.readings(this.#deps.store);
  }

  /**
   * Takes over what a stopped instance left in flight; with `all`, also what another instance still holds a lease on.
   */
  async resume({ all }: { all: boolean }): Promise<number> {
    // What this copy cannot see is left to others, its own, too.
    if (!all && this.#tracker.blindFor() > MOST_BLIND_MS) return 0;
    const rows = await this.#deps.store.transaction((tx) => takeAbandoned(tx, { all }, MAX_RESUMED));
    for (const row of rows) {
      const following = isSubmission(row) ? this.#strangers.following : this.#following;
      following.followInBackground(row, { takenOver: true });
    }
    return rows.length;
  }

  close(): void {
    this.#following.close();
    this.#closing.abort();
    this.#tracker.close();
    this.#strangers.close();
  }

  /** Concurrent calls for one request share one run. */
  #once(request: LedgerRow, run: () => Promise<LedgerRow>): Promise<LedgerRow> {
    if (request.state !== 'crafted') return this.#following.follow(request);
    const known = this.#executing.get(request.id);
    if (known) return known;
    const end = run().finally(() => this.#executing.delete(request.id));
    this.#executing.set(request.id, end);
    return end;
  }

  async #delegate(
    request: LedgerRow,
    signedByTaker: Transaction,
    deliver: Deliver,
    caller: Guest | undefined,
  ): Promise<LedgerRow> {
    const claimed = await this.#claiming.toHandOver(request, signedByTaker, caller);
    if ('id' in claimed) return this.#following.follow(claimed);
    const { wire, transaction } = claimed;
    const row: LedgerRow = { ...request, state: 'sending', signature: null, wire: Buffer.from(wire), handedOver: true };
    const toEnd = async () =>
      this.#following.resolve(row, await this.#delegated.deliver(row, transaction, deliver, caller), caller);
    return this.#following.follow(row, { toEnd });
  }
}

/** Whether the fee payer, whose signature is the transaction's, is or was a wallet of the service. */
function isPaidBy(signer: Pick<Signer, 'wallets'>, wire: Uint8Array): boolean {
  const feePayer = decodeTransaction(wire).decoded.accounts[0]!;
  return Object.values(signer.wallets()).some(({ addresses }) => addresses.includes(feePayer));
}
