import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Address,
  type Instruction,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  tokenTransferChecked,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { LIMIT_ORDER_ADDRESSES, LIMIT_ORDER_PROGRAM } from './limit-order-addresses.js';
import {
  eventsOf,
  fillOf,
  holding,
  limitOrderVm,
  NOW,
  ORDER_RENT,
  type OrderOptions,
  type OrderWorld,
  openOrder,
  type PaymentChanges,
  paymentOf,
  refused,
  refuses,
  stateOf,
  TOKEN_ACCOUNT_RENT,
  U64_MAX,
  wallet,
  watch,
  withoutZeros,
} from './limit-order-testing.js';
import { ROUTER_PROGRAM } from './router.js';
import { failedWith, newAddress, succeeded } from './test-vm.js';

const vm = limitOrderVm('all');

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

test('a payment for what only looks like an order is none', () => {
  const world = opened();
  const data = vm.data(world.order);
  const ORDER_BORROWED_AT = 240;
  data[ORDER_BORROWED_AT] = 5;
  const paying = (order: Address) => paymentOf({ ...world, order });
  for (const owner of [SYSTEM_PROGRAM, TOKEN_PROGRAM]) {
    refuses(world, 'AccountOwnedByWrongProgram', paying(vm.put(newAddress(), data, owner)));
  }
  refuses(world, 'AccountNotInitialized', paying(newAddress()));
  refuses(world, 'AccountDiscriminatorMismatch', paying(LIMIT_ORDER_ADDRESSES.fee));
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

test('attack: a stranger on the chain pays an order with somebody else’s tokens, or with too few: refused', () => {
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

test('SOL from the taker’s wallet passes through the order’s account, and nothing of it stays there', () => {
  const order = { output: 'sol', terms: { feeBps: 100 } } as const;
  const rent = ORDER_RENT + TOKEN_ACCOUNT_RENT;
  for (const to of ['wallet', 'account', 'fee account'] as const) {
    const referral = holding(vm, WRAPPED_SOL_MINT, wallet(vm));
    const world = opened({ ...order, terms: { ...order.terms, referral } });
    // The maker may be paid into the account that the fee goes to, when it is his.
    const feeOwner = to === 'fee account' ? world.maker : newAddress();
    holding(vm, WRAPPED_SOL_MINT, feeOwner, 5n, { address: referral });
    const own = to === 'account' ? world.makerOutput : referral;
    const fill: PaymentChanges = {
      takerOutputMintAccount: undefined,
      makerOutputMintAccount: to === 'wallet' ? undefined : own,
    };
    for (const [making, paid, fee, returned] of [
      [400_000n, 1_000_000n, 10_000n, 0n],
      [600_000n, 1_500_000n, 15_000n, rent],
    ] as const) {
      const moved = watch(world);
      const [trade] = eventsOf(succeeded(vm.run(...fillOf(world, making, fill))));
      assert.equal(trade?.name === 'tradeEvent' && trade.data.takingAmount, paid);
      const toFee = to === 'fee account' ? paid + fee : fee;
      assert.deepEqual(
        moved(),
        withoutZeros({
          taker: -paid - fee,
          maker: returned + (to === 'wallet' ? paid : 0n),
          'makerOutput lamports': to === 'account' ? paid : 0n,
          makerOutput: to === 'account' ? paid : 0n,
          'feeAccount lamports': toFee,
          feeAccount: toFee,
          'reserve lamports': returned && -TOKEN_ACCOUNT_RENT,
          order: returned && -ORDER_RENT,
          reserve: -making,
          takerInput: making,
        }),
      );
    }
    assert.equal(stateOf(world), undefined);
  }
});

test('a fee of nothing touches no fee account, and a maker may fill his own order from his wallet', () => {
  const world = opened({ output: 'sol', terms: { takingAmount: 300n, feeBps: 3 } });
  const gone = vm.lamports(world.feeAccount);
  vm.put(world.feeAccount, new Uint8Array(0), SYSTEM_PROGRAM, gone);
  const byWallets: PaymentChanges = { takerOutputMintAccount: undefined, makerOutputMintAccount: undefined };
  const moved = watch(world);
  succeeded(vm.run(...fillOf(world, 500_000n, byWallets)));
  assert.deepEqual(moved(), { taker: -150n, maker: 150n, reserve: -500_000n, takerInput: 500_000n });
  const own = { ...world, taker: world.maker, takerInput: world.makerInput };
  const after = watch(own);
  succeeded(vm.run(...fillOf(own, 500_000n, byWallets)));
  const { taker, maker, ...rest } = after();
  assert.deepEqual([taker, maker], [ORDER_RENT + TOKEN_ACCOUNT_RENT, ORDER_RENT + TOKEN_ACCOUNT_RENT]);
  assert.deepEqual(rest, {
    order: -ORDER_RENT,
    'reserve lamports': -TOKEN_ACCOUNT_RENT,
    reserve: -500_000n,
    makerInput: 500_000n,
    takerInput: 500_000n,
  });
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
