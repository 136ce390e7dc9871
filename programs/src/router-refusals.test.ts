import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Address, type Instruction, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@slipway/wire';
import { TOKEN_SWAP_PROGRAM } from './pool.js';
import { ROUTER_PROGRAM, routeInstruction } from './router.js';
import { FUNDS, holding, LYING, openRouteWorld, routerRefused } from './router-testing.js';
import { failedWith, newAddress, succeeded, withAccounts } from './test-vm.js';

// Instructions that the builder does not make: where the parts of the first hop are.

const HOP = 17;
const AT = {
  program: HOP,
  from: HOP + 1,
  to: HOP + 2,
  share: HOP + 3,
  accounts: HOP + 5,
  before: HOP + 6,
  firstAccount: HOP + 8,
};
const NOT_ENOUGH_ACCOUNTS = 'insufficient account keys for instruction';

function withByte(instruction: Instruction, at: number, ...bytes: number[]): Instruction {
  const data = Uint8Array.from(instruction.data);
  data.set(bytes, at);
  return { ...instruction, data };
}

test('a signature, and token accounts of the taker, are needed', () => {
  const world = openRouteWorld();
  const { vm, taker, tokens, a, b } = world;
  const good = routeInstruction(world.route(1));
  const unsigned = good.accounts.map((meta) => ({ ...meta, signer: false }));
  routerRefused(vm.run({ ...good, accounts: unsigned }), 'TakerMustSign');
  routerRefused(vm.run(withAccounts(good, { 2: a })), 'SameAccount');
  const foreign = holding(vm, tokens[0], newAddress(), FUNDS);
  const lookalike = vm.put(newAddress(), vm.data(a), newAddress());
  for (const wrong of [foreign, lookalike, tokens[0].mint, newAddress()]) {
    routerRefused(vm.run(withAccounts(good, { 1: wrong })), 'InvalidTokenAccount');
  }
  for (const wrong of [lookalike, tokens[0].mint, newAddress()]) {
    routerRefused(
      vm.run(withAccounts({ ...good, data: good.data.subarray(0, HOP) }, { 2: wrong })),
      'InvalidTokenAccount',
    );
  }
  const mint = vm.mint({ tokenProgram: TOKEN_2022_PROGRAM, extensions: new Uint8Array(0) });
  routerRefused(vm.run(withAccounts(good, { 2: mint })), 'InvalidTokenAccount');
  // Neither what is taken from nor what is paid into may be anything else; the taker does not own the fourth.
  const numberOf = (address: Address) => good.accounts.findIndex((meta) => meta.address === address);
  for (const wrong of [taker, tokens[0].mint, world.pools[0].vaultA, TOKEN_PROGRAM]) {
    routerRefused(vm.run(withByte(good, AT.from, numberOf(wrong))), 'InvalidTokenAccount');
  }
  for (const wrong of [taker, tokens[0].mint, TOKEN_PROGRAM]) {
    routerRefused(vm.run(withByte(good, AT.to, numberOf(wrong))), 'InvalidTokenAccount');
  }
  assert.equal(vm.amount(b), LYING);
  succeeded(vm.run(good));
});

test('too few accounts, and numbers of accounts that are not there', () => {
  const world = openRouteWorld();
  const { vm } = world;
  const good = routeInstruction(world.route(1));
  const count = good.accounts.length;
  const short = (accounts: number): Instruction => ({
    ...good,
    accounts: good.accounts.slice(0, accounts),
    data: good.data.subarray(0, HOP),
  });
  failedWith(vm.run(short(2)), NOT_ENOUGH_ACCOUNTS, ROUTER_PROGRAM);
  succeeded(vm.run(short(3)));
  for (const at of [AT.program, AT.from, AT.to, AT.firstAccount]) {
    failedWith(vm.run(withByte(good, at, count)), NOT_ENOUGH_ACCOUNTS, ROUTER_PROGRAM);
    failedWith(vm.run(withByte(good, at, 63)), NOT_ENOUGH_ACCOUNTS, ROUTER_PROGRAM);
  }
  const venueLast = {
    ...good,
    accounts: [...good.accounts, { address: TOKEN_SWAP_PROGRAM, signer: false, writable: false }],
  };
  succeeded(vm.run(withByte(venueLast, AT.program, count)));
});

test('bytes that are no route', () => {
  const world = openRouteWorld();
  const { vm } = world;
  const good = routeInstruction(world.route(2));
  const secondHop = HOP + 8 + 14 + 1 + 8;
  for (let length = 0; length < good.data.length; length++) {
    const outcome = vm.run({ ...good, data: good.data.subarray(0, length) });
    if (length === HOP || length === secondHop) succeeded(outcome);
    else routerRefused(outcome, 'InvalidInstruction');
  }
  routerRefused(vm.run({ ...good, data: Uint8Array.from([...good.data, 0]) }), 'InvalidInstruction');
  for (const tag of [0, 2, 255]) routerRefused(vm.run(withByte(good, 0, tag)), 'InvalidInstruction');
  for (const share of [10_001, 0x7fff, 0x8000 + 10_001, 0xffff]) {
    routerRefused(vm.run(withByte(good, AT.share, share & 0xff, share >> 8)), 'InvalidInstruction');
  }
  succeeded(vm.run(good));
});

test('a hop without the start of a split has a share of nothing', () => {
  const world = openRouteWorld();
  const { vm, a } = world;
  const good = routeInstruction(world.route(1));
  succeeded(vm.run(withByte(good, AT.share, 0x0f, 0x27)));
  succeeded(vm.run(withByte(good, AT.share, 0x00, 0x80)));
  assert.equal(vm.amount(a), FUNDS);
  succeeded(vm.run(withByte(good, AT.share, 0x10, 0x27)));
  assert.ok(vm.amount(a) < FUNDS);
});

test('the router does not call itself, and passes on no signature but the taker’s', () => {
  const world = openRouteWorld();
  const { vm } = world;
  const good = routeInstruction(world.route(1));
  const count = good.accounts.length;
  const other = newAddress();
  const extra = (address: Address, signer: boolean): Instruction => ({
    ...good,
    accounts: [...good.accounts, { address, signer, writable: false }],
  });
  routerRefused(vm.run(withByte(extra(ROUTER_PROGRAM, false), AT.program, count)), 'SelfCall');
  for (const role of [2, 3]) {
    routerRefused(vm.run(withByte(extra(other, true), AT.firstAccount, count | (role << 6))), 'ForeignSigner');
  }
  failedWith(
    vm.run(withByte(extra(other, true), AT.firstAccount, count)),
    'incorrect program id for instruction',
    TOKEN_SWAP_PROGRAM,
  );
});
