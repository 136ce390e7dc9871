import { createHash } from 'node:crypto';
import { setImmediate as othersFirst } from 'node:timers/promises';
import { type Address, base58Decode, decodeMessage, decodeTransaction, verify, WireError } from '@slipway/wire';
import { ask, bytesIn, ChainUnavailable, type Rpc, statusesOf, wholeIn } from '../chain/index.js';

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
   * @throws ChainUnavailable, also if the message is listed, but cannot be read yet. What the node lists and does not give is known
   * by its signature: no gap in a history, and nothing that a node takes too long for, keeps the search going.
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
/** How far a validator's clock may be behind ours. */
const CLOCK_SKEW_MS = 60_000;
/**
 * Up to so many messages are looked for by signatures alone, each in a tenth of a millisecond, while the node is slow to give transactions;
 * of more, so many times a message is compared with a signature.
 */
const FEW = 10;
const MOST_COMPARED = 1_000;
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
    const search: Search = { digest: digestOf(message), since: notBefore - CLOCK_SKEW_MS, message, others: new Set() };
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
  message: Uint8Array;
  /** Unix milliseconds. */
  since: number;
  /** Signatures that are not those of the message. */
  others: Set<string>;
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
  /** What the node listed, and did not give when it was asked. */
  readonly #untold = new Set<string>();
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

  /** The first look ends as soon as its message is found, the last when all that may hold it has been seen. */
  async #round(looks: readonly Look[]): Promise<void> {
    const open = new Set(looks);
    let slow: Error | undefined;
    let compared = 0;
    for await (const signature of this.#signatures(looks)) {
      if (slow && open.size > FEW) compared += this.#among(open, signature).length;
      if (slow && compared > MOST_COMPARED) throw slow;
      const isBySignature: boolean = slow !== undefined || this.#untold.has(signature);
      const may: readonly Look[] = isBySignature ? await this.#holders(open, signature) : this.#among(open, signature);
      if (may.length === 0) continue;
      const read: Found | Unclear | undefined | Error = await this.#read(signature, may).catch((error: Error) => error);
      if (read instanceof Error) {
        // What is far longer than others, a node may need longer for than it is waited for.
        if (read instanceof ChainUnavailable) slow ??= read;
        this.#untold.add(signature);
      }
      for (const look of await this.#holders(may, signature)) {
        if (isFound(read)) look.end(read);
        else look.fail(new ChainUnavailable(`${this.#deps.rpc.name}: it does not tell how ${signature} has ended`));
        open.delete(look);
      }
      if (open.size === 0) return;
    }
    for (const look of open) look.end(undefined);
  }

  /** Whose message this transaction carries, which may not be read yet. */
  #holders(looks: Iterable<Look>, signature: string): Look[] | Promise<Look[]> {
    return this.#digests.has(signature) ? this.#among(looks, signature) : signedBy(looks, signature);
  }

  /** Those whose message it may carry, by what is known of it. */
  #among(looks: Iterable<Look>, signature: string): Look[] {
    const digest = this.#digests.get(signature);
    return [...looks].filter(({ search }) =>
      digest === undefined ? !search.others.has(signature) : search.digest === digest,
    );
  }

  /** Those since the oldest search, the newest first. */
  async *#signatures(looks: readonly Look[]): AsyncGenerator<string> {
    const since = looks.reduce((least, { search }) => Math.min(least, search.since), Number.POSITIVE_INFINITY);
    const slots = looks.flatMap(({ atLeastSlot }) => (atLeastSlot === undefined ? [] : Number(atLeastSlot)));
    const sinceSlot = looks.reduce(
      (least, look) => Math.min(least, Number(look.sinceSlot ?? Number.POSITIVE_INFINITY)),
      Number.POSITIVE_INFINITY,
    );
    for (let last: { signature: string; before: string } | undefined; ; ) {
      const options = {
        commitment: 'confirmed',
        limit: PAGE,
        ...(last && { before: last.before }),
        ...(slots.length > 0 && { minContextSlot: slots.reduce((most, slot) => Math.max(most, slot)) }),
      };
      const rows = await ask(this.#deps.rpc, 'getSignaturesForAddress', [this.#account, options], readRows);
      // Behind one address may be a node that has kept less, and lists nothing before what it does not know.
      if (last && !rows.some(({ signature }) => signature === last!.signature))
        throw new ChainUnavailable(`${this.#deps.rpc.name}: it does not go on with what it has listed`);
      for (const { signature, slot, blockTime } of rows) {
        if (blockTime !== null && blockTime * 1_000 < since && !(slot >= sinceSlot)) return;
        yield signature;
      }
      if (rows.length < PAGE) return;
      // The last one is listed again, to see that this node knows it.
      last = { signature: rows.at(-1)!.signature, before: rows.at(-2)!.signature };
    }
  }

  /**
   * Undefined if it is none of these; without `err` if it is one of which the node does not tell how it has ended.
   * @throws if the node does not give it
   */
  async #read(signature: string, looks: readonly Look[]): Promise<Found | Unclear | undefined> {
    const options = { encoding: 'base64', commitment: 'confirmed', maxSupportedTransactionVersion: 0 };
    const answer = await this.#deps.rpc.call<RpcTransaction | null>('getTransaction', [signature, options]);
    if (answer === null) throw new Error('it is listed, but cannot be read yet');
    const wire = bytesIn(answer.transaction[0]);
    const digest = digestIn(wire);
    this.#digests.set(signature, digest);
    if (!looks.some(({ search }) => search.digest === digest)) return undefined;
    // A node may have kept a transaction without what has become of it.
    const err = answer.meta ? answer.meta.err : (await statusesOf(this.#deps.rpc, [signature], true)).found[0]?.err;
    return err === undefined ? { signature } : { signature, wire, slot: wholeIn(answer.slot), err };
  }
}

const isFound = (read: Found | Unclear | undefined | Error): read is Found => read !== undefined && 'err' in read;

/** The looks whose message this is the signature of; whoever pays its fee signs first. */
async function signedBy(looks: Iterable<Look>, signature: string): Promise<Look[]> {
  const bytes = base58Decode(signature);
  if (bytes?.length !== 64)
    throw new ChainUnavailable(`what the node lists is no signature: ${signature.slice(0, 100)}`);
  const found: Look[] = [];
  for (const look of looks) {
    const { message, others } = look.search;
    if (others.has(signature)) continue;
    await othersFirst();
    if (verify(decodeMessage(message).accounts[0]!, message, bytes)) found.push(look);
    else others.add(signature);
  }
  return found;
}

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
