// Trades of a migrated launch at the ends of what its pool can hold, and of the prices that it has.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { standInVm } from './bonding-curve-testing.js';
import { type Moving, migrated } from './damm-v2-testing.js';
import { claimDammV2Fee, DAMM_V2_PROGRAM, type DammV2SwapMode, dammV2Swap, removeDammV2Liquidity } from './index.js';
import { newAddress, type Outcome, succeeded, type TestVm, u64, withAccounts } from './test-vm.js';

const START = 1_800_000_000n;
const MOST = 2n ** 64n - 1n;
const [BUY, SELL] = [true, false];
/** Of a pool: places of its liquidity, its prices, its opening, what it holds, and what it counts of fees. */
const [LIQUIDITY_AT, LEAST_PRICE_AT, MOST_PRICE_AT, PRICE_AT, OPENING_AT] = [360, 424, 440, 456, 472];
const [BASE_AT, QUOTE_AT, PROTOCOL_FEE_AT, ALL_PROTOCOL_FEE_AT] = [680, 688, 400, 608];
const POSITION_UNLOCKED_AT = 152;
/** Of the event of a trade: what could not be traded. */
const LEFT_AT = 16 + 32 + 3 + 16 + 1 + 16;
const [NOT_WRITABLE, NOT_MUTABLE, WRONG_OWNER, NO_ACCOUNT] = [2000, 3006, 3007, 3012];
const [MATH_OVERFLOW, EXCEEDED_SLIPPAGE, NOT_OPEN, NOTHING, PRICE_RANGE] = [6000, 6002, 6003, 6006, 6015];

const u128 = (value: bigint) => Buffer.concat([u64(value & MOST), u64(value >> 64n)]);
const up = (value: bigint, by: bigint) => (value + by - 1n) / by;
/** One per cent, rounded up. */
const feeOf = (amount: bigint) => up(amount, 100n);

function refused({ failure, logs }: Outcome, error: number, what = ''): void {
  const reason = `custom program error: 0x${error.toString(16)}`;
  assert.deepEqual(failure, { program: DAMM_V2_PROGRAM, reason }, `${what} ${logs.join('\n')}`);
}

interface Trading {
  vm: TestVm;
  moved: Moving;
  order: (isBuy: boolean, mode: DammV2SwapMode, amount: bigint, limit?: bigint) => ReturnType<typeof dammV2Swap>;
  trade: (isBuy: boolean, mode: DammV2SwapMode, amount: bigint, limit?: bigint) => Outcome;
  set: (values: Record<number, Buffer>) => void;
  get: (at: number) => bigint;
}

function open(): Trading {
  const vm = standInVm();
  vm.setTime(START);
  const moved = migrated(vm, { isLpLocked: false });
  const { damm, trader, base, quote } = moved;
  const order: Trading['order'] = (isBuy, mode, amount, limit = mode === 'exactOut' ? MOST : 0n) => {
    const [inputAccount, outputAccount] = isBuy ? [quote, base] : [base, quote];
    return dammV2Swap({ pool: damm, trader, inputAccount, outputAccount, mode, amount, limit });
  };
  return {
    vm,
    moved,
    order,
    trade: (...terms) => vm.run(order(...terms)),
    set: (values) => {
      for (const [at, bytes] of Object.entries(values)) vm.patch(damm.pool, Number(at), bytes);
    },
    get: (at) => {
      const data = vm.data(damm.pool);
      return data.readBigUInt64LE(at) | (data.readBigUInt64LE(at + 8) << 64n);
    },
  };
}

/** What a trade says that it could not take. */
function leftOf(outcome: Outcome): bigint {
  const events = succeeded(outcome)
    .calls()
    .filter(({ program }) => program === DAMM_V2_PROGRAM);
  return Buffer.from(events.at(-1)!.data).readBigUInt64LE(LEFT_AT);
}

test('a purchase ends at the pool’s highest price: whole, in part, or not at all', () => {
  const range = () => {
    const trading = open();
    const [liquidity, price] = [trading.get(LIQUIDITY_AT), trading.get(PRICE_AT)];
    const most = price + price / 1_000n + 1n;
    trading.set({ [MOST_PRICE_AT]: u128(most) });
    const [quote, rest] = [up(liquidity * (most - price), 2n ** 128n), (liquidity * (most - price)) % 2n ** 128n];
    assert.notEqual(rest, 0n);
    const base = (liquidity * (most - price)) / (price * most);
    return { ...trading, most, needed: quote, gets: base };
  };
  for (const extra of [0n, 1_000_000n]) {
    const { vm, moved, trade, get, most, needed, gets } = range();
    const amount = up((needed + extra) * 100n, 99n);
    const before = [vm.amount(moved.quote), vm.amount(moved.base)] as const;
    if (extra !== 0n) refused(trade(BUY, 'exactIn', amount), PRICE_RANGE);
    const left = leftOf(trade(BUY, 'partialFill', amount));
    assert.equal(left, amount - feeOf(amount) - needed);
    assert.equal(get(PRICE_AT), most);
    assert.equal(before[0] - vm.amount(moved.quote), up(needed * 100n, 99n));
    assert.equal(vm.amount(moved.base) - before[1], gets);
  }
  const { trade, get, most, needed } = range();
  assert.equal(leftOf(trade(BUY, 'partialFill', needed / 2n)), 0n);
  assert.ok(get(PRICE_AT) < most);
});

test('a sale ends at the pool’s lowest price: whole, in part, or not at all', () => {
  const { vm, moved, trade, set, get } = open();
  const [liquidity, price] = [get(LIQUIDITY_AT), get(PRICE_AT)];
  const least = price - price / 1_000n - 1n;
  set({ [LEAST_PRICE_AT]: u128(least) });
  const needed = up(liquidity * (price - least), least * price);
  const out = (liquidity * (price - least)) >> 128n;
  refused(trade(SELL, 'exactIn', needed + 1_000_000_000n), PRICE_RANGE);
  refused(trade(SELL, 'exactOut', out), PRICE_RANGE);
  const before = [vm.amount(moved.quote), vm.amount(moved.base)] as const;
  assert.equal(leftOf(trade(SELL, 'partialFill', needed + 1_000_000_000n)), 1_000_000_000n);
  assert.equal(get(PRICE_AT), least);
  assert.equal(before[1] - vm.amount(moved.base), needed);
  assert.equal(vm.amount(moved.quote) - before[0], out - feeOf(out));
});

test('a pool at an end of its prices still trades away from it', () => {
  const { trade, set, get } = open();
  set({ [LEAST_PRICE_AT]: u128(get(PRICE_AT)) });
  succeeded(trade(BUY, 'exactIn', 1_000_000n));
  set({ [LEAST_PRICE_AT]: u128(1n), [MOST_PRICE_AT]: u128(get(PRICE_AT)) });
  succeeded(trade(SELL, 'exactIn', 1_000_000n));
});

test('a purchase of an exact amount costs all of the limit, and not a unit more', () => {
  const first = open();
  const had = first.vm.amount(first.moved.quote);
  succeeded(first.trade(BUY, 'exactOut', 123_456_789n));
  const cost = had - first.vm.amount(first.moved.quote);
  const { vm, moved, trade } = open();
  refused(trade(BUY, 'exactOut', 123_456_789n, cost - 1n), EXCEEDED_SLIPPAGE);
  succeeded(trade(BUY, 'exactOut', 123_456_789n, cost));
  assert.equal(had - vm.amount(moved.quote), cost);
});

test('a pool counts nothing that it cannot hold, and pays nothing that it has not counted', () => {
  for (const [what, at, value, isBuy] of [
    ['quote', QUOTE_AT, MOST, BUY],
    ['base', BASE_AT, 0n, BUY],
    ['base', BASE_AT, MOST, SELL],
    ['quote', QUOTE_AT, 0n, SELL],
    ['fees of the protocol', PROTOCOL_FEE_AT, MOST, BUY],
    ['all fees of the protocol', ALL_PROTOCOL_FEE_AT, MOST, BUY],
  ] as const) {
    const { trade, set } = open();
    set({ [at]: u64(value) });
    refused(trade(isBuy, 'exactIn', 1_000_000_000n), MATH_OVERFLOW, `${what} ${isBuy ? 'bought' : 'sold'}`);
  }
});

test('a sale pays up to 64 bits of quote, and not a unit more', () => {
  for (const out of [MOST, MOST + 1n]) {
    const { vm, moved, trade, set } = open();
    const price = 2n ** 95n;
    const prices = { [PRICE_AT]: u128(price), [LEAST_PRICE_AT]: u128(price - 2n * out) };
    set({ ...prices, [LIQUIDITY_AT]: u128(2n ** 127n), [QUOTE_AT]: u64(MOST) });
    vm.setAmount(moved.damm.quoteVault, MOST);
    vm.setAmount(moved.quote, 0n);
    const outcome = trade(SELL, 'partialFill', 1_000n);
    if (out > MOST) refused(outcome, MATH_OVERFLOW);
    else assert.equal(vm.amount(moved.quote), out - feeOf(out), succeeded(outcome).logs.join('\n'));
  }
});

test('a sale for an exact amount takes up to 64 bits of base, and not a unit more', () => {
  for (const [price, liquidity, paid] of [
    [2n ** 33n, 2n ** 97n, MOST + 1n],
    [8_589_934_593n, 158_456_325_010_081_931_109_083_381_760n, MOST],
  ] as const) {
    const { vm, moved, trade, set } = open();
    set({ [PRICE_AT]: u128(price), [LEAST_PRICE_AT]: u128(1n), [LIQUIDITY_AT]: u128(liquidity), [BASE_AT]: u64(0n) });
    vm.setAmount(moved.damm.baseVault, 0n);
    vm.setAmount(moved.base, MOST);
    const outcome = trade(SELL, 'exactOut', 1n);
    if (paid > MOST) refused(outcome, MATH_OVERFLOW);
    else assert.equal(vm.amount(moved.base), MOST - paid, succeeded(outcome).logs.join('\n'));
  }
});

test('attack: a stranger on the chain buys more than the liquidity has, out of a vault that has it: refused', () => {
  const { vm, moved, trade, set, get } = open();
  const amount = get(LIQUIDITY_AT) / get(PRICE_AT) + 1n;
  set({ [BASE_AT]: u64(MOST) });
  vm.setAmount(moved.damm.baseVault, 2n * amount);
  refused(trade(BUY, 'exactOut', amount), MATH_OVERFLOW);
});

test('nobody trades with a pool before it opens', () => {
  const { vm, trade, set } = open();
  set({ [OPENING_AT]: u64(START + 1n) });
  refused(trade(BUY, 'exactIn', 1_000_000n), NOT_OPEN);
  vm.setTime(START + 1n);
  succeeded(trade(BUY, 'exactIn', 1_000_000n));
});

test('attack: a stranger on the chain trades with accounts that are no tokens, or may not change: refused', () => {
  const { vm, order } = open();
  const swap = order(BUY, 'exactIn', 1_000_000n);
  for (const place of [2, 3]) {
    refused(vm.run(withAccounts(swap, { [place]: newAddress() })), NO_ACCOUNT, `nothing in place ${place}`);
    refused(vm.run(withAccounts(swap, { [place]: vm.payer })), WRONG_OWNER, `a wallet in place ${place}`);
  }
  for (const place of [1, 2, 3, 4, 5]) {
    const accounts = swap.accounts.map((meta, i) => (i === place ? { ...meta, writable: false } : meta));
    refused(vm.run({ ...swap, accounts }), NOT_MUTABLE, `${place} read only`);
  }
  succeeded(vm.run(swap));
});

test('what a position pays out needs accounts that may change', () => {
  const { vm, moved, trade } = open();
  succeeded(trade(BUY, 'exactIn', 1_000_000_000n));
  const { damm: pool, position, trader: owner, base: baseAccount, quote: quoteAccount } = moved;
  const claim = claimDammV2Fee({ pool, position, owner, baseAccount, quoteAccount });
  for (const place of [2, 3, 4, 5, 6]) {
    const accounts = claim.accounts.map((meta, i) => (i === place ? { ...meta, writable: false } : meta));
    refused(vm.run({ ...claim, accounts }), NOT_WRITABLE, `${place} read only`);
  }
  succeeded(vm.run(claim));
});

test('liquidity that is worth a unit of one token alone can be taken out, and none that is worth nothing', () => {
  for (const [price, pays] of [
    [undefined, 'base'],
    [2n ** 70n, 'quote'],
  ] as const) {
    const { vm, moved, set, get } = open();
    if (price) set({ [PRICE_AT]: u128(price) });
    const at = get(PRICE_AT);
    const liquidity = pays === 'base' ? at + at / 2n : up(2n ** 128n, at) + 2n ** 57n;
    vm.patch(moved.position.position, POSITION_UNLOCKED_AT, u128(2n * liquidity));
    const { damm: pool, position, trader: owner, base: baseAccount, quote: quoteAccount } = moved;
    const change = { pool, position, owner, baseAccount, quoteAccount, leastBase: 0n, leastQuote: 0n };
    refused(vm.run(removeDammV2Liquidity({ ...change, liquidity: 1n })), NOTHING);
    const before = [vm.amount(baseAccount), vm.amount(quoteAccount)] as const;
    succeeded(vm.run(removeDammV2Liquidity({ ...change, liquidity })));
    const paid = [vm.amount(baseAccount) - before[0], vm.amount(quoteAccount) - before[1]];
    assert.deepEqual(paid, pays === 'base' ? [1n, 0n] : [0n, 1n]);
  }
});
