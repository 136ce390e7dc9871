import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Address,
  addressFromBytes,
  addressToBytes,
  BPF_LOADER_UPGRADEABLE,
  type Instruction,
  rentExemptLamports,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '@slipway/wire';
import {
  type CancelDustOrder,
  cancelDustOrder,
  initializeOrder,
  updateLimitOrderFee,
  withdrawLimitOrderFee,
} from './limit-order.js';
import { LIMIT_ORDER_ADDRESSES, LIMIT_ORDER_PROGRAM, limitOrderAddresses } from './limit-order-addresses.js';
import { decodeLimitOrderFees } from './limit-order-state.js';
import {
  eventsOf,
  fillOf,
  holding,
  limitOrderVm,
  NORMAL_FEE_BPS,
  newOrder,
  ORDER_RENT,
  type OrderWorld,
  openOrder,
  refused,
  refuses,
  STABLE_FEE_BPS,
  stateOf,
  TOKEN_ACCOUNT_RENT,
  wallet,
  watch,
} from './limit-order-testing.js';
import { failedWith, newAddress, programUnderTest, succeeded, TestVm, withAccounts } from './test-vm.js';

const { fee: FEE, programData: PROGRAM_DATA } = LIMIT_ORDER_ADDRESSES;
const AUTHORITY_AT = 13;
const HAS_AUTHORITY_AT = 12;

const vm = limitOrderVm('all');
const admin = vm.payer;

const update = (normalFeeBps: number, stableFeeBps: number, by = admin) =>
  updateLimitOrderFee({ admin: by, normalFeeBps, stableFeeBps });

/** For all orders of these tests what is left of them is worth less than a dollar. */
function dustTerms({ maker, order, reserve, makerInput, terms }: OrderWorld): CancelDustOrder {
  const { inputMint, inputTokenProgram } = terms;
  const accounts = { maker, order, inputMintReserve: reserve, makerInputMintAccount: makerInput };
  return { signer: admin, ...accounts, inputMint, inputTokenProgram, oneUsdInputMintAmount: 1_000_001n };
}
const dustOf = (world: OrderWorld, changed: Partial<CancelDustOrder> = {}): Instruction =>
  cancelDustOrder({ ...dustTerms(world), ...changed });

const withdrawOf = ({ feeAccount, terms }: OrderWorld, destination: Address, by = admin) =>
  withdrawLimitOrderFee({
    admin: by,
    programFeeAccount: feeAccount,
    destinationTokenAccount: destination,
    tokenProgram: terms.outputTokenProgram,
    mint: terms.outputMint,
  });

test('nobody but the program’s upgrade authority sets fees, withdraws them or cancels dust', () => {
  const world = openOrder(vm);
  const destination = holding(vm, world.terms.outputMint, admin);
  const stranger = wallet(vm);
  const instructions = (by: Address) => [
    { it: update(7, 5, by), dataAt: 3 },
    { it: withdrawOf(world, destination, by), dataAt: 6 },
    { it: dustOf(world, { signer: by }), dataAt: 11 },
  ];
  const before = vm.data(FEE);
  for (const { it, dataAt } of instructions(stranger)) {
    refuses(world, 'InvalidAdmin', it);
    // What says that the stranger is, but is not where the loader has it.
    const forged = vm.data(PROGRAM_DATA);
    forged.set(addressToBytes(stranger), AUTHORITY_AT);
    for (const place of [
      vm.put(newAddress(), forged, BPF_LOADER_UPGRADEABLE),
      vm.put(newAddress(), forged, LIMIT_ORDER_PROGRAM),
      limitOrderAddresses(newAddress()).programData,
      LIMIT_ORDER_PROGRAM,
      FEE,
    ]) {
      refuses(world, 'InvalidAdmin', withAccounts(it, { [dataAt]: place }));
    }
  }
  for (const { it, dataAt } of instructions(admin)) {
    const real = vm.data(PROGRAM_DATA);
    for (let i = 0; i < 32; i++) {
      const near = addressToBytes(PROGRAM_DATA);
      near[i]! ^= 1;
      const place = vm.put(addressFromBytes(near), real, BPF_LOADER_UPGRADEABLE);
      refuses(world, 'InvalidAdmin', withAccounts(it, { [dataAt]: place }));
    }
  }
  assert.deepEqual(vm.data(FEE), before);
});

test('a program that nobody can upgrade, and one that is not there, has no admin', () => {
  const world = openOrder(vm);
  const real = vm.data(PROGRAM_DATA);
  for (const [at, bytes] of [
    [HAS_AUTHORITY_AT, [0]],
    [HAS_AUTHORITY_AT, [2]],
    [0, [2]],
    [0, [1]],
    [1, [1]],
    ...Array.from({ length: 32 }, (_, i) => [AUTHORITY_AT + i, [real[AUTHORITY_AT + i]! ^ 1]] as const),
  ] as [number, number[]][]) {
    vm.patch(PROGRAM_DATA, at, Uint8Array.from(bytes));
    refuses(world, 'InvalidAdmin', dustOf(world));
    refuses(world, 'InvalidAdmin', update(7, 5));
    vm.patch(PROGRAM_DATA, 0, real.subarray(0, 45));
  }
  succeeded(vm.run(dustOf(world)));
});

// ---- fees -----------------------------------------------------------------------------------------------------------

/** A program that has just been deployed. */
function deployed(): TestVm {
  const fresh = new TestVm('all');
  fresh.deploy(LIMIT_ORDER_PROGRAM, programUnderTest('limit-order'));
  return fresh;
}

test('the first fees make the account for them, also where somebody has sent lamports', () => {
  const RENT = rentExemptLamports(12);
  for (const [sent, held] of [
    [0n, RENT],
    [1n, RENT],
    [RENT - 1n, RENT],
    [RENT, RENT],
    [RENT + 9n, RENT + 9n],
  ] as const) {
    const fresh = deployed();
    if (sent) fresh.put(FEE, new Uint8Array(0), SYSTEM_PROGRAM, sent);
    const by = { admin: fresh.payer, normalFeeBps: 258, stableFeeBps: 3 };
    succeeded(fresh.run(updateLimitOrderFee(by)));
    assert.deepEqual(decodeLimitOrderFees(fresh.data(FEE)), { normalFeeBps: 258, stableFeeBps: 3 });
    assert.deepEqual([fresh.owner(FEE), fresh.data(FEE).length], [LIMIT_ORDER_PROGRAM, 12]);
    assert.equal(fresh.lamports(FEE), held);
    succeeded(fresh.run(updateLimitOrderFee({ ...by, normalFeeBps: 10_000, stableFeeBps: 10_000 })));
    assert.deepEqual(decodeLimitOrderFees(fresh.data(FEE)), { normalFeeBps: 10_000, stableFeeBps: 10_000 });
    succeeded(fresh.run(updateLimitOrderFee({ ...by, normalFeeBps: 0, stableFeeBps: 0 })));
    assert.deepEqual(decodeLimitOrderFees(fresh.data(FEE)), { normalFeeBps: 0, stableFeeBps: 0 });
  }
});

test('before the first fees there are no orders', () => {
  const fresh = deployed();
  refused(fresh.run(initializeOrder(newOrder(fresh).terms)), 'AccountNotInitialized');
});

test('fees are at most all, and the normal one is not below the stable one', () => {
  const before = vm.data(FEE);
  refused(vm.run(update(10_001, 3)), 'FeeBpsTooHigh');
  refused(vm.run(update(65_535, 3)), 'FeeBpsTooHigh');
  refused(vm.run(update(9, 10)), 'FeeBpsTooLow');
  refused(vm.run(withAccounts(update(9, 3), { 1: newAddress() })), 'ConstraintSeeds');
  const own = openOrder(vm).order;
  refused(vm.run(withAccounts(update(9, 3), { 1: own })), 'ConstraintSeeds');
  assert.deepEqual(vm.data(FEE), before);
  assert.equal(stateOf(openOrder(vm))!.feeBps, NORMAL_FEE_BPS);
});

test('other fees count for new orders, not for those that are there', () => {
  const old = openOrder(vm);
  succeeded(vm.run(update(200, 100)));
  const young = openOrder(vm);
  const cheap = newOrder(vm, { terms: { feeBps: 99 } });
  refuses(cheap, 'FeeBpsTooLow', initializeOrder(cheap.terms));
  succeeded(vm.run(update(NORMAL_FEE_BPS, STABLE_FEE_BPS)));
  for (const [world, feeAmount] of [
    [old, 2_500n],
    [young, 50_000n],
  ] as const) {
    succeeded(vm.run(...fillOf(world, 1_000_000n)));
    assert.equal(vm.amount(world.feeAccount), feeAmount);
  }
});

test('collected fees are withdrawn whole, from the program’s accounts only', () => {
  for (const output of ['spl', 'token-2022', 'sol'] as const) {
    const world = openOrder(vm, { output });
    const { outputMint: mint, outputTokenProgram } = world.terms;
    succeeded(vm.run(...fillOf(world, 1_000_000n)));
    const destination = holding(vm, mint, wallet(vm));
    const made = withdrawOf(world, destination);
    const mine = holding(vm, mint, admin, 5n);
    failedWith(vm.run(withAccounts(made, { 2: mine })), 'custom program error: 0x4', outputTokenProgram);
    const otherProgram = outputTokenProgram === TOKEN_PROGRAM ? TOKEN_2022_PROGRAM : TOKEN_PROGRAM;
    refuses(world, 'ConstraintTokenMint', withAccounts(made, { 4: otherProgram }));
    refuses(world, 'ConstraintTokenMint', withAccounts(made, { 5: world.terms.inputMint }));
    refuses(world, 'ConstraintTokenMint', withAccounts(made, { 2: newAddress() }));
    refuses(world, 'ConstraintTokenMint', withAccounts(made, { 2: mint }));
    refuses(world, 'ConstraintSeeds', withAccounts(made, { 1: admin }));
    refuses(world, 'ConstraintSeeds', withAccounts(made, { 1: world.order }));
    // The program would sign for whatever it called.
    const fake = vm.tokenAccount({ mint, owner: FEE, amount: 5n, tokenProgram: LIMIT_ORDER_PROGRAM });
    refuses(world, 'InvalidProgramId', withAccounts(made, { 2: fake, 4: LIMIT_ORDER_PROGRAM }));
    const collected = vm.amount(world.feeAccount);
    assert.ok(collected >= 2_500n);
    succeeded(vm.run(made));
    assert.equal(vm.amount(destination), collected);
    assert.equal(vm.amount(world.feeAccount), 0n);
    assert.equal(vm.lamports(world.feeAccount), TOKEN_ACCOUNT_RENT);
  }
});

// ---- dust -----------------------------------------------------------------------------------------------------------

test('the admin sends what is worth less than a dollar back to its maker, and tells so', () => {
  for (const input of ['spl', 'token-2022', 'sol'] as const) {
    const world = openOrder(vm, { input });
    succeeded(vm.run(...fillOf(world, 999_990n)));
    const rent = ORDER_RENT + vm.lamports(world.reserve) - (input === 'sol' ? 10n : 0n);
    for (const oneUsdInputMintAmount of [0n, 9n, 10n]) {
      refuses(world, 'InvalidDustOrder', dustOf(world, { oneUsdInputMintAmount }));
    }
    const moved = watch(world);
    const outcome = succeeded(vm.run(dustOf(world, { oneUsdInputMintAmount: 11n })));
    assert.equal(moved().makerInput, 10n);
    assert.equal(moved().maker, rent);
    assert.equal(stateOf(world), undefined);
    const data = { orderKey: world.order, oneUsdInputMintAmount: 11n };
    assert.deepEqual(eventsOf(outcome), [{ name: 'cancelDustOrderEvent', data }]);
  }
});

test('dust goes nowhere but to the maker', () => {
  const world = openOrder(vm);
  const { inputMint } = world.terms;
  refuses(world, 'InvalidInputAccount', dustOf(world, { makerInputMintAccount: holding(vm, inputMint, admin) }));
  refuses(
    world,
    'ConstraintHasOne',
    dustOf(world, { maker: admin, makerInputMintAccount: holding(vm, inputMint, admin) }),
  );
  const sol = openOrder(vm, { input: 'sol' });
  const { makerInputMintAccount: _, ...unwrapped } = dustTerms(sol);
  const moved = watch(sol);
  succeeded(vm.run(cancelDustOrder(unwrapped)));
  assert.equal(moved().maker, ORDER_RENT + TOKEN_ACCOUNT_RENT + 1_000_000n);
});
