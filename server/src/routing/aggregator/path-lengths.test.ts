import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROUTER_PROGRAM } from '@slipway/programs';
import { newAddress, randomNumbers } from '@slipway/programs/testing';
import { type Address, readonlyAccount, TOKEN_PROGRAM } from '@slipway/wire';
import type { QuoteRequest, Token } from '../router.js';
import type { Estimate, Room, SearchOptions } from './found.js';
import type { LiveLeg, Pool } from './legs.js';
import { createMarket } from './market.js';
import { lengthsOf } from './path-lengths.js';
import { search } from './search.js';
import { createSizing } from './size.js';
import type { PoolState, Venue } from './venue.js';

const DEEP = 1e13;
const POOLS = 200;
const TOKENS = 64;
/** Of all paths over it, each pool is looked at so often. */
const LOOKS_A_POOL = 12;

const tokenOf = (mint: Address): Token => ({ mint, tokenProgram: TOKEN_PROGRAM, decimals: 6 });
const requestOf = (input: Address, output: Address): QuoteRequest => ({
  mode: 'exact-in',
  input: tokenOf(input),
  output: tokenOf(output),
  amount: 1_000_000n,
  excludeVenues: new Set(),
});

/** A pool that names these accounts, beside itself and its vaults. */
function poolOf(mints: [Address, Address], program: Address, others: readonly Address[]): Pool {
  const address = newAddress();
  const tokens = mints.map((mint) => ({ mint, tokenProgram: TOKEN_PROGRAM, vault: newAddress() }));
  const accounts = [address, ...tokens.map(({ vault }) => vault), ...others];
  const estimateOut = (_: unknown, amount: number) => (DEEP * amount) / (DEEP + amount);
  const state = {
    tokens,
    estimateOut,
    estimateIn: (_: unknown, out: number) => (DEEP * out) / (DEEP - out),
    quote: (from: 0 | 1, amount: bigint) => ({
      paid: amount,
      received: BigInt(Math.floor(estimateOut(from, Number(amount)))),
      fee: 0n,
    }),
    swap: () => ({ program, accounts: accounts.map(readonlyAccount), data: new Uint8Array(17) }),
  } as unknown as PoolState;
  const venue = { label: 'Unknown' } as Venue;
  return { address, venue, mints, accounts, state: () => state, refusal: () => undefined };
}

test('attack: a free key asks in ever other ways for routes over a pair with 200 pools, which all paths share: each pool is looked at a few times, not once a path', () => {
  const [near, between, far, program] = [newAddress(), newAddress(), newAddress(), newAddress()];
  const more = () => Array.from({ length: 9 }, newAddress);
  const pools = Array.from({ length: POOLS }, () => poolOf([near, between], program, more()));
  for (let i = 0; i < TOKENS; i++) {
    const token = newAddress();
    pools.push(poolOf([between, token], program, more()), poolOf([token, far], program, more()));
  }
  const market = createMarket(pools);
  const roomOf = createSizing({ router: ROUTER_PROGRAM, lookupTables: () => [], tokenOf });
  let looks = 0;
  const ask = (request: QuoteRequest) => {
    const room = roomOf(request);
    const counted: Room = {
      ...room,
      named(leg) {
        looks += 1;
        return room.named(leg);
      },
      weigh(legs, shared) {
        looks += legs.length;
        return room.weigh(legs, shared);
      },
    };
    return search({ market, request, now: 0, routed: true, maxPools: 5, room: counted });
  };
  const usual = requestOf(near, far);
  const [owner, receiver] = [newAddress(), newAddress()];
  const without = (pool: Pool) => ({ ...usual, excludePools: new Set([pool.address]) });
  for (const request of [usual, { ...usual, owner, receiver }, usual, without(pools[0]!), without(pools[1]!)]) {
    looks = 0;
    assert.equal(ask(request), undefined, 'no path has room');
    assert.ok(looks < LOOKS_A_POOL * pools.length, `${looks} looks at ${pools.length} pools`);
  }
});

const BASE = 300;
const ADDRESS = 32;

/** Weighs exactly what a plan and the accounts between its steps name, and has room for so many bytes. */
function simpleRoom(bytes: number): Room {
  const named = ({ state }: LiveLeg) => state.swap(0, {} as never).accounts.map(({ address }) => address);
  const weigh: Room['weigh'] = (legs, shared) =>
    [...new Set(legs.flatMap(named))].filter((address) => !shared.has(address)).length * ADDRESS;
  return {
    excess({ plan: { steps } }) {
      const between = new Set(steps.slice(1).map(({ input }) => input));
      const parts = steps.flatMap((step) => step.parts);
      return BASE + between.size * ADDRESS + weigh(parts, between) - bytes;
    },
    weigh,
    base: (_, measured) => measured(),
    named,
    kindOf: () => '',
    slack: 0,
  };
}

test('a path is too long only where none of its pools fit together, whatever they share', () => {
  const random = randomNumbers(11);
  const counts = { 'too long': 0, fits: 0 };
  for (let world = 0; world < 400; world++) {
    const [near, between, far] = [newAddress(), newAddress(), newAddress()];
    const common = [near, between, far, ...Array.from({ length: random(12) }, newAddress)];
    const legsOf = (mints: [Address, Address], count: number, sharing: number) =>
      Array.from({ length: count }, (): LiveLeg => {
        const shared = common.filter(() => random(sharing) === 0);
        const own = Array.from({ length: random(3) }, newAddress);
        const pool = poolOf(mints, newAddress(), [...shared, ...own]);
        return { pool, from: 0, state: pool.state(0)! };
      });
    // More kinds of pools in the first step than are told apart, and two paths go on from there.
    const first = legsOf([near, between], 20 + random(30), 3);
    const paths = [newAddress(), newAddress()].map((token): Estimate => {
      const mints = [near, between, token, far];
      const steps = [first, legsOf([between, token], 1 + random(3), 10), legsOf([token, far], 1 + random(3), 10)];
      return { path: { mints, key: mints.join(' '), steps }, steps, input: 1, score: 1 };
    });
    for (const path of paths) {
      const missing = random(3) * ADDRESS;
      const options = { room: simpleRoom(leastOf(path) - missing), request: requestOf(near, far) };
      const isTooLong = lengthsOf(paths, options as SearchOptions)(path);
      if (isTooLong) assert.ok(missing > 0, `world ${world}: it has room for one of its plans`);
      counts[isTooLong ? 'too long' : 'fits'] += 1;
    }
  }
  assert.ok(counts['too long'] > 100 && counts.fits > 100, JSON.stringify(counts));
});

/** What the lightest plan over a path takes. */
function leastOf({ path: { mints }, steps: [first, second, third] }: Estimate): number {
  const { weigh } = simpleRoom(0);
  const between = new Set(mints.slice(1, -1));
  const plans = first!.flatMap((a) => second!.flatMap((b) => third!.map((c) => [a, b, c])));
  return BASE + between.size * ADDRESS + Math.min(...plans.map((legs) => weigh(legs, between)));
}
