import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TOKEN_2022_PROGRAM, tokenTransferChecked } from '@slipway/wire';
import { TOKEN_SWAP_PROGRAM } from './pool.js';
import { NO_FEES } from './pool-testing.js';
import { routeInstruction } from './router.js';
import {
  FUNDS,
  feeTo,
  holding,
  hopOf,
  LYING,
  openPoolOf,
  openRouteWorld,
  poolHop,
  quote,
  routerRefused,
} from './router-testing.js';
import { failedWith, newAddress, succeeded, u64 } from './test-vm.js';

test('one to three hops each spend what really came out of the hop before, and nothing that lay there', () => {
  for (const count of [1, 2, 3] as const) {
    const world = openRouteWorld();
    const { vm, a, b, c, d, pools } = world;
    const trades = [quote(world, pools[0], 1_000_000n)];
    for (const pool of pools.slice(1, count)) trades.push(quote(world, pool, trades.at(-1)!.received));
    const [first, second, third] = trades;
    succeeded(vm.run(routeInstruction(world.route(count))));
    assert.equal(vm.amount(a), FUNDS - first!.paid);
    assert.equal(vm.amount(b), LYING + first!.received - (second?.paid ?? 0n));
    assert.equal(vm.amount(c), LYING + (second?.received ?? 0n) - (third?.paid ?? 0n));
    assert.equal(vm.amount(d), LYING + (third?.received ?? 0n));
  }
});

test('the least output may be met exactly, and not missed by one; what lay in the destination does not count', () => {
  const world = openRouteWorld();
  const { received } = quote(world, world.pools[0], 1_000_000n);
  routerRefused(world.vm.run(routeInstruction(world.route(1, { minOut: received + 1n }))), 'SlippageToleranceExceeded');
  routerRefused(
    world.vm.run(routeInstruction(world.route(1, { minOut: 2n ** 64n - 1n }))),
    'SlippageToleranceExceeded',
  );
  assert.equal(world.vm.amount(world.a), FUNDS);
  succeeded(world.vm.run(routeInstruction(world.route(1, { minOut: received }))));
});

test('the output may go to somebody else', () => {
  const world = openRouteWorld();
  const { vm, taker, tokens, pools, a } = world;
  const receiver = holding(vm, tokens[1], newAddress(), 5n);
  const { received } = quote(world, pools[0], 1_000_000n);
  const hops = [poolHop(pools[0], true, taker, a, receiver)];
  succeeded(vm.run(routeInstruction(world.route(1, { destination: receiver, hops, minOut: received }))));
  assert.equal(vm.amount(receiver), 5n + received);
});

test('a split has shares of the whole, rounded down, and its last hop takes what is left', () => {
  const world = openRouteWorld();
  const { vm, taker, tokens, pools, a, b } = world;
  const second = openPoolOf(vm, tokens[0], tokens[1], [5n * 10n ** 9n, 10n ** 10n], NO_FEES);
  const third = openPoolOf(vm, tokens[0], tokens[1], [2n * 10n ** 9n, 10n ** 10n]);
  const trades = [quote(world, pools[0], 333_310n), quote(world, second, 200_006n)];
  const rest = 1_000_033n - trades[0]!.paid - trades[1]!.paid;
  trades.push(quote(world, third, rest));
  const hops = [
    poolHop(pools[0], true, taker, a, b, 3333),
    poolHop(second, true, taker, a, b, 2000),
    poolHop(third, true, taker, a, b, 4667),
  ];
  succeeded(vm.run(routeInstruction(world.route(1, { amountIn: 1_000_033n, hops }))));
  const sum = (key: 'paid' | 'received') => trades.reduce((total, trade) => total + trade[key], 0n);
  assert.equal(vm.amount(a), FUNDS - sum('paid'));
  assert.equal(vm.amount(b), LYING + sum('received'));
  assert.equal(vm.amount(second.vaultA), 5n * 10n ** 9n + trades[1]!.paid);
});

test('a split in the middle of a route is of what came out before, and its parts may go different ways', () => {
  const world = openRouteWorld();
  const { vm, taker, tokens, pools, b, c, d, hops } = world;
  const direct = openPoolOf(vm, tokens[1], tokens[3], [10n ** 10n, 10n ** 10n]);
  const first = quote(world, pools[0], 1_000_000n);
  const part = quote(world, direct, (first.received * 2_500n) / 10_000n);
  const rest = quote(world, pools[1], first.received - part.paid);
  const last = quote(world, pools[2], rest.received);
  const split = [poolHop(direct, true, taker, b, d, 2500), { ...hops[1], shareBps: 7500 }];
  succeeded(
    vm.run(
      routeInstruction(world.route(3, { hops: [hops[0], ...split, hops[2]], minOut: part.received + last.received })),
    ),
  );
  assert.equal(vm.amount(b), LYING + first.received - part.paid - rest.paid);
  assert.equal(vm.amount(c), LYING + rest.received - last.paid);
  assert.equal(vm.amount(d), LYING + part.received + last.received);
});

test('a share so small that it is nothing is left out', () => {
  const world = openRouteWorld();
  const { vm, taker, pools, a, b, hops } = world;
  const split = [poolHop(pools[0], true, taker, a, b, 1), { ...hops[0], shareBps: 9999 }];
  const { received } = quote(world, pools[0], 9_999n);
  succeeded(vm.run(routeInstruction(world.route(1, { amountIn: 9_999n, hops: split, minOut: received }))));
  // With 1 unit to spend the first hop is called, and that is too little for a pool.
  failedWith(
    vm.run(routeInstruction(world.route(1, { amountIn: 10_000n, hops: split }))),
    'custom program error: 0x14',
    TOKEN_SWAP_PROGRAM,
  );
  routerRefused(vm.run(routeInstruction(world.route(2, { amountIn: 0n, minOut: 1n }))), 'SlippageToleranceExceeded');
  succeeded(vm.run(routeInstruction(world.route(2, { amountIn: 0n }))));
});

test('a fee on the input is taken before the first hop, and a split is of the rest', () => {
  const world = openRouteWorld();
  const { vm, taker, tokens, pools, a, b, hops } = world;
  const second = openPoolOf(vm, tokens[0], tokens[1], [10n ** 10n, 10n ** 10n]);
  const fee = feeTo(world, tokens[0], a, 85);
  const feeAmount = (1_000_033n * 85n) / 10_000n;
  const first = quote(world, pools[0], ((1_000_033n - feeAmount) * 6_000n) / 10_000n);
  const rest = quote(world, second, 1_000_033n - feeAmount - first.paid);
  const split = [{ ...hops[0], shareBps: 6000 }, poolHop(second, true, taker, a, b, 4000)];
  succeeded(vm.run(routeInstruction(world.route(1, { amountIn: 1_000_033n, hops: split, fee }))));
  assert.equal(vm.amount(fee.account), feeAmount);
  assert.equal(vm.amount(a), FUNDS - feeAmount - first.paid - rest.paid);
  assert.equal(vm.amount(b), LYING + first.received + rest.received);
});

test('a fee on the output is of what arrived, and the least output counts after it', () => {
  const world = openRouteWorld();
  const { vm, tokens, pools, b } = world;
  const fee = feeTo(world, tokens[1], b, 9_999);
  const { received } = quote(world, pools[0], 1_000_000n);
  const feeAmount = (received * 9_999n) / 10_000n;
  const parts = { fee, minOut: received - feeAmount };
  routerRefused(
    vm.run(routeInstruction(world.route(1, { ...parts, minOut: parts.minOut + 1n }))),
    'SlippageToleranceExceeded',
  );
  succeeded(vm.run(routeInstruction(world.route(1, parts))));
  assert.equal(vm.amount(fee.account), feeAmount);
  assert.equal(vm.amount(b), LYING + received - feeAmount);
});

test('a fee between: the last hop hands the rest to the receiver', () => {
  const world = openRouteWorld();
  const { vm, taker, tokens, pools, b, hops } = world;
  const fee = feeTo(world, tokens[1], b, 50);
  const receiver = holding(vm, tokens[1], newAddress());
  const { received } = quote(world, pools[0], 1_000_000n);
  const feeAmount = (received * 50n) / 10_000n;
  const parts = { mint: tokens[1].mint, source: b, destination: receiver, authority: taker, amount: 0n, decimals: 6 };
  const handOver = hopOf(tokenTransferChecked({ ...parts, tokenProgram: TOKEN_2022_PROGRAM }), b, receiver);
  const whole = { hops: [hops[0], handOver], destination: receiver, fee, minOut: received - feeAmount };
  succeeded(vm.run(routeInstruction(world.route(1, whole))));
  assert.equal(vm.amount(receiver), received - feeAmount);
  assert.equal(vm.amount(fee.account), feeAmount);
  assert.equal(vm.amount(b), LYING);
});

test('a fee of less than one unit is none', () => {
  const world = openRouteWorld();
  const fee = feeTo(world, world.tokens[0], world.a, 50);
  succeeded(world.vm.run(routeInstruction(world.route(1, { amountIn: 199n, fee }))));
  assert.equal(world.vm.amount(fee.account), 0n);
  succeeded(world.vm.run(routeInstruction(world.route(1, { amountIn: 200n, fee }))));
  assert.equal(world.vm.amount(fee.account), 1n);
});

test('shares of the largest amounts are exact', () => {
  const world = openRouteWorld();
  const { vm, taker, tokens, a } = world;
  const receiver = holding(vm, tokens[0], newAddress());
  const parts = { mint: tokens[0].mint, source: a, destination: receiver, authority: taker, amount: 0n, decimals: 6 };
  const hops = [hopOf(tokenTransferChecked(parts), a, receiver)];
  for (const amountIn of [2n ** 64n - 1n, 2n ** 63n + 1n, 10n ** 19n, 2n ** 53n + 1n]) {
    for (const bps of [1, 3_333, 5_000, 9_999]) {
      vm.setAmount(a, amountIn);
      vm.setAmount(receiver, 0n);
      const fee = feeTo(world, tokens[0], a, bps);
      succeeded(vm.run(routeInstruction(world.route(1, { amountIn, hops, destination: receiver, fee }))));
      assert.equal(vm.amount(fee.account), (amountIn * BigInt(bps)) / 10_000n);
      assert.equal(vm.amount(receiver), amountIn - vm.amount(fee.account));
      assert.equal(vm.amount(a), 0n);
    }
  }
});

test('the whole balance can be spent, and not one unit more', () => {
  const world = openRouteWorld();
  world.vm.setAmount(world.a, 1_000_000n);
  routerRefused(world.vm.run(routeInstruction(world.route(1, { amountIn: 1_000_001n }))), 'InsufficientFunds');
  succeeded(world.vm.run(routeInstruction(world.route(1))));
});

test('a venue that fails ends the route with its own error', () => {
  const world = openRouteWorld();
  const hop = { ...world.hops[1], data: Uint8Array.from([1, ...u64(0n), ...u64(2n ** 63n)]) };
  const outcome = world.vm.run(routeInstruction(world.route(2, { hops: [world.hops[0], hop] })));
  failedWith(outcome, 'custom program error: 0x10', TOKEN_SWAP_PROGRAM);
  assert.equal(world.vm.amount(world.a), FUNDS);
});
