import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodePool, TOKEN_SWAP_PROGRAM } from '@slipway/programs';
import { type Address, encodeTokenAccount, TOKEN_PROGRAM } from '@slipway/wire';
import fc from 'fast-check';
import { amountFor, type Part, type Plan, run } from './plan.js';
import { FREE, fees, newAddress } from './testing.js';
import type { PoolState } from './venue.js';
import { tokenSwapVenue } from './venues/token-swap.js';

const venue = tokenSwapVenue(TOKEN_SWAP_PROGRAM);
const TERMS = [FREE, fees([25n, 10_000n], [5n, 10_000n]), fees([30n, 10_000n]), fees([1n, 3n], [1n, 7n])];
const ADDRESSES = Array.from({ length: 8 }, newAddress);
const [address, mintA, mintB, authority, vaultA, vaultB, poolMint, feeAccount] = ADDRESSES;

function poolState(reserves: [bigint, bigint], terms: number): PoolState {
  const vault = (mint: Address, amount: bigint) => ({
    owner: TOKEN_PROGRAM,
    lamports: 1n,
    executable: false,
    data: encodeTokenAccount({
      mint,
      owner: authority!,
      amount,
      state: 'initialized',
      delegatedAmount: 0n,
      isNative: false,
    }),
  });
  const data = encodePool({
    bump: 255,
    tokenProgram: TOKEN_PROGRAM,
    vaultA: vaultA!,
    vaultB: vaultB!,
    poolMint: poolMint!,
    mintA: mintA!,
    mintB: mintB!,
    feeAccount: feeAccount!,
    fees: TERMS[terms]!,
  });
  const account = { owner: TOKEN_SWAP_PROGRAM, lamports: 1n, executable: false, data };
  const state = venue.open(address!, account, [vault(mintA!, reserves[0]), vault(mintB!, reserves[1])]);
  if (typeof state === 'string') assert.fail(state);
  return state;
}

const sized = (bits: number) =>
  fc.tuple(fc.nat(bits - 1), fc.bigInt(0n, 2n ** BigInt(bits) - 1n)).map(([less, n]) => (n >> BigInt(less)) + 1n);
const reserve = sized(60).map((n) => n + 2n ** 20n);
const part = fc.record({
  reserves: fc.tuple(reserve, reserve),
  terms: fc.nat(3),
  from: fc.constantFrom(0 as const, 1),
});
const plans: fc.Arbitrary<Plan> = fc
  .array(fc.tuple(fc.array(part, { minLength: 1, maxLength: 3 }), fc.integer({ min: 1, max: 49 })), {
    minLength: 1,
    maxLength: 3,
  })
  .map((steps) => ({
    pools: steps.reduce((count, [parts]) => count + parts.length, 0),
    steps: steps.map(([parts, percent]) => ({
      input: mintA!,
      output: mintB!,
      parts: parts.map(({ reserves, terms, from }, i): Part => {
        const bps = i < parts.length - 1 ? percent * 100 : 10_000 - percent * 100 * (parts.length - 1);
        const state = poolState(reserves, terms);
        return {
          from,
          bps,
          state,
          pool: {
            address: address!,
            venue,
            mints: [mintA!, mintB!],
            accounts: [],
            state: () => state,
            refusal: () => undefined,
          },
        };
      }),
    })),
  }));
const fee = fc.option(
  fc.record({ bps: fc.integer({ min: 1, max: 9_999 }), side: fc.constantFrom('input' as const, 'output' as const) }),
  { nil: undefined },
);

test('the input for an output is enough, and one unit less is not', () => {
  let found = 0;
  const property = fc.property(
    fc.record({
      plan: plans,
      input: sized(50),
      fee,
      routed: fc.boolean(),
      off: fc.double({ min: 0.5, max: 2, noNaN: true }),
    }),
    ({ plan, input, fee, routed, off }) => {
      const options = { fee, routed };
      const wanted = run(plan, input, options)?.outAmount;
      if (wanted === undefined) return;
      const result = amountFor(plan, wanted, Number(input) * off, options);
      // Where a venue refuses amounts above the guess, none is looked for below it.
      if (!result) return;
      found += 1;
      assert.deepEqual(result.outcome, run(plan, result.amount, options));
      assert.ok(result.outcome.outAmount >= wanted);
      const out = run(plan, result.amount - 1n, options)?.outAmount ?? 0n;
      assert.ok(out < wanted, `1 less than ${result.amount} would do`);
    },
  );
  fc.assert(property, { numRuns: 500, seed: 11, endOnFailure: true });
  assert.ok(found > 100, `${found} were more than a refusal`);
});

test('an input is looked for only as long as the effort suffices', () => {
  const state = poolState([10n ** 12n, 10n ** 12n], 0);
  const pool = { address: address!, venue, accounts: [], state: () => state, refusal: () => undefined };
  const parts: Part[] = [{ from: 0, bps: 10_000, state, pool: { ...pool, mints: [mintA!, mintB!] } }];
  const plan: Plan = { steps: [{ input: mintA!, output: mintB!, parts }], pools: 1 };
  const options = { fee: undefined, routed: true };
  assert.ok(amountFor(plan, 10n ** 11n, 1, { ...options, effort: { left: 1_000 } }));
  const effort = { left: 5 };
  assert.equal(amountFor(plan, 10n ** 11n, 1, { ...options, effort }), undefined);
  assert.equal(effort.left, 0);
});

test('no amount makes money out of nothing: there and back is never more', () => {
  const there = fc.record({ reserves: fc.tuple(reserve, reserve), terms: fc.nat(3), amount: sized(64) });
  const property = fc.property(there, ({ reserves, terms, amount }) => {
    const state = poolState(reserves, terms);
    const first = state.quote(0, amount);
    if (!first) return;
    assert.ok(first.paid <= amount && first.fee <= first.paid && first.received < reserves[1]);
    const after = poolState([reserves[0] + first.paid, reserves[1] - first.received], terms);
    const back = after.quote(1, first.received);
    assert.ok(!back || back.received <= first.paid);
  });
  fc.assert(property, { numRuns: 500, seed: 12 });
});

test('an estimate is near what the venue does, so that routes are ranked right', () => {
  const trade = fc.record({ reserves: fc.tuple(reserve, reserve), terms: fc.nat(3), amount: sized(60) });
  const property = fc.property(trade, ({ reserves, terms, amount }) => {
    const state = poolState(reserves, terms);
    const received = state.quote(0, amount)?.received;
    if (received === undefined || received < 10n ** 6n || amount < 10n ** 6n) return;
    const estimate = state.estimateOut(0, Number(amount));
    assert.ok(Math.abs(estimate / Number(received) - 1) < 1e-4, `${estimate} for ${received}`);
    const input = state.estimateIn(0, estimate);
    assert.ok(Math.abs(input / Number(amount) - 1) < 1e-3, `${input} for ${amount}`);
  });
  fc.assert(property, { numRuns: 500, seed: 13 });
});
