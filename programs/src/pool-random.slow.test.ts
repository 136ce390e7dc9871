import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@slipway/wire';
import fc from 'fast-check';
import { type Fee, poolSwap } from './pool.js';
import { modelSwap } from './pool-model.js';
import { fee, NO_FEES, openPool, poolVm, refused } from './pool-testing.js';
import { succeeded } from './test-vm.js';

const U64_MAX = 2n ** 64n - 1n;
const SWAPS = 4_000;

// Amounts of every magnitude, with the edges.
const amount = (max: bigint) =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.tuple(fc.nat(63), fc.bigInt(0n, U64_MAX)).map(([bits, n]) => (n >> BigInt(bits)) % (max + 1n)),
    },
    { weight: 1, arbitrary: fc.constantFrom(1n, 2n, max, max - 1n) },
  );
const positive = amount(U64_MAX).map((n) => (n === 0n ? 1n : n));

const percents: fc.Arbitrary<Fee> = fc.nat(9_999).map((n) => ({ numerator: BigInt(n % 300), denominator: 10_000n }));
const anyFee: fc.Arbitrary<Fee> = fc.oneof(
  { weight: 2, arbitrary: fc.constant({ numerator: 0n, denominator: 0n }) },
  { weight: 6, arbitrary: percents },
  {
    weight: 1,
    arbitrary: fc.tuple(positive, positive).map(([a, b]) => {
      const [numerator, denominator] = a < b ? [a, b] : [b, a];
      return numerator === denominator ? { numerator: numerator - 1n, denominator } : { numerator, denominator };
    }),
  },
);

// Mostly more than a handful, so that most trades are possible.
const balance = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.tuple(fc.nat(40), fc.bigInt(U64_MAX / 4n, U64_MAX / 2n)).map(([bits, n]) => n >> BigInt(bits)),
  },
  { weight: 1, arbitrary: positive },
);
const pools = fc.record({
  balanceA: balance,
  balanceB: balance,
  supply: positive,
  fees: fc.record({ trade: anyFee, ownerTrade: anyFee, ownerWithdraw: anyFee, host: anyFee }),
  programA: fc.constantFrom(TOKEN_PROGRAM, TOKEN_2022_PROGRAM),
  programB: fc.constantFrom(TOKEN_PROGRAM, TOKEN_2022_PROGRAM),
});
const swaps = fc.record({
  amountFor: fc.oneof(
    { weight: 5, arbitrary: fc.bigInt(1n, 1n << 20n).map((part) => (held: bigint) => (held * part) / (1n << 19n)) },
    { weight: 1, arbitrary: amount(U64_MAX).map((n) => () => n) },
    { weight: 1, arbitrary: fc.constant((held: bigint) => U64_MAX - held) },
  ),
  aToB: fc.boolean(),
  withHost: fc.boolean(),
});

test('every swap does to the unit what the formulas of the interface say, for pools and amounts of every size', () => {
  const vm = poolVm('default');
  let done = 0;
  const property = fc.property(pools, fc.array(swaps, { minLength: 4, maxLength: 4 }), (pool, trades) => {
    const { accounts, trader } = openPool({ ...pool, vm });
    for (const { amountFor, aToB, withHost } of trades) {
      const [source, destination] = aToB ? [trader.a, trader.b] : [trader.b, trader.a];
      const [vaultIn, vaultOut] = aToB ? [accounts.vaultA, accounts.vaultB] : [accounts.vaultB, accounts.vaultA];
      const [balanceIn, balanceOut] = aToB ? [pool.balanceA, pool.balanceB] : [pool.balanceB, pool.balanceA];
      const offered = amountFor(balanceIn) & U64_MAX;
      vm.setSupply(accounts.poolMint, pool.supply);
      const start: [typeof source, bigint][] = [
        ...([
          [vaultIn, balanceIn],
          [vaultOut, balanceOut],
          [source, U64_MAX - balanceIn],
        ] as [typeof source, bigint][]),
        ...[destination, accounts.feeAccount, trader.poolTokens].map(
          (account) => [account, 0n] as [typeof source, bigint],
        ),
      ];
      for (const [account, balance] of start) vm.setAmount(account, balance);

      const host = withHost ? { hostFeeAccount: trader.poolTokens } : {};
      const trade = { accounts, aToB, authority: trader.key, source, destination, amountIn: offered, ...host };
      const outcome = vm.run(poolSwap({ ...trade, minimumAmountOut: 0n }));
      const expected = modelSwap(pool.fees, { balanceIn, balanceOut, supply: pool.supply }, offered, withHost);
      if (balanceIn + offered > U64_MAX) {
        refused(outcome, 'ConversionFailure');
        continue;
      }
      if (!expected) {
        refused(outcome, 'ZeroTradingTokens');
        continue;
      }
      if (pool.supply + expected.ownerTokens + expected.hostTokens > U64_MAX) {
        assert.equal(outcome.failure?.program, TOKEN_PROGRAM);
        continue;
      }
      succeeded(outcome);
      done++;
      assert.deepEqual(
        {
          paid: U64_MAX - balanceIn - vm.amount(source),
          received: vm.amount(destination),
          ownerTokens: vm.amount(accounts.feeAccount),
          hostTokens: vm.amount(trader.poolTokens),
        },
        expected,
      );
      assert.equal(vm.amount(vaultIn), balanceIn + expected.paid);
      assert.equal(vm.amount(vaultOut), balanceOut - expected.received);
      assert.ok(vm.amount(vaultIn) * vm.amount(vaultOut) >= balanceIn * balanceOut);
      assert.ok(expected.paid <= offered);
    }
  });
  fc.assert(property, { numRuns: SWAPS / 4, seed: 1 });
  assert.ok(done >= 2_000, `only ${done} swaps were possible`);
});

test('the worth of an owner fee has the interface’s root, also where that is one above the true one', () => {
  const scale = 10n ** 12n;
  // The numbers just below a square, where it matters at which step the approximation ends, and some others.
  const [below, above] = [
    [171_043_634_415n, 62_499_999_999n, 62_500_000_000n, 562_499_999_998n, 562_500_000_001n, 343_895_196_913n],
    [7_469_415_664n, 834_617_853_166n],
  ];
  for (const x of [...below, ...above, 1n, scale / 4n, scale - 1n]) {
    // A pool that holds `scale` of the input after the swap, of which 1 - x / scale are the owner's fee.
    const fees = { ...NO_FEES, ownerTrade: fee(scale - x, scale) };
    const pool = { balanceIn: 1n, balanceOut: x * 1_000n, supply: 10n ** 18n };
    const world = openPool({ fees, balanceA: pool.balanceIn, balanceB: pool.balanceOut });
    const { vm, accounts, trader } = world;
    vm.setSupply(accounts.poolMint, pool.supply);
    const trade = { accounts, aToB: true, authority: trader.key, source: trader.a, destination: trader.b };
    succeeded(vm.run(poolSwap({ ...trade, amountIn: scale - 1n, minimumAmountOut: 0n })));
    assert.equal(vm.amount(accounts.feeAccount), modelSwap(fees, pool, scale - 1n, false)?.ownerTokens);
  }
});
