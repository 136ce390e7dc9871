import { TOKEN_SWAP_PROGRAM } from '@slipway/programs';
import type { Address } from '@slipway/wire';
import { openFrom } from '../../server/dist/routing/metis/venues/testing/lab.js';
import { accountsOf, readRecorded } from '../../server/dist/routing/metis/venues/testing/recorded.js';
import { TESTED_VENUES } from '../../server/dist/routing/metis/venues/testing/venues.js';
import { tokenSwapVenue } from '../../server/dist/routing/metis/venues/token-swap.js';
import { makePool } from './pools.js';

/** Of each trade in a round; of the batches the fastest counts, for whatever else the machine does only adds to it. */
const BATCHES = 20;
const QUOTES_PER_BATCH = 20;
/** The constant-product pool whose program is ours. */
export const YARDSTICK = 'Token Swap';

type Venue = ReturnType<typeof tokenSwapVenue>;
type Account = ReturnType<typeof accountsOf> extends Map<Address, infer T> ? T : never;

interface Case {
  venue: Venue;
  pool: Address;
  accounts: Map<Address, Account>;
  from: 0 | 1;
  amount: bigint;
}

/** Microseconds for one, in each round: of the trades' middle one. */
export interface QuoteTimes {
  /** Of a pool that is open. */
  quote: number[];
  /** After the bytes of the pool and of its vaults have changed. */
  fromBytes: number[];
}

/** Quotes recorded trades of every venue, and of the yardstick, turn by turn; the first round warms up. */
export function measureQuotes({ rounds }: { rounds: number }): Record<string, QuoteTimes> {
  const cases = new Map<string, Case[]>([[YARDSTICK, [yardstick()]]]);
  for (const { name, venue } of TESTED_VENUES) {
    const trades = readRecorded(name).trades.filter(({ done }) => done);
    const own = trades.map((trade) => ({
      ...{ venue, pool: trade.pool, accounts: accountsOf(trade), from: trade.from, amount: BigInt(trade.offered) },
    }));
    cases.set(venue.label, own);
  }
  const figures: Record<string, QuoteTimes> = {};
  for (let round = 0; round <= rounds; round++) {
    for (const [label, own] of cases) {
      const times = own.map(timesOf);
      if (round === 0) figures[label] = { quote: [], fromBytes: [] };
      else
        for (const which of ['quote', 'fromBytes'] as const)
          figures[label]![which].push(middle(times.map((each) => each[which])));
    }
  }
  return figures;
}

function yardstick(): Case {
  const { pool, accounts } = makePool(10n ** 12n, 3n * 10n ** 12n);
  return { venue: tokenSwapVenue(TOKEN_SWAP_PROGRAM), pool, accounts, from: 0, amount: 123_456_789n };
}

function timesOf({ venue, pool, accounts, from, amount }: Case): { quote: number; fromBytes: number } {
  const open = () => {
    const { state } = openFrom(venue, pool, (address) => accounts.get(address));
    if (typeof state === 'string') throw new Error(`${venue.label}: ${state}`);
    return state;
  };
  const state = open();
  const changed = [...accounts].filter(
    ([address]) => address === pool || state.tokens.some(({ vault }) => vault === address),
  );
  return {
    quote: microseconds(() => state.quote(from, amount)),
    fromBytes: microseconds(() => {
      // Another object is what tells that the bytes are others.
      for (const [address, account] of changed) accounts.set(address, { ...account });
      return open().quote(from, amount);
    }),
  };
}

function microseconds(quote: () => object | undefined): number {
  let best = Number.POSITIVE_INFINITY;
  for (let batch = 0; batch < BATCHES; batch++) {
    const start = process.hrtime.bigint();
    for (let i = 0; i < QUOTES_PER_BATCH; i++) if (!quote()) throw new Error('a recorded trade is refused');
    best = Math.min(best, Number(process.hrtime.bigint() - start) / 1_000 / QUOTES_PER_BATCH);
  }
  return best;
}

const middle = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
