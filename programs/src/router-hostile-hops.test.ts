import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Address } from '@slipway/wire';
import { routeInstruction } from './router.js';
import {
  FUNDS,
  meta,
  openPuppetWorld,
  PUPPET,
  PUPPET_PROGRAM,
  type PuppetWorld,
  payment,
  puppetHop,
  type Step,
  withPuppet,
} from './router-puppet.js';
import { routerRefused } from './router-testing.js';
import { newAddress, type Outcome, succeeded, u64 } from './test-vm.js';

/** A route of two puppet hops through an account between, in which something lies. */
function twoHops(world: PuppetWorld, first: Step[], second: Step[]): Outcome {
  const { vm, taker, accounts } = world;
  const { source, destination, spare2022: between } = accounts;
  const hops = [puppetHop(taker, source, between, first), puppetHop(taker, between, destination, second)];
  return vm.run(routeInstruction({ taker, source, destination, amountIn: 1_000n, minOut: 1n, hops }));
}

test('attack: a venue takes what lay in an account between: it is found out before the next hop', withPuppet, () => {
  const world = openPuppetWorld();
  const { ins, outs, taker, accounts } = world;
  const { spare2022: between, till2022, destination } = accounts;
  const pay = (from: Address, to: Address, by: Address, amount: bigint) => payment(outs, from, to, by, amount);
  const first = [
    payment(ins, accounts.source, accounts.till, taker, 1_000n),
    pay(till2022, between, PUPPET.address, 100n),
  ];
  const second = [pay(till2022, destination, PUPPET.address, 1n)];
  succeeded(twoHops(world, first, [...second, pay(between, till2022, taker, 100n)]));
  routerRefused(twoHops(world, first, [...second, pay(between, till2022, taker, 101n)]), 'TokensTaken');
  const { source } = accounts;
  // It pays into the account between, and another hop before the next one takes that and 1 more.
  const hops = [
    puppetHop(taker, source, between, first, 5_000),
    puppetHop(taker, source, destination, [...second, pay(between, till2022, taker, 101n)], 5_000),
    puppetHop(taker, between, destination, [...second, pay(till2022, between, PUPPET.address, 1n)]),
  ];
  const route = { taker, source, destination, amountIn: 2_000n, minOut: 1n, hops };
  routerRefused(world.vm.run(routeInstruction(route)), 'TokensTaken');
});

test('attack: a venue takes what lay in the destination: it is found out at the end', withPuppet, () => {
  const world = openPuppetWorld();
  const { vm, ins, outs, taker, accounts } = world;
  const { source, destination, spare2022: between, till, till2022 } = accounts;
  const pay = (from: Address, to: Address, by: Address, amount: bigint) => payment(outs, from, to, by, amount);
  const hops = [
    puppetHop(taker, source, between, [
      payment(ins, source, till, taker, 1n),
      pay(till2022, between, PUPPET.address, 5n),
      pay(destination, till2022, taker, 50n),
    ]),
    puppetHop(taker, between, destination, [pay(till2022, destination, PUPPET.address, 49n)]),
  ];
  routerRefused(
    vm.run(routeInstruction({ taker, source, destination, amountIn: 1_000n, minOut: 0n, hops })),
    'TokensTaken',
  );
});

test('a hop gets the amount after its first and before its last bytes, also of the longest data', withPuppet, () => {
  const { vm, taker, accounts, fair } = openPuppetWorld();
  const { source, destination } = accounts;
  const hop = puppetHop(taker, source, destination, fair);
  const run = (before: number[], after: number[]) => {
    const data = Uint8Array.from([...before, ...new Uint8Array(8), ...after]);
    const hops = [{ ...hop, data, amountOffset: before.length }];
    return vm.run(routeInstruction({ taker, source, destination, amountIn: 1_000n, minOut: 0n, hops }));
  };
  const nothing = (count: number) => new Array<number>(count).fill(255);
  const steps = [...hop.data];
  const longest = nothing(255 - steps.length - 9);
  succeeded(run([...steps, ...longest, 2, ...u64(1_000n)], nothing(255)));
  succeeded(run([...steps, 2], [...u64(1_000n), ...nothing(247)]));
  for (const wrong of [999n, 1_001n]) {
    assert.equal(run([...steps, 2, ...u64(wrong)], []).failure?.program, PUPPET_PROGRAM);
  }
});

test('a hop may have as many accounts as there is room for', withPuppet, () => {
  const { vm, taker, accounts, fair } = openPuppetWorld();
  const { source, destination } = accounts;
  const hop = puppetHop(taker, source, destination, fair);
  const more = Array.from({ length: 40 - hop.accounts.length }, () => meta(newAddress(), false, false));
  const full = { ...hop, accounts: [...hop.accounts, ...more] };
  const good = routeInstruction({ taker, source, destination, amountIn: 1_000n, minOut: 0n, hops: [full] });
  succeeded(vm.run(good));
  const oneMore = Uint8Array.from([...good.data.subarray(0, 22), 41, ...good.data.subarray(23), 0]);
  routerRefused(vm.run({ ...good, data: oneMore }), 'InvalidInstruction');
});

test('attack: a venue calls back into the router: refused', withPuppet, () => {
  const { vm, taker, accounts, fair, run } = openPuppetWorld();
  const { source, spare2022 } = accounts;
  const hops = [puppetHop(taker, source, spare2022, [])];
  const again = routeInstruction({ taker, source, destination: spare2022, amountIn: 1n, minOut: 0n, hops });
  const outcome = run([...fair, { ...again, accounts: again.accounts.slice(0, 3), data: again.data.subarray(0, 17) }]);
  assert.match(outcome.failure!.reason, /reentrancy/);
  assert.equal(outcome.failure!.program, PUPPET_PROGRAM);
  assert.equal(vm.amount(source), FUNDS);
});

test('a source that is listed twice may lose nothing in its second place', withPuppet, () => {
  const { vm, taker, accounts, fair } = openPuppetWorld();
  const { source, destination } = accounts;
  const hops = [puppetHop(taker, source, destination, fair)];
  const good = routeInstruction({ taker, source, destination, amountIn: 1_000n, minOut: 0n, hops });
  routerRefused(vm.run({ ...good, accounts: [...good.accounts, meta(source)] }), 'TokensTaken');
});
