import { type Address, WRAPPED_SOL_MINT } from '@slipway/wire';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Rpc } from '../../chain/index.js';
import { GrowingCache } from '../../lib/growing-cache.js';
import { ScanRounds } from './scan-rounds.js';
import { ScanTurns } from './scan-turns.js';
import type { Venue } from './venue.js';
import { type FoundPool, isRefusal, type Mints, scanFor } from './venue-scans.js';

/** The most mints, or pairs of hubs, whose pools are found. */
export interface FoundMints {
  /** For open orders: nothing that clients ask for pushes these out. */
  readonly forOrders: number;
  /** For clients: beyond that the least recently requested are dropped. As many more for limit orders. */
  readonly forClients: number;
}

export const FOUND_MINTS: FoundMints = { forOrders: 500, forClients: 100 };
/** How long after its last request the pools of a mint are still searched for. */
const ASKED_MS = 10 * 60_000;
/** How long a mint without pools gives up its place to others. */
const EMPTY_MS = 10 * 60_000;
/** Mints that wait for a turn, or have no pools; some 200 bytes each. */
const MAX_NOTED = 10_000;
/** The shortest time after which a scan that was not answered is tried again; by then somebody must have asked again. */
const RETRY_MS = 2_000;
/** Mints that are scanned at the same time, each venue by venue: at most two calls each. */
const MAX_SCANS = 2;
/** How long the log is silent once it has told of tokens of open orders that have no room. */
const TOLD_MS = 60 * 60_000;

interface Asked {
  mints: Mints;
  /** Milliseconds of `steadyNow`. */
  at: number;
  /** When the last scan ended; steady milliseconds. */
  triedAt: number;
  /** Whether the pools of every venue are known, and watched. Until then, there may be others. */
  isScanned: boolean;
  state: 'due' | 'scanning' | 'done';
  /** Whether it must be scanned once more, and its pools told of at once. */
  isChanged: boolean;
  pools: Map<Venue, FoundPool[]>;
}

interface MintScansDeps {
  rpc: Rpc;
  steadyNow: () => number;
  /** Mints with too many pools to find all of them. */
  hubs: readonly Address[];
  mints: FoundMints;
  log: Pick<Logger, 'warn'>;
  /** Venues whose pools are currently found by mint. */
  venues(): readonly Venue[];
  /** Called when a scan fails; what it found before stays. */
  failed(venue: Venue, error: unknown): void;
  /** Called when the pools of a newly requested mint are known; resolves when they are watched. */
  onFound(): Promise<void>;
}

/** Finds the pools of requested mints. */
export class MintScans {
  readonly #deps: MintScansDeps;
  readonly #hubs: ReadonlySet<Address>;
  /** What open orders need. */
  readonly #kept = new Map<string, Asked>();
  /** What clients ask for; nothing that is kept. */
  readonly #asked: LRUCache<string, Asked>;
  /** What limit orders ask for, and nobody else does: anybody makes such orders, for any tokens. */
  readonly #turns: ScanTurns<Asked>;
  /** Mints without pools, and until when they are not searched for where there is too little room; steady milliseconds. */
  readonly #emptyUntil = new GrowingCache<string, number>(MAX_NOTED);
  readonly #rounds = new ScanRounds<Asked>();
  #running = 0;
  /** Of what kind the last search was. */
  #turn = 0;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(deps: MintScansDeps) {
    this.#deps = deps;
    this.#hubs = new Set([WRAPPED_SOL_MINT, ...deps.hubs]);
    this.#asked = new LRUCache({ max: deps.mints.forClients });
    this.#turns = new ScanTurns({
      places: deps.mints.forClients,
      queue: MAX_NOTED,
      // Pairs of hubs are few, and every route may need them.
      isLasting: ({ mints }) => mints.length > 1,
    });
  }

  /**
   * Records a request for both mints, and for the pairs of hubs that routes between them use. Pools of what is
   * requested for the first time are looked for in the background.
   */
  ask(a: Address, b: Address): void {
    const now = this.#deps.steadyNow();
    for (const mints of this.#topics(a, b)) this.#mark(mints, now);
    if (this.#deps.venues().length > 0) this.#work();
  }

  /** As `ask`, but evicts nothing. */
  askIfRoom(a: Address, b: Address): void {
    const added = this.#topics(a, b).filter((mints) => !this.#find(mints.join(' ')));
    if (this.#asked.size + added.length <= this.#deps.mints.forClients) this.ask(a, b);
  }

  /** As `ask`, for limit orders: takes no room from others; where there is too little, each mint has its turn. */
  askInTurn(a: Address, b: Address): void {
    const now = this.#deps.steadyNow();
    for (const mints of this.#topics(a, b)) {
      const key = mints.join(' ');
      const known = this.#find(key) ?? this.#turns.waiting(key);
      if (known) touch(known, now);
      else this.#turns.add(key, newlyAsked(mints, now), now);
    }
    if (this.#deps.venues().length > 0) this.#work();
  }

  /**
   * Searches for the pools of exactly these until it is told of others; if there is no room for all, for the first ones that
   * have any: an order may be for a token that has none.
   */
  keep(mints: readonly Address[]): void {
    const { forOrders, forClients } = this.#deps.mints;
    const now = this.#deps.steadyNow();
    const single = mints.filter((mint) => !this.#hubs.has(mint)).map((mint): Mints => [mint]);
    const topics = mints.length > 0 ? [...this.#hubPairs(), ...single] : [];
    const some = topics.length > forOrders ? topics.filter((topic) => !this.#isEmpty(topic, now)) : topics;
    const wanted = new Map(some.slice(0, forOrders).map((topic) => [topic.join(' '), topic]));
    if (some.length > forOrders && this.#deps.venues().length > 0) this.#tellLeftOut(some.length - forOrders, now);
    for (const [key, one] of this.#kept) {
      if (wanted.has(key)) continue;
      this.#kept.delete(key);
      if (this.#asked.size < forClients) this.#asked.set(key, one);
    }
    let isNew = false;
    for (const [key, topic] of wanted) {
      const known = this.#find(key);
      isNew ||= !known;
      this.#asked.delete(key);
      this.#turns.take(key);
      this.#kept.set(key, Object.assign(known ?? newlyAsked(topic, now), { at: now }));
    }
    if (isNew && this.#deps.venues().length > 0) this.#work();
  }

  /** Takes over what an earlier run was asked for, and the pools that it found; they are searched for again. */
  recall(asked: readonly { mints: Mints; pools: readonly FoundPool[] }[]): void {
    const at = this.#deps.steadyNow();
    for (const { mints, pools } of asked) {
      if (this.#find(mints.join(' '))) continue;
      this.#mark(mints, at);
      const { pools: known } = this.#find(mints.join(' '))!;
      for (const pool of pools) known.set(pool.venue, [...(known.get(pool.venue) ?? []), pool]);
    }
    if (this.#deps.venues().length > 0) this.#work();
  }

  /** What was asked for, when, and all pools that there are for it. */
  known(): { mints: Mints; at: number; pools: FoundPool[] }[] {
    return this.#all().flatMap(({ mints, at, isScanned, pools }) =>
      isScanned ? [{ mints, at, pools: [...pools.values()].flat() }] : [],
    );
  }

  /** Whether the pools of one of them are not all known. */
  isSearching(a: Address, b: Address): boolean {
    if (this.#deps.venues().length === 0) return false;
    return this.#topics(a, b).some((mints) => !this.#find(mints.join(' '))?.isScanned);
  }

  /** Searches again for the pools of everything that is still requested, and forgets the rest. */
  async refresh(): Promise<void> {
    const since = this.#deps.steadyNow() - ASKED_MS;
    for (const [key, { at }] of [...this.#asked.entries()]) if (at < since) this.#asked.delete(key);
    this.#turns.end(since, this.#deps.steadyNow());
    if (this.#deps.venues().length === 0) return;
    const all = this.#all();
    for (const one of all) if (one.state === 'done') one.state = 'due';
    const round = this.#rounds.begin(all);
    this.#work();
    await round;
  }

  /** Searches now for the pools of these mints, if they are requested: something has changed. */
  again(mints: readonly Address[]): void {
    for (const one of this.#all()) {
      if (!one.mints.some((mint) => mints.includes(mint))) continue;
      one.isChanged = true;
      if (one.state === 'done') one.state = 'due';
    }
    if (this.#deps.venues().length > 0) this.#work();
  }

  found(): FoundPool[] {
    const byMint = this.#deps.venues();
    return this.#all().flatMap(({ pools }) => byMint.flatMap((venue) => pools.get(venue) ?? []));
  }

  /** Whose pools these are, of what open orders need first. */
  claims(): { isKept: boolean; pools: Address[] }[] {
    return this.#all().map((one) => ({
      isKept: this.#kept.get(one.mints.join(' ')) === one,
      pools: [...one.pools.values()].flatMap((found) => found.map(({ address }) => address)),
    }));
  }

  /** A mint that is not a hub has few enough pools to find all of them; hubs are searched for in pairs. */
  #topics(a: Address, b: Address): Mints[] {
    const others = [a, b].filter((mint) => !this.#hubs.has(mint));
    return [...this.#hubPairs(), ...(others.length === 0 ? [pairOf(a, b)] : others.map((mint): Mints => [mint]))];
  }

  #hubPairs(): Mints[] {
    return [...this.#hubs].filter((hub) => hub !== WRAPPED_SOL_MINT).map((hub): Mints => [WRAPPED_SOL_MINT, hub]);
  }

  /** What open orders need comes first. */
  #all(): Asked[] {
    return [...this.#kept.values(), ...this.#asked.values(), ...this.#turns.values()];
  }

  #find(key: string): Asked | undefined {
    return this.#kept.get(key) ?? this.#asked.peek(key) ?? this.#turns.get(key);
  }

  #mark(mints: Mints, at: number): void {
    const key = mints.join(' ');
    const known = this.#kept.get(key) ?? this.#asked.get(key);
    if (known) {
      touch(known, at);
      return;
    }
    const inTurn = this.#turns.take(key);
    if (inTurn) touch(inTurn, at);
    this.#asked.set(key, inTurn ?? newlyAsked(mints, at));
  }

  /** Whoever has made such an order hears of nothing. */
  #tellLeftOut(leftOut: number, now: number): void {
    if (now - this.#toldAt < TOLD_MS) return;
    this.#toldAt = now;
    const room = this.#deps.mints.forOrders;
    const what = 'open trigger orders are for more tokens than there is room for (swap.foundMints.forOrders)';
    this.#deps.log.warn({ leftOut, room }, `${what}: where only pools price those of the newest, these do not fire`);
  }

  #isEmpty(mints: Mints, now: number): boolean {
    return (this.#emptyUntil.get(mints.join(' ')) ?? Number.NEGATIVE_INFINITY) > now;
  }

  /** Dropped requests are not scanned. */
  #work(): void {
    while (this.#running < MAX_SCANS) {
      const next = this.#next();
      if (!next) break;
      next.state = 'scanning';
      this.#running++;
      void this.#scan(next).finally(() => {
        this.#running--;
        this.#rounds.ended(next);
        this.#work();
      });
    }
    this.#rounds.settle((one) => this.#find(one.mints.join(' ')) === one);
  }

  /**
   * What open orders need for the first time; then in turn what clients do, the latest request first, what limit orders do,
   * and what was scanned before: anybody can ask for ever more.
   */
  #next(): Asked | undefined {
    const needed = firstNew(this.#kept.values());
    if (needed) return needed;
    const before = this.#all().filter(({ state, isScanned }) => state === 'due' && isScanned);
    const kinds = [
      firstNew(this.#asked.values()),
      firstNew(this.#turns.values()),
      before.find(({ isChanged }) => isChanged) ?? before[0],
    ];
    for (let i = 0; i < kinds.length; i++) {
      this.#turn = (this.#turn + 1) % kinds.length;
      if (kinds[this.#turn]) return kinds[this.#turn];
    }
    return undefined;
  }

  async #scan(one: Asked): Promise<void> {
    const { rpc, venues, failed, onFound, steadyNow } = this.#deps;
    let isAnswered = true;
    const isNews = !one.isScanned || one.isChanged;
    one.isChanged = false;
    for (const venue of venues()) {
      try {
        one.pools.set(venue, await scanFor(rpc, venue, one.mints));
      } catch (error) {
        failed(venue, error);
        isAnswered &&= isRefusal(error) || one.pools.has(venue);
      }
    }
    if (isNews) await onFound();
    one.isScanned ||= isAnswered;
    one.triedAt = steadyNow();
    const hasNone =
      isAnswered && one.mints.length === 1 && [...one.pools.values()].every((found) => found.length === 0);
    if (hasNone) this.#emptyUntil.set(one.mints.join(' '), one.triedAt + EMPTY_MS);
    else this.#emptyUntil.delete(one.mints.join(' '));
    one.state = one.isChanged ? 'due' : 'done';
  }
}

function firstNew(asked: Iterable<Asked>): Asked | undefined {
  for (const one of asked) if (one.state === 'due' && !one.isScanned) return one;
  return undefined;
}

function touch(asked: Asked, at: number): void {
  asked.at = at;
  if (!asked.isScanned && asked.state === 'done' && at >= asked.triedAt + RETRY_MS) asked.state = 'due';
}

const newlyAsked = (mints: Mints, at: number): Asked => ({
  mints,
  at,
  triedAt: Number.NEGATIVE_INFINITY,
  isScanned: false,
  state: 'due',
  isChanged: false,
  pools: new Map(),
});

/** Always in the same order, whichever mint comes first in the request. */
const pairOf = (a: Address, b: Address): Mints =>
  b === WRAPPED_SOL_MINT || (a !== WRAPPED_SOL_MINT && b < a) ? [b, a] : [a, b];
