import type { Address } from '@slipway/wire';
import type { Logger } from 'pino';
import { type Polling, startPolling } from './account-polling.js';
import { type AccountSocket, createAccountSocket } from './account-socket.js';
import { type ChainAccount, MAX_BATCH, MAX_DATA, ownAccount, type RpcAccount, readRpcAccount } from './accounts.js';
import { ask, listOf, type Rpc } from './rpc.js';
import { createSlotSense } from './slot-sense.js';

/** How many calls one reading has at the node at the same time. */
const MAX_CALLS = 16;
/** Bytes that nothing has confirmed for this long are stale. */
export const MAX_AGE_MS = 10_000;
/** Preferred accounts that are polled at a time, those that were read longest ago: ten calls a second at most. */
const MAX_PREFERRED_AT_ONCE = 1_000;
/** How soon accounts are read again that could not be when notifications of them began. */
const RETRY_MS = 1_000;

/** An account's last known state. The same object for as long as the address is watched. */
export interface LiveAccount {
  readonly address: Address;
  /** Undefined: there is no account at the address, or nothing is known of it yet. */
  readonly account: ChainAccount | undefined;
  /** Slot of the node that reported it; -1 before anything is known. */
  readonly slot: number;
}

export interface Reading {
  slot: number;
  account: ChainAccount | undefined;
}

/** Keeps the bytes of a set of accounts fresh: by notifications over WebSocket, if available, and by polling. */
export interface LiveAccounts {
  /** Watches these from now on; nothing is known of new ones until they are read. */
  watch(addresses: readonly Address[]): void;
  unwatch(addresses: readonly Address[]): void;
  /**
   * From now on exactly these are kept fresh by calls that wait for nobody who only asks, as far as they are watched. Where
   * none are followed, up to 10,000 stay fresh.
   */
  prefer(addresses: readonly Address[]): void;
  /** Undefined for an address that is not watched. */
  get(address: Address): LiveAccount | undefined;
  /** Whether the bytes were known to be current at some time within the last MAX_AGE_MS; `now` is steady time. */
  isFresh(account: LiveAccount, now: number): boolean;
  /**
   * Reads accounts now, watched or not, with one call per 100. Each is returned as it was then, or as it is known from
   * a later slot. @throws ChainUnavailable
   */
  refresh(addresses: readonly Address[], options?: RefreshOptions): Promise<Map<Address, Reading>>;
  /** Calls when the bytes of a watched account have changed. */
  onChange(listener: (address: Address) => void): void;
  close(): void;
}

export interface RefreshOptions {
  /** For an order that is due: it waits for nobody who only asks. */
  first?: boolean;
}

interface LiveAccountsDeps {
  rpc: Rpc;
  /** The same node, for what goes before all else that is read here. */
  firstRpc?: Rpc;
  /** Without it, accounts are polled. */
  wsUrl?: string;
  steadyNow: () => number;
  log: Logger;
}

interface Entry {
  address: Address;
  account: ChainAccount | undefined;
  slot: number;
  /** Counts the changes, to tell whether one came while a request was under way. */
  version: number;
  /** Steady milliseconds at which these bytes were current. */
  asOf: number;
  /** Changes are reported: the bytes are current for as long as the connection lives. */
  followed: boolean;
}

export function createLiveAccounts(deps: LiveAccountsDeps): LiveAccounts {
  return new WatchedAccounts(deps);
}

class WatchedAccounts implements LiveAccounts {
  readonly #rpc: Rpc;
  readonly #firstRpc: Rpc;
  readonly #steadyNow: () => number;
  readonly #entries = new Map<Address, Entry>();
  readonly #listeners: ((address: Address) => void)[] = [];
  readonly #slots: ReturnType<typeof createSlotSense>;
  readonly #pollings: readonly Polling[];
  readonly #socket: AccountSocket | undefined;
  #preferred: ReadonlySet<Address> = new Set();
  /** How many times the connection was lost. */
  #losses = 0;

  constructor({ rpc, firstRpc = rpc, wsUrl, steadyNow, log }: LiveAccountsDeps) {
    this.#rpc = rpc;
    this.#firstRpc = firstRpc;
    this.#steadyNow = steadyNow;
    this.#slots = createSlotSense(steadyNow);
    // Each by itself: a reading of all others may wait long for its turn.
    this.#pollings = [false, true].map((first) =>
      startPolling({
        due: (all) => this.#due(all, first),
        refresh: (addresses) => this.refresh(addresses, { first }),
        steadyNow,
        log,
      }),
    );
    if (wsUrl === undefined) return;
    this.#socket = createAccountSocket({
      url: wsUrl,
      steadyNow,
      log,
      onAccount: (address, slot, value) => this.#received(address, slot, value),
      onFollowed: (addresses) => this.#followed(addresses),
      onLost: () => this.#lost(),
    });
  }

  watch(addresses: readonly Address[]): void {
    const fresh = addresses.filter((address) => !this.#entries.has(address));
    for (const address of fresh) {
      const start = { account: undefined, slot: -1, version: 0, asOf: Number.NEGATIVE_INFINITY, followed: false };
      this.#entries.set(address, { address, ...start });
    }
    if (fresh.length > 0) this.#socket?.follow(fresh);
  }

  unwatch(addresses: readonly Address[]): void {
    for (const address of addresses) this.#entries.delete(address);
    this.#socket?.unfollow(addresses);
  }

  prefer(addresses: readonly Address[]): void {
    this.#preferred = new Set(addresses);
  }

  get(address: Address): LiveAccount | undefined {
    return this.#entries.get(address);
  }

  isFresh(account: LiveAccount, now: number): boolean {
    const { asOf, followed } = account as Entry;
    if (now - asOf <= MAX_AGE_MS) return true;
    return followed && this.#socket !== undefined && now - this.#socket.aliveAt() <= MAX_AGE_MS;
  }

  async refresh(addresses: readonly Address[], { first = false }: RefreshOptions = {}): Promise<Map<Address, Reading>> {
    const rpc = first ? this.#firstRpc : this.#rpc;
    const readings = new Map<Address, Reading>();
    const parts = Array.from({ length: Math.ceil(addresses.length / MAX_BATCH) }, (_, i) =>
      addresses.slice(i * MAX_BATCH, (i + 1) * MAX_BATCH),
    );
    // All at once, the accounts of a few thousand pools would be more calls than may wait for their turn.
    const waiting = parts.values();
    const takeTurns = async () => {
      for (const part of waiting) await this.#refreshPart(rpc, part, readings);
    };
    await Promise.all(Array.from({ length: MAX_CALLS }, takeTurns));
    return readings;
  }

  onChange(listener: (address: Address) => void): void {
    this.#listeners.push(listener);
  }

  close(): void {
    for (const polling of this.#pollings) polling.stop();
    this.#losses += 1;
    this.#socket?.close();
  }

  #due(all: boolean, isPreferred: boolean): Address[] {
    const due = [...this.#entries.values()].filter(
      ({ address, followed }) => (all || !followed) && this.#preferred.has(address) === isPreferred,
    );
    const now = isPreferred ? due.sort((a, b) => a.asOf - b.asOf).slice(0, MAX_PREFERRED_AT_ONCE) : due;
    return now.map(({ address }) => address);
  }

  async #refreshPart(rpc: Rpc, addresses: readonly Address[], readings: Map<Address, Reading>): Promise<void> {
    const askedAt = this.#steadyNow();
    const versions = addresses.map((address) => this.#entries.get(address)?.version);
    const { slot, accounts } = await readAccounts(rpc, addresses);
    this.#slots.add(slot);
    for (const [i, address] of addresses.entries()) {
      const entry = this.#entries.get(address);
      const account = accounts[i];
      if (entry && this.#isBehind(slot, entry)) {
        readings.set(address, entry);
        continue;
      }
      readings.set(address, { slot, account });
      // Of two states of one slot, the one that was reported meanwhile may be the later.
      if (entry && (entry.slot !== slot || entry.version === versions[i])) this.#apply(entry, slot, account, askedAt);
    }
  }

  /** A lagging node must not bring old bytes back; but a slot that a single node is ahead with must not block all updates. */
  #isBehind(slot: number, entry: Entry): boolean {
    return slot < entry.slot && !this.#slots.isAhead(entry.slot);
  }

  #apply(entry: Entry, slot: number, account: ChainAccount | undefined, asOf: number): void {
    const changed = entry.slot === -1 || !sameAccount(entry.account, account);
    entry.slot = slot;
    entry.asOf = Math.max(entry.asOf, asOf);
    if (!changed) return;
    entry.account = account && ownAccount(account);
    entry.version += 1;
    for (const listener of this.#listeners) listener(entry.address);
  }

  #received(address: Address, slot: number, value: RpcAccount | null): void {
    const account = readRpcAccount(value);
    if (this.#slots.isAbsurd(requireSlot(slot))) throw new RangeError(`slot ${slot}, far ahead of the chain`);
    const entry = this.#entries.get(address);
    if (entry && !this.#isBehind(slot, entry)) this.#apply(entry, slot, account, this.#steadyNow());
  }

  /** Reads what changed before the subscriptions were active. */
  #followed(addresses: readonly Address[]): void {
    const entries = addresses.flatMap((address) => this.#entries.get(address) ?? []);
    for (const first of [false, true]) {
      const some = entries.filter(({ address }) => this.#preferred.has(address) === first);
      if (some.length > 0) void this.#readFollowed(some, first, this.#losses);
    }
  }

  /** What cannot be read is polled, and read again, until the connection is lost. */
  async #readFollowed(entries: readonly Entry[], first: boolean, losses: number): Promise<void> {
    const began = this.#steadyNow();
    const known = entries.filter((entry) => this.#entries.get(entry.address) === entry);
    const addresses = known.map(({ address }) => address);
    await this.refresh(addresses, { first }).catch(() => {});
    if (this.#losses !== losses) return;
    for (const entry of known) entry.followed ||= entry.asOf >= began;
    const unread = known.filter(({ followed }) => !followed);
    if (unread.length > 0) setTimeout(() => void this.#readFollowed(unread, first, losses), RETRY_MS).unref();
  }

  #lost(): void {
    this.#losses += 1;
    for (const entry of this.#entries.values()) entry.followed = false;
    for (const polling of this.#pollings) polling.wake();
  }
}

function requireSlot(slot: unknown): number {
  if (!Number.isSafeInteger(slot) || (slot as number) < 0) throw new TypeError('a slot that is no number of one');
  return slot as number;
}

interface Answer {
  context: { slot: number };
  value: (RpcAccount | null)[];
}

function readAccounts(rpc: Rpc, addresses: readonly Address[]) {
  const dataSlice = { offset: 0, length: MAX_DATA };
  const params = [addresses, { encoding: 'base64', commitment: 'confirmed', dataSlice }];
  return ask(rpc, 'getMultipleAccounts', params, ({ context, value }: Answer) => ({
    slot: requireSlot(context.slot),
    accounts: listOf(value, addresses.length).map(readRpcAccount),
  }));
}

function sameAccount(a: ChainAccount | undefined, b: ChainAccount | undefined): boolean {
  if (!a || !b) return a === b;
  return a.owner === b.owner && Buffer.compare(a.data, b.data) === 0;
}
