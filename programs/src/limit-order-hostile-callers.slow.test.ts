import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Address } from '@slipway/wire';
import { limitOrderReserve } from './limit-order-addresses.js';
import {
  type Holdings,
  holdings,
  honest,
  openWorld,
  parties,
  reserveOf,
  spoiled,
  sum,
  tradesIn,
  type World,
} from './limit-order-callers.js';
import type { LimitOrderEvent } from './limit-order-events.js';
import { decodeLimitOrder, limitOrderPrice } from './limit-order-state.js';
import { eventsOf } from './limit-order-testing.js';
import { randomNumbers } from './test-vm.js';

const STEPS = 10_000;

/** What strangers have sent to each order's reserve: the last taker gets it. */
const presentsIn = ({ vm, orders }: World) =>
  new Map([...orders].map((order) => [order[0], vm.amount(reserveOf(order)) - order[1].makingAmount]));

/** Follows the events; gives for each maker what its fills alone change. Every fill has at least the order's price. */
function followEvents(
  world: World,
  events: LimitOrderEvent[],
  presents: Map<Address, bigint>,
): { maker: Address; mint: Address; change: bigint }[] {
  const changes: { maker: Address; mint: Address; change: bigint }[] = [];
  for (const { name, data } of events) {
    if (name === 'createOrderEvent') {
      const { makingAmount, takingAmount } = data;
      const made = { ...data, oriMakingAmount: makingAmount, oriTakingAmount: takingAmount, borrowMakingAmount: 0n };
      const reserve = { inputMintReserve: reserveAfter(world, data.orderKey, data), uniqueId: 0n };
      world.orders.set(data.orderKey, { ...made, ...reserve, createdAt: 0n, updatedAt: 0n, bump: 0 });
    } else if (name === 'tradeEvent') {
      const known = world.orders.get(data.orderKey)!;
      const { takingAmount, makingAmount } = data;
      const asked = limitOrderPrice(known, makingAmount)!.takingAmount;
      assert.ok(takingAmount <= asked);
      assert.ok(takingAmount * 10_000n >= asked * BigInt(10_000 - known.slippageBps));
      known.makingAmount -= makingAmount;
      assert.equal(data.remainingMakingAmount, known.makingAmount);
      changes.push({ maker: known.maker, mint: known.inputMint, change: -makingAmount });
      changes.push({ maker: known.maker, mint: known.outputMint, change: takingAmount });
      if (known.makingAmount > 0n) continue;
      changes.push({ maker: known.maker, mint: known.inputMint, change: -(presents.get(data.orderKey) ?? 0n) });
      world.orders.delete(data.orderKey);
    } else {
      world.orders.delete(data.orderKey);
    }
  }
  return changes;
}

const reserveAfter = (world: World, order: Address, data: { inputMint: Address; inputTokenProgram: Address }) =>
  decodeLimitOrder(world.vm.data(order))?.inputMintReserve ??
  limitOrderReserve(order, data.inputMint, data.inputTokenProgram);

test('attack: a stranger on the chain sends the limit orders whatever he likes: tokens are conserved and every maker gets the order’s price', () => {
  const world = openWorld();
  const { vm } = world;
  const random = randomNumbers(20_260_104);
  const done = { honest: 0, hostile: 0, trades: 0 };
  let expected = holdings(world);
  for (let step = 0; step < STEPS; step++) {
    if (random(25) === 0) {
      world.time += BigInt(random(8));
      vm.setTime(world.time);
    }
    const isHostile = random(2) === 0;
    const sent = honest(world, random);
    const instructions = isHostile ? spoiled(sent, world, random) : sent.instructions;
    const presents = presentsIn(world);
    const outcome = vm.run(...instructions);
    if (outcome.failure || instructions.length === 0) continue;
    done[isHostile ? 'hostile' : 'honest']++;
    const events = eventsOf(outcome);
    done.trades += tradesIn(events).length;
    const changes = followEvents(world, events, presents);
    const now = holdings(world);
    if (isHostile) {
      const signers = new Set(
        instructions.flatMap(({ accounts }) => accounts.filter((m) => m.signer)).map((m) => m.address),
      );
      for (const { maker, mint, change } of changes) expected[maker]![mint]! += change;
      for (const { key } of parties(world).filter((party) => !signers.has(party.key))) {
        for (const mint of world.mints) assert.ok(now[key]![mint]! >= expected[key]![mint]!, `step ${step}: ${key}`);
      }
      for (const mint of world.mints) assert.ok(now.program![mint]! >= expected.program![mint]!, `step ${step}`);
    } else {
      sent.expect?.(expected, events);
      assert.deepEqual(now, expected, `step ${step}`);
    }
    for (const mint of world.mints) {
      assert.equal(
        total(now, mint),
        total(expected, mint) - sum(isHostile ? changesOf(changes, mint) : []),
        `step ${step}`,
      );
    }
    for (const [address, { makingAmount, inputMintReserve }] of world.orders) {
      const order = decodeLimitOrder(vm.data(address))!;
      assert.deepEqual([order.makingAmount, order.borrowMakingAmount], [makingAmount, 0n]);
      assert.ok(vm.amount(inputMintReserve) >= makingAmount);
    }
    expected = now;
  }
  assert.ok(done.honest > STEPS / 10 && done.hostile > STEPS / 50 && done.trades > STEPS / 20, JSON.stringify(done));
});

const total = (held: Holdings, mint: Address) => sum(Object.values(held).map((of) => of[mint]!));
const changesOf = (changes: { mint: Address; change: bigint }[], mint: Address) =>
  changes.filter((one) => one.mint === mint).map(({ change }) => change);
