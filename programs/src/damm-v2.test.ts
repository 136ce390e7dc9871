import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { standInVm } from './bonding-curve-testing.js';
import { type Moving, migrated } from './damm-v2-testing.js';
import {
  claimDammV2Fee,
  DAMM_V2_PROGRAM,
  type DammV2PositionState,
  type DammV2Swap,
  dammV2Swap,
  decodeDammV2Position,
  LEAST_SQRT_PRICE,
  MOST_SQRT_PRICE,
  refreshDammV2Vesting,
  removeDammV2Liquidity,
} from './index.js';
import { failedWith, randomNumbers, succeeded, type TestVm, u64 } from './test-vm.js';

const START = 1_800_000_000n;
const YEAR = 31_536_000n;
const RICH = 2n ** 60n;
/** Of a position: liquidity that is free, and that is locked for good. */
const [UNLOCKED_AT, LOCKED_AT] = [152, 184];
const NOT_ENOUGH_LIQUIDITY = 'custom program error: 0x1787';

function open(choices: Parameters<typeof migrated>[1] = {}): { vm: TestVm; moved: Moving } {
  const vm = standInVm();
  vm.setTime(START);
  return { vm, moved: migrated(vm, choices) };
}

function positionOf(vm: TestVm, { position }: Moving): DammV2PositionState {
  const state = decodeDammV2Position(vm.data(position.position));
  assert.ok(state);
  return state;
}

function buy(vm: TestVm, moved: Moving, terms: Partial<DammV2Swap> = {}): bigint {
  const { damm: pool, trader, base, quote } = moved;
  const before = vm.amount(base);
  const swap = { pool, trader, inputAccount: quote, outputAccount: base, limit: 0n };
  succeeded(vm.run(dammV2Swap({ ...swap, mode: 'exactIn', amount: 1_000_000_000n, ...terms })));
  return vm.amount(base) - before;
}

const changeOf = ({ damm: pool, position, trader, base: baseAccount, quote: quoteAccount }: Moving) => {
  return { pool, position, owner: trader, baseAccount, quoteAccount };
};

describe('liquidity of a migrated launch', () => {
  it('is locked half for good and half for a year', () => {
    const { vm, moved } = open({ isLpLocked: true });
    const state = positionOf(vm, moved);
    assert.equal(state.unlockedLiquidity, 0n);
    assert.equal(state.vestingEnd, START + YEAR);
    assert.ok(state.vestedLiquidity > 0n && state.permanentlyLockedLiquidity - state.vestedLiquidity <= 1n);
    const half = state.vestedLiquidity;
    const removal = removeDammV2Liquidity({ ...changeOf(moved), liquidity: half, leastBase: 0n, leastQuote: 0n });

    vm.setTime(START + YEAR - 1n);
    succeeded(vm.run(refreshDammV2Vesting(moved.damm.pool, moved.position, moved.trader)));
    assert.deepEqual(positionOf(vm, moved), state, 'a second is missing');
    failedWith(vm.run(removal), NOT_ENOUGH_LIQUIDITY, DAMM_V2_PROGRAM);

    vm.setTime(START + YEAR);
    succeeded(vm.run(refreshDammV2Vesting(moved.damm.pool, moved.position, moved.trader)));
    assert.equal(positionOf(vm, moved).unlockedLiquidity, half);
    const vaults = [moved.damm.baseVault, moved.damm.quoteVault];
    const [inPool, before] = [vaults, [moved.base, moved.quote]].map((all) => all.map((account) => vm.amount(account)));
    succeeded(vm.run(removal));
    const got = [moved.base, moved.quote].map((account, i) => vm.amount(account) - before![i]!);
    for (const [i, amount] of got.entries()) {
      assert.equal(inPool![i]! - vm.amount(vaults[i]!), amount);
      // Half of it, rounded in favor of who stays.
      assert.ok(amount <= inPool![i]! / 2n && inPool![i]! - 2n * amount <= 3n, `${amount} of ${inPool![i]}`);
    }
    failedWith(vm.run(removal), NOT_ENOUGH_LIQUIDITY, DAMM_V2_PROGRAM);
    assert.ok(buy(vm, moved) > 0n, 'the rest trades on');
  });

  it('is free but for the tenth that the launch program demands', () => {
    const { vm, moved } = open({ isLpLocked: false });
    const { unlockedLiquidity, vestedLiquidity, permanentlyLockedLiquidity } = positionOf(vm, moved);
    assert.equal(vestedLiquidity, 0n);
    const all = unlockedLiquidity + permanentlyLockedLiquidity;
    assert.equal(permanentlyLockedLiquidity, all / 10n);
    const change = { ...changeOf(moved), leastBase: 0n, leastQuote: 0n };
    failedWith(
      vm.run(removeDammV2Liquidity({ ...change, liquidity: unlockedLiquidity + 1n })),
      NOT_ENOUGH_LIQUIDITY,
      DAMM_V2_PROGRAM,
    );
    succeeded(vm.run(removeDammV2Liquidity({ ...change, liquidity: unlockedLiquidity })));
  });

  it('can all be taken out where nothing is locked for good, and nobody trades with what is empty', () => {
    const { vm, moved } = open({ isLpLocked: false });
    const { unlockedLiquidity, permanentlyLockedLiquidity } = positionOf(vm, moved);
    const all = unlockedLiquidity + permanentlyLockedLiquidity;
    vm.patch(moved.position.position, UNLOCKED_AT, Buffer.concat([u64(all % 2n ** 64n), u64(all >> 64n)]));
    vm.patch(moved.position.position, LOCKED_AT, Buffer.alloc(16));
    const removal = { ...changeOf(moved), liquidity: all, leastBase: 0n, leastQuote: 0n };
    succeeded(vm.run(removeDammV2Liquidity(removal)));
    const { damm: pool, trader, base, quote } = moved;
    for (const mode of ['exactIn', 'partialFill', 'exactOut'] as const) {
      for (const [inputAccount, outputAccount] of [
        [quote, base],
        [base, quote],
      ] as const) {
        const limit = mode === 'exactOut' ? RICH : 0n;
        const swap = dammV2Swap({ pool, trader, inputAccount, outputAccount, amount: 1_000n, limit, mode });
        failedWith(vm.run(swap), 'custom program error: 0x1770', DAMM_V2_PROGRAM);
      }
    }
  });

  it('comes out for at least what was asked of each token, to the unit', () => {
    const { vm, moved } = open({ isLpLocked: false });
    const { unlockedLiquidity } = positionOf(vm, moved);
    const liquidity = unlockedLiquidity / 7n;
    const { base, quote } = moved;
    const [, inBase, inQuote] = owedBy(vm.data(moved.damm.pool), liquidity);
    for (const [leastBase, leastQuote] of [
      [inBase + 1n, inQuote],
      [inBase, inQuote + 1n],
    ] as const) {
      const removal = removeDammV2Liquidity({ ...changeOf(moved), liquidity, leastBase, leastQuote });
      failedWith(vm.run(removal), 'custom program error: 0x1772', DAMM_V2_PROGRAM);
    }
    const before = [vm.amount(base), vm.amount(quote)] as const;
    const exactly = { liquidity, leastBase: inBase, leastQuote: inQuote };
    succeeded(vm.run(removeDammV2Liquidity({ ...changeOf(moved), ...exactly })));
    assert.deepEqual([vm.amount(base) - before[0], vm.amount(quote) - before[1]], [inBase, inQuote]);
  });
});

for (const feeBps of [100, 200] as const) {
  test(`a trade of a migrated launch pays ${feeBps} basis points, four fifths of them to the holder of the position`, () => {
    const { vm, moved } = open({ feeBps });
    buy(vm, moved, { amount: 1_000_000_000n });
    const before = vm.amount(moved.quote);
    succeeded(vm.run(claimDammV2Fee(changeOf(moved))));
    const fee = (1_000_000_000n * BigInt(feeBps)) / 10_000n;
    const claimed = vm.amount(moved.quote) - before;
    // Counted for each unit of liquidity, which rounds down.
    assert.ok(claimed <= (fee * 4n) / 5n && claimed >= (fee * 4n) / 5n - 1n, String(claimed));
  });
}

describe('what a pool counts of fees for each unit of liquidity', () => {
  const LIQUIDITY = 2n ** 100n;
  const TOO_MUCH = 'custom program error: 0x1770';
  const bytesOf = (value: bigint, length: number) =>
    Uint8Array.from({ length }, (_, i) => Number((value >> BigInt(8 * i)) & 255n));

  /** A position of that liquidity, in a pool that has counted `since` since the last time. */
  function counting(since: bigint, { liquidity = LIQUIDITY, pending = 0n } = {}) {
    const { vm, moved } = open({ isLpLocked: false });
    const before = 0x1122334455667788_99aabbccddeeff00_0123456789abcdef_fedcba9876543210n;
    vm.patch(moved.damm.pool, 520, bytesOf(before + since, 32));
    vm.patch(moved.position.position, 104, bytesOf(before, 32));
    vm.patch(moved.position.position, 144, bytesOf(pending, 8));
    vm.patch(moved.position.position, 152, bytesOf(liquidity, 16));
    vm.patch(moved.position.position, 168, new Uint8Array(32));
    return { vm, moved, count: bytesOf(before + since, 32) };
  }

  it('is remembered with all of its 256 bits, and pays what came since then', () => {
    const { vm, moved, count } = counting(1_000n * 2n ** 28n);
    const before = vm.amount(moved.quote);
    succeeded(vm.run(claimDammV2Fee(changeOf(moved))));
    assert.equal(vm.amount(moved.quote) - before, 1_000n);
    assert.deepEqual(Uint8Array.from(vm.data(moved.position.position).subarray(104, 136)), count);
  });

  for (const [what, since, position] of [
    ['of more than 128 bits', 2n ** 128n, {}],
    ['that earns more than 64 bits', 2n ** 127n, { liquidity: 2n ** 127n }],
    ['that earns more than fits beside what is pending', 1_000n * 2n ** 28n, { pending: 2n ** 64n - 1n }],
  ] as const) {
    it(`is refused with a difference ${what}`, () => {
      const { vm, moved } = counting(since, position);
      const change = { ...changeOf(moved), liquidity: 1_000n, leastBase: 0n, leastQuote: 0n };
      for (const instruction of [claimDammV2Fee(changeOf(moved)), removeDammV2Liquidity(change)])
        failedWith(vm.run(instruction), TOO_MUCH, DAMM_V2_PROGRAM);
    });
  }
});

/** What a pool's liquidity, or a part of it, is worth at its price: the least of both tokens that the pool must have. */
function owedBy(pool: Buffer, part?: bigint): [price: bigint, base: bigint, quote: bigint] {
  const number = (at: number) => pool.readBigUInt64LE(at) | (pool.readBigUInt64LE(at + 8) << 64n);
  const [liquidity, price] = [part ?? number(360), number(456)];
  const base = (liquidity * (MOST_SQRT_PRICE - price)) / (price * MOST_SQRT_PRICE);
  return [price, base, (liquidity * (price - LEAST_SQRT_PRICE)) >> 128n];
}

test('20,000 random steps of a migrated pool make and lose nothing, and never move the price the other way', () => {
  const { vm, moved } = open({ isLpLocked: false });
  const random = randomNumbers(20_261_123);
  const { damm, trader, base, quote } = moved;
  const sums = () => [vm.amount(base) + vm.amount(damm.baseVault), vm.amount(quote) + vm.amount(damm.quoteVault)];
  const all = sums();
  let [last] = owedBy(vm.data(damm.pool));
  let succeededSteps = 0;
  for (let step = 0; step < 20_000; step++) {
    const isClaim = random(50) === 0;
    const isBuy = random(2) === 0;
    const mode = (['exactIn', 'partialFill', 'exactOut'] as const)[random(3)]!;
    const whole = vm.amount((mode === 'exactOut') === isBuy ? damm.baseVault : damm.quoteVault);
    const amount = (whole * BigInt(1 + random(1_000_000))) / 10n ** BigInt(7 + random(6)) + 1n;
    const [inputAccount, outputAccount] = isBuy ? [quote, base] : [base, quote];
    const limit = mode === 'exactOut' ? 2n ** 63n : 0n;
    const swap = dammV2Swap({ pool: damm, trader, inputAccount, outputAccount, mode, amount, limit });
    const { failure } = vm.run(isClaim ? claimDammV2Fee(changeOf(moved)) : swap);
    if (!failure) succeededSteps++;
    assert.deepEqual(sums(), all, `step ${step}`);
    const pool = vm.data(damm.pool);
    const [price, owedBase, owedQuote] = owedBy(pool);
    const [hasBase, hasQuote] = [pool.readBigUInt64LE(680), pool.readBigUInt64LE(688)];
    assert.ok(hasBase >= owedBase && hasQuote >= owedQuote, `step ${step}: it has less than what it owes`);
    assert.ok(vm.amount(damm.baseVault) >= hasBase && vm.amount(damm.quoteVault) >= hasQuote, `step ${step}`);
    assert.ok(isClaim ? price === last : isBuy ? price >= last : price <= last, `step ${step}: the price`);
    last = price;
  }
  assert.ok(succeededSteps > 15_000, `only ${succeededSteps} steps succeeded`);
});
