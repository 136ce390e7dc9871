import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SYSTEM_PROGRAM } from '@slipway/wire';
import { initializeOrder } from './limit-order.js';
import { LIMIT_ORDER_PROGRAM } from './limit-order-addresses.js';
import { LIMIT_ORDER_SIZE } from './limit-order-state.js';
import {
  cancelOf,
  eventsOf,
  fillOf,
  holding,
  limitOrderVm,
  NORMAL_FEE_BPS,
  NOW,
  newOrder,
  ORDER_RENT,
  openOrder,
  reserveRent,
  STABLE_FEE_BPS,
  stateOf,
  type TokenKind,
  U64_MAX,
  wallet,
  watch,
  withoutZeros,
} from './limit-order-testing.js';
import { succeeded } from './test-vm.js';

const vm = limitOrderVm();

const KINDS: TokenKind[] = ['spl', 'token-2022', 'sol'];
const PAIRS = KINDS.flatMap((input) => KINDS.map((output) => [input, output] as const)).filter(
  ([input, output]) => input !== 'sol' || output !== 'sol',
);

for (const [input, output] of PAIRS) {
  test(`an order of ${input} for ${output} is opened, filled in two parts to the unit, and leaves nothing behind`, () => {
    const world = newOrder(vm, { input, output });
    const rent = ORDER_RENT + reserveRent(input);
    const [inSol, outSol] = [input, output].map((kind) => (kind === 'sol' ? 1n : 0n)) as [bigint, bigint];
    let moved = watch(world);
    succeeded(vm.run(initializeOrder(world.terms)));
    assert.deepEqual(
      moved(),
      withoutZeros({
        payer: -rent,
        order: ORDER_RENT,
        'reserve lamports': reserveRent(input) + inSol * 1_000_000n,
        'makerInput lamports': inSol * -1_000_000n,
        reserve: 1_000_000n,
        makerInput: -1_000_000n,
      }),
    );

    // 400,003 of 1,000,000 for 2,500,000 are 1,000,007.5: for the maker 1,000,008, on top 0.1 % of that.
    moved = watch(world);
    succeeded(vm.run(...fillOf(world, 400_003n)));
    assert.deepEqual(
      moved(),
      withoutZeros({
        'reserve lamports': inSol * -400_003n,
        'makerOutput lamports': outSol * 1_000_008n,
        'takerInput lamports': inSol * 400_003n,
        'takerOutput lamports': outSol * -1_001_008n,
        'feeAccount lamports': outSol * 1_000n,
        reserve: -400_003n,
        makerOutput: 1_000_008n,
        takerInput: 400_003n,
        takerOutput: -1_001_008n,
        feeAccount: 1_000n,
      }),
    );
    const { makingAmount, takingAmount, borrowMakingAmount, oriMakingAmount, oriTakingAmount } = stateOf(world)!;
    assert.deepEqual([makingAmount, takingAmount, borrowMakingAmount], [599_997n, 1_499_992n, 0n]);
    assert.deepEqual([oriMakingAmount, oriTakingAmount], [1_000_000n, 2_500_000n]);

    // 1,499,992.5, so 1,499,993; 0.1 % are 1,499.99, so 1,499.
    moved = watch(world);
    succeeded(vm.run(...fillOf(world, 599_997n)));
    assert.deepEqual(
      moved(),
      withoutZeros({
        maker: rent,
        order: -ORDER_RENT,
        'reserve lamports': -reserveRent(input) + inSol * -599_997n,
        'makerOutput lamports': outSol * 1_499_993n,
        'takerInput lamports': inSol * 599_997n,
        'takerOutput lamports': outSol * -1_501_492n,
        'feeAccount lamports': outSol * 1_499n,
        reserve: -599_997n,
        makerOutput: 1_499_993n,
        takerInput: 599_997n,
        takerOutput: -1_501_492n,
        feeAccount: 1_499n,
      }),
    );
    assert.deepEqual([vm.lamports(world.order), vm.data(world.order).length], [0n, 0]);
  });
}

for (const [from, to] of [
  ['account', 'account'],
  ['account', 'wallet'],
  ['wallet', 'account'],
  ['wallet', 'wallet'],
] as const) {
  test(`SOL is paid from the taker’s ${from} to the maker’s ${to}`, () => {
    const world = openOrder(vm, { output: 'sol' });
    const moved = watch(world);
    const payment = {
      ...(from === 'wallet' && { takerOutputMintAccount: undefined }),
      ...(to === 'wallet' && { makerOutputMintAccount: undefined }),
    };
    succeeded(vm.run(...fillOf(world, 400_000n, payment)));
    // To the maker's wallet only the taker's wallet can pay; the fee comes from the account, where there is one.
    const fromWallet = (from === 'wallet' || to === 'wallet' ? 1_000_000n : 0n) + (from === 'wallet' ? 1_000n : 0n);
    const fromAccount = 1_001_000n - fromWallet;
    assert.deepEqual(
      moved(),
      withoutZeros({
        reserve: -400_000n,
        takerInput: 400_000n,
        taker: -fromWallet,
        maker: to === 'wallet' ? 1_000_000n : 0n,
        'makerOutput lamports': to === 'account' ? 1_000_000n : 0n,
        makerOutput: to === 'account' ? 1_000_000n : 0n,
        'takerOutput lamports': -fromAccount,
        takerOutput: -fromAccount,
        'feeAccount lamports': 1_000n,
        feeAccount: 1_000n,
      }),
    );
  });
}

test('an order’s account says what was ordered', () => {
  for (const expiredAt of [undefined, NOW + 1n, 2n ** 63n - 1n]) {
    const terms = { uniqueId: U64_MAX - 5n, feeBps: 55, slippageBps: 77, ...(expiredAt && { expiredAt }) };
    const world = newOrder(vm, { output: 'token-2022', terms });
    vm.setTime(NOW - 3n);
    succeeded(vm.run(initializeOrder(world.terms)));
    vm.setTime(NOW);
    const { maker, order, reserve } = world;
    const { bump, ...state } = stateOf(world)!;
    assert.deepEqual(state, {
      maker,
      inputMint: world.terms.inputMint,
      outputMint: world.terms.outputMint,
      inputTokenProgram: world.terms.inputTokenProgram,
      outputTokenProgram: world.terms.outputTokenProgram,
      inputMintReserve: reserve,
      uniqueId: U64_MAX - 5n,
      oriMakingAmount: 1_000_000n,
      oriTakingAmount: 2_500_000n,
      makingAmount: 1_000_000n,
      takingAmount: 2_500_000n,
      borrowMakingAmount: 0n,
      expiredAt,
      feeBps: 55,
      feeAccount: world.feeAccount,
      createdAt: NOW - 3n,
      updatedAt: NOW - 3n,
      slippageBps: 77,
    });
    assert.deepEqual([vm.owner(order), vm.data(order).length], [LIMIT_ORDER_PROGRAM, LIMIT_ORDER_SIZE]);
    assert.ok(bump > 200);
  }
});

test('every step is told as an event', () => {
  for (const expiredAt of [undefined, NOW + 50n]) {
    const world = newOrder(vm, { output: 'token-2022', terms: { slippageBps: 5, ...(expiredAt && { expiredAt }) } });
    const { order: orderKey, maker, taker, terms } = world;
    const { inputMint, outputMint, inputTokenProgram, outputTokenProgram } = terms;
    assert.deepEqual(eventsOf(vm.run(initializeOrder(terms))), [
      {
        name: 'createOrderEvent',
        data: {
          orderKey,
          maker,
          inputMint,
          outputMint,
          inputTokenProgram,
          outputTokenProgram,
          makingAmount: 1_000_000n,
          takingAmount: 2_500_000n,
          expiredAt,
          feeBps: NORMAL_FEE_BPS,
          feeAccount: world.feeAccount,
          slippageBps: 5,
        },
      },
    ]);
    const trade = { orderKey, taker, makingAmount: 400_000n, takingAmount: 1_000_000n };
    assert.deepEqual(eventsOf(vm.run(...fillOf(world, 400_000n))), [
      { name: 'tradeEvent', data: { ...trade, remainingMakingAmount: 600_000n, remainingTakingAmount: 1_500_000n } },
    ]);
    assert.deepEqual(eventsOf(vm.run(cancelOf(world))), [{ name: 'cancelOrderEvent', data: { orderKey } }]);
  }
  const world = openOrder(vm);
  const all = { orderKey: world.order, taker: world.taker, makingAmount: 1_000_000n, takingAmount: 2_500_000n };
  assert.deepEqual(eventsOf(vm.run(...fillOf(world, 1_000_000n))), [
    { name: 'tradeEvent', data: { ...all, remainingMakingAmount: 0n, remainingTakingAmount: 0n } },
  ]);
});

test('the order’s fee is the one that it names, or the program’s, and goes to the referral where there is one', () => {
  for (const [feeBps, fee] of [
    [undefined, 2_500n],
    [STABLE_FEE_BPS, 750n],
    [255, 63_750n],
    [10_000, 2_500_000n],
  ] as const) {
    for (const withReferral of [false, true]) {
      const plain = newOrder(vm, { terms: feeBps === undefined ? {} : { feeBps } });
      const referral = holding(vm, plain.terms.outputMint, wallet(vm));
      const world = withReferral ? { ...plain, terms: { ...plain.terms, referral }, feeAccount: referral } : plain;
      succeeded(vm.run(initializeOrder(world.terms)));
      const moved = watch(world);
      succeeded(vm.run(...fillOf(world, 1_000_000n)));
      assert.equal(moved().feeAccount, fee);
      assert.equal(moved().makerOutput, 2_500_000n);
      assert.equal(moved().takerOutput, -2_500_000n - fee);
    }
  }
});

test('a fee of less than a unit is none, and then nobody looks at the account for it', () => {
  const world = openOrder(vm, { terms: { takingAmount: 999n } });
  vm.put(world.feeAccount, new Uint8Array(0), SYSTEM_PROGRAM, 0n);
  const moved = watch(world);
  succeeded(vm.run(...fillOf(world, 1_000_000n)));
  assert.equal(moved().takerOutput, -999n);
});

test('maker, payer and taker can be one', () => {
  const one = newOrder(vm);
  const { maker, terms } = one;
  const mine = { ...one, payer: maker, taker: maker, terms: { ...terms, payer: maker } };
  mine.takerInput = holding(vm, terms.inputMint, maker);
  mine.takerOutput = holding(vm, terms.outputMint, maker, 10_000_000n);
  const before = vm.lamports(maker);
  succeeded(vm.run(initializeOrder(mine.terms)));
  succeeded(vm.run(...fillOf(mine, 1_000_000n)));
  assert.equal(vm.amount(mine.takerInput), 1_000_000n);
  assert.equal(vm.amount(mine.makerOutput), 2_500_000n);
  assert.equal(vm.lamports(maker), before);
});
