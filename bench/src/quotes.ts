import { encodePool, poolAuthority, TOKEN_SWAP_PROGRAM } from '@slipway/programs';
import { type Address, encodeTokenAccount, generateKeypair, TOKEN_PROGRAM } from '@slipway/wire';
import type { PoolState, Side, Venue } from '../../server/dist/routing/aggregator/venue.js';
import { accountsOf, readRecorded } from '../../server/dist/routing/aggregator/venues/testing/recorded.js';
import { TESTED_VENUES } from '../../server/dist/routing/aggregator/venues/testing/venues.js';
import { tokenSwapVenue } from '../../server/dist/routing/aggregator/venues/token-swap.js';

const BATCHES = 100;
const QUOTES = 40;

type Account = Parameters<Venue['open']>[1];

/** Microseconds a quote in each round. */
export interface QuoteFigures {
  /** From the bytes of the pool's accounts to the amount. */
  fromBytes: number[];
  /** Of a pool that is read already. */
  quote: number[];
}

interface Sample {
  venue: Venue;
  pool: Address;
  accounts: ReadonlyMap<Address, Account>;
  from: Side;
  amount: bigint;
}

/** What quotes cost in this process, by the venues' labels; our own constant-product pool is the yardstick. */
export function measureQuotes(rounds: number): Record<string, QuoteFigures> {
  const samples: Record<string, Sample[]> = { [tokenSwapVenue(TOKEN_SWAP_PROGRAM).label]: [ownPool()] };
  for (const { name, venue } of TESTED_VENUES) samples[venue.label] = recordedPools(name, venue);
  const figures = Object.fromEntries(
    Object.keys(samples).map((label): [string, QuoteFigures] => [label, { fromBytes: [], quote: [] }]),
  );
  // The first round only warms up.
  for (let round = 0; round <= rounds; round++) {
    for (const [label, own] of Object.entries(samples)) {
      const states = own.map((sample) => open(sample));
      const fromBytes = microseconds((i) => {
        const sample = own[i % own.length]!;
        open(sample).quote(sample.from, sample.amount);
      });
      const quote = microseconds((i) => {
        const { from, amount } = own[i % own.length]!;
        states[i % own.length]!.quote(from, amount);
      });
      if (round === 0) continue;
      figures[label]!.fromBytes.push(fromBytes);
      figures[label]!.quote.push(quote);
    }
  }
  return figures;
}

/** Of the best of many short batches, which other processes seldom interrupt. */
function microseconds(work: (i: number) => void): number {
  let best = Number.POSITIVE_INFINITY;
  for (let batch = 0; batch < BATCHES; batch++) {
    const start = process.hrtime.bigint();
    for (let i = 0; i < QUOTES; i++) work(i);
    best = Math.min(best, Number(process.hrtime.bigint() - start) / 1_000 / QUOTES);
  }
  return best;
}

/** Reads all accounts anew: their objects are copies, so that nothing is known of them. */
function open({ venue, pool, accounts }: Sample): PoolState {
  const known = new Map<Address, Account>();
  const read = (address: Address) => {
    const account = accounts.get(address);
    const copy = known.get(address) ?? (account && { ...account });
    if (copy) known.set(address, copy);
    return copy;
  };
  const own = read(pool)!;
  const described = venue.describe(pool, own, { get: read });
  if (typeof described === 'string' || 'needs' in described) throw new Error(`${venue.label}: ${described}`);
  const state = venue.open(pool, own, described.accounts.map(read));
  if (typeof state === 'string') throw new Error(`${venue.label}: ${state}`);
  return state;
}

const recordedPools = (name: string, venue: Venue): Sample[] =>
  readRecorded(name)
    .trades.filter(({ done }) => done !== null)
    .map((trade) => ({
      venue,
      pool: trade.pool,
      accounts: accountsOf(trade),
      from: trade.from,
      amount: BigInt(trade.offered),
    }));

function ownPool(): Sample {
  const [pool, mintA, mintB, vaultA, vaultB, poolMint, feeAccount] = Array.from(
    { length: 7 },
    () => generateKeypair().address,
  ) as [Address, Address, Address, Address, Address, Address, Address];
  const none = { numerator: 0n, denominator: 0n };
  const fees = { trade: { numerator: 25n, denominator: 10_000n }, ownerTrade: none, ownerWithdraw: none, host: none };
  const authority = poolAuthority(pool);
  const plain = (owner: Address, data: Uint8Array): Account => ({ lamports: 1n, owner, executable: false, data });
  const vault = (mint: Address) =>
    plain(
      TOKEN_PROGRAM,
      encodeTokenAccount({
        mint,
        owner: authority.address,
        amount: 10n ** 12n,
        state: 'initialized',
        delegatedAmount: 0n,
        isNative: false,
      }),
    );
  const data = encodePool({
    bump: authority.bump,
    tokenProgram: TOKEN_PROGRAM,
    vaultA,
    vaultB,
    poolMint,
    mintA,
    mintB,
    feeAccount,
    fees,
  });
  const accounts = new Map([
    [pool, plain(TOKEN_SWAP_PROGRAM, data)],
    [vaultA, vault(mintA)],
    [vaultB, vault(mintB)],
  ]);
  return { venue: tokenSwapVenue(TOKEN_SWAP_PROGRAM), pool, accounts, from: 0, amount: 123_456_789n };
}
