import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type AccountMeta,
  type Address,
  addressToBytes,
  type Instruction,
  SYSTEM_PROGRAM,
  systemTransfer,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  tokenTransferChecked,
} from '@slipway/wire';
import { initializeOrder } from './limit-order.js';
import { LIMIT_ORDER_PROGRAM } from './limit-order-addresses.js';
import {
  cancelOf,
  fillOf,
  holding,
  limitOrderVm,
  loanOf,
  NOW,
  newOrder,
  type OrderOptions,
  type OrderWorld,
  openOrder,
  type PaymentChanges,
  refused,
  refuses,
  stateOf,
  U64_MAX,
  wallet,
  watch,
} from './limit-order-testing.js';
import { poolSwap, TOKEN_SWAP_PROGRAM } from './pool.js';
import { readProgram } from './program-files.js';
import { ROUTER_PROGRAM, routeInstruction } from './router.js';
import { openPoolOf, poolHop } from './router-testing.js';
import { failedWith, newAddress, succeeded, type TestVm, withAccounts } from './test-vm.js';

const vm = limitOrderVm('all');
vm.addProgram(TOKEN_SWAP_PROGRAM, readProgram('pool'));
vm.addProgram(ROUTER_PROGRAM, readProgram('router'));

const FLASH_FILL_ORDER = Buffer.from('fc681286a44e128c', 'hex');
const nothing = (of: TestVm) => systemTransfer({ from: of.payer, to: of.payer, lamports: 0n });

/** The instruction as a call of another program, the router, which has the taker's signature. */
function calledByAnother(world: OrderWorld, it: Instruction): Instruction {
  const { taker, takerInput, takerOutput } = world;
  // The router writes an amount into the data of a hop: here in place of the one that is there, or behind.
  const data = it.data.length === 16 ? it.data : Buffer.concat([it.data, Buffer.alloc(8)]);
  const hop = { program: it.program, accounts: it.accounts, data, amountOffset: 8, shareBps: 10_000 };
  const hops = [{ ...hop, from: takerOutput, to: takerInput }];
  return routeInstruction({ taker, source: takerOutput, destination: takerInput, amountIn: 10n, minOut: 0n, hops });
}

test('what is lent is paid for in the same transaction, by the next instruction of the program', () => {
  const [world, other] = [openOrder(vm), openOrder(vm)];
  const [loan, payment] = fillOf(world, 10n) as [Instruction, Instruction];
  const [otherLoan, otherPayment] = fillOf(other, 10n) as [Instruction, Instruction];
  for (const missing of [
    [loan],
    [loan, nothing(vm)],
    [nothing(vm), loan],
    [loan, loan, payment],
    [loan, otherLoan, payment, otherPayment],
    [loan, otherLoan, otherPayment, payment],
    [loan, cancelOf(world)],
    [loan, cancelOf(world), payment],
    [loan, cancelOf(other), payment],
    [loan, initializeOrder(newOrder(vm).terms), payment],
    [loan, { ...payment, data: new Uint8Array(0) }, payment],
    [loan, { ...payment, data: payment.data.subarray(0, 7) }],
  ]) {
    refuses(world, 'MissingRepayInstructions', ...missing);
  }
  for (const wrong of [
    [loan, otherPayment],
    [loan, otherPayment, payment],
    [loan, withAccounts(payment, { 2: newAddress() })],
    [loan, withAccounts(payment, { 0: world.order, 2: world.taker })],
    ...[0, 1, 2].map((n) => [loan, { ...payment, accounts: payment.accounts.slice(0, n) }]),
  ]) {
    refuses(world, 'InvalidOrder', ...wrong);
  }
  refuses(world, 'InvalidBorrowMakingAmount', payment);
  refuses(world, 'InvalidBorrowMakingAmount', payment, loan);
  refuses(world, 'InvalidBorrowMakingAmount', loan, payment, payment);
  succeeded(vm.run(nothing(vm), loan, nothing(vm), payment, nothing(vm)));
});

test('an instruction that only looks like the payment where the list of instructions is read is none', () => {
  const world = openOrder(vm);
  const [loan, payment] = fillOf(world, 10n) as [Instruction, Instruction];
  // Without accounts, what is read as the key of the third is in the data.
  const order = loan.accounts[1]!.address;
  const data = Buffer.concat([payment.data, Buffer.alloc(17), addressToBytes(order)]);
  refuses(world, 'InvalidOrder', loan, { ...payment, accounts: [], data });
  // Seven bytes of the discriminator; the eighth is the number of accounts of the next instruction.
  const many = Array.from({ length: FLASH_FILL_ORDER[7]! }, (): AccountMeta => payment.accounts[12]!);
  const next = { ...nothing(vm), accounts: many };
  refuses(world, 'MissingRepayInstructions', loan, { ...payment, data: FLASH_FILL_ORDER.subarray(0, 7) }, next);
});

test('another program cannot borrow or pay', () => {
  const world = openOrder(vm);
  const [loan, payment] = fillOf(world, 10n) as [Instruction, Instruction];
  refuses(world, 'ProgramMismatch', calledByAnother(world, loan), payment);
  refuses(world, 'ProgramMismatch', loan, calledByAnother(world, payment), payment);
  refuses(world, 'MissingRepayInstructions', loan, calledByAnother(world, payment));
  const other = openOrder(vm, { terms: { maker: world.taker } });
  const nested = calledByAnother(world, loanOf({ ...other, taker: world.taker }, 5n));
  refuses(world, 'ProgramMismatch', loan, nested, payment);
});

test('what is lent cannot be cancelled before it is paid for, not even by the maker through another program', () => {
  const world = openOrder(vm);
  const own = { ...world, taker: world.maker };
  own.takerInput = holding(vm, world.terms.inputMint, own.taker);
  own.takerOutput = holding(vm, world.terms.outputMint, own.taker, 10n ** 9n);
  const [loan, payment] = fillOf(own, 10n) as [Instruction, Instruction];
  refuses(own, 'InvalidBorrowMakingAmount', loan, calledByAnother(own, cancelOf(own)), payment);
  // Of an order that nothing is lent of it can be, also there.
  const other = openOrder(vm, { terms: { maker: own.taker } });
  const cancels = calledByAnother({ ...own, takerInput: other.makerInput }, cancelOf(other));
  succeeded(vm.run(loan, cancels, payment));
  assert.equal(stateOf(other), undefined);
});

test('an order can be filled twice in a transaction, one after the other, and other orders beside it', () => {
  const [world, other] = [openOrder(vm), openOrder(vm)];
  const moved = watch(world);
  succeeded(vm.run(...fillOf(world, 400_000n), ...fillOf(other, 1_000_000n), ...fillOf(world, 600_000n)));
  assert.equal(moved().makerOutput, 2_500_000n);
  assert.equal(moved().takerInput, 1_000_000n);
  assert.equal(stateOf(world), undefined);
  assert.equal(stateOf(other), undefined);
  refuses(world, 'AccountNotInitialized', ...fillOf(world, 600_000n));
});

test('a filled order that is opened again in the same transaction starts anew', () => {
  const world = openOrder(vm);
  const again = initializeOrder({ ...world.terms, makingAmount: 700n, takingAmount: 7n });
  succeeded(vm.run(...fillOf(world, 1_000_000n), again));
  assert.equal(stateOf(world)!.makingAmount, 700n);
  const cancelled = openOrder(vm);
  const reopened = initializeOrder({ ...cancelled.terms, makingAmount: 700n, takingAmount: 7n });
  succeeded(vm.run(cancelOf(cancelled), reopened, ...fillOf(cancelled, 700n)));
  assert.equal(vm.amount(cancelled.takerInput), 700n);
  assert.equal(vm.amount(cancelled.makerOutput), 7n);
});

test('a taker without the output buys it with what was lent', () => {
  for (const through of ['pool', 'router'] as const) {
    const world = openOrder(vm);
    const { taker, takerInput, takerOutput, terms } = world;
    vm.setAmount(takerOutput, 0n);
    const [ins, outs] = [terms.inputMint, terms.outputMint].map((mint) => ({ mint, program: TOKEN_PROGRAM }));
    const pool = openPoolOf(vm, ins!, outs!, [10n ** 12n, 3n * 10n ** 12n]);
    const accounts = { authority: taker, source: takerInput, destination: takerOutput };
    const amounts = { amountIn: 1_000_000n, minimumAmountOut: 2_502_500n };
    const hops = [poolHop(pool, true, taker, takerInput, takerOutput)];
    const route = { taker, source: takerInput, destination: takerOutput, minOut: 2_502_500n, hops };
    const swap =
      through === 'pool'
        ? poolSwap({ accounts: pool, aToB: true, ...accounts, ...amounts })
        : routeInstruction({ ...route, amountIn: 1_000_000n });
    const [loan, payment] = fillOf(world, 1_000_000n) as [Instruction, Instruction];
    succeeded(vm.run(loan, swap, payment));
    assert.equal(vm.amount(world.makerOutput), 2_500_000n);
    assert.equal(vm.amount(world.feeAccount), 2_500n);
    assert.ok(vm.amount(takerOutput) > 400_000n);
    assert.equal(vm.amount(takerInput), 0n);
  }
});

// ---- the loan -------------------------------------------------------------------------------------------------------

test('no more is lent than is left of the order, and not nothing', () => {
  const world = openOrder(vm);
  for (const makingAmount of [0n, 1_000_001n, U64_MAX]) {
    refuses(world, 'InvalidMakingAmount', ...fillOf(world, makingAmount));
  }
  succeeded(vm.run(...fillOf(world, 999_999n)));
  refuses(world, 'InvalidMakingAmount', ...fillOf(world, 2n));
  succeeded(vm.run(...fillOf(world, 1n)));
});

test('a loan comes from the order’s own reserve, in its own mint, and looks at the real list of instructions', () => {
  const world = openOrder(vm);
  const other = openOrder(vm);
  const [loan, payment] = fillOf(world, 10n) as [Instruction, Instruction];
  for (const [changed, error] of [
    [{ 2: other.reserve }, 'ConstraintHasOne'],
    [{ 2: holding(vm, other.terms.inputMint, world.order, 100n) }, 'ConstraintHasOne'],
    [{ 4: world.terms.outputMint }, 'ConstraintHasOne'],
    [{ 6: SYSTEM_PROGRAM }, 'ConstraintAddress'],
    [{ 6: fakeInstructions(payment) }, 'ConstraintAddress'],
  ] as const) {
    refuses(world, error, withAccounts(loan, changed), payment);
  }
  refuses(world, 'ConstraintAddress', withAccounts(loan, { 6: fakeInstructions(payment) }));
});

/** An account that says that the payment follows. */
function fakeInstructions(payment: Instruction): Address {
  const u16 = (n: number) => Buffer.from([n & 255, n >> 8]);
  const accounts = payment.accounts.flatMap(({ address }) => [Buffer.of(0), addressToBytes(address)]);
  const body = [u16(payment.accounts.length), ...accounts, addressToBytes(payment.program)];
  const entry = Buffer.concat([...body, u16(payment.data.length), payment.data]);
  const list = Buffer.concat([u16(2), u16(6), u16(6), entry, u16(0)]);
  return vm.put(newAddress(), list, 'Sysvar1111111111111111111111111111111111111' as Address);
}
test('the lent tokens go to a token account of their mint', () => {
  const world = openOrder(vm);
  const [loan, payment] = fillOf(world, 10n) as [Instruction, Instruction];
  const moved = watch(world);
  failedWith(vm.run(withAccounts(loan, { 3: world.takerOutput }), payment), 'custom program error: 0x3', TOKEN_PROGRAM);
  assert.deepEqual(moved(), {});
});

test('a loan back into the reserve costs the taker what he pays, and the maker nothing', () => {
  const world = openOrder(vm);
  const [loan, payment] = fillOf(world, 400_000n) as [Instruction, Instruction];
  succeeded(vm.run(withAccounts(loan, { 3: world.reserve }), payment));
  assert.equal(vm.amount(world.makerOutput), 1_000_000n);
  assert.equal(stateOf(world)!.makingAmount, 600_000n);
  succeeded(vm.run(...fillOf(world, 600_000n)));
  assert.equal(vm.amount(world.takerInput), 1_000_000n);
});

// ---- the payment ----------------------------------------------------------------------------------------------------

const opened = (options?: OrderOptions) => openOrder(vm, options);
const refusesPayment = (world: OrderWorld, error: Parameters<typeof refuses>[1], changed: PaymentChanges) =>
  refuses(world, error, ...fillOf(world, 400_000n, changed));

test('the payment names the order’s own maker, reserve, output mint and fee account', () => {
  const world = opened();
  const other = opened();
  const { outputMint } = world.terms;
  refusesPayment(world, 'ConstraintHasOne', { maker: other.maker });
  refusesPayment(world, 'ConstraintHasOne', { maker: world.taker, makerOutputMintAccount: world.takerOutput });
  refusesPayment(world, 'ConstraintHasOne', { inputMintReserve: other.reserve });
  refusesPayment(world, 'ConstraintHasOne', { feeAccount: holding(vm, outputMint, world.taker) });
  refusesPayment(world, 'ConstraintHasOne', { feeAccount: other.feeAccount });
  refusesPayment(world, 'InvalidOutputMint', { outputMint: world.terms.inputMint });
  const { makerOutput: makerOutputMintAccount, takerOutput: takerOutputMintAccount } = other;
  const otherToken = { outputMint: other.terms.outputMint, makerOutputMintAccount, takerOutputMintAccount };
  refusesPayment(world, 'InvalidOutputMint', otherToken);
});

test('the maker is paid into a token account of his, of the output mint, in use', () => {
  for (const output of ['spl', 'token-2022'] as const) {
    const world = opened({ output });
    const { outputMint: mint, outputTokenProgram: tokenProgram } = world.terms;
    const account = (more: Partial<Parameters<typeof vm.tokenAccount>[0]>) =>
      vm.tokenAccount({ mint, owner: world.maker, tokenProgram, ...more });
    for (const makerOutputMintAccount of [
      account({ owner: world.taker }),
      account({ owner: world.taker, delegate: world.maker, delegatedAmount: U64_MAX }),
      account({ mint: world.terms.inputMint }),
      account({ state: 'frozen' }),
      account({ state: 'uninitialized' }),
      account({ tokenProgram: tokenProgram === TOKEN_PROGRAM ? TOKEN_2022_PROGRAM : TOKEN_PROGRAM }),
      account({ tokenProgram: LIMIT_ORDER_PROGRAM }),
      world.takerOutput,
      world.makerInput,
      world.maker,
      undefined,
    ]) {
      refusesPayment(world, 'InvalidMakerOutputAccount', { makerOutputMintAccount });
    }
    succeeded(vm.run(...fillOf(world, 400_000n, { makerOutputMintAccount: account({}) })));
  }
});

test('the taker pays from a token account of the output mint, in use, that is not the one that is paid', () => {
  for (const output of ['spl', 'token-2022'] as const) {
    const world = opened({ output });
    const { outputMint: mint, outputTokenProgram: tokenProgram } = world.terms;
    const account = (more: Partial<Parameters<typeof vm.tokenAccount>[0]>) =>
      vm.tokenAccount({ mint, owner: world.taker, amount: 10n ** 9n, tokenProgram, ...more });
    for (const takerOutputMintAccount of [
      account({ mint: world.terms.inputMint }),
      account({ state: 'frozen' }),
      account({ tokenProgram: tokenProgram === TOKEN_PROGRAM ? TOKEN_2022_PROGRAM : TOKEN_PROGRAM }),
      account({ tokenProgram: ROUTER_PROGRAM }),
      world.makerOutput,
      world.feeAccount,
      world.taker,
      undefined,
    ]) {
      refusesPayment(world, 'InvalidTakerOutputAccount', { takerOutputMintAccount });
    }
    const delegate = { owner: newAddress(), delegate: world.taker, delegatedAmount: 10n ** 9n };
    succeeded(vm.run(...fillOf(world, 400_000n, { takerOutputMintAccount: account(delegate) })));
  }
});

test('somebody else’s tokens pay for nothing, and too few neither', () => {
  const world = opened();
  const { outputMint } = world.terms;
  const victim = wallet(vm);
  const moved = watch(world);
  const fails = (takerOutputMintAccount: Address, reason: string) => {
    failedWith(vm.run(...fillOf(world, 400_000n, { takerOutputMintAccount })), reason, TOKEN_PROGRAM);
    assert.deepEqual(moved(), {});
  };
  fails(holding(vm, outputMint, victim, 10n ** 9n), 'custom program error: 0x4');
  fails(holding(vm, outputMint, world.taker, 999_999n), 'custom program error: 0x1');
  // Enough for the maker, but not for the fee.
  fails(holding(vm, outputMint, world.taker, 1_000_999n), 'custom program error: 0x1');
  succeeded(
    vm.run(...fillOf(world, 400_000n, { takerOutputMintAccount: holding(vm, outputMint, world.taker, 1_001_000n) })),
  );
});

test('of SOL too the maker gets all and the fee account its part, or nothing is filled', () => {
  for (const makerOutputMintAccount of ['wallet', 'account'] as const) {
    const world = opened({ output: 'sol' });
    const payment: PaymentChanges = {
      takerOutputMintAccount: undefined,
      ...(makerOutputMintAccount === 'wallet' && { makerOutputMintAccount: undefined }),
    };
    for (const lamports of [0n, 999_999n, 1_000_999n]) {
      vm.put(world.taker, new Uint8Array(0), SYSTEM_PROGRAM, lamports);
      const moved = watch(world);
      assert.ok(vm.run(...fillOf(world, 400_000n, payment)).failure);
      assert.deepEqual(moved(), {});
    }
    vm.put(world.taker, new Uint8Array(0), SYSTEM_PROGRAM, 1_001_000n);
    succeeded(vm.run(...fillOf(world, 400_000n, payment)));
    assert.equal(vm.lamports(world.taker), 0n);
  }
});

test('an order whose fee account is gone waits until it is there again', () => {
  for (const output of ['spl', 'sol'] as const) {
    const world = opened({ output });
    const data = vm.data(world.feeAccount);
    const lamports = vm.lamports(world.feeAccount);
    vm.put(world.feeAccount, new Uint8Array(0), SYSTEM_PROGRAM, 0n);
    const moved = watch(world);
    assert.ok(vm.run(...fillOf(world, 400_000n)).failure);
    if (output === 'sol') {
      assert.ok(vm.run(...fillOf(world, 400_000n, { takerOutputMintAccount: undefined })).failure);
    }
    assert.deepEqual(moved(), {});
    vm.put(world.feeAccount, data, TOKEN_PROGRAM, lamports);
    succeeded(vm.run(...fillOf(world, 400_000n)));
  }
});

test('tokens sent to the reserve during the last fill do not get lost: the fill fails', () => {
  const world = opened();
  const [loan, payment] = fillOf(world, 1_000_000n) as [Instruction, Instruction];
  const { inputMint: mint } = world.terms;
  const transfer = { source: world.takerInput, mint, destination: world.reserve, amount: 1n, decimals: 6 };
  const moved = watch(world);
  const NON_EMPTY = 'custom program error: 0xb';
  failedWith(
    vm.run(loan, tokenTransferChecked({ ...transfer, authority: world.taker }), payment),
    NON_EMPTY,
    TOKEN_PROGRAM,
  );
  assert.deepEqual(moved(), {});
});

test('an order that expires while nothing is lent cannot be lent from', () => {
  const world = opened({ terms: { expiredAt: NOW + 1n } });
  vm.setTime(NOW + 1n);
  refused(vm.run(...fillOf(world, 1n)), 'OrderExpired');
  vm.setTime(NOW);
  succeeded(vm.run(...fillOf(world, 1n)));
});
