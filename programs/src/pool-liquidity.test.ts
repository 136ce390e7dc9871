import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INITIAL_POOL_TOKENS, poolDeposit, poolWithdraw } from './pool.js';
import { modelDeposit, modelWithdraw } from './pool-model.js';
import { ALL_FEES, balances, liquidityOf, NO_FEES, openPool, refused, swapOf } from './pool-testing.js';
import { newAddress, succeeded } from './test-vm.js';

const U64_MAX = 2n ** 64n - 1n;

test('a deposit pays its share rounded up, and mints the pool tokens asked for', () => {
  const world = openPool({ balanceA: 1_000_000_007n, balanceB: 3_999_999_999n });
  const before = balances(world);
  const a = modelDeposit(123_457n, before.supply, before.vaultA)!;
  const b = modelDeposit(123_457n, before.supply, before.vaultB)!;
  refused(world.vm.run(poolDeposit(liquidityOf(world, 123_457n, a - 1n, b))), 'ExceededSlippage');
  refused(world.vm.run(poolDeposit(liquidityOf(world, 123_457n, a, b - 1n))), 'ExceededSlippage');
  succeeded(world.vm.run(poolDeposit(liquidityOf(world, 123_457n, a, b))));
  assert.deepEqual(balances(world), {
    ...before,
    vaultA: before.vaultA + a,
    vaultB: before.vaultB + b,
    a: before.a - a,
    b: before.b - b,
    poolTokens: 123_457n,
    supply: before.supply + 123_457n,
  });
});

test('a deposit that divides evenly is not rounded, and one of less than a unit is refused', () => {
  const world = openPool({ balanceA: 1_000_000n, balanceB: 4_000_000_000n });
  const before = balances(world);
  succeeded(world.vm.run(poolDeposit(liquidityOf(world, 1_000n, 1n, 4_000n))));
  assert.equal(balances(world).vaultA, before.vaultA + 1n);
  assert.equal(balances(world).vaultB, before.vaultB + 4_000n);
  const other = openPool({ balanceA: 1_000_000n, balanceB: 4_000_000_000n });
  refused(other.vm.run(poolDeposit(liquidityOf(other, 999n, U64_MAX, U64_MAX))), 'ZeroTradingTokens');
  refused(other.vm.run(poolDeposit(liquidityOf(other, 0n, U64_MAX, U64_MAX))), 'ZeroTradingTokens');
  const mirrored = openPool({ balanceA: 4_000_000_000n, balanceB: 1_000_000n });
  refused(mirrored.vm.run(poolDeposit(liquidityOf(mirrored, 999n, U64_MAX, U64_MAX))), 'ZeroTradingTokens');
});

test('a deposit or withdrawal whose share has no 64 bits is refused', () => {
  for (const [balanceA, balanceB] of [
    [U64_MAX, 10n ** 9n],
    [10n ** 9n, U64_MAX],
  ] as const) {
    const world = openPool({ balanceA, balanceB });
    const share = liquidityOf(world, INITIAL_POOL_TOKENS + 1n, U64_MAX, U64_MAX);
    refused(world.vm.run(poolDeposit(share)), 'ConversionFailure');
    const twice = liquidityOf(world, 2n * INITIAL_POOL_TOKENS, 0n, 0n);
    refused(world.vm.run(poolWithdraw(twice)), 'ConversionFailure');
  }
});

test('the first deposit into a pool that was emptied gets the initial pool tokens, whatever it asks for', () => {
  const world = openPool({ fees: NO_FEES });
  const { vm, accounts, trader } = world;
  vm.setSupply(accounts.poolMint, 0n);
  vm.setAmount(accounts.vaultA, 5n);
  vm.setAmount(accounts.vaultB, 7n);
  succeeded(vm.run(poolDeposit(liquidityOf(world, 3n, 5n, 7n))));
  assert.equal(vm.amount(trader.poolTokens), INITIAL_POOL_TOKENS);
  assert.equal(vm.amount(accounts.vaultA), 10n);
  assert.equal(vm.amount(accounts.vaultB), 14n);
});

test('a withdrawal pays out its share rounded down, and the owner fee in pool tokens', () => {
  const world = openPool({ balanceA: 1_000_000_007n, balanceB: 3_999_999_999n });
  const { vm, accounts, creator, trader } = world;
  const before = balances(world);
  const given = 123_457n;
  const { fee: ownerFee, share: a } = modelWithdraw(ALL_FEES, given, before.supply, before.vaultA);
  const { share: b } = modelWithdraw(ALL_FEES, given, before.supply, before.vaultB);
  const withdraw = (leastA: bigint, leastB: bigint) =>
    poolWithdraw({
      ...liquidityOf(world, given, leastA, leastB),
      authority: creator.key,
      poolTokens: creator.poolTokens,
    });
  refused(vm.run(withdraw(a + 1n, b)), 'ExceededSlippage');
  refused(vm.run(withdraw(a, b + 1n)), 'ExceededSlippage');
  succeeded(vm.run(withdraw(a, b)));
  assert.deepEqual(balances(world), {
    ...before,
    vaultA: before.vaultA - a,
    vaultB: before.vaultB - b,
    a: before.a + a,
    b: before.b + b,
    feeAccount: ownerFee,
    supply: before.supply - given + ownerFee,
  });
  assert.equal(vm.amount(creator.poolTokens), INITIAL_POOL_TOKENS - given);
  assert.equal(vm.amount(trader.poolTokens), 0n);
  assert.ok(ownerFee > 0n && vm.amount(accounts.feeAccount) === ownerFee);
});

test('a withdrawal from the fee account costs no fee', () => {
  const world = openPool();
  const { vm, accounts } = world;
  const owner = newAddress();
  vm.tokenAccount({ address: accounts.feeAccount, mint: accounts.poolMint, owner, amount: 1_000_000n });
  const withdrawal = { ...liquidityOf(world, 1_000_000n, 0n, 0n), authority: owner, poolTokens: accounts.feeAccount };
  succeeded(vm.run(poolWithdraw(withdrawal)));
  assert.equal(vm.amount(accounts.feeAccount), 0n);
  assert.equal(vm.supply(accounts.poolMint), INITIAL_POOL_TOKENS - 1_000_000n);
});

test('a withdrawal that brings nothing of a token is refused', () => {
  const world = openPool({ balanceA: 1_000n, balanceB: 4_000_000_000n, fees: NO_FEES });
  const mirrored = openPool({ balanceA: 4_000_000_000n, balanceB: 1_000n, fees: NO_FEES });
  for (const { vm, accounts, creator, trader } of [world, mirrored]) {
    const withdrawal = {
      accounts,
      authority: creator.key,
      accountA: trader.a,
      accountB: trader.b,
      limitA: 0n,
      limitB: 0n,
    };
    const tokens = { poolTokens: creator.poolTokens };
    refused(vm.run(poolWithdraw({ ...withdrawal, ...tokens, poolTokenAmount: 999_999n })), 'ZeroTradingTokens');
    succeeded(vm.run(poolWithdraw({ ...withdrawal, ...tokens, poolTokenAmount: 1_000_000n })));
  }
});

test('everything can be withdrawn', () => {
  const world = openPool({ fees: NO_FEES });
  const { vm, accounts, creator } = world;
  const all = liquidityOf(world, INITIAL_POOL_TOKENS, 1_000_000_000n, 4_000_000_000n);
  succeeded(vm.run(poolWithdraw({ ...all, authority: creator.key, poolTokens: creator.poolTokens })));
  assert.equal(vm.amount(accounts.vaultA) + vm.amount(accounts.vaultB) + vm.supply(accounts.poolMint), 0n);
  refused(vm.run(swapOf(world, 1_000n)), 'ZeroTradingTokens');
  refused(vm.run(poolDeposit(liquidityOf(world, 1n, U64_MAX, U64_MAX))), 'ZeroTradingTokens');
});
