import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodePool, POOL_SIZE, type PoolFees, TOKEN_SWAP_PROGRAM } from '@slipway/programs';
import { encodeTokenAccount, generateKeypair, TOKEN_PROGRAM } from '@slipway/wire';
import fc from 'fast-check';
import { tokenSwapVenue } from '../../routing/aggregator/venues/token-swap.js';
import { isWithinFee, type PoolReserves, priceOf, tradeTo } from './rebalance-plan.js';

const address = () => generateKeypair().address;
const [mintA, mintB, vaultA, vaultB, owner, pool] = Array.from({ length: 6 }, address) as ReturnType<typeof address>[];

/** A pool as the aggregator reads it, whose quotes equal what the program does. */
function poolOf(reserves: readonly [bigint, bigint], fees: PoolFees): PoolReserves {
  const vault = (mint = mintA!, amount: bigint) => ({
    lamports: 1n,
    owner: TOKEN_PROGRAM,
    executable: false,
    data: encodeTokenAccount({
      mint,
      owner: owner!,
      amount,
      state: 'initialized',
      delegatedAmount: 0n,
      isNative: false,
    }),
  });
  const data = encodePool({
    bump: 255,
    tokenProgram: TOKEN_PROGRAM,
    poolMint: address(),
    feeAccount: address(),
    fees,
    vaultA: vaultA!,
    vaultB: vaultB!,
    mintA: mintA!,
    mintB: mintB!,
  });
  assert.equal(data.length, POOL_SIZE);
  const account = { lamports: 1n, owner: TOKEN_SWAP_PROGRAM, executable: false, data };
  const state = tokenSwapVenue(TOKEN_SWAP_PROGRAM).open(pool!, account, [
    vault(mintA, reserves[0]),
    vault(mintB, reserves[1]),
  ]);
  assert.ok(typeof state === 'object', String(state));
  return { reserves, fees, quote: state.quote };
}

const feesOf = (trade: bigint, ownerTrade: bigint): PoolFees => ({
  trade: { numerator: trade, denominator: 10_000n },
  ownerTrade: ownerTrade === 0n ? { numerator: 0n, denominator: 0n } : { numerator: ownerTrade, denominator: 10_000n },
  ownerWithdraw: { numerator: 0n, denominator: 0n },
  host: { numerator: 0n, denominator: 0n },
});

test('a trade is found to any price within reach, and what it leaves is within the fee of that price', () => {
  const reserve = fc.bigInt({ min: 10n ** 11n, max: 10n ** 13n });
  const fee = fc.bigInt({ min: 0n, max: 100n });
  const exponent = fc.double({ min: -6, max: 6, noNaN: true });
  fc.assert(
    fc.property(reserve, reserve, fee, fee, exponent, (a, b, trade, ownerTrade, power) => {
      const before = poolOf([a, b], feesOf(trade, ownerTrade));
      const usd = (Number(b) / Number(a)) * 10 ** power;
      const price = priceOf({ usd, decimals: 6 }, { usd: 1, decimals: 6 });
      if (isWithinFee(before, price)) return;
      const { from, amountIn } = tradeTo(before, price)!;
      const { paid, received } = before.quote(from, amountIn)!;
      const after = from === 0 ? ([a + paid, b - received] as const) : ([a - received, b + paid] as const);
      const ratio = Number(after[1]) / Number(after[0]) / usd;
      const band = Math.max(1, Number(trade + ownerTrade)) / 10_000 + 1e-9;
      assert.ok(Math.abs(ratio - 1) <= band, `${ratio} is not within ${band}`);
    }),
  );
});

test('there is no trade to a price that the amounts of the pool cannot express', () => {
  const before = poolOf([10n ** 12n, 10n ** 12n], feesOf(25n, 0n));
  for (const usd of [1e-16, 1e16, 1e-300, 1e300]) {
    assert.equal(tradeTo(before, priceOf({ usd, decimals: 6 }, { usd: 1, decimals: 6 })), undefined, `${usd}`);
  }
});

test('a price counts the decimals of both tokens', () => {
  const sol = { usd: 150, decimals: 9 };
  const { n, d } = priceOf(sol, { usd: 0.5, decimals: 6 });
  assert.equal(n * 10n, d * 3n, '300 whole ones for one SOL');
});
