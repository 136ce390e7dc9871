import { setImmediate } from 'node:timers/promises';
import { type Address, WRAPPED_SOL_MINT } from '@slipway/wire';
import { deepestPools } from './deepest.js';
import { accountsOf, type Candidate, Finder, type FinderDeps } from './finder.js';
import { KnownMints } from './known-mints.js';
import { createMarket, type Market } from './market.js';
import type { Memory } from './memory.js';
import type { PoolMint } from './mints.js';
import { neededPools } from './needed-pools.js';
import { PoolBook } from './pool-book.js';
import { fairShare } from './shares.js';
import { createSkippedPools, type SkippedPools } from './skipped-pools.js';
import type { Venue } from './venue.js';
import { openPool, type WatchedPool } from './watched-pool.js';

const DISCOVERY_MS = 30_000;
/** A search costs two calls for each mint and venue. */
const BY_MINT_MS = 60_000;
/** Pools that are opened before other work gets its turn. */
const OPENED_AT_ONCE = 200;
/** The time after which pools that could not be read are read again. */
const RETRY_MS = 2_000;
/** The most pools to remember of a mint. */
const MOST_REMEMBERED = 10;
/** Pools that are kept fresh for open orders whatever clients ask; each has up to eleven accounts. */
const MOST_NEEDED = 500;
/** Pools that are read to find out which are deep, where not all have room; each has up to eleven accounts. */
const MOST_LOOKED_AT = 2_000;
const REMEMBER_SOON_MS = 1_000;

interface PoolsDeps extends Omit<FinderDeps, 'skipped' | 'onFound'> {
  /** The most pools to watch; configured ones come first. */
  maxPools: number;
  memory?: Memory;
}

/** The pools that can be traded with, searched for again from time to time. */
export class Pools {
  /** What routes are asked for; it is searching, too, while pools that were found cannot be read. */
  readonly asked: Pick<Finder['asked'], 'ask' | 'askIfRoom' | 'askInTurn' | 'keep' | 'isSearching'>;
  readonly #deps: PoolsDeps;
  readonly #mints: KnownMints;
  readonly #skipped: SkippedPools;
  readonly #finder: Finder;
  readonly #book: PoolBook;
  readonly #timer: NodeJS.Timeout;
  readonly #hubs: ReadonlySet<Address>;
  /** The tokens of open orders. */
  #kept: readonly Address[] = [];
  /** The pools that price and fill these. */
  #needed: ReadonlySet<WatchedPool> = new Set();
  #market = createMarket([]);
  /** How many pools were found when they had no room. */
  #found = 0;
  #discovering: Promise<void> | undefined;
  #updating: Promise<void> | undefined;
  #isOutdated = false;
  #hasFailed = false;
  #remembering: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(deps: PoolsDeps) {
    this.#deps = deps;
    this.#hubs = new Set([WRAPPED_SOL_MINT, ...deps.hubs]);
    this.#mints = new KnownMints(deps);
    this.#skipped = createSkippedPools();
    this.#finder = new Finder({
      ...deps,
      skipped: this.#skipped,
      onFound: async () => {
        await this.#update();
        this.#rememberSoon();
      },
    });
    const { asked } = this.#finder;
    this.asked = {
      ask: (a, b) => asked.ask(a, b),
      askIfRoom: (a, b) => asked.askIfRoom(a, b),
      askInTurn: (a, b) => asked.askInTurn(a, b),
      keep: (mints) => {
        asked.keep(mints);
        const isSame = mints.length === this.#kept.length && mints.every((mint, i) => mint === this.#kept[i]);
        this.#kept = mints;
        if (!isSame) this.#choose();
      },
      isSearching: (a, b) => this.#hasFailed || asked.isSearching(a, b),
    };
    this.#book = new PoolBook({
      live: deps.live,
      skipped: this.#skipped,
      // Where one has migrated, there is another now.
      onGone: ({ mints }) => {
        if (!this.#isClosed) void this.#finder.again(mints);
      },
      onMoved: (pool) => {
        const isNeeded = this.#needed.has(pool);
        if (isNeeded) this.#prefer();
        return isNeeded;
      },
    });
    this.#timer = setInterval(() => void this.discover(), deps.byMint ? BY_MINT_MS : DISCOVERY_MS).unref();
  }

  market(): Market {
    return this.#market;
  }

  /** Looks for pools now; whatever the chain does not answer for stays as it was. */
  discover(): Promise<void> {
    this.#discovering ??= this.#finder
      .scan()
      .then(() => this.#update())
      .then(() => this.#remember())
      .finally(() => {
        this.#discovering = undefined;
      });
    return this.#discovering;
  }

  /** Watches the pools that were in use before this process began. */
  async recall(): Promise<void> {
    const { memory, mints } = this.#deps;
    const remembered = (await memory?.load(mints.forOrders + mints.forClients)) ?? [];
    if (remembered.length === 0) return;
    // The latest last, because that is dropped last.
    await this.#finder.recall(remembered.toReversed());
    await this.#update();
  }

  /**
   * Includes a pool at once, before a search finds it; resolves when it is known. Never rejects. Each post of a landed launch
   * tells of its pool again, and to apply what was found takes as long as there are pools.
   */
  async learn(pool: Address): Promise<void> {
    await (this.#finder.learn(pool) ? this.#update() : this.#updating);
  }

  /** Undefined if the address is not a mint. Cached for a minute. @throws ChainUnavailable */
  async mint(address: Address): Promise<PoolMint | undefined> {
    await this.#mints.read([address]);
    return this.#mints.get(address);
  }

  /** A mint that was read before. */
  knownMint(address: Address): PoolMint | undefined {
    return this.#mints.get(address);
  }

  watched(pool: Address): WatchedPool | undefined {
    return this.#book.get(pool);
  }

  /** How many pools of a venue cannot be traded with, by reason. */
  skipped(venue: Venue): Record<string, number> {
    return this.#skipped.counts(venue);
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    clearTimeout(this.#remembering);
  }

  /** Applies what has been found, and once more if more is found meanwhile. */
  #update(): Promise<void> {
    this.#isOutdated = true;
    this.#updating ??= this.#updateAll()
      .catch((error) => {
        if (this.#isClosed) return;
        this.#deps.log.warn({ err: error }, 'could not find pools; trying again');
        this.#hasFailed = true;
        setTimeout(() => void this.#update(), RETRY_MS).unref();
      })
      .finally(() => {
        this.#updating = undefined;
      });
    return this.#updating;
  }

  async #updateAll(): Promise<void> {
    while (this.#isOutdated && !this.#isClosed) {
      this.#isOutdated = false;
      await this.#updateOnce();
    }
    this.#hasFailed = false;
  }

  #rememberSoon(): void {
    this.#remembering ??= setTimeout(() => {
      this.#remembering = undefined;
      void this.#remember();
    }, REMEMBER_SOON_MS).unref();
  }

  async #remember(): Promise<void> {
    const { memory, steadyNow } = this.#deps;
    if (!memory || this.#isClosed) return;
    const now = steadyNow();
    const watched = new Map(this.#book.pools().map((pool) => [pool.address, pool]));
    const asked = this.#finder.asked.known().map(({ mints, at, pools }) => {
      const inUse = pools.flatMap(({ address }) => {
        const state = watched.get(address)?.state(now);
        return state ? [{ address, state }] : [];
      });
      const deepest = deepestPools(inUse, MOST_REMEMBERED).map(({ address }) => address);
      return { mints, pools: deepest, agoMs: now - at };
    });
    await memory.save(asked);
  }

  async #updateOnce(): Promise<void> {
    this.#skipped.keep(this.#book);
    const candidates = await this.#capped(await this.#finder.candidates());
    await this.#mints.read(candidates.flatMap((candidate) => candidate.mints));
    const wanted = candidates.filter((candidate) => this.#isSupported(candidate));
    const { added, dropped } = await this.#book.replaceBy(
      new Map(wanted.map((candidate) => [candidate.address, candidate])),
    );
    // Even if no pool came or went: trades change the ranking of the paths.
    this.#market = createMarket(this.#book.pools(), this.#hubs);
    await this.#openAll();
    this.#choose();
    if (added > 0 || dropped > 0) {
      this.#deps.log.info({ pools: this.#book.size, added, dropped }, 'pools to route over');
    }
  }

  #choose(): void {
    const wanted = { mints: this.#kept, hubs: this.#hubs, most: MOST_NEEDED };
    this.#needed = new Set(this.#kept.length > 0 ? neededPools(this.#book.pools(), wanted) : []);
    this.#prefer();
  }

  /** Nobody who only asks keeps open orders from their prices and fills. */
  #prefer(): void {
    this.#deps.live.prefer([...new Set([...this.#needed].flatMap(({ accounts }) => accounts))]);
  }

  /** Opens all pools, so that those that nobody can trade with are counted before somebody asks for them. */
  async #openAll(): Promise<void> {
    const { steadyNow } = this.#deps;
    for (const [i, pool] of this.#market.pools.entries()) {
      if (i % OPENED_AT_ONCE === 0 && i > 0) await setImmediate();
      pool.refusal(steadyNow());
    }
  }

  /**
   * Where there are more than are watched: those of open orders first, then those of clients, each token's as many as any
   * other's where they do not all have room. Among those of one token a watched pool is never dropped for another, or new
   * ones could push out the good ones; the deepest of the others get the remaining room.
   */
  async #capped(candidates: Candidate[]): Promise<Candidate[]> {
    const { log, maxPools, configured } = this.#deps;
    if (candidates.length <= maxPools) return candidates;
    if (candidates.length !== this.#found)
      log.warn({ found: candidates.length, maxPools }, 'more pools than are watched');
    this.#found = candidates.length;
    const byAddress = new Map(candidates.map((candidate) => [candidate.address, candidate]));
    const chosen = new Set(candidates.filter(({ address }) => configured.includes(address)));
    const claims = this.#finder.asked.claims();
    const look = { left: MOST_LOOKED_AT };
    for (const isKept of [true, false]) {
      const groups = claims
        .filter((claim) => claim.isKept === isKept)
        .map(({ pools }) => pools.flatMap((address) => byAddress.get(address) ?? []).filter((one) => !chosen.has(one)));
      const share = fairShare(
        groups.map(({ length }) => length),
        maxPools - chosen.size,
      );
      for (const group of groups) for (const one of await this.#best(group, share, look)) chosen.add(one);
    }
    const claimed = new Set(claims.flatMap(({ pools }) => pools));
    const rest = candidates.filter((one) => !chosen.has(one) && !claimed.has(one.address));
    return [...chosen, ...(await this.#best(rest, maxPools - chosen.size, look))].slice(0, maxPools);
  }

  /** The watched ones, and the deepest of the others; `look.left`: how many of these are read to find that out. */
  async #best(candidates: Candidate[], most: number, look: { left: number }): Promise<Candidate[]> {
    if (candidates.length <= most) return candidates;
    const kept = candidates.filter(({ address }) => this.#book.has(address));
    const room = most - kept.length;
    if (room <= 0) return kept.slice(0, Math.max(0, most));
    const others = candidates.filter(({ address }) => !this.#book.has(address)).slice(0, look.left);
    look.left -= others.length;
    const readings = await this.#deps.live.refresh([...new Set(others.flatMap(accountsOf))]);
    const opened = others.flatMap((candidate) => {
      const state = openPool(candidate, readings);
      return typeof state === 'string' ? [] : [{ ...candidate, state, candidate }];
    });
    return [...kept, ...deepestPools(opened, room).map(({ candidate }) => candidate)];
  }

  #isSupported({ address, venue, mints }: Candidate): boolean {
    for (const mint of mints) {
      const facts = this.#mints.get(mint);
      if (facts && facts.unsupported === undefined) continue;
      const reason = facts ? `a mint with the extension ${facts.unsupported}` : 'a mint that is none';
      this.#skipped.note(address, venue, reason);
      return false;
    }
    return true;
  }
}
