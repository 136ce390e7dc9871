import type { Address } from '@slipway/wire';
import type { Logger } from 'pino';
import { createAccountSocket } from './account-socket.js';
import { type ChainAccount, MAX_BATCH, type RpcAccount, readRpcAccount } from './accounts.js';
import { ask, listOf, type Rpc } from './rpc.js';

/** While nothing tells of changes, accounts are read this often. */
const FAST_POLL_MS = 1_000;
/** Even while changes are told, all are read this often, for what was missed. */
const SLOW_POLL_MS = 15_000;
/** No two nodes are so many slots apart: about seven minutes. */
const MAX_SLOTS_AHEAD = 1_000;
/** Bytes that nothing has confirmed for so long are stale. */
export const MAX_AGE_MS = 10_000;

/** An account as it was last known. The same object for as long as the address is watched. */
export interface LiveAccount {
  readonly address: Address;
  /** Undefined: there is no account at the address, or nothing is known of it yet. */
  readonly account: ChainAccount | undefined;
  /** Of the node that told; -1 before anything is known. */
  readonly slot: number;
}

export interface Reading {
  slot: number;
  account: ChainAccount | undefined;
}

/** The bytes of a set of accounts, kept fresh: told of over WebSocket where there is one, and polled. */
export interface LiveAccounts {
  /** Keeps these from now on; nothing is known of new ones until they are read. */
  watch(addresses: readonly Address[]): void;
  unwatch(addresses: readonly Address[]): void;
  /** Undefined for an address that is not watched. */
  get(address: Address): LiveAccount | undefined;
  /** Whether the bytes were known to be current at some time within the last MAX_AGE_MS; `now` is steady time. */
  isFresh(account: LiveAccount, now: number): boolean;
  /**
   * Reads accounts now, watched or not, with one call for each 100; each as it was then, or as it is known from a later
   * slot. @throws ChainUnavailable
   */
  refresh(addresses: readonly Address[]): Promise<Map<Address, Reading>>;
  /** Calls when the bytes of a watched account have changed. */
  onChange(listener: (address: Address) => void): void;
  close(): void;
}

export interface LiveAccountsDeps {
  rpc: Rpc;
  /** Without it, accounts are polled. */
  wsUrl?: string;
  steadyNow: () => number;
  log: Logger;
}

interface Entry {
  address: Address;
  account: ChainAccount | undefined;
  slot: number;
  /** Counts the changes, to tell whether one came while a question was on its way. */
  version: number;
  /** Steady milliseconds at which these bytes were current. */
  asOf: number;
  /** Changes are told: the bytes are current for as long as the connection lives. */
  followed: boolean;
}

export function createLiveAccounts({ rpc, wsUrl, steadyNow, log }: LiveAccountsDeps): LiveAccounts {
  const entries = new Map<Address, Entry>();
  const listeners: ((address: Address) => void)[] = [];
  const answered = createSlotSense();

  /** Of two nodes the one that lags must not bring old bytes back; but no slot that nobody else tells of may stop all. */
  const isBehind = (slot: number, entry: Entry) => slot < entry.slot && !answered.isAbsurd(entry.slot);

  function apply(entry: Entry, slot: number, account: ChainAccount | undefined, asOf: number): void {
    const changed = entry.slot === -1 || !sameAccount(entry.account, account);
    entry.slot = slot;
    entry.asOf = Math.max(entry.asOf, asOf);
    if (!changed) return;
    entry.account = account;
    entry.version += 1;
    for (const listener of listeners) listener(entry.address);
  }

  async function refresh(addresses: readonly Address[]): Promise<Map<Address, Reading>> {
    const readings = new Map<Address, Reading>();
    const parts = Array.from({ length: Math.ceil(addresses.length / MAX_BATCH) }, (_, i) =>
      addresses.slice(i * MAX_BATCH, (i + 1) * MAX_BATCH),
    );
    await Promise.all(parts.map((part) => refreshPart(part, readings)));
    return readings;
  }

  async function refreshPart(addresses: readonly Address[], readings: Map<Address, Reading>): Promise<void> {
    const askedAt = steadyNow();
    const versions = addresses.map((address) => entries.get(address)?.version);
    const { slot, accounts } = await readAccounts(rpc, addresses);
    answered.add(slot);
    for (const [i, address] of addresses.entries()) {
      const entry = entries.get(address);
      const account = accounts[i];
      if (entry && isBehind(slot, entry)) {
        readings.set(address, entry);
        continue;
      }
      readings.set(address, { slot, account });
      // Of two states of one slot, the one that was told meanwhile may be the later.
      if (entry && (entry.slot !== slot || entry.version === versions[i])) apply(entry, slot, account, askedAt);
    }
  }

  function told(address: Address, slot: number, value: RpcAccount | null): void {
    const account = readRpcAccount(value);
    if (answered.isAbsurd(requireSlot(slot))) throw new RangeError(`slot ${slot}, far ahead of the chain`);
    const entry = entries.get(address);
    if (entry && !isBehind(slot, entry)) apply(entry, slot, account, steadyNow());
  }

  /** What changed before the subscriptions stood is read; where that fails, they go on being polled. */
  async function followed(addresses: Address[]): Promise<void> {
    const { losses } = state;
    await refresh(addresses).then(
      () => {
        if (state.losses !== losses) return;
        for (const address of addresses) setFollowed(entries.get(address), true);
      },
      () => {},
    );
  }

  function lost(): void {
    state.losses += 1;
    for (const entry of entries.values()) setFollowed(entry, false);
    polling.wake();
  }

  const state = { losses: 0 };
  const polling = startPolling({ entries, steadyNow, refresh, log });
  const handlers = { onAccount: told, onFollowed: (addresses: Address[]) => void followed(addresses), onLost: lost };
  const socket = wsUrl === undefined ? undefined : createAccountSocket({ url: wsUrl, steadyNow, log, ...handlers });

  return {
    watch(addresses) {
      const fresh = addresses.filter((address) => !entries.has(address));
      for (const address of fresh) {
        const start = { account: undefined, slot: -1, version: 0, asOf: Number.NEGATIVE_INFINITY, followed: false };
        entries.set(address, { address, ...start });
      }
      if (fresh.length > 0) socket?.follow(fresh);
    },
    unwatch(addresses) {
      for (const address of addresses) entries.delete(address);
      socket?.unfollow(addresses);
    },
    get: (address) => entries.get(address),
    isFresh(account, now) {
      const { asOf, followed } = account as Entry;
      return now - asOf <= MAX_AGE_MS || (followed && socket !== undefined && now - socket.aliveAt() <= MAX_AGE_MS);
    },
    refresh,
    onChange: (listener) => void listeners.push(listener),
    close() {
      polling.stop();
      socket?.close();
    },
  };
}

function requireSlot(slot: unknown): number {
  if (!Number.isSafeInteger(slot) || (slot as number) < 0) throw new TypeError('a slot that is no number of one');
  return slot as number;
}

/** Where the chain is, as most of the last answers to our questions say. */
function createSlotSense() {
  let last: number[] = [];
  return {
    add(slot: number): void {
      last = [slot, ...last].slice(0, 3);
    },
    /** Whether a slot is ahead by more than one node can be of another. */
    isAbsurd(slot: number): boolean {
      const usual = last.toSorted((a, b) => a - b)[(last.length - 1) >> 1];
      return usual !== undefined && slot > usual + MAX_SLOTS_AHEAD;
    },
  };
}

function setFollowed(entry: Entry | undefined, followed: boolean): void {
  if (entry) entry.followed = followed;
}

interface PollingDeps {
  entries: ReadonlyMap<Address, Entry>;
  steadyNow: () => number;
  refresh(addresses: readonly Address[]): Promise<unknown>;
  log: Logger;
}

/** Reads what nobody tells of again and again, and all of it now and then. */
function startPolling({ entries, steadyNow, refresh, log }: PollingDeps): { wake(): void; stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  let allDueAt = steadyNow() + SLOW_POLL_MS;
  let stopped = false;
  let failing = false;
  let running = false;

  async function tick(): Promise<void> {
    const all = steadyNow() >= allDueAt;
    if (all) allDueAt = steadyNow() + SLOW_POLL_MS;
    const due = [...entries.values()].filter((entry) => all || !entry.followed).map(({ address }) => address);
    try {
      if (due.length > 0) await refresh(due);
      failing = false;
    } catch (error) {
      if (!failing) log.warn({ err: error }, 'the watched accounts could not be read; trying again');
      failing = true;
    }
  }
  function schedule(ms: number): void {
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(run, ms).unref();
  }
  async function run(): Promise<void> {
    running = true;
    await tick();
    running = false;
    schedule(FAST_POLL_MS);
  }
  schedule(FAST_POLL_MS);
  return {
    wake() {
      if (!running) schedule(0);
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

interface Answer {
  context: { slot: number };
  value: (RpcAccount | null)[];
}

function readAccounts(rpc: Rpc, addresses: readonly Address[]) {
  const params = [addresses, { encoding: 'base64', commitment: 'confirmed' }];
  return ask(rpc, 'getMultipleAccounts', params, ({ context, value }: Answer) => ({
    slot: requireSlot(context.slot),
    accounts: listOf(value, addresses.length).map(readRpcAccount),
  }));
}

function sameAccount(a: ChainAccount | undefined, b: ChainAccount | undefined): boolean {
  if (!a || !b) return a === b;
  return a.owner === b.owner && Buffer.compare(a.data, b.data) === 0;
}
