import { type Address, base58Decode, decodeMessage, decodeTransaction, verifyBeside, WireError } from '@slipway/wire';
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
  /** By which the chain is asked; that of the first search of a round over a history for all of it. */
  rpc: Rpc;
}

export interface MessageSearch {
  /**
   * Looks once. Once the message is dead, pass `atLeastSlot`: only a node that has reached this slot may answer. What is older
   * than `notBefore` is looked at all the same where its slot is not below `sinceSlot`, because that goes by no clock.
   * @throws ChainUnavailable, also if the message is listed, but cannot be read yet
   */
  look(atLeastSlot?: bigint, sinceSlot?: bigint): Promise<Found | undefined>;
  /** Forgets what was read for it. */
  close(): void;
}

interface SearchesDeps {
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
 * Searches the chain for messages whose signatures are unknown. All searches with the same account share one round over
 * its history, with one call at a time; no wallet waits for the history of another one. Whose signature is listed is worked out here:
 * the node gives nothing but what is searched for, so that no transaction of anybody else's costs it more than a line of a list.
 */
export class MessageSearches {
  readonly #deps: SearchesDeps;
  readonly #histories = new Map<Address, { history: AccountHistory; searches: number }>();
  #verified: Promise<unknown> = Promise.resolve();

  constructor(deps: SearchesDeps) {
    this.#deps = deps;
  }

  open({ message, account, notBefore, rpc }: Wanted): MessageSearch {
    const shared = this.#histories.get(account) ?? {
      history: new AccountHistory(account, this.#deps, this.#isSignature),
      searches: 0,
    };
    this.#histories.set(account, shared);
    shared.searches += 1;
    const payer = decodeMessage(message).accounts[0]! as Address;
    const search: Search = { message, payer, since: notBefore - CLOCK_SKEW_MS, others: new Numbers(), rpc };
    return {
      look: (atLeastSlot, sinceSlot) => shared.history.look({ search, atLeastSlot, sinceSlot }),
      close: () => {
        shared.searches -= 1;
        if (shared.searches === 0) this.#histories.delete(account);
      },
    };
  }

  /**
   * Whether it is one of the message: whoever pays its fee signs first. One after the other, in a tenth of a millisecond each: accounts take
   * turns, and all together take up one thread.
   */
  readonly #isSignature: IsSignature = ({ message, payer }, signature) => {
    const is = this.#verified.then(() => verifyBeside(payer, message, signature));
    this.#verified = is.catch(() => {});
    return is;
  };
}

interface Search {
  message: Uint8Array;
  payer: Address;
  /** Unix milliseconds. */
  since: number;
  /** The signatures, by their numbers, that are not those of the message. */
  others: Numbers;
  rpc: Rpc;
}

type IsSignature = (search: Search, signature: Uint8Array) => Promise<boolean>;

/** A set of small numbers, in a bit each: of 500 messages and 10,000 signatures there are five million. */
class Numbers {
  #bits = new Uint8Array(16);

  add(number: number): void {
    const at = number >> 3;
    if (at >= this.#bits.length) {
      const longer = new Uint8Array(2 * at);
      longer.set(this.#bits);
      this.#bits = longer;
    }
    this.#bits[at]! |= 1 << (number & 7);
  }

  has(number: number): boolean {
    return ((this.#bits[number >> 3] ?? 0) & (1 << (number & 7))) !== 0;
  }
}

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
  readonly #isSignature: IsSignature;
  /** Of the signatures that were listed. */
  readonly #numbers = new Map<string, number>();
  #waiting: Look[] = [];
  #isRunning = false;

  constructor(account: Address, deps: SearchesDeps, isSignature: IsSignature) {
    this.#account = account;
    this.#deps = deps;
    this.#isSignature = isSignature;
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
    const { rpc } = looks[0]!.search;
    for await (const signature of this.#signatures(rpc, looks)) {
      const own = await this.#signedBy(open, signature);
      if (own.length === 0) continue;
      const read = await readTwice(rpc, signature, own[0]!.search.message).catch((error: Error) => error);
      for (const look of own) {
        if (read instanceof Error) look.fail(read);
        else look.end(read);
        open.delete(look);
      }
      if (open.size === 0) return;
    }
    for (const look of open) look.end(undefined);
  }

  /** The looks whose message this is the signature of. */
  async #signedBy(looks: Iterable<Look>, signature: string): Promise<Look[]> {
    const number = this.#numbers.get(signature) ?? this.#numbers.size;
    this.#numbers.set(signature, number);
    const found: Look[] = [];
    let bytes: Uint8Array | undefined;
    for (const look of looks) {
      const { search } = look;
      if (search.others.has(number)) continue;
      bytes ??= signatureIn(signature);
      if (await this.#isSignature(search, bytes)) found.push(look);
      else search.others.add(number);
    }
    return found;
  }

  /** Those since the oldest search, the newest first. */
  async *#signatures(rpc: Rpc, looks: readonly Look[]): AsyncGenerator<string> {
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
      const rows = await ask(rpc, 'getSignaturesForAddress', [this.#account, options], readRows);
      // Behind one address may be a node that has kept less, and lists nothing before what it does not know.
      if (last && !rows.some(({ signature }) => signature === last!.signature))
        throw new ChainUnavailable(`${rpc.name}: it does not go on with what it has listed`);
      for (const { signature, slot, blockTime } of rows) {
        if (blockTime !== null && blockTime * 1_000 < since && !(slot >= sinceSlot)) return;
        yield signature;
      }
      if (rows.length < PAGE) return;
      // The last one is listed again, to see that this node knows it.
      last = { signature: rows.at(-1)!.signature, before: rows.at(-2)!.signature };
    }
  }
}

/** One answer of one node has nothing fail: what is told so is made anew. */
async function readTwice(rpc: Rpc, signature: string, message: Uint8Array): Promise<Found> {
  const found = await read(rpc, signature, message);
  return found.err === null ? found : read(rpc, signature, message);
}

/** @throws if the node does not give it, or does not tell how it has ended */
async function read(rpc: Rpc, signature: string, message: Uint8Array): Promise<Found> {
  const options = { encoding: 'base64', commitment: 'confirmed', maxSupportedTransactionVersion: 0 };
  const answer = await ask(rpc, 'getTransaction', [signature, options], (answer: RpcTransaction | null) => answer);
  const wire = answer && bytesIn(answer.transaction[0]);
  if (!wire || !carries(wire, message))
    throw new ChainUnavailable(`${rpc.name}: it lists ${signature}, but does not give it`);
  // A node may have kept a transaction without what has become of it.
  const err = answer.meta ? answer.meta.err : (await statusesOf(rpc, [signature], true)).found[0]?.err;
  if (err === undefined) throw new ChainUnavailable(`${rpc.name}: it does not tell how ${signature} has ended`);
  return { signature, wire, slot: wholeIn(answer.slot), err };
}

function signatureIn(signature: string): Uint8Array {
  const bytes = base58Decode(signature);
  if (bytes?.length !== 64)
    throw new ChainUnavailable(`what the node lists is no signature: ${signature.slice(0, 100)}`);
  return bytes;
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

function carries(wire: Uint8Array, message: Uint8Array): boolean {
  try {
    return Buffer.compare(decodeTransaction(wire).message, message) === 0;
  } catch (error) {
    if (error instanceof WireError) return false;
    throw error;
  }
}
