import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Address, setComputeUnitLimit, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@slipway/wire';
import fc from 'fast-check';
import { INITIAL_POOL_TOKENS, TOKEN_SWAP_PROGRAM } from './pool.js';
import { modelSwap } from './pool-model.js';
import { ALL_FEES, fee, NO_FEES } from './pool-testing.js';
import { type Route, type RouteHop, routeInstruction } from './router.js';
import { modelRoute } from './router-model.js';
import { holding, newToken, openPoolOf, type Pool, poolHop, routerRefused, routerVm } from './router-testing.js';
import { newAddress } from './test-vm.js';

const ROUTES = 700;
const FEES = [ALL_FEES, NO_FEES, { ...NO_FEES, trade: fee(30, 10_000) }, { ...NO_FEES, ownerTrade: fee(1, 3) }];

// Numbers of any size below 2^40.
const amount = fc.tuple(fc.nat(39), fc.bigInt(0n, 2n ** 40n - 1n)).map(([bits, n]) => (n >> BigInt(bits)) + 1n);
// Mostly enough for a trade.
const reserve = fc.oneof({ weight: 80, arbitrary: amount.map((n) => n + 2n ** 32n) }, { weight: 1, arbitrary: amount });
const shares = fc
  .array(fc.integer({ min: 1, max: 3_333 }), { maxLength: 2 })
  .map((some) => [...some, 10_000 - some.reduce((sum, share) => sum + share, 0)]);
const routes = fc.record({
  // Nine pools would be more accounts than a route can have.
  stages: fc.array(shares, { minLength: 1, maxLength: 3 }).filter((stages) => stages.flat().length < 9),
  skip: fc.boolean(),
  /** Whether what a venue leaves of an account between goes to it. */
  emptied: fc.boolean(),
  amountIn: fc.oneof({ weight: 9, arbitrary: amount.map((n) => n + 50_000_000n) }, { weight: 1, arbitrary: amount }),
  lying: fc.array(fc.oneof(amount, fc.constant(0n)), { minLength: 4, maxLength: 4 }),
  reserves: fc.array(fc.tuple(reserve, reserve), { minLength: 10, maxLength: 10 }),
  fee: fc.option(fc.record({ bps: fc.integer({ min: 1, max: 9_999 }), stage: fc.nat(3) }), { nil: undefined }),
  slack: fc.constantFrom(0n, 0n, 0n, -1n, 1n),
});

/** Tokens 0 to 3, of both token programs, three pools for each step and one from 1 to 3, and a taker. */
function openWorld() {
  const vm = routerVm();
  const taker = newAddress();
  const tokens = [TOKEN_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM, TOKEN_2022_PROGRAM].map((program) =>
    newToken(vm, program),
  );
  const places = tokens.map((token) => holding(vm, token, taker));
  const feeAccounts = tokens.map((token) => holding(vm, token, newAddress()));
  const steps = [0, 0, 0, 1, 1, 1, 2, 2, 2].map((from) => [from, from + 1] as const).concat([[1, 3]]);
  const pools = steps.map(([from, to], i) =>
    openPoolOf(vm, tokens[from]!, tokens[to]!, [1n, 1n], FEES[i % FEES.length]!),
  );
  return { vm, taker, tokens, places, feeAccounts, pools };
}

test('routes of every form move to the unit what the model says, and nothing that lay there', () => {
  const { vm, taker, tokens, places, feeAccounts, pools } = openWorld();
  const done = { arrived: 0, refused: 0, tooLittle: 0 };
  const property = fc.property(routes, ({ stages, skip, emptied, amountIn, lying, reserves, fee, slack }) => {
    for (const [i, pool] of pools.entries()) {
      vm.setAmount(pool.vaultA, reserves[i]![0]);
      vm.setAmount(pool.vaultB, reserves[i]![1]);
      vm.setSupply(pool.poolMint, INITIAL_POOL_TOKENS);
    }
    for (const [i, place] of places.entries()) vm.setAmount(place, lying[i]! + (i === 0 ? amountIn : 0n));
    for (const account of feeAccounts) vm.setAmount(account, 0n);

    const poolOf = new Map<RouteHop, Pool>();
    const hopOver = (pool: Pool, from: number, to: number, share: number) => {
      const hop = poolHop(pool, true, taker, places[from]!, places[to]!, share);
      poolOf.set(hop, pool);
      return hop;
    };
    const hops = stages.flatMap((parts, stage) => {
      // A part of the second stage may go straight to the last token, where there is a third.
      const isSplit = stage === 1 && skip && stages.length === 3 && parts.length > 1;
      return parts.map((share, part) => {
        if (isSplit && part === 0) return hopOver(pools[9]!, 1, 3, share);
        const pool = pools[stage * 3 + part]!;
        const hop = hopOver(pool, stage, stage + 1, share);
        const { mint, program: tokenProgram } = tokens[stage]!;
        const isLast = part === parts.length - 1;
        if (emptied && stage > 0 && isLast) hop.rest = { account: pool.vaultA, mint, decimals: 6, tokenProgram };
        return hop;
      });
    });
    const feeStage = Math.min(fee?.stage ?? 0, stages.length);
    const { mint, program: tokenProgram } = tokens[feeStage]!;
    const feePart = fee && {
      bps: fee.bps,
      from: places[feeStage]!,
      account: feeAccounts[feeStage]!,
      mint,
      decimals: 6,
      tokenProgram,
    };
    const route: Route = {
      taker,
      source: places[0]!,
      destination: places[stages.length]!,
      amountIn,
      minOut: 0n,
      hops,
      ...(feePart ? { fee: feePart } : {}),
    };

    const watched = [...places, ...feeAccounts, ...pools.flatMap((pool) => [pool.vaultA, pool.vaultB])];
    const balances = new Map(watched.map((account) => [account, vm.amount(account)]));
    const before = new Map(balances);
    const supplies = new Map<Address, bigint>();
    const arrived = modelRoute(route, balances, (hop, offered) => {
      const pool = poolOf.get(hop)!;
      const [balanceIn, balanceOut] = [balances.get(pool.vaultA)!, balances.get(pool.vaultB)!];
      const supply = supplies.get(pool.poolMint) ?? INITIAL_POOL_TOKENS;
      const trade = modelSwap(pool.fees, { balanceIn, balanceOut, supply }, offered, false);
      if (!trade) return undefined;
      balances.set(pool.vaultA, balanceIn + trade.paid);
      balances.set(pool.vaultB, balanceOut - trade.received);
      supplies.set(pool.poolMint, supply + trade.ownerTokens);
      return trade;
    });

    const least = arrived === undefined || arrived + slack < 0n ? 0n : arrived + slack;
    const outcome = vm.run(setComputeUnitLimit(1_400_000), routeInstruction({ ...route, minOut: least }));
    const after = new Map(watched.map((account) => [account, vm.amount(account)]));
    if (arrived === undefined) {
      assert.equal(outcome.failure?.program, TOKEN_SWAP_PROGRAM);
      done.refused++;
    } else if (least > arrived) {
      routerRefused(outcome, 'SlippageToleranceExceeded');
      done.tooLittle++;
    } else {
      assert.equal(outcome.failure, undefined, outcome.logs.join('\n'));
      assert.deepEqual(after, balances);
      for (const [i, place] of places.entries()) assert.ok(vm.amount(place) >= lying[i]!);
      for (let i = 1; emptied && i < stages.length; i++) assert.equal(vm.amount(places[i]!), lying[i]);
      done.arrived++;
    }
    if (outcome.failure) assert.deepEqual(after, before);
  });
  fc.assert(property, { numRuns: ROUTES, seed: 1 });
  assert.ok(done.arrived >= ROUTES / 2 && done.refused > 20 && done.tooLittle > 20, JSON.stringify(done));
});
