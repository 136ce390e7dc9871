import { createHash } from 'node:crypto';
import { type Address, decodeTransaction, WireError } from '@slipway/wire';
import { ask, bytesIn, ChainUnavailable, type Rpc, RpcError, statusesOf, wholeIn } from '../chain/index.js';

/** A transaction that is on the chain, landed or failed. */
export interface Found {
  signature: string;
  wire: Uint8Array;
  slot: bigint;
  err: unknown;
}

interface Wanted {
  message: Uint8Array;
  /** An account that the message mentions; preferably one with few transactions. */
  account: Address;
  /** Unix milliseconds before which the message did not exist. */
  notBefore: number;
}

interface MessageSearch {
  /**
   * Looks once. Once the message is dead, pass `atLeastSlot`: only a node that has reached this slot may answer. What is older
   * than `notBefore` is looked at all the same where its slot is not below `sinceSlot`, because that goes by no clock.
   * @throws ChainUnavailable, also if some listed transactions cannot be read yet. Once the message is dead, these are
   * given up after some looks, so that a gap in a node's history cannot keep the search going forever.
   */
  look(atLeastSlot?: bigint, sinceSlot?: bigint): Promise<Found | undefined>;
  /** Forgets what was read for it. */
  close(): void;
}

interface SearchesDeps {
  rpc: Rpc;
  /** Between two rounds over the history of one account. Rejects when the service shuts down. */
  pause: () => Promise<unknown>;
}

interface SignatureRow {
  signature: string;
  slot: number;
  blockTime: number | null;
}

interface RpcTransaction {
  slot: number;
  meta: { err: unknown } | null;
  transaction: [string, 'base64'];
}

const PAGE = 1_000;
/** The transaction's version is above 0, so it is not one of ours. */
const UNSUPPORTED_VERSION = -32015;
/** Missing in a node's history: cleaned up, not available, skipped, or missing in long-term storage. */
const GAPS: ReadonlySet<number> = new Set([-32001, -32004, -32007, -32009]);
/** How far a validator's clock may be behind ours. */
const CLOCK_SKEW_MS = 60_000;
/** How often a listed but unreadable transaction is read again after the message is dead. */
const LAST_READS = 60;
/** Stands for a transaction that cannot be one of ours. */
const FOREIGN = '';

/**
 * Searches the chain for messages whose signatures are unknown. All searches with the same account share one round over
 * its history, with one call at a time, in which each transaction is read once. So a wallet costs the node the same
 * however many of its messages are searched for, and no wallet waits for the history of another one.
 */
export class MessageSearches {
  readonly #deps: SearchesDeps;
  readonly #histories = new Map<Address, { history: AccountHistory; searches: number }>();

  constructor(deps: SearchesDeps) {
    this.#deps = deps;
  }

  open({ message, account, notBefore }: Wanted): MessageSearch {
    const shared = this.#histories.get(account) ?? { history: new AccountHistory(account, this.#deps), searches: 0 };
    this.#histories.set(account, shared);
    shared.searches += 1;
    const search: Search = { digest: digestOf(message), since: notBefore - CLOCK_SKEW_MS, lastReads: new Map() };
    return {
      look: (atLeastSlot, sinceSlot) => shared.history.look({ search, atLeastSlot, sinceSlot }),
      close: () => {
        shared.searches -= 1;
        if (shared.searches === 0) this.#histories.delete(account);
      },
    };
  }
}

interface Search {
  digest: string;
  /** Unix milliseconds. */
  since: number;
  /** How often each transaction could not be read since the message is dead. */
  lastReads: Map<string, number>;
}

type Unclear = Pick<Found, 'signature'>;

interface Look {
  search: Search;
  atLeastSlot: bigint | undefined;
  sinceSlot: bigint | undefined;
  end: (found: Found | undefined) => void;
  fail: (error: unknown) => void;
}

/** What the transactions that mention an account carry. */
class AccountHistory {
  readonly #account: Address;
  readonly #deps: SearchesDeps;
  /** The digest of the message of each transaction that was read. */
  readonly #digests = new Map<string, string>();
  #waiting: Look[] = [];
  #isRunning = false;

  constructor(account: Address, deps: SearchesDeps) {
    this.#account = account;
    this.#deps = deps;
  }

  look(asked: Omit<Look, 'end' | 'fail'>): Promise<Found | undefined> {
    return new Promise((end, fail) => {
      this.#waiting.push({ ...asked, end, fail });
      if (!this.#isRunning) this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      const looks = this.#waiting.splice(0);
      await this.#round(looks).catch((error) => failAll(looks, error));
      await this.#deps.pause().catch((error) => failAll(this.#waiting.splice(0), error));
    }
    this.#isRunning = false;
  }

  /** The first look ends as soon as its message is found, the last when all that may hold it has been read. */
  async #round(looks: readonly Look[]): Promise<void> {
    const open = new Set(looks);
    const unread: string[] = [];
    for await (const signature of this.#signatures(looks)) {
      if ([...open].every((look) => isGivenUp(look, signature))) continue;
      const digest = this.#digests.get(signature);
      if (digest !== undefined && ![...open].some(({ search }) => search.digest === digest)) continue;
      const found = await this.#read(signature, (read) => [...open].some(({ search }) => search.digest === read));
      // Ours may come later in the list.
      if (found === null) unread.push(signature);
      for (const look of found ? open : []) {
        if (look.search.digest !== this.#digests.get(signature)) continue;
        if ('err' in found!) look.end(found);
        else look.fail(new ChainUnavailable(`${this.#deps.rpc.name}: it does not tell how ${signature} has ended`));
        open.delete(look);
      }
      if (open.size === 0) return;
    }
    for (const look of open) this.#conclude(look, unread);
  }

  #conclude(look: Look, unread: readonly string[]): void {
    const { search, atLeastSlot } = look;
    const gaps = unread.filter((signature) => !isGivenUp(look, signature));
    if (atLeastSlot !== undefined) {
      for (const signature of gaps) search.lastReads.set(signature, (search.lastReads.get(signature) ?? 0) + 1);
    }
    const [gap] = gaps;
    if (gap === undefined) look.end(undefined);
    else look.fail(new ChainUnavailable(`${this.#deps.rpc.name}: ${gap} is listed, but cannot be read yet`));
  }

  /** Those since the oldest search, the newest first. */
  async *#signatures(looks: readonly Look[]): AsyncGenerator<string> {
    const since = looks.reduce((least, { search }) => Math.min(least, search.since), Number.POSITIVE_INFINITY);
    const slots = looks.flatMap(({ atLeastSlot }) => (atLeastSlot === undefined ? [] : Number(atLeastSlot)));
    const sinceSlot = looks.reduce(
      (least, look) => Math.min(least, Number(look.sinceSlot ?? Number.POSITIVE_INFINITY)),
      Number.POSITIVE_INFINITY,
    );
    for (let before: string | undefined; ; ) {
      const options = {
        commitment: 'confirmed',
        limit: PAGE,
        ...(before !== undefined && { before }),
        ...(slots.length > 0 && { minContextSlot: slots.reduce((most, slot) => Math.max(most, slot)) }),
      };
      const rows = await ask(this.#deps.rpc, 'getSignaturesForAddress', [this.#account, options], readRows);
      for (const { signature, slot, blockTime } of rows) {
        if (blockTime !== null && blockTime * 1_000 < since && !(slot >= sinceSlot)) return;
        yield signature;
      }
      if (rows.length < PAGE) return;
      before = rows.at(-1)!.signature;
    }
  }

  /**
   * Null if the node does not have the transaction; undefined if it cannot be one that we search for; without `err` if it is one
   * of which the node does not tell how it has ended.
   */
  async #read(signature: string, isSearched: (digest: string) => boolean): Promise<Found | Unclear | undefined | null> {
    const options = { encoding: 'base64', commitment: 'confirmed', maxSupportedTransactionVersion: 0 };
    const answer = await this.#deps.rpc
      .call<RpcTransaction | null>('getTransaction', [signature, options])
      .catch((error) => {
        if (error instanceof RpcError && error.code === UNSUPPORTED_VERSION) return undefined;
        if (error instanceof RpcError && GAPS.has(error.code)) return null;
        throw error;
      });
    if (answer === null) return null;
    const wire = answer && bytesIn(answer.transaction[0]);
    const digest = wire ? digestIn(wire) : FOREIGN;
    this.#digests.set(signature, digest);
    if (!wire || !isSearched(digest)) return undefined;
    // A node may have kept a transaction without what has become of it.
    const err = answer.meta ? answer.meta.err : (await statusesOf(this.#deps.rpc, [signature], true)).found[0]?.err;
    return err === undefined ? { signature } : { signature, wire, slot: wholeIn(answer.slot), err };
  }
}

const isGivenUp = ({ search }: Look, signature: string) => (search.lastReads.get(signature) ?? 0) > LAST_READS;

function failAll(looks: readonly Look[], error: unknown): void {
  for (const { fail } of looks) fail(error);
}

function readRows(rows: SignatureRow[]): SignatureRow[] {
  return rows.map(({ signature, slot, blockTime }) => ({
    signature: String(signature),
    slot: Number(slot),
    blockTime: blockTime === null || blockTime === undefined ? null : Number(blockTime),
  }));
}

const digestOf = (message: Uint8Array) => createHash('sha256').update(message).digest('base64');

function digestIn(wire: Uint8Array): string {
  try {
    return digestOf(decodeTransaction(wire).message);
  } catch (error) {
    if (error instanceof WireError) return FOREIGN;
    throw error;
  }
}
