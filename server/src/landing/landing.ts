import {
  type Address,
  encodeTransaction,
  missingSigners,
  type Transaction,
  transactionSignature,
  withSignature,
} from '@slipway/wire';
import type { Chain } from '../chain/index.js';
import type { Guest } from '../lib/places.js';
import { Turns } from '../lib/turns.js';
import { isWalletRole, usableAddresses } from '../signer/index.js';
import { tell } from '../store/event-outbox.js';
import { failUnsent, findRequest, isSubmission, type LedgerRow, takeAbandoned } from '../store/ledger.js';
import type { LossBar } from '../store/losses.js';
import type { TriggerOrderRow } from '../store/trigger-orders.js';
import { broadcast } from './broadcast.js';
import { createDelegatedSend, type DelegatedSend, type Deliver } from './delegated-send.js';
import type { LandingDeps } from './deps.js';
import { endEvents } from './end-events.js';
import { whyNotFinal } from './finality.js';
import { Following, leaseFrom } from './following.js';
import { type ClaimResult, createGroupedWrites, ReservationRefused, type WantedClaim } from './grouped-writes.js';
import { isAsOrdered } from './order-seal.js';
import { preflight } from './preflight.js';
import { isAsCrafted } from './seal.js';
import type { SignedTransaction } from './signed-transaction.js';
import { KeyRefused, keysOf } from './signing-keys.js';
import { type PurseReading, Spending } from './spending.js';
import { openStrangers, type Strangers } from './strangers.js';
import { createTracker, type Tracker } from './tracker.js';

/** Per run; the next run takes over the rest. */
const MAX_RESUMED = 10_000;
const END_OF_TIME = new Date(8.64e15);

/** Sends transactions, each exactly once, and follows them until their outcome is known from the chain. */
export class Landing {
  readonly #deps: LandingDeps;
  readonly #tracker: Tracker;
  readonly #strangers: Strangers;
  readonly #delegated: DelegatedSend;
  readonly #writes: ReturnType<typeof createGroupedWrites>;
  readonly #spending: Spending;
  readonly #following: Following;
  readonly #executing = new Map<string, Promise<LedgerRow>>();
  readonly #turns = new Turns();
  readonly #closing = new AbortController();

  constructor(deps: LandingDeps) {
    this.#deps = deps;
    const { store, clock, steadyNow, chain, sendRpcs, observe, log, settlements } = deps;
    const leaseUntil = () => leaseFrom(clock.now());
    const tracker = createTracker({ chain, sendRpcs, log, steadyNow });
    const { searchChain = chain } = deps;
    const delegated = createDelegatedSend({ store, chain: searchChain, log, closing: this.#closing.signal });
    this.#spending = new Spending(clock, settlements);
    const writes = createGroupedWrites({ store, clock, leaseUntil, settlements, spending: this.#spending });
    const following = new Following({
      store,
      clock,
      steadyNow,
      observe,
      log,
      tracker,
      delegated,
      settle: writes.settle,
    });
    this.#tracker = tracker;
    this.#delegated = delegated;
    this.#writes = writes;
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
   * caller gets the same row. `detail` is passed to the area's settlement. `isSimulated`: the caller has just simulated
   * this very message, and it would succeed. `order`: the trigger order that it fills.
   * @throws ReservationRefused, WouldFail, SignerRefused, Stopped: nothing was sent.
   */
  execute(
    request: LedgerRow,
    signedByUser: Transaction,
    detail?: unknown,
    { isSimulated = false, order }: { isSimulated?: boolean; order?: TriggerOrderRow } = {},
  ): Promise<LedgerRow> {
    const how = { detail, isSimulated, ...(order && { order }) };
    return this.#once(request, () => this.#execute(request, signedByUser, how));
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
  delegate(request: LedgerRow, signedByTaker: Transaction, deliver: Deliver): Promise<LedgerRow> {
    return this.#once(request, () => this.#delegate(request, signedByTaker, deliver));
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
    const row = failed ?? (await this.#find(id));
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
    return wire !== null && (await preflight(this.#trialChain(area), wire, signature)) !== undefined;
  }

  /** Why one of our wallets would not pay for a transaction of this area and wallet now; undefined if it would. */
  barOf(area: string, wallet: string): Promise<LossBar | undefined> {
    return this.#spending.barOf(this.#deps.store, area, wallet);
  }

  /** Why a landed transaction must not be relied on for good yet, according to all nodes; undefined where it is final. */
  whyNotFinal(signature: string): Promise<string | undefined> {
    return whyNotFinal(this.#deps.sendRpcs, signature);
  }

  /** What our wallets have lost within the last hour. */
  losses(): Promise<PurseReading[]> {
    return this.#spending.readings(this.#deps.store);
  }

  /**
   * Takes over what a stopped instance left in flight; with `all`, also what another instance still holds a lease on.
   */
  async resume({ all }: { all: boolean }): Promise<number> {
    const { store, clock } = this.#deps;
    const now = clock.now();
    const until = all ? END_OF_TIME : new Date(now);
    const rows = await store.transaction((tx) => takeAbandoned(tx, until, leaseFrom(now), MAX_RESUMED));
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

  async #execute(
    request: LedgerRow,
    signedByUser: Transaction,
    how: { detail: unknown; isSimulated: boolean; order?: TriggerOrderRow },
  ): Promise<LedgerRow> {
    const { sendRpcs, log } = this.#deps;
    const claimed = await this.#signAndClaim(request, signedByUser, how);
    if ('id' in claimed) return this.#following.follow(claimed);
    const { wire, signature } = claimed;
    // From here on only the chain is trusted: an RPC that hangs or fails may still have accepted the transaction.
    const end = this.#following.follow({ ...request, state: 'sending', signature, wire: Buffer.from(wire) });
    broadcast(sendRpcs, wire, log).then(
      () => this.#tracker.pollNow(),
      (error: Error) =>
        log.warn({ request: request.id, reason: error.message }, 'no RPC has accepted the transaction yet'),
    );
    return end;
  }

  async #delegate(request: LedgerRow, signedByTaker: Transaction, deliver: Deliver): Promise<LedgerRow> {
    const sent = await this.#tryOut(request, signedByTaker, null);
    if (sent) return this.#following.follow(sent);
    await this.#requireGoing(request);
    const transaction = await this.#cosign(request, signedByTaker);
    const wire = encodeTransaction(transaction);
    const other = await this.#claim(request, { signature: null, wire, detail: undefined });
    if (other) return this.#following.follow(other);
    const row: LedgerRow = { ...request, state: 'sending', signature: null, wire: Buffer.from(wire), handedOver: true };
    return this.#following.follow(row, async () =>
      this.#following.resolve(row, await this.#delegated.deliver(row, transaction, deliver)),
    );
  }

  /**
   * Simulates it before our keys sign: what they sign counts in the signer as paid for, whether it is sent or not.
   * Returns the request if another instance has sent it.
   * @throws WouldFail
   */
  async #tryOut(
    { id, area }: LedgerRow,
    signedByUser: Transaction,
    signature: string | null,
  ): Promise<LedgerRow | undefined> {
    const failure = await preflight(this.#trialChain(area), encodeTransaction(signedByUser), signature);
    if (!failure) return undefined;
    // It also fails if another instance has just landed it and this node does not know that yet.
    const row = await findRequest(this.#deps.store, id);
    if (row && row.state !== 'crafted') return row;
    throw failure;
  }

  /** What is signed and claimed now; the request if another instance has claimed it. */
  async #signAndClaim(
    request: LedgerRow,
    signedByUser: Transaction,
    { detail, order, isSimulated }: { detail: unknown; order?: TriggerOrderRow; isSimulated: boolean },
  ): Promise<LedgerRow | { wire: Uint8Array; signature: string }> {
    const { id, area, wallet, cosigners } = request;
    const { purse, isOurs } = this.#deps.settlements[area] ?? {};
    const isBounded = purse !== undefined && !isOurs && cosigners.length > 0;
    // Where our keys have yet to sign, anything may stand in the place of the signature.
    const known = cosigners.length > 0 ? null : transactionSignature(signedByUser);
    const tryOut = () => this.#tryOut(request, signedByUser, known);
    // Before its turn: a node may take long, and the others of the same wallet would wait for that.
    const sent = isSimulated ? undefined : await tryOut();
    if (sent) return sent;
    const signAndClaim = async (hasWaited = false) => {
      const rehearsed = isBounded ? await this.#rehearse(request, signedByUser, detail) : undefined;
      const other = rehearsed ?? (hasWaited && !isSimulated ? await tryOut() : undefined);
      if (other) return other;
      await this.#requireGoing(request);
      const transaction = await this.#cosign(request, signedByUser, order);
      const [missing] = missingSigners(transaction);
      if (missing) throw new KeyRefused(`request ${id} (${area}) needs a signature of ${missing}`);
      const signed = { wire: encodeTransaction(transaction), signature: transactionSignature(transaction) };
      return (await this.#claim(request, { ...signed, detail })) ?? signed;
    };
    // One of a wallet at a time, because what is under way decides about the next. Other instances have their own turns.
    return isBounded ? this.#turns.take(`${purse.name} ${wallet}`, signAndClaim) : signAndClaim();
  }

  /** What a claim would get now, before anything is signed for it. @throws ReservationRefused */
  async #rehearse(request: LedgerRow, unsigned: Transaction, detail: unknown): Promise<LedgerRow | undefined> {
    const { id, area } = request;
    const wanted = { id, area, detail, wire: encodeTransaction(unsigned), signature: `rehearsal of ${id}` };
    return this.#otherThanWon(request, await this.#writes.rehearse(wanted));
  }

  /** Asked last before our keys sign. @throws Stopped, StoreUnavailable */
  async #requireGoing({ area }: LedgerRow): Promise<void> {
    const { stops, settlements } = this.#deps;
    await stops?.require(settlements[area]?.isOurs ? 'fills' : 'posts');
  }

  async #cosign(request: LedgerRow, signedByUser: Transaction, order?: TriggerOrderRow): Promise<Transaction> {
    const { signer, settlements } = this.#deps;
    const keys = keysOf(request, settlements[request.area]?.keys);
    if (keys.length === 0) return signedByUser;
    const { message } = signedByUser;
    const cosigned = await signer.cosign({ keys, message, request: request.id, ...(order && { order }) });
    return cosigned.reduce<Transaction>(
      (transaction, { address, signature }) => withSignature(transaction, address, signature),
      signedByUser,
    );
  }

  /** Undefined if this call won the request; otherwise the row as another caller has claimed it. */
  async #claim(
    request: LedgerRow,
    wanted: Pick<WantedClaim, 'signature' | 'wire' | 'detail'>,
  ): Promise<LedgerRow | undefined> {
    const { id, area } = request;
    return this.#otherThanWon(request, await this.#writes.claim({ id, area, ...wanted }));
  }

  async #otherThanWon({ id }: LedgerRow, result: ClaimResult): Promise<LedgerRow | undefined> {
    if (typeof result === 'object') throw new ReservationRefused(result.refused, result.bar);
    return result === 'won' ? undefined : this.#find(id);
  }

  #trialChain(area: string): Chain {
    return this.#deps.trialChain?.(area) ?? this.#deps.chain;
  }

  async #find(id: string): Promise<LedgerRow> {
    const row = await findRequest(this.#deps.store, id);
    if (!row) throw new Error(`request ${id} has disappeared`);
    return row;
  }
}
