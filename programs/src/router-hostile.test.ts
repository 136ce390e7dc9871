import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Address,
  addressToBytes,
  type Instruction,
  SYSTEM_PROGRAM,
  systemTransfer,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  tokenCloseAccount,
  tokenMintTo,
} from '@slipway/wire';
import {
  FUNDS,
  meta,
  openPuppetWorld,
  PUPPET,
  PUPPET_PROGRAM,
  type PuppetWorld,
  payment,
  type Step,
  WALLET,
  withPuppet,
} from './router-puppet.js';
import { routerRefused } from './router-testing.js';
import { succeeded, u64 } from './test-vm.js';

/** An instruction of a token program for its owner: what the taker's signature is good for. */
function byOwner(program: Address, data: number[], accounts: Address[], owner: Address): Instruction {
  return {
    program,
    accounts: [...accounts.map((account) => meta(account)), meta(owner, true, false)],
    data: Uint8Array.from(data),
  };
}

const approve = (account: Address, delegate: Address, owner: Address, amount = 1n, program = TOKEN_PROGRAM) =>
  byOwner(program, [4, ...u64(amount)], [account, delegate], owner);
const revoke = (account: Address, owner: Address) => byOwner(TOKEN_PROGRAM, [5], [account], owner);
const setAuthority = (account: Address, kind: number, to: Address, owner: Address, program = TOKEN_PROGRAM) =>
  byOwner(program, [6, kind, 1, ...addressToBytes(to)], [account], owner);
const ACCOUNT_OWNER = 2;
const CLOSE_AUTHORITY = 3;

const systemCall = (data: number[], account: Address): Instruction => ({
  program: SYSTEM_PROGRAM,
  accounts: [meta(account, true)],
  data: Uint8Array.from(data),
});
const assign = (account: Address, to: Address) => systemCall([1, 0, 0, 0, ...addressToBytes(to)], account);
const allocate = (account: Address, space: number) => systemCall([8, 0, 0, 0, ...u64(BigInt(space))], account);

test('a venue that does what it should is paid, to the last unit of the input', withPuppet, () => {
  const { vm, accounts, fair, run } = openPuppetWorld();
  succeeded(run(fair));
  assert.equal(vm.amount(accounts.source), FUNDS - 1_000n);
  assert.equal(vm.amount(accounts.destination), FUNDS + 500n);
});

const thefts: Record<string, (world: PuppetWorld) => Step> = {
  'one unit more than the input': ({ ins, taker, accounts }) => payment(ins, accounts.source, accounts.till, taker, 1n),
  'another token account': ({ ins, taker, accounts }) => payment(ins, accounts.spare, accounts.till, taker, 1n),
  'another token account, extended': ({ outs, taker, accounts }) =>
    payment(outs, accounts.spare2022, accounts.till2022, taker, 1n),
};
for (const [what, step] of Object.entries(thefts)) {
  test(`it takes ${what}`, withPuppet, () => {
    const world = openPuppetWorld();
    // Enough is paid in that only the account that lost something tells.
    routerRefused(world.run([...world.fair, step(world)], { minOut: 0n }), 'TokensTaken');
    assert.equal(world.vm.amount(world.accounts.source), FUNDS);
  });
}

test('attack: a venue keeps everything, or pays too little: the swap fails', withPuppet, () => {
  const { ins, accounts, taker, fair, run, outs } = openPuppetWorld();
  routerRefused(run([fair[0]!], { minOut: 0n }), 'NothingReceived');
  const oneLess = payment(outs, accounts.till2022, accounts.destination, PUPPET.address, 499n);
  routerRefused(run([fair[0]!, oneLess]), 'SlippageToleranceExceeded');
  // Paid out of the taker's own pocket.
  const own = payment(outs, accounts.spare2022, accounts.destination, taker, 500n);
  routerRefused(run([fair[0]!, own]), 'TokensTaken');
  succeeded(run([payment(ins, accounts.source, accounts.till, taker, 1n), fair[1]!]));
});

const changes: Record<string, (world: PuppetWorld) => Step> = {
  'a delegate for the spare account': ({ accounts, taker, spender }) => approve(accounts.spare, spender, taker),
  'a delegate for the extended account': ({ accounts, taker, spender }) =>
    approve(accounts.spare2022, spender, taker, 1n, TOKEN_2022_PROGRAM),
  'a delegate for the destination': ({ accounts, taker, spender }) =>
    approve(accounts.destination, spender, taker, 1n, TOKEN_2022_PROGRAM),
  'another delegate for the source': ({ accounts, taker }) => approve(accounts.source, PUPPET.address, taker, 5n),
  'more for the delegate of the source': ({ accounts, taker, spender }) => approve(accounts.source, spender, taker, 6n),
  'no delegate for the source': ({ accounts, taker }) => revoke(accounts.source, taker),
  'another owner for the spare account': ({ accounts, taker, spender }) =>
    setAuthority(accounts.spare, ACCOUNT_OWNER, spender, taker),
  'a close authority for the spare account': ({ accounts, taker, spender }) =>
    setAuthority(accounts.spare, CLOSE_AUTHORITY, spender, taker),
  'a close authority for the destination': ({ accounts, taker, spender }) =>
    setAuthority(accounts.destination, CLOSE_AUTHORITY, spender, taker, TOKEN_2022_PROGRAM),
  'an end to the empty account': ({ accounts, taker, spender }) =>
    tokenCloseAccount({ account: accounts.empty, destination: spender, authority: taker }),
  'an end to the frozen account': ({ accounts, taker, spender }) =>
    tokenCloseAccount({ account: accounts.frozen, destination: spender, authority: taker }),
  'the taker’s account for its own': ({ taker }) => assign(taker, PUPPET_PROGRAM),
  'data in the taker’s account': ({ taker }) => allocate(taker, 1),
};
for (const [what, step] of Object.entries(changes)) {
  test(`it gets ${what}`, withPuppet, () => {
    const world = openPuppetWorld();
    routerRefused(world.run([...world.fair, step(world)]), 'AccountChanged');
  });
}

test(
  'attack: a venue takes lamports of the taker, or more than the rent from a token account: the swap fails',
  withPuppet,
  () => {
    const world = openPuppetWorld();
    const { vm, taker, spender, accounts, fair, run } = world;
    const lamports = systemTransfer({ from: taker, to: spender, lamports: WALLET / 2n });
    routerRefused(run([...fair, lamports]), 'LamportsTaken');
    vm.put(accounts.spare2022, vm.data(accounts.spare2022), TOKEN_2022_PROGRAM, 2n * vm.lamports(accounts.spare2022));
    const withdrawExcess = byOwner(TOKEN_2022_PROGRAM, [38], [accounts.spare2022, spender], taker);
    vm.put(spender, new Uint8Array(0), SYSTEM_PROGRAM, WALLET);
    routerRefused(run([...fair, withdrawExcess]), 'LamportsTaken');
  },
);

test('lamports that come in are welcome, to the taker and to a token account', withPuppet, () => {
  const { vm, taker, accounts, fair, run } = openPuppetWorld();
  vm.put(PUPPET.address, new Uint8Array(0), SYSTEM_PROGRAM, WALLET);
  const gifts = [taker, accounts.spare].map((to) => systemTransfer({ from: PUPPET.address, to, lamports: 1_000_000n }));
  succeeded(run([...fair, ...gifts]));
  assert.equal(vm.lamports(taker), WALLET + 1_000_000n);
});

test('attack: a venue puts an account of its own in the place of a token account: the swap fails', withPuppet, () => {
  const world = openPuppetWorld();
  const { vm, taker, ins, fair, run } = world;
  const place = vm.tokenAccount({ address: PUPPET.address, mint: ins.mint, owner: taker });
  const rent = vm.lamports(place);
  const refill = [
    tokenCloseAccount({ account: place, destination: taker, authority: taker }),
    systemTransfer({ from: taker, to: place, lamports: rent }),
    allocate(place, 165),
    assign(place, PUPPET_PROGRAM),
  ];
  // The same mint, owner and state; all else is zero.
  const copies = [vm.data(place).subarray(0, 64), vm.data(place).subarray(108, 109)];
  const writes = copies.map((write, i): Step => ({ write, into: place, at: [0, 108][i]! }));
  routerRefused(run([...fair, ...refill, ...writes]), 'AccountChanged');
});

test('a freeze of the taker’s account is a change of it', withPuppet, () => {
  const { vm, ins, fair, run, accounts } = openPuppetWorld();
  vm.mint({ address: ins.mint, freezeAuthority: PUPPET.address, mintAuthority: PUPPET.address });
  const freeze = byOwner(TOKEN_PROGRAM, [10], [accounts.spare, ins.mint], PUPPET.address);
  routerRefused(run([...fair, freeze]), 'AccountChanged');
  succeeded(
    run([...fair, tokenMintTo({ mint: ins.mint, destination: accounts.spare, authority: PUPPET.address, amount: 1n })]),
  );
});
