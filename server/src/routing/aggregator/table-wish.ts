import type { Address } from '@slipway/wire';
import { newProgress } from './fitting.js';
import { type Found, type SearchOptions, unbounded } from './found.js';
import type { Builder } from './quote.js';
import { search } from './search.js';
import { type AccountsOf, excessWithTable, presentAccounts, standingAccounts } from './size.js';

/** A table is wished for that makes the output greater by this share. */
const WORTH_A_TABLE = 0.001;
/**
 * What a search for one may spend, in microseconds, roughly: anybody asks in ways in which none of thousands of plans fits.
 * Nearly all honest ones measure less than forty.
 */
const MAX_EFFORT = 30_000;

/**
 * The accounts that a lookup table should hold for a request, search by search; none if its route would hardly be
 * better.
 */
export function* tableFor(options: SearchOptions, builder: Builder): Generator<void, Address[]> {
  const today = search(options);
  // Over several pools with ticks or bins nothing may fit unless the table holds them, too. Then it helps for as long
  // as their prices stay near, and is extended when somebody asks again.
  for (const accounts of [standingAccounts, presentAccounts]) {
    yield;
    const best = searchWithTable(accounts, options, builder);
    if (!best) continue;
    if (!today || Number(best.outcome.outAmount) > Number(today.outcome.outAmount) * (1 + WORTH_A_TABLE))
      return accounts(best.plan);
  }
  return [];
}

/** The best route where each had such a table of its own. */
function searchWithTable(accounts: AccountsOf, options: SearchOptions, builder: Builder): Found | undefined {
  const excess = (found: Pick<Found, 'plan' | 'outcome'>) => excessWithTable(found, accounts, options.request, builder);
  return search({ ...options, room: unbounded(options.room, excess) }, newProgress(MAX_EFFORT));
}
