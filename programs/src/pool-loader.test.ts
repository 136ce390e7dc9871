import { test } from 'node:test';
import { poolDeposit, poolSwap, poolWithdraw, TOKEN_SWAP_PROGRAM } from './pool.js';
import { poolWorld } from './pool-testing.js';
import { type Outcome, ownUnits, programUnderTest, succeeded, TestVm } from './test-vm.js';

const U64_MAX = 2n ** 64n - 1n;

for (const features of ['default', 'all'] as const) {
  test(`the program runs as deployed by the upgradeable loader, with ${features} features`, (t) => {
    const vm = new TestVm(features);
    vm.deploy(TOKEN_SWAP_PROGRAM, programUnderTest('pool'));
    const world = poolWorld({ vm });
    const { accounts, trader, creator } = world;
    vm.setAmount(trader.a, 1_000_000_000n);
    const swap = {
      accounts,
      aToB: true,
      authority: trader.key,
      source: trader.a,
      destination: trader.b,
      minimumAmountOut: 1n,
    };
    const liquidity = { accounts, accountA: trader.a, accountB: trader.b, authority: trader.key };
    const steps: [string, Outcome][] = [
      ['initialize', vm.run(world.initialize)],
      ['swap', vm.run(poolSwap({ ...swap, amountIn: 300_000_000n }))],
      ['swap with host', vm.run(poolSwap({ ...swap, amountIn: 1_000_000n, hostFeeAccount: trader.poolTokens }))],
      [
        'deposit',
        vm.run(
          poolDeposit({
            ...liquidity,
            poolTokens: trader.poolTokens,
            poolTokenAmount: 1_234_567n,
            limitA: U64_MAX,
            limitB: U64_MAX,
          }),
        ),
      ],
      [
        'withdraw',
        vm.run(
          poolWithdraw({
            ...liquidity,
            authority: creator.key,
            poolTokens: creator.poolTokens,
            poolTokenAmount: 1_234_567n,
            limitA: 1n,
            limitB: 1n,
          }),
        ),
      ],
    ];
    for (const [name, outcome] of steps) {
      succeeded(outcome);
      t.diagnostic(
        `${name}: ${outcome.computeUnits} CU, of them ${ownUnits(outcome, TOKEN_SWAP_PROGRAM)} the program's own`,
      );
    }
  });
}
