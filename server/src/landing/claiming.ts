import {
  encodeTransaction,
  missingSigners,
  type Transaction,
  transactionSignature,
  withSignature,
} from '@slipway/wire';
import type { Chain } from '../chain/index.js';
import { Outage } from '../errors/index.js';
import type { Guest } from '../lib/places.js';
import { RecentNames } from '../lib/recent-names.js';
import { Turns } from '../lib/turns.js';
import { countedRents, SignerHolds } from '../signer/index.js';
import { findRequest, type LedgerRow } from '../store/ledger.js';
import type { TriggerOrderRow } from '../store/trigger-orders.js';
import { statusSince } from './ask-since.js';
import type { LandingDeps } from './deps.js';
import { type ClaimResult, type GroupedWrites, ReservationRefused, type WantedClaim } from './grouped-writes.js';
import { PostedAnswers } from './posted-answers.js';
import { preflight, WouldFail } from './preflight.js';
import { KeyRefused, keysOf } from './signing-keys.js';

/** Wallets that are remembered to have had a transaction of ours refused. */
const LEAST_REFUSED = 10_000;
/** For so long nobody is told that a wallet pays for him whose limit the signer has just named; milliseconds. */
const HELD_MS = 60_000;
/** What has fewer blocks left, some six seconds, may land nowhere any more: it would count in the signer for nothing. */
const LEAST_BLOCKS = 15n;
/** Requests that are remembered to have failed once. */
const LEAST_FAILED = 10_000;
/** For so long a transaction that would fail again is not tried out: its wallet may be given what it lacks meanwhile. */
const FAILURE_MS = 2_000;
const TOO_FEW_BLOCKS = `Not sent: it has fewer than ${LEAST_BLOCKS} blocks left. Post it again in ten seconds, to hear whether it has expired, or has landed by another way`;

export interface HowToSend {
  /** Passed to the area's settlement. */
  detail: unknown;
  /** Makes what is passed in its place: asked for once it would land and our keys have signed. */
  sealed?: (() => Promise<unknown>) | undefined;
  /** The caller has just simulated this very message, and it would succeed. */
  isSimulated: boolean;
  /** The trigger order that it fills. */
  order?: TriggerOrderRow;
  /** Who has posted it, if a client has. */
  caller?: Guest | undefined;
}

/** The chain on which transactions of an area are tried out. */
export function trialChainOf({ trialChain, chain }: LandingDeps, area: string, caller?: Guest): Chain {
  const tried = trialChain?.(area) ?? chain;
  return caller ? tried.by(caller) : tried;
}

/** Tries transactions out, has our keys sign them, and claims their requests, so that each is sent by one caller only. */
export class Claiming {
  readonly #deps: LandingDeps;
  readonly #writes: GroupedWrites;
  readonly #turns = new Turns();
  readonly #failures: PostedAnswers<WouldFail | undefined>;
  readonly #failedOnce = new RecentNames(LEAST_FAILED);
  /** Whose transactions, that only our keys sign, were refused: by their purse and wallet. */
  readonly #refused = new RecentNames(LEAST_REFUSED);

  /** When the signer last said of a key that it signs with it at another time; steady milliseconds. */
  readonly #heldAt = new Map<string, number>();

  constructor(deps: LandingDeps, writes: GroupedWrites) {
    this.#deps = deps;
    this.#writes = writes;
    this.#failures = new PostedAnswers((failure, request) => this.#keepMs(failure, request), deps.steadyNow);
  }

  /** Whether the signer has just said that a key which pays in this area signs at another time. */
  isHeld(area: string): boolean {
    const { settlements, steadyNow } = this.#deps;
    const keys = settlements[area]?.keys ?? [];
    return keys.some((key) => (this.#heldAt.get(key) ?? Number.NEGATIVE_INFINITY) > steadyNow() - HELD_MS);
  }

  /**
   * What is signed and claimed now; the request if another caller has claimed it.
   * @throws ReservationRefused, WouldFail, SignerRefused, Stopped: nothing was claimed.
   */
  async toSend(
    request: LedgerRow,
    signedByUser: Transaction,
    { detail, sealed, order, caller, isSimulated }: HowToSend,
  ): Promise<LedgerRow | { wire: Uint8Array; signature: string }> {
    const { id, area, cosigners } = request;
    // Where our keys have yet to sign, anything may stand in the place of the signature.
    const known = cosigners.length > 0 ? null : transactionSignature(signedByUser);
    const tryOut = () => this.#tryOut(request, signedByUser, { signature: known, caller });
    // Before its turn: a node may take long, and the others of the same wallet would wait for that.
    const sent = isSimulated ? undefined : await tryOut();
    if (sent) return sent;
    const rents = this.#rentsOf(request, signedByUser);
    return this.#inTurn(request, { rents, caller }, async (isBounded, hasWaited) => {
      // What has become too late meanwhile has nothing looked up for it: others wait behind.
      const over = hasWaited ? await this.#requireTime(request, known, caller) : undefined;
      if (over) return over;
      const rehearsal = { signature: `rehearsal of ${id}`, detail, rents };
      const rehearsed = isBounded ? await this.#rehearse(request, signedByUser, rehearsal) : undefined;
      const other = rehearsed ?? (hasWaited && !isSimulated ? await tryOut() : undefined);
      if (other) return other;
      const late = await this.#requireTime(request, known, caller);
      if (late) return late;
      await this.#requireGoing(request);
      const transaction = await this.#cosign(request, signedByUser, order);
      const [missing] = missingSigners(transaction);
      if (missing) throw new KeyRefused(`request ${id} (${area}) needs a signature of ${missing}`);
      const whole = sealed ? await sealed() : detail;
      const signed = { wire: encodeTransaction(transaction), signature: transactionSignature(transaction) };
      return (await this.#claim(request, { ...signed, detail: whole, rents })) ?? signed;
    });
  }

  /**
   * What a market maker is to sign last, claimed now; the request if another caller has claimed it.
   * @throws ReservationRefused, WouldFail, SignerRefused, Stopped: nothing was signed or claimed.
   */
  async toHandOver(
    request: LedgerRow,
    signedByTaker: Transaction,
    caller: Guest | undefined,
  ): Promise<LedgerRow | { wire: Uint8Array; transaction: Transaction }> {
    const sent = await this.#tryOut(request, signedByTaker, { signature: null, caller });
    if (sent) return sent;
    return this.#inTurn(request, { caller }, async (isBounded) => {
      const other = isBounded ? await this.#rehearse(request, signedByTaker, { signature: null }) : undefined;
      if (other) return other;
      await this.#requireGoing(request);
      const transaction = await this.#cosign(request, signedByTaker);
      const wire = encodeTransaction(transaction);
      return (await this.#claim(request, { signature: null, wire, detail: undefined })) ?? { wire, transaction };
    });
  }

  /** @throws Error where there is no such request any more */
  async find(id: string): Promise<LedgerRow> {
    const row = await findRequest(this.#deps.store, id);
    if (!row) throw new Error(`request ${id} has disappeared`);
    return row;
  }

  /**
   * Simulates it before our keys sign: what they sign counts in the signer as paid for, whether it is sent or not.
   * Returns the request if another instance has sent it.
   * @throws WouldFail, ChainUnavailable
   */
  async #tryOut(
    request: LedgerRow,
    signedByUser: Transaction,
    { signature, caller }: { signature: string | null; caller: Guest | undefined },
  ): Promise<LedgerRow | undefined> {
    const chain = trialChainOf(this.#deps, request.area, caller);
    const wire = encodeTransaction(signedByUser);
    const failure = await this.#failures.of(request.id, signature, () => preflight(chain, wire, signature));
    return failure && this.#unlessSent(request, failure);
  }

  /** Whoever has heard what its wallet lacks posts it again as soon as it has that; only who does so again and again waits. */
  #keepMs(failure: WouldFail | undefined, request: string): number {
    if (!failure) return 0;
    const isFirst = !this.#failedOnce.has(request);
    this.#failedOnce.add(request);
    return isFirst ? 0 : FAILURE_MS;
  }

  /**
   * Whether one of our wallets, which pays for somebody, may still have it land: who posts in the last block of a blockhash would
   * have it sign again and again, and lose nothing. So would who has something kept for him that others want. Where all have signed,
   * their signature is `known`, and they may have sent it by another way: then it has not failed, and may land yet.
   * Returns the request if another instance has sent it.
   * @throws WouldFail, ChainUnavailable, Outage LAST_BLOCKS
   */
  async #requireTime(
    request: LedgerRow,
    known: string | null,
    caller: Guest | undefined,
  ): Promise<LedgerRow | undefined> {
    const { settlements } = this.#deps;
    const chain = trialChainOf(this.#deps, request.area, caller);
    const { purse, isOurs, reserve } = settlements[request.area] ?? {};
    const isAsked = known === null ? purse !== undefined && !isOurs : reserve !== undefined;
    if (!isAsked || (await chain.blockHeight()) + LEAST_BLOCKS <= request.lastValidBlockHeight) return undefined;
    if (known === null) return this.#unlessSent(request, new WouldFail('BlockhashNotFound', []));
    if (await statusSince(chain, known, chain.newestSlot)) return undefined;
    return this.#unlessSent(
      request,
      new Outage('LAST_BLOCKS', `request ${request.id} is in its last blocks`, { told: TOO_FEW_BLOCKS }),
    );
  }

  async #unlessSent({ id }: LedgerRow, failure: Error): Promise<LedgerRow> {
    // It also fails if another instance has just landed it and this node does not know that yet.
    const row = await findRequest(this.#deps.store, id);
    if (row && row.state !== 'crafted') return row;
    throw failure;
  }

  /**
   * Where one of our wallets signs for somebody: one of a wallet at a time, because what is under way decides about the next. Who has
   * posted it may not be the wallet: those who wait take turns by caller.
   * Other instances have their own turns. What only our keys sign need not wait, unless it was refused before: a keeper tries
   * it again and again, and each signature would count in the signer. Nor may it make accounts: what it is refused for is then the
   * fault of others, and each new wallet would have one more signed. Of these one of a purse at a time is signed and claimed:
   * otherwise all that are due at once would be signed for the room that is left for one.
   */
  #inTurn<T>(
    { area, wallet, cosigners }: LedgerRow,
    { rents, caller }: { rents?: bigint | undefined; caller: Guest | undefined },
    work: (isBounded: boolean, hasWaited: boolean) => Promise<T>,
  ): Promise<T> {
    const { purse, isOurs } = this.#deps.settlements[area] ?? {};
    const name = `${purse?.name} ${wallet}`;
    const isFree = purse === undefined || (isOurs && !this.#refused.has(name) && !rents);
    if (isFree || cosigners.length === 0) return work(false, false);
    const bounded = (hasWaited: boolean) => {
      const now = () => work(true, hasWaited);
      return rents ? this.#turns.take(purse.name, now, caller) : now();
    };
    return this.#turns.take(name, bounded, caller);
  }

  #rentsOf({ area }: LedgerRow, { message }: Transaction): bigint | undefined {
    return this.#deps.settlements[area]?.purse?.rents && countedRents(message);
  }

  /** What a claim would get now, before anything is signed for it. @throws ReservationRefused */
  async #rehearse(
    request: LedgerRow,
    unsigned: Transaction,
    { signature, detail, rents }: { signature: string | null; detail?: unknown; rents?: bigint | undefined },
  ): Promise<LedgerRow | undefined> {
    const { id, area } = request;
    const wanted = { id, area, detail, wire: encodeTransaction(unsigned), signature, rents };
    return this.#otherThanWon(request, await this.#writes.rehearse(wanted));
  }

  /** Asked last before our keys sign. @throws Stopped, StoreUnavailable */
  async #requireGoing({ area }: LedgerRow): Promise<void> {
    const { stops, settlements } = this.#deps;
    await stops?.require(settlements[area]?.isOurs ? 'fills' : 'posts');
  }

  async #cosign(request: LedgerRow, signedByUser: Transaction, order?: TriggerOrderRow): Promise<Transaction> {
    const { signer, settlements, steadyNow } = this.#deps;
    const keys = keysOf(request, settlements[request.area]?.keys);
    if (keys.length === 0) return signedByUser;
    const { message } = signedByUser;
    const asked = { keys, message, request: request.id, ...(order && { order }) };
    const cosigned = await signer.cosign(asked).catch((error: unknown) => {
      if (error instanceof SignerHolds) this.#heldAt.set(error.key, steadyNow());
      throw error;
    });
    return cosigned.reduce<Transaction>(
      (transaction, { address, signature }) => withSignature(transaction, address, signature),
      signedByUser,
    );
  }

  /** Undefined if this call won the request; otherwise the row as another caller has claimed it. */
  async #claim(
    request: LedgerRow,
    wanted: Pick<WantedClaim, 'signature' | 'wire' | 'detail' | 'rents'>,
  ): Promise<LedgerRow | undefined> {
    const { id, area, wallet } = request;
    const result = await this.#writes.claim({ id, area, ...wanted });
    const { purse, isOurs } = this.#deps.settlements[area] ?? {};
    if (typeof result === 'object' && purse && isOurs) this.#refused.add(`${purse.name} ${wallet}`);
    return this.#otherThanWon(request, result);
  }

  async #otherThanWon({ id }: LedgerRow, result: ClaimResult): Promise<LedgerRow | undefined> {
    if (typeof result === 'object') throw new ReservationRefused(result.refused, result.bar);
    return result === 'won' ? undefined : this.find(id);
  }
}
