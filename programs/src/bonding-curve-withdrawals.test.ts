import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Address,
  addressToBytes,
  associatedTokenAddress,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
} from '@slipway/wire';
import { INDIE, launch, standInVm } from './bonding-curve-testing.js';
import { assertNeedsWritable, assertRefuses, refusedBy } from './bonding-curve-trades-testing.js';
import { transferCreator, withdrawLeftover, withdrawSurplus } from './bonding-curve-withdrawals-testing.js';
import { type Moving, migrated, sellOut } from './damm-v2-testing.js';
import { claimCreatorFee, curveSwap, decodeBondingCurveConfig, decodeBondingCurvePool } from './index.js';
import { newAddress, succeeded, type TestVm, u64 } from './test-vm.js';

const EVERYTHING = 2n ** 63n;
/** Of a configuration: the mint, whom fees and leftover go to. */
const [QUOTE_MINT_AT, PEOPLE_END] = [8, 104];
const QUOTE_RESERVE_AT = 240;
const CREATOR_PERCENTAGE_AT = 245;
const FIXED_SUPPLY_AT = 244;
const PROGRESS_AT = 308;
const LEFTOVER_IS_TAKEN_AT = 309;
const MIGRATION_FEE_AT = 384;
const FEES_IN_BASE_AT = [248, 264, 352];

/** A launch that has migrated, and the account of who gets its leftover. */
function openMigrated() {
  const vm = standInVm();
  const moved = migrated(vm, { isLpLocked: false });
  const { pool, operator } = moved;
  const address = associatedTokenAddress(operator, pool.baseMint);
  const account = vm.tokenAccount({ address, mint: pool.baseMint, owner: operator });
  return { vm, moved, pool, account, leftover: withdrawLeftover({ pool, receiver: operator, account }) };
}

/** A launch that is sold out, of which more was paid than it needs, and accounts for that. */
function openSurplus(surplus: bigint, percentage: number) {
  const vm = standInVm();
  const moving = sellOut(vm);
  const { pool, operator } = moving;
  const paid = decodeBondingCurvePool(vm.data(pool.pool))!.quoteReserve + surplus;
  vm.patch(pool.pool, QUOTE_RESERVE_AT, u64(paid));
  vm.setAmount(pool.quoteVault, vm.amount(pool.quoteVault) + surplus);
  vm.patch(pool.config, CREATOR_PERCENTAGE_AT, Uint8Array.of(percentage));
  const ask = (who: 'creator' | 'operator') => {
    const receiver = who === 'creator' ? vm.payer : operator;
    const account = vm.tokenAccount({ mint: pool.quoteMint, owner: receiver });
    return { account, instruction: withdrawSurplus(who, { pool, receiver, account }) };
  };
  return { vm, moving, pool, ask };
}

test('what was neither sold nor migrated goes to whom the terms name, once, whoever sends it', () => {
  const { vm, moved, pool, account, leftover } = openMigrated();
  const sent = 1_000_000n;
  vm.setAmount(pool.baseVault, vm.amount(pool.baseVault) + sent);
  const there = vm.amount(pool.baseVault);
  // The protocol's part of what migrated stays.
  const stays = vm.data(pool.pool).readBigUInt64LE(MIGRATION_FEE_AT);
  for (const at of FEES_IN_BASE_AT) vm.patch(pool.pool, at, u64(7n));
  const { computeUnits: units, calls } = succeeded(vm.run(leftover));
  assert.equal(vm.amount(account), there - stays - 21n);
  assert.equal(vm.amount(pool.baseVault), stays + 21n);
  refusedBy(vm.run(leftover), 6026);
  assert.equal(vm.data(pool.pool)[LEFTOVER_IS_TAKEN_AT], 1);
  const told = [addressToBytes(pool.pool), addressToBytes(moved.operator), u64(there - stays - 21n)];
  assert.deepEqual(calls().at(-1)!.data.subarray(16), Uint8Array.from(Buffer.concat(told)));
  assert.ok(units < 20_000, String(units));
});

test('a leftover waits for the migration, is none where the supply may change, and never takes what others are owed', () => {
  const { vm, pool, leftover } = openMigrated();
  for (const progress of [0, 1, 2]) {
    vm.patch(pool.pool, PROGRESS_AT, Uint8Array.of(progress));
    refusedBy(vm.run(leftover), 6022);
  }
  vm.patch(pool.pool, PROGRESS_AT, Uint8Array.of(3));
  vm.patch(pool.config, FIXED_SUPPLY_AT, Uint8Array.of(0));
  refusedBy(vm.run(leftover), 6022);
  vm.patch(pool.config, FIXED_SUPPLY_AT, Uint8Array.of(1));
  const stays = vm.data(pool.pool).readBigUInt64LE(MIGRATION_FEE_AT);
  vm.setAmount(pool.baseVault, stays - 1n);
  refusedBy(vm.run(leftover), 6000);
  vm.setAmount(pool.baseVault, stays);
  succeeded(vm.run(leftover));
  assert.equal(vm.amount(pool.baseVault), stays);
});

for (const [surplus, percentage] of [
  [0n, 50],
  [1n, 50],
  [999n, 0],
  [1_000_003n, 30],
  [123_456_789n, 100],
] as const) {
  test(`four fifths of a surplus of ${surplus} are paid, ${percentage} % of them to the creator`, () => {
    const { vm, pool, ask } = openSurplus(surplus, percentage);
    const both = (surplus * 4n) / 5n;
    const creators = (both * BigInt(percentage)) / 100n;
    for (const [who, amount] of [
      ['creator', creators],
      ['operator', both - creators],
    ] as const) {
      const { account, instruction } = ask(who);
      const before = vm.amount(pool.quoteVault);
      succeeded(vm.run(instruction));
      assert.equal(vm.amount(account), amount, who);
      assert.equal(before - vm.amount(pool.quoteVault), amount, who);
      refusedBy(vm.run(instruction), 6025);
    }
  });
}

test('there is a surplus only when the curve is sold out', () => {
  const { vm, pool, ask } = openSurplus(0n, 50);
  const { migrationQuoteThreshold } = decodeBondingCurveConfig(vm.data(pool.config))!;
  vm.patch(pool.pool, QUOTE_RESERVE_AT, u64(migrationQuoteThreshold - 1n));
  for (const who of ['creator', 'operator'] as const) refusedBy(vm.run(ask(who).instruction), 6022);
});

test('a pool’s creator can hand it on, and the next one gets the fees from then on', () => {
  const vm = standInVm();
  const { pool, outcome } = launch(vm, vm.mint({ decimals: 6, supply: EVERYTHING }), INDIE);
  succeeded(outcome);
  const next = vm.put(newAddress(), new Uint8Array(0), SYSTEM_PROGRAM, 10n ** 9n);
  refusedBy(vm.run(transferCreator(pool, vm.payer, vm.payer)), 6036);
  refusedBy(vm.run(transferCreator(pool, next, newAddress())), 6053);
  succeeded(vm.run(transferCreator(pool, vm.payer, next)));
  assert.equal(decodeBondingCurvePool(vm.data(pool.pool))!.creator, next);
  const [inputAccount, outputAccount] = [pool.quoteMint, pool.baseMint].map((mint) =>
    vm.tokenAccount({ mint, owner: vm.payer, amount: mint === pool.quoteMint ? 10n ** 12n : 0n }),
  ) as [Address, Address];
  const swap = { pool, trader: vm.payer, inputAccount, outputAccount, amountIn: 10n ** 9n, leastOut: 0n };
  succeeded(vm.run(curveSwap({ ...swap, partial: false })));
  const fee = decodeBondingCurvePool(vm.data(pool.pool))!.creatorQuoteFee;
  assert.ok(fee > 0n);
  const accounts = (owner: Address) => ({
    baseAccount: vm.tokenAccount({ mint: pool.baseMint, owner }),
    quoteAccount: vm.tokenAccount({ mint: pool.quoteMint, owner }),
  });
  const amounts = { pool, maxBase: 0n, maxQuote: EVERYTHING };
  refusedBy(vm.run(claimCreatorFee({ ...amounts, ...accounts(vm.payer), creator: vm.payer })), 6053);
  const claimed = accounts(next);
  succeeded(vm.run(claimCreatorFee({ ...amounts, ...claimed, creator: next })));
  assert.equal(vm.amount(claimed.quoteAccount), fee);
});

test('a pool is not handed on between its last sale and its migration', () => {
  const { vm, pool } = openMigrated();
  for (const [progress, error] of [
    [0, undefined],
    [1, 6022],
    [2, 6022],
    [3, undefined],
  ] as const) {
    vm.patch(pool.pool, PROGRESS_AT, Uint8Array.of(progress));
    const next = newAddress();
    const outcome = vm.run(transferCreator(pool, vm.payer, next));
    if (error) refusedBy(outcome, error);
    else succeeded(outcome);
    if (!error) succeeded(vm.run(transferCreator(pool, next, vm.payer)));
  }
});

const others = (vm: TestVm, { pool, operator }: Moving) => {
  const other = sellOut(vm).pool;
  const elsewhere = vm.tokenAccount({ mint: pool.baseMint, owner: operator });
  return { other, elsewhere, stranger: newAddress() };
};

test('attack: a stranger on the chain takes a launch’s leftover to another account, or of another pool: refused', () => {
  const { vm, moved, pool, leftover } = openMigrated();
  const { other, elsewhere, stranger } = others(vm, moved);
  const own = vm.tokenAccount({ mint: pool.baseMint, owner: vm.payer });
  assertRefuses(vm, leftover, [
    [0, stranger, 2012],
    [1, other.config, 2001],
    [1, other.pool, 3002],
    [2, other.pool, 2001],
    [2, other.config, 3002],
    [3, elsewhere, 2009],
    [3, own, 2015],
    [4, other.baseVault, 2001],
    [4, pool.quoteVault, 2001],
    [5, other.baseMint, 2001],
    [6, vm.payer, 2001],
    [7, TOKEN_2022_PROGRAM, 2023],
    [7, SYSTEM_PROGRAM, 3008],
    [8, stranger, 2006],
  ]);
  // Of another launch with the same operator.
  vm.patch(other.config, QUOTE_MINT_AT, vm.data(pool.config).subarray(QUOTE_MINT_AT, PEOPLE_END));
  assertRefuses(vm, leftover, [[1, other.config, 2001]]);
  assertNeedsWritable(vm, leftover, [2, 3, 4]);
  refusedBy(vm.run({ ...leftover, accounts: leftover.accounts.slice(0, 9) }), 3005);
});

test('attack: a stranger on the chain takes the creator’s or the operator’s part of a surplus, or of another pool: refused', () => {
  for (const who of ['creator', 'operator'] as const) {
    const { vm, moving, pool, ask } = openSurplus(1_000n, 50);
    const { other, stranger } = others(vm, moving);
    const { instruction } = ask(who);
    assertRefuses(vm, instruction, [
      [0, stranger, 2012],
      [1, other.config, 2001],
      [2, other.pool, 2001],
      [4, other.quoteVault, 2001],
      [4, pool.baseVault, 2001],
      [5, other.quoteMint, 2001],
      [6, stranger, 6053],
      [7, TOKEN_2022_PROGRAM, 2021],
      [8, stranger, 2006],
    ]);
    const unsigned = instruction.accounts.map((meta, i) =>
      i === 6 ? { ...meta, address: stranger, signer: false } : meta,
    );
    refusedBy(vm.run({ ...instruction, accounts: unsigned }), 3010);
    vm.patch(other.config, QUOTE_MINT_AT, vm.data(pool.config).subarray(QUOTE_MINT_AT, PEOPLE_END));
    assertRefuses(vm, instruction, [[1, other.config, 2001]]);
    assertNeedsWritable(vm, instruction, [2, 3, 4]);
    refusedBy(vm.run({ ...instruction, accounts: instruction.accounts.slice(0, 9) }), 3005);
  }
});

test('attack: a stranger on the chain makes himself the creator of a pool: refused', () => {
  const { vm, pool } = openMigrated();
  const other = sellOut(vm).pool;
  const thief = newAddress();
  const transfer = transferCreator(pool, thief, newAddress());
  refusedBy(vm.run(transfer), 6053);
  const unsigned = transferCreator(pool, vm.payer, thief);
  const place = unsigned.accounts.map((meta, i) => (i === 2 ? { ...meta, address: thief, signer: false } : meta));
  refusedBy(vm.run({ ...unsigned, accounts: place }), 3010);
  assertRefuses(vm, unsigned, [
    [0, other.pool, 2001],
    [0, pool.config, 3002],
    [1, other.config, 2001],
    [4, thief, 2006],
  ]);
  assertNeedsWritable(vm, unsigned, [0]);
  refusedBy(vm.run({ ...unsigned, accounts: unsigned.accounts.slice(0, 5) }), 3005);
  assert.equal(decodeBondingCurvePool(vm.data(pool.pool))!.creator, vm.payer);
});
