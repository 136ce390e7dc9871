import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressFromBytes, decodeMint, SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@slipway/wire';
import { decodePool, encodePool, INITIAL_POOL_TOKENS, poolAuthority, poolDeposit, poolWithdraw } from './pool.js';
import { modelSwap } from './pool-model.js';
import {
  ALL_FEES,
  balances,
  fee,
  liquidityOf,
  NO_FEES,
  openPool,
  type PoolWorld,
  poolWorld,
  refused,
  swapOf,
} from './pool-testing.js';
import { extension, failedWith, newAddress, programUnderTest, succeeded } from './test-vm.js';

const U64_MAX = 2n ** 64n - 1n;
const IMMUTABLE_OWNER = 7;

test('a new pool has the layout of the public interface, and its creator the first pool tokens', () => {
  const world = poolWorld({ fees: ALL_FEES });
  const { vm, accounts, creator } = world;
  succeeded(vm.run(world.initialize));
  const expected = {
    bump: poolAuthority(accounts.pool).bump,
    tokenProgram: TOKEN_PROGRAM,
    vaultA: accounts.vaultA,
    vaultB: accounts.vaultB,
    poolMint: accounts.poolMint,
    mintA: accounts.mintA,
    mintB: accounts.mintB,
    feeAccount: accounts.feeAccount,
    fees: ALL_FEES,
  };
  const data = vm.data(accounts.pool);
  assert.deepEqual(decodePool(data), expected);
  assert.deepEqual(Buffer.from(encodePool(expected)), data);
  assert.equal(data.readBigUInt64LE(227), ALL_FEES.trade.numerator);
  assert.equal(data.readBigUInt64LE(227 + 56), ALL_FEES.host.denominator);
  assert.equal(vm.amount(creator.poolTokens), INITIAL_POOL_TOKENS);
  assert.equal(vm.supply(accounts.poolMint), INITIAL_POOL_TOKENS);
});

test('what is not an initialized constant-product pool is not decoded as one', () => {
  const { vm, accounts } = openPool();
  const data = vm.data(accounts.pool);
  for (const [at, value] of [
    [0, 2],
    [1, 0],
    [291, 1],
  ] as const) {
    const changed = Buffer.from(data);
    changed[at] = value;
    assert.equal(decodePool(changed), undefined);
  }
  assert.equal(decodePool(data.subarray(1)), undefined);
  assert.equal(decodePool(Buffer.concat([data, Buffer.alloc(1)])), undefined);
});

test('a swap takes what the curve needs, pays out, and mints the worth of the owner fee', () => {
  for (const bToA of [false, true]) {
    const world = openPool();
    const before = balances(world);
    const [balanceIn, balanceOut] = bToA ? [before.vaultB, before.vaultA] : [before.vaultA, before.vaultB];
    const expected = modelSwap(ALL_FEES, { balanceIn, balanceOut, supply: before.supply }, 123_456_789n, false)!;
    succeeded(world.vm.run(swapOf(world, 123_456_789n, { least: expected.received, bToA })));
    const after = balances(world);
    const [paid, received] = bToA ? [before.b - after.b, after.a - before.a] : [before.a - after.a, after.b - before.b];
    assert.equal(paid, expected.paid);
    assert.equal(received, expected.received);
    assert.ok(expected.ownerTokens > 0n);
    assert.equal(after.feeAccount, expected.ownerTokens);
    assert.equal(after.supply, before.supply + expected.ownerTokens);
    refused(world.vm.run(swapOf(world, 1_000_000n, { least: U64_MAX, bToA })), 'ExceededSlippage');
  }
});

test('one unit more than comes out is too much to ask for', () => {
  const world = openPool();
  const pool = { balanceIn: 1_000_000_000n, balanceOut: 4_000_000_000n, supply: INITIAL_POOL_TOKENS };
  const { received } = modelSwap(ALL_FEES, pool, 5_000n, false)!;
  refused(world.vm.run(swapOf(world, 5_000n, { least: received + 1n })), 'ExceededSlippage');
  succeeded(world.vm.run(swapOf(world, 5_000n, { least: received })));
});

test('a host gets a share of what is minted for the owner fee', () => {
  const world = openPool();
  const { vm, accounts, trader } = world;
  const pool = { balanceIn: 1_000_000_000n, balanceOut: 4_000_000_000n, supply: INITIAL_POOL_TOKENS };
  const expected = modelSwap(ALL_FEES, pool, 100_000_000n, true)!;
  assert.ok(expected.hostTokens > 0n && expected.ownerTokens > 0n);
  succeeded(vm.run(swapOf(world, 100_000_000n, { host: trader.poolTokens })));
  assert.equal(vm.amount(trader.poolTokens), expected.hostTokens);
  assert.equal(vm.amount(accounts.feeAccount), expected.ownerTokens);
});

test('a host account is refused when it cannot hold pool tokens, and not looked at when nothing is owed', () => {
  const world = openPool();
  const { vm, trader, accounts } = world;
  const frozen = vm.tokenAccount({ mint: accounts.poolMint, owner: trader.key, state: 'frozen' });
  const ofOtherProgram = vm.tokenAccount({
    mint: accounts.poolMint,
    owner: trader.key,
    tokenProgram: TOKEN_2022_PROGRAM,
  });
  for (const host of [trader.a, frozen, ofOtherProgram, newAddress()]) {
    refused(vm.run(swapOf(world, 100_000_000n, { host })), 'IncorrectPoolMint');
  }
  const free = openPool({ fees: NO_FEES });
  succeeded(free.vm.run(swapOf(free, 100_000_000n, { host: free.trader.a })));
});

test('the fee of a small amount is one unit, which a trade must be able to pay', () => {
  const fees = { ...NO_FEES, trade: fee(1, 10_000), ownerTrade: fee(1, 10_000) };
  const world = openPool({ fees, balanceA: 1_000n, balanceB: 1_000_000n });
  refused(world.vm.run(swapOf(world, 1n)), 'ZeroTradingTokens');
  refused(world.vm.run(swapOf(world, 2n)), 'ZeroTradingTokens');
  succeeded(world.vm.run(swapOf(world, 3n)));
  assert.equal(world.vm.amount(world.accounts.vaultA), 1_003n);
});

test('a swap that brings nothing is refused', () => {
  const world = openPool({ fees: NO_FEES, balanceA: 1_000_000n, balanceB: 1_000n });
  const { vm, accounts } = world;
  refused(vm.run(swapOf(world, 0n)), 'ZeroTradingTokens');
  refused(vm.run(swapOf(world, 1n)), 'ZeroTradingTokens');
  refused(vm.run(swapOf(world, 1_000_000_000_000n)), 'ZeroTradingTokens');
  vm.setAmount(accounts.vaultA, 0n);
  refused(vm.run(swapOf(world, 0n)), 'ZeroTradingTokens');
  refused(vm.run(swapOf(world, 5n)), 'ZeroTradingTokens');
  vm.setAmount(accounts.vaultB, 0n);
  refused(vm.run(swapOf(world, 5n)), 'ZeroTradingTokens');
});

test('more is not taken in than a vault can hold', () => {
  const world = openPool({ fees: NO_FEES, balanceA: 1_000n, balanceB: U64_MAX });
  const { vm } = world;
  vm.setAmount(world.trader.b, 0n);
  vm.setAmount(world.trader.a, U64_MAX);
  refused(vm.run(swapOf(world, U64_MAX)), 'ConversionFailure');
  refused(vm.run(swapOf(world, U64_MAX - 999n)), 'ConversionFailure');
  succeeded(vm.run(swapOf(world, U64_MAX - 1_000n)));
  assert.equal(vm.amount(world.accounts.vaultB), 1_000n);
});

test('trading goes on without a fee for the owner who has closed or lost the fee account', () => {
  const closings: ((world: PoolWorld) => void)[] = [
    ({ vm, accounts }) => vm.put(accounts.feeAccount, new Uint8Array(0), SYSTEM_PROGRAM),
    ({ vm, accounts }) => vm.tokenAccount({ address: accounts.feeAccount, mint: accounts.mintA, owner: newAddress() }),
    ({ vm, accounts }) =>
      vm.tokenAccount({ address: accounts.feeAccount, mint: accounts.poolMint, owner: newAddress(), state: 'frozen' }),
  ];
  for (const close of closings) {
    const world = openPool();
    const { vm, accounts, trader, creator } = world;
    close(world);
    succeeded(vm.run(swapOf(world, 100_000_000n)));
    assert.equal(vm.supply(accounts.poolMint), INITIAL_POOL_TOKENS);
    const withdrawal = {
      ...liquidityOf(world, 1_000_000n, 0n, 0n),
      authority: creator.key,
      poolTokens: creator.poolTokens,
    };
    succeeded(vm.run(poolWithdraw(withdrawal)));
    assert.equal(vm.amount(creator.poolTokens), INITIAL_POOL_TOKENS - 1_000_000n);
    assert.equal(vm.supply(accounts.poolMint), INITIAL_POOL_TOKENS - 1_000_000n);
    assert.equal(vm.amount(trader.poolTokens), 0n);
  }
});

test('tokens of Token-2022 with harmless extensions are traded, deposited and withdrawn', () => {
  const metadataPointer = extension(18, new Uint8Array(64));
  const world = poolWorld({ programA: TOKEN_2022_PROGRAM });
  const { vm, accounts, trader, creator } = world;
  vm.mint({ address: accounts.mintA, tokenProgram: TOKEN_2022_PROGRAM, decimals: 9, extensions: metadataPointer });
  const extended = { mint: accounts.mintA, tokenProgram: TOKEN_2022_PROGRAM, extensions: extension(IMMUTABLE_OWNER) };
  vm.tokenAccount({ ...extended, address: accounts.vaultA, owner: accounts.authority, amount: 1_000_000_000n });
  vm.tokenAccount({ ...extended, address: trader.a, owner: trader.key, amount: 1_000_000n });
  succeeded(vm.run(world.initialize));
  succeeded(vm.run(swapOf(world, 500_000n)));
  succeeded(vm.run(swapOf(world, vm.amount(trader.b), { bToA: true })));
  const tokens = { authority: creator.key, poolTokens: creator.poolTokens };
  succeeded(vm.run(poolWithdraw({ ...liquidityOf(world, 1_000_000n, 0n, 0n), ...tokens })));
  succeeded(vm.run(poolDeposit(liquidityOf(world, 1_000n, U64_MAX, U64_MAX))));
  assert.equal(vm.amount(trader.poolTokens), 1_000n);
  assert.equal(decodeMint(vm.data(accounts.mintA))?.decimals, 9);
});

test('the other instructions of the interface are refused by name, and unknown ones too', () => {
  const world = openPool();
  const run = (data: number[]) => world.vm.run({ ...swapOf(world, 1n), data: Uint8Array.from(data) });
  refused(run([4, ...new Array(16).fill(0)]), 'UnsupportedCurveOperation');
  refused(run([5, ...new Array(16).fill(0)]), 'UnsupportedCurveOperation');
  refused(run([6]), 'InvalidInstruction');
  refused(run([255]), 'InvalidInstruction');
  refused(run([4]), 'UnsupportedCurveOperation');
  refused(run([]), 'InvalidInstruction');
  // The program's address follows the data: its first byte must not be taken for an instruction.
  const program = addressFromBytes(new Uint8Array(32).fill(4));
  world.vm.addProgram(program, programUnderTest('pool'));
  const empty = world.vm.run({ program, accounts: [], data: new Uint8Array(0) });
  failedWith(empty, 'custom program error: 0xe', program);
});
