import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type AccountMeta,
  type Address,
  addressFromBytes,
  addressToBytes,
  type Instruction,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
} from '@slipway/wire';
import { cancelDustOrder, initializeOrder, updateLimitOrderFee, withdrawLimitOrderFee } from './limit-order.js';
import { LIMIT_ORDER_ADDRESSES, LIMIT_ORDER_PROGRAM } from './limit-order-addresses.js';
import {
  cancelOf,
  fillOf,
  holding,
  limitOrderVm,
  loanOf,
  NOW,
  newOrder,
  type OrderWorld,
  openOrder,
  paymentOf,
  refused,
  refuses,
  stateOf,
  U64_MAX,
  wallet,
  watch,
} from './limit-order-testing.js';
import { newAddress, succeeded, u64, withAccounts } from './test-vm.js';

const vm = limitOrderVm('all');
const ORDER_BORROWED_AT = 240;

interface Parts {
  world: OrderWorld;
  /** What must come before it and after it in the transaction. */
  before: Instruction[];
  it: Instruction;
  after: Instruction[];
}
const alone = (world: OrderWorld, it: Instruction): Parts => ({ world, before: [], it, after: [] });

/** One instruction of each kind that would succeed. */
const INSTRUCTIONS: Record<string, () => Parts> = {
  initializeOrder: () => {
    const world = newOrder(vm);
    return alone(world, initializeOrder(world.terms));
  },
  cancelOrder: () => {
    const world = openOrder(vm);
    return alone(world, cancelOf(world));
  },
  cancelDustOrder: () => {
    const world = openOrder(vm);
    const { maker, order, reserve, makerInput, terms } = world;
    const accounts = { signer: vm.payer, maker, order, inputMintReserve: reserve, makerInputMintAccount: makerInput };
    const { inputMint, inputTokenProgram } = terms;
    return alone(world, cancelDustOrder({ ...accounts, inputMint, inputTokenProgram, oneUsdInputMintAmount: U64_MAX }));
  },
  preFlashFillOrder: () => {
    const world = openOrder(vm);
    return { world, before: [], it: loanOf({ ...world, taker: wallet(vm) }, 5n), after: [paymentOf(world)] };
  },
  flashFillOrder: () => {
    const world = openOrder(vm);
    return { world, before: [loanOf({ ...world, taker: wallet(vm) }, 5n)], it: paymentOf(world), after: [] };
  },
  updateFee: () => alone(openOrder(vm), updateLimitOrderFee({ admin: vm.payer, normalFeeBps: 10, stableFeeBps: 3 })),
  withdrawFee: () => {
    const world = openOrder(vm);
    const accounts = { programFeeAccount: world.feeAccount, destinationTokenAccount: world.takerOutput };
    const token = { mint: world.terms.outputMint, tokenProgram: world.terms.outputTokenProgram };
    return alone(world, withdrawLimitOrderFee({ admin: vm.payer, ...accounts, ...token }));
  },
};

const withMetas = (one: Instruction, change: (meta: AccountMeta) => AccountMeta) => ({
  ...one,
  accounts: one.accounts.map(change),
});

for (const [name, parts] of Object.entries(INSTRUCTIONS)) {
  test(`${name} wants its accounts and its data complete, its signatures, and writable what changes`, () => {
    const { world, before, it, after } = parts();
    const refusesAs = (error: Parameters<typeof refuses>[1], changed: Partial<Instruction>) =>
      refuses(world, error, ...before, { ...it, ...changed }, ...after);
    // A loan has looked at the payment before: see the tests of flash fills.
    const [fewestAccounts, leastData] = name === 'flashFillOrder' ? [3, 8] : [0, 0];
    for (let n = fewestAccounts; n < it.accounts.length; n++) {
      refusesAs('AccountNotEnoughKeys', { accounts: it.accounts.slice(0, n) });
    }
    for (const [at, meta] of it.accounts.entries()) {
      // Who pays the transaction signs it and is writable, whatever an instruction says; somebody else stands for him.
      const address = meta.address === vm.payer ? newAddress() : meta.address;
      const weaker = (less: object) =>
        it.accounts.map((other, i) => (i === at ? { ...other, ...less, address } : other));
      if (meta.signer) refusesAs('AccountNotSigner', { accounts: weaker({ signer: false }) });
      if (!meta.writable) continue;
      // An account is writable in the whole transaction where one of its instructions says so.
      const readonly = (one: Instruction) =>
        withMetas(one, (other) => (other.address === meta.address ? { ...other, address, writable: false } : other));
      refuses(world, 'ConstraintMut', ...[...before, it, ...after].map(readonly));
    }
    for (let n = leastData; n < it.data.length; n++) {
      const error = n < 8 ? 'InstructionFallbackNotFound' : 'InstructionDidNotDeserialize';
      refusesAs(error, { data: it.data.subarray(0, n) });
    }
    for (let i = leastData; i < 8; i++) {
      const data = it.data.map((byte, at) => (at === i ? byte ^ 0x80 : byte));
      refusesAs('InstructionFallbackNotFound', { data });
    }
    succeeded(vm.run(...before, { ...it, data: Buffer.concat([it.data, Buffer.alloc(3)]) }, ...after));
  });
}

test('fillOrder, which needs the hosted service’s router, is an unknown instruction', () => {
  const world = openOrder(vm);
  const data = Buffer.from('e87a7319c78f88a2', 'hex');
  refuses(world, 'UnknownInstruction', { ...cancelOf(world), data });
});

// ---- the order's account, wherever it is needed --------------------------------------------------------------------

for (const [name, at] of [
  ['cancelOrder', 2],
  ['cancelDustOrder', 2],
  ['preFlashFillOrder', 1],
] as const) {
  test(`${name} takes no other account for an order’s`, () => {
    const { world, before, it, after } = INSTRUCTIONS[name]!();
    const instead = (account: Address) =>
      vm.run(
        ...before,
        withAccounts(it, { [at]: account }),
        ...after.map((next) => withAccounts(next, { 2: account })),
      );
    const copy = vm.put(newAddress(), vm.data(world.order), TOKEN_PROGRAM);
    refused(instead(copy), 'AccountOwnedByWrongProgram');
    refused(instead(vm.put(newAddress(), vm.data(world.order), SYSTEM_PROGRAM)), 'AccountOwnedByWrongProgram');
    refused(instead(newAddress()), 'AccountNotInitialized');
    refused(instead(LIMIT_ORDER_ADDRESSES.fee), 'AccountDiscriminatorMismatch');
    for (let i = 0; i < 8; i++) {
      const data = vm.data(world.order);
      data[i]! ^= 1;
      refused(instead(vm.put(newAddress(), data, LIMIT_ORDER_PROGRAM)), 'AccountDiscriminatorMismatch');
    }
    for (let i = 0; i < 32; i++) {
      const owner = addressToBytes(LIMIT_ORDER_PROGRAM);
      owner[i]! ^= 1;
      refused(
        instead(vm.put(newAddress(), vm.data(world.order), addressFromBytes(owner))),
        'AccountOwnedByWrongProgram',
      );
    }
    assert.ok(stateOf(world));
  });
}

test('a closed order cannot be cancelled or filled again', () => {
  for (const close of [cancelOf, undefined]) {
    const world = openOrder(vm);
    succeeded(vm.run(...(close ? [close(world)] : fillOf(world, 1_000_000n))));
    refuses(world, 'AccountNotInitialized', cancelOf(world));
    refuses(world, 'AccountNotInitialized', ...fillOf(world, 1n));
    const again = openOrder(vm);
    refused(vm.run(cancelOf(again), cancelOf(again)), 'AccountNotInitialized');
    assert.ok(stateOf(again));
  }
});

// ---- cancelOrder ----------------------------------------------------------------------------------------------------

test('an order is cancelled with its own maker, reserve and mint', () => {
  for (const input of ['spl', 'sol'] as const) {
    const world = openOrder(vm, { input });
    const other = openOrder(vm, { terms: { maker: world.maker } });
    const made = cancelOf(world);
    for (const changed of [
      { 1: other.taker },
      { 3: other.reserve },
      { 3: world.takerInput },
      { 3: holding(vm, world.terms.inputMint, world.order, 5n) },
      { 5: world.terms.outputMint },
      { 5: newAddress() },
    ]) {
      refuses(world, 'ConstraintHasOne', withAccounts(made, changed));
    }
    // The maker of an order signs for no other.
    refuses(world, 'ConstraintHasOne', withAccounts(made, { 0: other.taker, 1: other.taker }));
    for (const signer of [other.taker, world.payer, vm.payer, world.order]) {
      refuses(world, 'OrderNotExpired', withAccounts(made, { 0: signer }));
    }
  }
});

test('what is cancelled goes to a token account of the maker’s, of the mint, in use; also after the expiry', () => {
  for (const signs of ['maker', 'stranger'] as const) {
    for (const input of ['spl', 'token-2022', 'sol'] as const) {
      const world = openOrder(vm, { input, terms: { expiredAt: NOW + 10n } });
      const { inputMint, outputMint } = world.terms;
      const signer = signs === 'maker' ? world.maker : wallet(vm);
      const tokenProgram = vm.owner(inputMint);
      const account = (more: Partial<Parameters<typeof vm.tokenAccount>[0]>) =>
        vm.tokenAccount({ mint: inputMint, owner: world.maker, tokenProgram, ...more });
      const wrong = [
        account({ owner: signs === 'stranger' ? signer : newAddress() }),
        account({ mint: outputMint }),
        account({ state: 'frozen' }),
        account({ tokenProgram: LIMIT_ORDER_PROGRAM }),
        world.takerInput,
        world.reserve,
        newAddress(),
      ];
      if (signs === 'stranger') vm.setTime(NOW + 10n);
      for (const makerInputMintAccount of wrong) {
        refuses(world, 'InvalidInputAccount', cancelOf(world, { signer, makerInputMintAccount }));
      }
      if (input !== 'sol') {
        refuses(world, 'InvalidInputAccount', cancelOf(world, { signer, makerInputMintAccount: undefined }));
      }
      succeeded(vm.run(cancelOf(world, { signer, makerInputMintAccount: holding(vm, inputMint, world.maker) })));
      vm.setTime(NOW);
    }
  }
});

test('what is lent is not cancelled', () => {
  for (const name of ['cancelOrder', 'cancelDustOrder']) {
    const { world, it } = INSTRUCTIONS[name]!();
    vm.patch(world.order, ORDER_BORROWED_AT, u64(1n));
    refuses(world, 'InvalidBorrowMakingAmount', it);
  }
});

test('an event is nobody’s to write but the program’s', () => {
  const { eventAuthority, program } = LIMIT_ORDER_ADDRESSES;
  const data = Buffer.concat([Buffer.from('e445a52e51cb9a1dae428d1104e0a24d', 'hex'), Buffer.alloc(32, 7)]);
  const write = (...accounts: Instruction['accounts']) => vm.run({ program, accounts, data });
  const by = (address: Address, signer: boolean) => ({ address, signer, writable: false });
  refused(write(), 'AccountNotEnoughKeys');
  refused(write(by(eventAuthority, false)), 'AccountNotSigner');
  refused(write(by(wallet(vm), true)), 'ConstraintSeeds');
  refused(write(by(LIMIT_ORDER_ADDRESSES.fee, true)), 'ConstraintSeeds');
  for (let i = 0; i < 32; i++) {
    const near = addressToBytes(eventAuthority);
    near[i]! ^= 1;
    refused(write(by(addressFromBytes(near), true)), 'ConstraintSeeds');
  }
  // What only the program can do.
  succeeded(write(by(eventAuthority, true)));
});

test('every event needs the event authority and the program among the accounts', () => {
  const world = openOrder(vm);
  for (const changed of [{ 7: newAddress() }, { 7: world.maker }, { 8: newAddress() }]) {
    const moved = watch(world);
    assert.ok(vm.run(withAccounts(cancelOf(world), changed)).failure);
    assert.deepEqual(moved(), {});
  }
});
