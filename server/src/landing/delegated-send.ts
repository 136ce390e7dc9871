import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Address,
  base58Decode,
  decodeTransaction,
  encodeTransaction,
  invalidSigners,
  missingSigners,
  requiredSigners,
  type Transaction,
  withSignature,
} from '@slipway/wire';
import type { Logger } from 'pino';
import type { Chain } from '../chain/index.js';
import { RFQ } from '../errors/index.js';
import type { Clock } from '../lib/clock.js';
import { FewAtATime } from '../lib/few-at-a-time.js';
import type { Guest } from '../lib/places.js';
import { completeSignature, findRequest, type LedgerRow } from '../store/ledger.js';
import type { Store } from '../store/sql.js';
import { type Explanation, rfqError } from './explain.js';
import { FORGOTTEN, historySince, isForgotten, OLD_MS, UNCERTAIN } from './history-since.js';
import { type Deaths, deadAt, lifetimeByHeight, newDeaths } from './lifetime.js';
import { type MessageSearch, MessageSearches } from './message-search.js';
import type { Verdict } from './tracker.js';

/** The result of handing a transaction over to a third party that signs last and sends it. */
export type Delivery =
  /** Accepted; `signature` is the transaction's according to the other side, not verified yet. */
  | { outcome: 'sent'; signature: string }
  /** It was not handed over. */
  | { outcome: 'rejected'; code: number; message: string }
  /** The other side says that it will not send it, but could. `whenSent` is called if it has. */
  | { outcome: 'denied'; code: number; message: string; whenSent(signature: string): Promise<void> }
  /** It may or may not be sent. Code and message are used if it turns out not to be. */
  | { outcome: 'unknown'; message: string; code?: number };

type Denied = Extract<Delivery, { outcome: 'denied' }>;

export type Deliver = (signed: Transaction) => Promise<Delivery>;

/** What was found out about a row without a signature: its outcome, or the row with its signature, to be followed. */
export type Resolution = { verdict: Verdict } | { row: LedgerRow };

interface HowToSearch {
  whenDead?: Verdict;
  /** By whose turns the chain is asked. */
  caller?: Guest | undefined;
}

interface LookDeps {
  chain: Chain;
  inTurn: <T>(ask: () => Promise<T>) => Promise<T>;
  look: MessageSearch['look'];
  said: Deaths;
  whenDead: Verdict;
}

interface DelegatedSendDeps {
  store: Store;
  clock: Clock;
  chain: Chain;
  log: Logger;
  /** Aborts when the service shuts down. */
  closing: AbortSignal;
}

const SEARCH_MS = 1_000;
/**
 * Searches of one caller that ask at a time whether they have ended: more would only wait in its line of the node's calls, and ask the
 * database each time. What a wallet has made is read beside that, for there may be no end of it.
 */
const ASKED_AT_ONCE = 16;
/** Until a node is asked again that has forgotten the time when something was sent. */
const REST_MS = 60_000;
/** From so many looks on that told nothing, the log says so. */
const MANY_FAILED = 60;
/** A node may list what has landed only some seconds after it says that it has reached that slot. */
const LIST_LAG_BLOCKS = 32n;
/** Slots before the blockhash of a message, some two minutes. */
const SPARE_SLOTS = 300n;

export function createDelegatedSend(deps: DelegatedSendDeps): DelegatedSend {
  return new DelegatedSend(deps);
}

/** Hands a transaction over to a third party to send, and finds out its outcome. */
export class DelegatedSend {
  readonly #deps: DelegatedSendDeps;
  readonly #searches: MessageSearches;
  readonly #asked = new FewAtATime(ASKED_AT_ONCE);

  constructor(deps: DelegatedSendDeps) {
    this.#deps = deps;
    // Each search that pauses listens, and more than ten would have Node warn of a leak.
    setMaxListeners(0, deps.closing);
    const pause = () => sleep(SEARCH_MS, undefined, { signal: deps.closing });
    this.#searches = new MessageSearches({ pause });
  }

  /** Hands the transaction over, and trusts the answer only as far as it can be verified. `caller`: see `search`. */
  async deliver(row: LedgerRow, signed: Transaction, ask: Deliver, caller?: Guest): Promise<Resolution> {
    const { log } = this.#deps;
    const delivery = await ask(signed).catch((error: Error): Delivery => {
      log.warn({ request: row.id, reason: error.message }, 'it is uncertain whether a transaction was handed over');
      return { outcome: 'unknown', ...RFQ.unknown };
    });
    if (delivery.outcome === 'rejected') {
      return { verdict: { event: 'failed', slot: null, error: rfqError(delivery) } };
    }
    if (delivery.outcome === 'denied') {
      const end = await this.search(row, { caller, whenDead: lost(delivery) });
      await this.#compare(row, delivery, end);
      return end;
    }
    if (delivery.outcome === 'unknown') {
      return this.search(row, { caller, whenDead: lost({ ...RFQ.failedToLand, ...delivery }) });
    }
    const complete = withFirstSignature(signed, delivery.signature);
    if (complete) return { row: await this.#remember(row, delivery.signature, encodeTransaction(complete)) };
    log.warn({ request: row.id }, 'the returned signature does not belong to the transaction');
    return this.search(row, { caller });
  }

  /**
   * The outcome is unknown: searches the chain for the message until it is found or can no longer land, which is `whenDead`. What
   * was not handed over is searched for only then, because that costs less. The calls for that have their turns by `caller`.
   */
  async search(row: LedgerRow, { whenDead = lost(RFQ.failedToLand), caller }: HowToSearch = {}): Promise<Resolution> {
    const { store, log, closing } = this.#deps;
    const chain = this.#deps.chain.by(caller);
    const search = this.#searches.open({
      message: decodeTransaction(row.wire!).message,
      account: row.wallet as Address,
      notBefore: row.createdAt.getTime(),
      rpc: chain.rpc,
    });
    const said = newDeaths();
    let isResting = false;
    let failed = 0;
    const inTurn: LookDeps['inTurn'] = (ask) => this.#asked.run(caller?.together ?? caller?.id ?? '', ask, caller);
    const lookDeps = { chain, inTurn, look: search.look, said, whenDead };
    try {
      for (;;) {
        const now = await inTurn(() => findRequest(store, row.id));
        if (now && (now.state !== 'sending' || now.signature !== row.signature)) return { row: now };
        const verdict = await this.#lookOnce(row, lookDeps).catch((error: Error) => {
          failed += 1;
          const say = failed === MANY_FAILED ? 'warn' : 'debug';
          log[say]({ request: row.id, reason: error.message }, 'cannot look for a transaction; will look again');
          return undefined;
        });
        if (verdict && verdict !== 'forgotten') return { verdict };
        if (verdict && !isResting) log.warn({ request: row.id, reason: FORGOTTEN }, UNCERTAIN);
        isResting = verdict === 'forgotten';
        await sleep(isResting ? REST_MS : SEARCH_MS, undefined, { signal: closing });
      }
    } finally {
      search.close();
    }
  }

  /** Whoever has sent what it denied had a free option on it. */
  async #compare(row: LedgerRow, { whenSent }: Denied, end: Resolution): Promise<void> {
    if ('verdict' in end && end.verdict.event === 'expired') return;
    const { signature } = (await findRequest(this.#deps.store, row.id)) ?? row;
    if (signature === null) return;
    await whenSent(signature).catch((error: Error) =>
      this.#deps.log.error({ request: row.id, signature, reason: error.message }, 'sent after it was rejected'),
    );
  }

  async #remember(row: LedgerRow, signature: string, wire: Uint8Array): Promise<LedgerRow> {
    const { store } = this.#deps;
    await store.transaction((tx) => completeSignature(tx, row.id, signature, wire));
    const known = await findRequest(store, row.id);
    if (!known) throw new Error(`request ${row.id} has disappeared while it was being sent`);
    return known;
  }

  /** Checks for death before searching: in the other order, it could land between the two. */
  async #lookOnce(
    row: LedgerRow,
    { chain, inTurn, look, said, whenDead }: LookDeps,
  ): Promise<Verdict | 'forgotten' | undefined> {
    const { store } = this.#deps;
    const lifetime = lifetimeByHeight(row.wire!, row.lastValidBlockHeight + LIST_LAG_BLOCKS);
    const death = await inTurn(() => deadAt(lifetime, chain, said));
    if (death === undefined && !row.handedOver) return undefined;
    const found = await look(death, await slotBefore(chain, row));
    if (found) {
      const { signature, wire, slot, err } = found;
      await store.transaction((tx) => completeSignature(tx, row.id, signature, wire));
      return err === null ? { event: 'landed', slot, error: null } : { event: 'failed', slot, error: err };
    }
    if (death === undefined) return undefined;
    return (await this.#isForgotten(chain, row)) ? 'forgotten' : whenDead;
  }

  async #isForgotten(chain: Chain, { sentAt, createdAt }: LedgerRow): Promise<boolean> {
    const { clock } = this.#deps;
    const at = (sentAt ?? createdAt).getTime();
    return at < clock.now() - OLD_MS && isForgotten(at, await historySince(chain.rpc));
  }
}

/**
 * A slot before the blockhash of the message, also where half of the slots since had no block. The chain's clock may be minutes
 * behind, and ours have been ahead when the message was made.
 */
async function slotBefore(chain: Chain, row: LedgerRow): Promise<bigint> {
  const { lastValidBlockHeight, slot } = await chain.latestBlockhash();
  const blocks = lastValidBlockHeight - row.lastValidBlockHeight;
  return slot - SPARE_SLOTS - (blocks > 0n ? 2n * blocks : 0n);
}

/** What was not landed by who had to. */
const lost = (why: Explanation): Verdict => ({ event: 'expired', slot: null, error: rfqError(why) });

/** The transaction with its first signature, if that makes it complete and every signature is right. */
function withFirstSignature(signed: Transaction, signature: string): Transaction | undefined {
  const bytes = base58Decode(signature);
  if (bytes?.length !== 64) return undefined;
  const { decoded } = decodeTransaction(encodeTransaction(signed));
  const complete = withSignature(signed, requiredSigners(decoded)[0]!, bytes);
  return missingSigners(complete).length + invalidSigners(complete).length === 0 ? complete : undefined;
}
