import assert from 'node:assert/strict';
import { type Address, addressToBytes, type Instruction } from '@slipway/wire';
import { tokenOf } from './fuzz-accounts.js';
import type { FuzzTarget } from './fuzz-engine.js';
import { type Change, checkChange } from './fuzz-invariants.js';
import { ROUTER_PROGRAM, routeInstruction } from './router.js';
import { FUNDS, openPuppetWorld, PUPPET, PUPPET_PROGRAM, payment, puppetHop, type Step } from './router-puppet.js';
import { feeTo, openRouteWorld, poolHop } from './router-testing.js';
import { u64 } from './test-vm.js';

/** Routes over pools: up to three hops, with fees and splits. */
export function routerTarget(): FuzzTarget {
  const world = openRouteWorld();
  const { vm, taker, tokens, pools, a, b } = world;
  const split = [3_000, 7_000].map((share) => poolHop(pools[0], true, taker, a, b, share));
  const seeds = [
    world.route(1),
    world.route(2),
    world.route(3),
    world.route(1, { fee: feeTo(world, tokens[0], a, 25), minOut: 1n }),
    world.route(2, { fee: feeTo(world, tokens[2], world.c, 100) }),
    world.route(1, { hops: split }),
  ].map((route) => [routeInstruction(route)]);
  const authorities = new Set(pools.map((pool) => pool.authority));
  const bystander = vm.tokenAccount({ mint: tokens[0].mint, owner: PUPPET_PROGRAM, amount: FUNDS });
  return {
    vm,
    program: ROUTER_PROGRAM,
    seeds,
    signers: [taker, vm.put(PUPPET.address, new Uint8Array(0), vm.owner(taker), 10n ** 9n)],
    others: [bystander, PUPPET_PROGRAM],
    isProgramOwned: (address) => authorities.has(address),
    isAlone: true,
    check: (change) => checkRoute(change, (address) => authorities.has(address)),
  };
}

/** A venue that does whatever its data say, with the taker's signature in its hands. */
export function hostileVenueTarget(): FuzzTarget {
  const { vm, taker, spender, ins, outs, accounts, fair } = openPuppetWorld();
  const { source, destination, spare, spare2022, empty, till, till2022 } = accounts;
  const token = (data: Uint8Array, ...of: [Address, boolean][]): Step => ({
    program: ins.program,
    accounts: of.map(([address, writable]) => ({ address, writable, signer: address === taker })),
    data,
  });
  const hostile: Step[][] = [
    [token(Buffer.concat([Buffer.of(4), u64(5n)]), [spare, true], [spender, false], [taker, false])], // approve
    [token(Buffer.of(5), [source, true], [taker, false])], // revoke
    [token(Buffer.concat([Buffer.of(6, 2, 1), addressToBytes(spender)]), [spare, true], [taker, false])], // set owner
    [token(Buffer.concat([Buffer.of(6, 3, 1), addressToBytes(spender)]), [spare, true], [taker, false])], // who closes
    [token(Buffer.of(9), [empty, true], [till, true], [taker, false])], // close
    [payment(ins, spare, till, taker, 1n)],
    [payment(ins, source, till, taker, 1n)],
    [payment(outs, spare2022, till2022, taker, 1n)],
    [payment(ins, till, spare, PUPPET.address, 1n)],
  ];
  const route = (steps: Step[]) =>
    routeInstruction({
      taker,
      source,
      destination,
      amountIn: 1_000n,
      minOut: 500n,
      hops: [puppetHop(taker, source, destination, steps)],
    });
  const seeds = [
    fair,
    ...hostile.flatMap((steps) => [
      [...fair, ...steps],
      [...steps, ...fair],
    ]),
  ];
  return {
    vm,
    program: ROUTER_PROGRAM,
    seeds: seeds.map((steps) => [route(steps)]),
    signers: [taker, spender],
    others: [...Object.values(accounts), PUPPET_PROGRAM],
    isProgramOwned: (address) => address === PUPPET.address,
    isAlone: true,
    check: (change) => checkRoute(change, (address) => address === PUPPET.address),
  };
}

/** The taker has given no more than the input, has got the least output, and nobody else's signature has been used. */
function checkRoute(change: Change, isProgramOwned: (address: Address) => boolean): void {
  const { instructions, accounts, what } = change;
  const [{ accounts: metas, data }] = instructions as [Instruction];
  const [taker, source, destination] = metas.map((meta) => meta.address) as [Address, Address, Address];
  checkChange({ ...change, signers: new Set([taker]) }, isProgramOwned);
  const terms = Buffer.from(data);
  for (const [address, { before, after }] of accounts) {
    if (address === taker) assert.ok(after!.lamports >= before!.lamports, `${what}: the taker lost lamports`);
    const had = tokenOf(before);
    if (had?.owner !== taker) continue;
    const has = tokenOf(after);
    const given = address === source ? terms.readBigUInt64LE(1) : 0n;
    assert.ok(has && has.amount >= had.amount - given, `${what}: more than the input left ${address}`);
    assert.deepEqual(has.powers, had.powers, `${what}: ${address} changed hands`);
    assert.ok(after!.lamports >= before!.lamports, `${what}: ${address} lost lamports`);
  }
  const arrived = accounts.get(destination)!;
  const gain = tokenOf(arrived.after)!.amount - tokenOf(arrived.before)!.amount;
  assert.ok(gain >= terms.readBigUInt64LE(9), `${what}: less than the least output arrived`);
}
