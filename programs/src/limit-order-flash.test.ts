import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type AccountMeta,
  type Address,
  addressToBytes,
  type Instruction,
  SYSTEM_PROGRAM,
  systemTransfer,
  TOKEN_PROGRAM,
} from '@slipway/wire';
import { initializeOrder } from './limit-order.js';
import {
  cancelOf,
  fillOf,
  holding,
  limitOrderVm,
  loanOf,
  newOrder,
  type OrderWorld,
  openOrder,
  refuses,
  stateOf,
  U64_MAX,
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

test('attack: a stranger on the chain borrows, and adds an instruction that only looks like the payment: it is none', () => {
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

test('attack: a stranger on the chain borrows or pays through another program: refused', () => {
  const world = openOrder(vm);
  const [loan, payment] = fillOf(world, 10n) as [Instruction, Instruction];
  refuses(world, 'ProgramMismatch', calledByAnother(world, loan), payment);
  refuses(world, 'ProgramMismatch', loan, calledByAnother(world, payment), payment);
  refuses(world, 'MissingRepayInstructions', loan, calledByAnother(world, payment));
  const other = openOrder(vm, { terms: { maker: world.taker } });
  const nested = calledByAnother(world, loanOf({ ...other, taker: world.taker }, 5n));
  refuses(world, 'ProgramMismatch', loan, nested, payment);
});

test('attack: a stranger on the chain cancels what is lent before it is paid for: refused, also to the maker through another program', () => {
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
