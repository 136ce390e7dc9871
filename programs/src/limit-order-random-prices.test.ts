import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeLimitOrder, type LimitOrder, limitOrderPrice } from './limit-order-state.js';
import {
  fillOf,
  limitOrderVm,
  type OrderWorld,
  openOrder,
  refuses,
  stateOf,
  U64_MAX,
  watch,
} from './limit-order-testing.js';
import { succeeded } from './test-vm.js';

const ORDERS = 400;
const BPS = 10_000n;

const vm = limitOrderVm();

// Amounts of every magnitude, with the edges.
const amounts = fc
  .oneof(
    { weight: 6, arbitrary: fc.tuple(fc.nat(63), fc.bigInt(0n, U64_MAX)).map(([bits, n]) => (n >> BigInt(bits)) + 1n) },
    { weight: 1, arbitrary: fc.constantFrom(1n, 2n, U64_MAX / 2n, U64_MAX / 2n - 1n) },
  )
  .map((n) => (n > U64_MAX / 2n ? U64_MAX / 2n : n));
const orders = fc.record({
  making: amounts,
  taking: amounts,
  feeBps: fc.oneof(fc.integer({ min: 3, max: 10_000 }), fc.constantFrom(3, 255, 10_000)),
  slippageBps: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 9_999 })),
  /** Of what is left each time, in parts of 2^20; the last one takes the rest. */
  parts: fc.array(fc.integer({ min: 0, max: 1 << 20 }), { maxLength: 3 }),
  /** What the taker offers beyond the least that the maker accepts, in parts of 2^20 of what is between that and more. */
  offers: fc.array(fc.integer({ min: 0, max: 1 << 20 }), { minLength: 4, maxLength: 4 }),
});

const ceil = (a: bigint, b: bigint) => (a + b - 1n) / b;
const fee = (paid: bigint, bps: bigint) => (paid * bps) / BPS;

/** What a fill costs, found by trying: the most that the maker can get of the offer, at most what he asks. */
function slowPrice(order: LimitOrder, making: bigint, offer: bigint): { paid: bigint; fee: bigint } | undefined {
  const bps = BigInt(order.feeBps);
  const asked = ceil(making * order.oriTakingAmount, order.oriMakingAmount);
  let [low, high] = [0n, asked];
  while (low < high) {
    const middle = (low + high + 1n) / 2n;
    if (middle + fee(middle, bps) <= offer) low = middle;
    else high = middle - 1n;
  }
  if (low * BPS < asked * (BPS - BigInt(order.slippageBps))) return undefined;
  return { paid: low, fee: fee(low, bps) };
}

/** One fill for this offer, compared with the slow price and with the one for keepers. */
function fill(world: OrderWorld, making: bigint, offer: bigint): void {
  const order = stateOf(world)!;
  const expected = slowPrice(order, making, offer);
  const price = limitOrderPrice(order, making, offer);
  assert.deepEqual(price, expected && { takingAmount: expected.paid, feeAmount: expected.fee });
  const instructions = fillOf(world, making, { maxTakingAmount: offer });
  if (!expected) {
    const error = order.slippageBps === 0 ? 'InvalidMaxTakingAmount' : 'InvalidMinTakingAmount';
    refuses(world, error, ...instructions);
    return;
  }
  const moved = watch(world);
  succeeded(vm.run(...instructions));
  const changes = moved();
  assert.equal(changes.makerOutput, expected.paid);
  assert.equal(changes.takerInput, making);
  assert.equal(changes.takerOutput, -expected.paid - expected.fee);
  assert.equal(changes.feeAccount ?? 0n, expected.fee);
  const asked = ceil(making * order.oriTakingAmount, order.oriMakingAmount);
  const left = order.takingAmount > asked ? order.takingAmount - asked : 0n;
  if (making < order.makingAmount) assert.equal(stateOf(world)!.takingAmount, left);
}

test('each part of an order costs what was asked for it, rounded up, and the fee on top, rounded down', () => {
  fc.assert(
    fc.property(orders, ({ making, taking, feeBps, slippageBps, parts, offers }) => {
      const world = openOrder(vm, { terms: { makingAmount: making, takingAmount: taking, feeBps, slippageBps } });
      vm.setAmount(world.takerOutput, U64_MAX);
      let paid = 0n;
      for (const [i, part] of [...parts, 1 << 20].entries()) {
        const order = stateOf(world);
        if (!order) break;
        const amount = (order.makingAmount * BigInt(part)) >> 20n || 1n;
        const asked = ceil(amount * order.oriTakingAmount, order.oriMakingAmount);
        const least = ceil(asked * (BPS - BigInt(slippageBps)), BPS);
        const lowest = least + fee(least, BigInt(feeBps));
        const highest = asked + fee(asked, BigInt(feeBps));
        const offer = lowest + (((highest - lowest) * BigInt(offers[i]!)) >> 20n);
        fill(world, amount, lowest - 1n);
        fill(world, amount, offer > U64_MAX ? U64_MAX : offer);
        paid = vm.amount(world.makerOutput);
        // Whatever the parts, the maker has never less than the share of what he asks, less the slippage that he accepts.
        const sold = making - (stateOf(world)?.makingAmount ?? 0n);
        assert.ok(paid * making * BPS >= sold * taking * (BPS - BigInt(slippageBps)));
        vm.setAmount(world.takerOutput, U64_MAX);
      }
      if (slippageBps === 0 && !stateOf(world)) assert.ok(paid >= taking && paid < taking + 4n);
    }),
    { numRuns: ORDERS },
  );
});

test('the offer may be all there is, and the amounts as large as they can be', () => {
  for (const [makingAmount, takingAmount, feeBps] of [
    [U64_MAX, U64_MAX, 3],
    [U64_MAX, 1n, 10_000],
    [1n, U64_MAX, 3],
    [1n, U64_MAX / 2n, 10_000],
    [U64_MAX, U64_MAX / 2n, 9_999],
  ] as const) {
    for (const slippageBps of [0, 1, 5_000, 9_999]) {
      const world = openOrder(vm, { terms: { makingAmount, takingAmount, feeBps, slippageBps } });
      vm.setAmount(world.takerOutput, U64_MAX);
      fill(world, makingAmount, U64_MAX);
    }
  }
});

test('the price of a part is the same before and after other parts were filled', () => {
  const world = openOrder(vm, { terms: { makingAmount: 1_000n, takingAmount: 1n } });
  for (const making of [1n, 1n, 998n]) {
    const moved = watch(world);
    succeeded(vm.run(...fillOf(world, making)));
    assert.equal(moved().makerOutput, 1n);
    assert.equal(stateOf(world)?.takingAmount ?? 0n, 0n);
  }
});

test('what a keeper asks beforehand is undefined where the program refuses', () => {
  const world = openOrder(vm);
  const order = decodeLimitOrder(vm.data(world.order))!;
  for (const making of [-1n, 0n, 1_000_001n]) assert.equal(limitOrderPrice(order, making), undefined);
  assert.deepEqual(limitOrderPrice(order, 400_003n), { takingAmount: 1_000_008n, feeAmount: 1_000n });
  assert.deepEqual(limitOrderPrice(order, 400_003n, 1_001_008n), { takingAmount: 1_000_008n, feeAmount: 1_000n });
  assert.equal(limitOrderPrice(order, 400_003n, 1_001_007n), undefined);
});
