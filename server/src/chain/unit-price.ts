import type { Address } from '@slipway/wire';
import { GrowingCache } from '../lib/growing-cache.js';
import { cached } from '../lib/single-flight.js';
import { waitAtMost } from '../lib/wait-at-most.js';
import { wholeIn } from './node-values.js';
import { ask, type Rpc } from './rpc.js';

/** What the price of a transaction depends on, besides what all others pay. */
export interface Bid {
  /** Accounts that others want to write to as well, such as the pools of a route. Not the fee payer: see `UnitPrices`. */
  contended?: readonly Address[];
  /** How often in a row it has expired, crafted anew each time. */
  expired?: number;
}

export interface Fees {
  percentile: number;
  maxMicroLamports: bigint;
}

/**
 * The most that is bid because of accounts, and the least after so many expiries, as shares of the operator's maximum. Each is four
 * times the one before it: whoever goes on to keep a transaction out has to outbid that for all the room that blocks have for an account.
 */
const SHARES = [64n, 16n, 4n, 1n] as const;
const KEPT_MS = 2_000;
/** Accounts whose prices are remembered, some 4 KB each. */
const MOST_ACCOUNTS = 500;
/** No transaction waits longer for what others pay for its accounts. */
const LONGEST_ASK_MS = 500;

/**
 * What `getRecentPrioritizationFees` tells, and what to bid by it.
 *
 * Agave (`runtime/src/prioritization_fee_cache.rs`) tells one number for each of the last 150 blocks: the lowest price per compute
 * unit in the block, or, where it is more, the highest among the named accounts of the lowest price at which anything in the block has
 * locked that account. So without accounts it is what the cheapest transaction of each block has paid, mostly nothing, whatever the
 * accounts cost that a fill locks. The documentation says that all the accounts are locked by one transaction, and nodes of other
 * makers may do that: each account is asked for by itself, which both tell alike, and which many transactions share.
 *
 * What is told for an account is anybody's word: some 40 cheap transactions a minute set it where hardly anything else locks it. So it
 * counts up to a small share of the maximum, and for more only after expiries. The fee payer is left out: mostly our own bids are told
 * for it, which would keep each other up, and whoever locks it to keep us out has only to let one pass for nothing in each block.
 */
export class UnitPrices {
  readonly #steadyNow: () => number;
  readonly #lowest: () => Promise<bigint[]>;
  /** Of each block, as a node last told them. */
  #lastLowest: bigint[] | undefined;
  readonly #ofAccounts = new GrowingCache<Address, () => Promise<bigint[]>>(MOST_ACCOUNTS);

  constructor(rpc: Rpc, steadyNow: () => number) {
    this.#steadyNow = steadyNow;
    const fetch = async () => {
      const prices = await fetchPrices(rpc, []).catch((error) => {
        if (this.#lastLowest) return this.#lastLowest;
        throw error;
      });
      this.#lastLowest = prices;
      return prices;
    };
    this.#lowest = cached(fetch, KEPT_MS, steadyNow);
  }

  /** Micro-lamports per compute unit. `rpc`: by which accounts are asked for. */
  async priceOf(rpc: Rpc, { percentile: percent, maxMicroLamports: most }: Fees, bid: Bid): Promise<bigint> {
    const { contended = [], expired = 0 } = bid;
    // What has expired at the maximum did not expire for its price: it begins anew. Else what no node passes on uses up the bounds
    // of what the signer signs for.
    const step = expired % (SHARES.length + 1);
    const least = step === 0 ? 0n : most / SHARES[step - 1]!;
    const mostByAccounts = most / (SHARES[step] ?? 1n);
    const [usual, byAccounts] = await Promise.all([this.#usual(), this.#highest(rpc, contended, percent)]);
    return min(most, max(percentile(usual, percent), max(least, min(byAccounts, mostByAccounts))));
  }

  /** What was last told where no node says it in time: a stop-loss must not wait for that, and bids more once it expires. */
  async #usual(): Promise<bigint[]> {
    const asked = this.#lowest();
    const known = this.#lastLowest;
    if (!known) return asked;
    const inTime = await waitAtMost(
      LONGEST_ASK_MS,
      asked.then(() => {}),
    );
    return inTime ? asked : known;
  }

  /** 0 where no node says in time what the accounts cost. */
  async #highest(rpc: Rpc, accounts: readonly Address[], percent: number): Promise<bigint> {
    let highest = 0n;
    const note = async (account: Address) => {
      highest = max(highest, percentile(await this.#of(rpc, account), percent));
    };
    const asked = Promise.all([...new Set(accounts)].map(note));
    await waitAtMost(
      LONGEST_ASK_MS,
      asked.then(() => {}),
    );
    return highest;
  }

  #of(rpc: Rpc, account: Address): Promise<bigint[]> {
    // A node that refuses such questions is not asked for each transaction.
    const fetch = () => fetchPrices(rpc, [account]).catch(() => []);
    const read = this.#ofAccounts.get(account) ?? cached(fetch, KEPT_MS, this.#steadyNow);
    this.#ofAccounts.set(account, read);
    return read();
  }
}

/** The lowest first: they are looked at far more often than they are read. */
function fetchPrices(rpc: Rpc, accounts: readonly Address[]): Promise<bigint[]> {
  const params = accounts.length === 0 ? [] : [accounts];
  return ask(rpc, 'getRecentPrioritizationFees', params, (entries: { prioritizationFee: number }[]) =>
    entries.map((entry) => wholeIn(entry.prioritizationFee)).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)),
  );
}

/** Of values in order, the one that `percent` of them do not exceed (nearest rank); 0 for none. */
export function percentile(sorted: readonly bigint[], percent: number): bigint {
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? 0n;
}

const min = (a: bigint, b: bigint) => (a < b ? a : b);
const max = (a: bigint, b: bigint) => (a > b ? a : b);
