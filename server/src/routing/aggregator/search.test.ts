import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ROUTER_PROGRAM, TOKEN_SWAP_PROGRAM } from '@slipway/programs';
import { newAddress } from '@slipway/programs/testing';
import { type Address, type LookupTable, MAX_TRANSACTION_SIZE, TOKEN_PROGRAM } from '@slipway/wire';
import type { QuoteRequest, Token } from '../router.js';
import type { Found } from './found.js';
import type { Pool } from './legs.js';
import { createMarket } from './market.js';
import { search } from './search.js';
import { createSizing } from './size.js';
import type { Venue } from './venue.js';
import { allVenues } from './venues/index.js';
import { Lab, type LabPool } from './venues/testing/lab.js';
import { CALM, writePair } from './venues/testing/meteora-dlmm.js';
import { OPEN, writeCpmmPool } from './venues/testing/raydium-cpmm.js';
import { PAIR_WRITERS } from './venues/testing/row.js';
import { writeWhirlpool } from './venues/testing/whirlpool.js';

const VENUES = allVenues({ tokenSwap: TOKEN_SWAP_PROGRAM });
const ONE = 1n << 64n;

function poolOf(lab: Lab, { address, mints }: LabPool): Pool {
  const program = lab.vm.owner(address);
  const venue = VENUES.find((each) => each.program === program) as Venue;
  const { state } = lab.open(venue, address);
  if (typeof state === 'string') assert.fail(state);
  return { address, venue, mints, accounts: [address], state: () => state, refusal: () => undefined };
}

const tokenOf = (mint: Address): Token => ({ mint, tokenProgram: TOKEN_PROGRAM, decimals: 6 });

const sizingWith = (lookupTables: () => readonly LookupTable[]) =>
  createSizing({ router: ROUTER_PROGRAM, lookupTables, tokenOf });

function found(
  pools: readonly Pool[],
  input: Address,
  output: Address,
  amount: bigint,
  tables: readonly LookupTable[] = [],
  { roomOf = sizingWith(() => tables), without = [] as readonly Pool[] } = {},
): Found | undefined {
  const request: QuoteRequest = {
    mode: 'exact-in',
    input: tokenOf(input),
    output: tokenOf(output),
    amount,
    excludeVenues: new Set(),
    excludePools: new Set(without.map(({ address }) => address)),
  };
  const room = roomOf(request);
  const answer = search({ market: createMarket(pools), request, now: 0, routed: true, maxPools: 5, room });
  assert.ok(!answer || room.excess(answer) <= 0, `it has more than ${MAX_TRANSACTION_SIZE} bytes`);
  return answer;
}

/** A lookup table of all that these pools' trades name. */
function tableOf(pools: readonly Pool[]): LookupTable {
  const [address, owner] = [newAddress(), newAddress()];
  const parties = { owner, source: owner, destination: owner, amountIn: 1n, minOut: 1n };
  const named = pools.flatMap((pool) =>
    ([0, 1] as const).flatMap((side) => pool.state(0)!.swap(side, parties).accounts),
  );
  return { address, addresses: [...new Set(named.map((account) => account.address))].filter((each) => each !== owner) };
}

const labels = ({ plan }: Found) => plan.steps.map(({ parts }) => parts.map(({ pool }) => pool.venue.label));

describe('where the best route has no room', () => {
  it('offers the best one that fits: every token with pools of four kinds against one, without lookup tables', () => {
    const lab = new Lab();
    const mints = Array.from({ length: 5 }, () => lab.vm.mint());
    const [usdc, ...others] = mints as [Address, ...Address[]];
    const pair = (mint: Address) => ({
      mints: [mint, usdc] as [Address, Address],
      tokenPrograms: [TOKEN_PROGRAM, TOKEN_PROGRAM] as [Address, Address],
    });
    const pools = others.flatMap((mint) => PAIR_WRITERS.map((write) => poolOf(lab, write(lab, pair(mint)))));
    for (const input of others) {
      for (const output of others) {
        if (input === output) continue;
        const answer = found(pools, input, output, 1_000_000_000n);
        assert.ok(answer, 'no route');
        // Of all pairs of pools, none that fits gives more.
        const of = (mint: Address) => pools.filter((pool) => pool.mints.includes(mint));
        for (const first of of(input)) {
          for (const second of of(output)) {
            const other = found([first, second], input, output, 1_000_000_000n);
            const most = (answer.outcome.outAmount * 1_001n) / 1_000n;
            assert.ok(!other || other.outcome.outAmount <= most, `${labels(answer)}, but ${other && labels(other)}`);
          }
        }
      }
    }
  });
});

describe('a path that was too long for a transaction', () => {
  const lab = new Lab();
  const mints = Array.from({ length: 3 }, () => lab.vm.mint()) as [Address, Address, Address];
  const [input, between, output] = mints;
  const amount = 1_000_000_000n;
  const written = (write: (typeof PAIR_WRITERS)[number], a: Address, b: Address) =>
    poolOf(lab, write(lab, { mints: [a, b], tokenPrograms: [TOKEN_PROGRAM, TOKEN_PROGRAM] }));
  const ofEveryKind = (a: Address, b: Address) => PAIR_WRITERS.map((write) => written(write, a, b));

  it('is taken as soon as a lookup table holds its accounts, and not when that is gone', () => {
    const pools = [...ofEveryKind(input, between), ...ofEveryKind(between, output)];
    let tables: readonly LookupTable[] = [];
    const roomOf = sizingWith(() => tables);
    const heavy = heaviest(pools, input, output);
    const answer = () => found(heavy, input, output, amount, tables, { roomOf });
    for (let turn = 0; turn < 3; turn++) {
      tables = [];
      assert.equal(answer(), undefined, 'there is no room for it');
      tables = [tableOf(heavy)];
      assert.deepEqual(answer()?.plan.pools, 2);
    }
  });

  it('is taken when a lighter pool of it may be used again', () => {
    const pools = [...ofEveryKind(input, between), ...ofEveryKind(between, output)];
    const heavy = heaviest(pools, input, output);
    const roomOf = sizingWith(() => []);
    for (let turn = 0; turn < 3; turn++) {
      const without = pools.filter((pool) => !heavy.includes(pool));
      assert.equal(found(pools, input, output, amount, [], { roomOf, without }), undefined);
      assert.ok(found(pools, input, output, amount, [], { roomOf }), 'with all of them there is a way that fits');
    }
  });

  /** Two pools that do not fit into one transaction. */
  function heaviest(pools: readonly Pool[], from: Address, to: Address): Pool[] {
    for (const first of pools.filter((pool) => pool.mints.includes(from)))
      for (const second of pools.filter((pool) => pool.mints.includes(to)))
        if (!found([first, second], from, to, amount)) return [first, second];
    return assert.fail('all fit');
  }
});

describe('an amount beyond the liquidity of a pool', () => {
  const lab = new Lab();
  const balance = 10n ** 11n;
  const most = 10n ** 12n;
  const newPair = () => ({
    mints: [lab.vm.mint(), lab.vm.mint()] as [Address, Address],
    tokenPrograms: [TOKEN_PROGRAM, TOKEN_PROGRAM] as [Address, Address],
  });
  const cpmm = (pair: ReturnType<typeof newPair>) =>
    writeCpmmPool(lab, {
      ...pair,
      balances: [balance, balance],
      tradeFee: 2_500n,
      ...OPEN,
    });
  const dlmm = ({ mints }: ReturnType<typeof newPair>) =>
    writePair(lab, {
      ...CALM,
      mints,
      binStep: 25,
      baseFactor: 10_000,
      variableFeeControl: 40_000,
      purpose: 2,
      activeId: 0,
      bins: Array.from({ length: 41 }, (_, i) => ({
        id: i - 20,
        x: i >= 20 ? most / 20n : 0n,
        y: i <= 20 ? most / 20n : 0n,
      })),
    });
  const whirlpool = (pair: ReturnType<typeof newPair>, deeper = 1n) =>
    writeWhirlpool(lab, {
      ...pair,
      tickSpacing: 64,
      feeRate: 3_000,
      protocolFeeRate: 1_300,
      sqrtPrice: ONE,
      tick: 0,
      positions: [{ lower: -640, upper: 640, liquidity: deeper * 30n * most }],
      balances: [deeper * 2n * most, deeper * 2n * most],
      isDynamic: () => false,
    });

  for (const [name, write] of [
    ['a DLMM pair', dlmm],
    ['a Whirlpool', whirlpool],
  ] as const) {
    it(`goes to another beside ${name} that is exhausted, or is split over both`, () => {
      const pair = newPair();
      const pools = [cpmm(pair), write(pair)].map((pool) => poolOf(lab, pool));
      for (const amount of [10n ** 10n, 9n * 10n ** 11n, 11n * 10n ** 11n, 13n * 10n ** 11n, 10n ** 13n, 10n ** 14n]) {
        for (const [input, output] of [pair.mints, pair.mints.toReversed()] as [Address, Address][]) {
          const answer = found(pools, input, output, amount);
          assert.ok(answer, `${amount}: no route`);
          assert.ok(answer.outcome.inAmount * 10_000n >= amount * 9_999n, 'all of it is traded');
        }
      }
      const split = found(pools, ...pair.mints, 13n * 10n ** 11n)!;
      assert.equal(split.plan.pools, 2, 'more than the one has, but most of it is traded there');
      assert.ok(split.outcome.outAmount > (7n * most) / 10n);
    });
  }

  it('brings a pool that ends no more than it takes, by a worse trade in the step before', () => {
    const [near, far] = [newPair(), newPair()];
    const [input, between] = near.mints;
    far.mints[0] = between;
    const pools = [cpmm(near), whirlpool(near, 2n), dlmm(far)].map((pool) => poolOf(lab, pool));
    const tables = [tableOf(pools)];
    const all = found(pools, between, far.mints[1], (98n * most) / 100n, tables)!;
    for (const amount of [12n * 10n ** 11n, 13n * 10n ** 11n, 14n * 10n ** 11n]) {
      const answer = found(pools, input, far.mints[1], amount, tables);
      assert.ok(answer, `${amount}: no route`);
      assert.deepEqual(labels(answer), [['Raydium CP', 'Whirlpool'], ['Meteora DLMM']]);
      assert.ok(answer.outcome.inAmount * 10_000n >= amount * 9_999n, 'all of it is traded');
      assert.ok(
        answer.outcome.outAmount * 100n > all.outcome.outAmount * 99n,
        `${answer.outcome.outAmount} of ${all.outcome.outAmount}`,
      );
    }
  });
});
