import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Address,
  ASSOCIATED_TOKEN_PROGRAM,
  addressFromBytes,
  addressToBytes,
  type Instruction,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '@slipway/wire';
import { cancelDustOrder, initializeOrder, updateLimitOrderFee, withdrawLimitOrderFee } from './limit-order.js';
import { LIMIT_ORDER_ADDRESSES, LIMIT_ORDER_PROGRAM, limitOrderAddress } from './limit-order-addresses.js';
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
  paymentOf,
  refused,
  refuses,
  stateOf,
  U64_MAX,
  wallet,
  watch,
} from './limit-order-testing.js';
import { failedWith, newAddress, succeeded, u64, withAccounts } from './test-vm.js';

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
    const others = [...before, ...after].flatMap(({ accounts }) => accounts);
    for (const [at, meta] of it.accounts.entries()) {
      // Who pays the transaction signs it and is writable, whatever an instruction says; somebody else stands for him.
      const address = meta.address === vm.payer ? newAddress() : meta.address;
      const weaker = (less: object) =>
        it.accounts.map((other, i) => (i === at ? { ...other, ...less, address } : other));
      if (meta.signer) refusesAs('AccountNotSigner', { accounts: weaker({ signer: false }) });
      const stays = others.some((other) => other.writable && other.address === address);
      if (meta.writable && !stays) refusesAs('ConstraintMut', { accounts: weaker({ writable: false }) });
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

// ---- initializeOrder ------------------------------------------------------------------------------------------------

const opens = (options: OrderOptions = {}) => newOrder(vm, options);
const [
  PAYER,
  MAKER,
  ORDER,
  RESERVE,
  MAKER_INPUT,
  FEE,
  REFERRAL,
  INPUT_MINT,
  OUTPUT_MINT,
  INPUT_PROGRAM,
  OUTPUT_PROGRAM,
] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
const openWith = (world: OrderWorld, places: Record<number, Address>) =>
  withAccounts(initializeOrder(world.terms), places);

test('an order that gives nothing, asks nothing, has expired or accepts nothing is refused', () => {
  for (const [terms, error] of [
    [{ makingAmount: 0n }, 'InvalidMakingAmount'],
    [{ takingAmount: 0n }, 'InvalidTakingAmount'],
    [{ expiredAt: NOW }, 'InvalidExpiredDate'],
    [{ expiredAt: NOW - 1n }, 'InvalidExpiredDate'],
    [{ expiredAt: 0n }, 'InvalidExpiredDate'],
    [{ expiredAt: -(2n ** 63n) }, 'InvalidExpiredDate'],
    [{ slippageBps: 10_000 }, 'InvalidMinTakingAmount'],
    [{ slippageBps: 65_535 }, 'InvalidMinTakingAmount'],
    [{ feeBps: 2 }, 'FeeBpsTooLow'],
    [{ feeBps: 0 }, 'FeeBpsTooLow'],
    [{ feeBps: 10_001 }, 'FeeBpsTooHigh'],
    [{ feeBps: 65_535 }, 'FeeBpsTooHigh'],
  ] as const) {
    const world = opens({ terms });
    refuses(world, error, initializeOrder(world.terms));
  }
  for (const terms of [{ slippageBps: 9_999 }, { feeBps: 3 }, { feeBps: 10_000 }, { expiredAt: NOW + 1n }]) {
    openOrder(vm, { terms });
  }
  for (const terms of [
    { makingAmount: 1n },
    { takingAmount: 1n },
    { takingAmount: U64_MAX },
    { makingAmount: U64_MAX },
  ]) {
    openOrder(vm, { terms });
  }
});

test('whether a term is there is said by 0 or 1', () => {
  const world = opens({ terms: { expiredAt: NOW + 5n, feeBps: 5, slippageBps: 5 } });
  const made = initializeOrder(world.terms);
  for (const at of [32, 41, 44]) {
    for (const byte of [2, 255]) {
      const data = made.data.map((given, i) => (i === at ? byte : given));
      refuses(world, 'InstructionDidNotDeserialize', { ...made, data });
    }
  }
  for (let n = 8; n < made.data.length; n++) {
    refuses(world, 'InstructionDidNotDeserialize', { ...made, data: made.data.subarray(0, n) });
  }
  succeeded(vm.run(made));
});

test('a token is not ordered for itself', () => {
  const world = opens();
  const { inputMint } = world.terms;
  refuses(world, 'InvalidPair', openWith(world, { [OUTPUT_MINT]: inputMint }));
});

test('mints and token programs are real, and belong together', () => {
  for (const kind of ['spl', 'token-2022'] as const) {
    for (const [side, mintAt, programAt] of [
      ['input', INPUT_MINT, INPUT_PROGRAM],
      ['output', OUTPUT_MINT, OUTPUT_PROGRAM],
    ] as const) {
      const world = opens({ [side]: kind });
      const mint = world.terms[`${side}Mint`];
      const program = vm.owner(mint);
      const other = kind === 'spl' ? TOKEN_2022_PROGRAM : TOKEN_PROGRAM;
      for (const fake of [SYSTEM_PROGRAM, LIMIT_ORDER_PROGRAM, newAddress()]) {
        refuses(world, 'InvalidProgramId', openWith(world, { [programAt]: fake }));
        const notOfTokens = vm.put(newAddress(), vm.data(mint), fake);
        refuses(world, 'InvalidProgramId', openWith(world, { [programAt]: fake, [mintAt]: notOfTokens }));
      }
      refuses(world, 'ConstraintMintTokenProgram', openWith(world, { [programAt]: other }));
      const ownedByOther = vm.put(newAddress(), vm.data(mint), other);
      refuses(world, 'ConstraintMintTokenProgram', openWith(world, { [mintAt]: ownedByOther }));
      const notThere = vm.mint({ tokenProgram: program, initialized: false });
      const tokens = vm.tokenAccount({ tokenProgram: program, mint, owner: world.maker, amount: 5n });
      for (const wrong of [notThere, tokens]) {
        refuses(world, 'UnsupportedMint', openWith(world, { [mintAt]: wrong }));
      }
    }
  }
});

test('the input comes from a token account of the maker’s, of the mint, in use', () => {
  for (const input of ['spl', 'token-2022'] as const) {
    const world = opens({ input });
    const { inputMint, outputMint } = world.terms;
    const tokenProgram = vm.owner(inputMint);
    const account = (more: Partial<Parameters<typeof vm.tokenAccount>[0]>) =>
      vm.tokenAccount({ mint: inputMint, owner: world.maker, amount: 10n ** 9n, tokenProgram, ...more });
    const otherProgram = input === 'spl' ? TOKEN_2022_PROGRAM : TOKEN_PROGRAM;
    for (const wrong of [
      account({ owner: newAddress() }),
      account({ owner: newAddress(), delegate: world.maker, delegatedAmount: U64_MAX }),
      account({ mint: outputMint }),
      account({ state: 'frozen' }),
      account({ state: 'uninitialized' }),
      account({ tokenProgram: otherProgram }),
      account({ tokenProgram: LIMIT_ORDER_PROGRAM }),
      world.takerInput,
      inputMint,
      world.maker,
      newAddress(),
    ]) {
      refuses(world, 'InvalidInputAccount', openWith(world, { [MAKER_INPUT]: wrong }));
    }
    succeeded(vm.run(openWith(world, { [MAKER_INPUT]: account({}) })));
  }
});

test('a maker who has too little opens no order', () => {
  const world = opens();
  vm.setAmount(world.makerInput, 999_999n);
  const moved = watch(world);
  failedWith(vm.run(initializeOrder(world.terms)), 'custom program error: 0x1', TOKEN_PROGRAM);
  assert.deepEqual(moved(), {});
  assert.equal(stateOf(world), undefined);
});

test('the fee account is the program’s', () => {
  const world = opens();
  const fees = vm.data(LIMIT_ORDER_ADDRESSES.fee);
  const order = openOrder(vm).order;
  refuses(world, 'AccountNotInitialized', openWith(world, { [FEE]: newAddress() }));
  refuses(world, 'AccountOwnedByWrongProgram', openWith(world, { [FEE]: vm.put(newAddress(), fees, SYSTEM_PROGRAM) }));
  refuses(world, 'AccountDiscriminatorMismatch', openWith(world, { [FEE]: order }));
});

test('a referral is a token account of the output mint', () => {
  const world = opens();
  const { outputMint, inputMint } = world.terms;
  const account = (more: Partial<Parameters<typeof vm.tokenAccount>[0]>) =>
    vm.tokenAccount({ mint: outputMint, owner: newAddress(), ...more });
  for (const wrong of [
    account({ mint: inputMint }),
    account({ state: 'frozen' }),
    account({ tokenProgram: TOKEN_2022_PROGRAM }),
    outputMint,
    newAddress(),
    wallet(vm),
  ]) {
    refuses(world, 'ConstraintTokenMint', openWith(world, { [REFERRAL]: wrong }));
  }
  succeeded(vm.run(openWith(world, { [REFERRAL]: account({}) })));
});

test('an order stands at the address of its maker and id', () => {
  const world = opens();
  const other = wallet(vm);
  const { uniqueId } = world.terms;
  for (const wrong of [
    newAddress(),
    limitOrderAddress(other, uniqueId).address,
    limitOrderAddress(world.maker, uniqueId + 1n).address,
    world.reserve,
  ]) {
    refuses(world, 'ConstraintSeeds', openWith(world, { [ORDER]: wrong }));
  }
  for (let i = 0; i < 32; i++) {
    const near = addressToBytes(world.order);
    near[i]! ^= 1;
    refuses(world, 'ConstraintSeeds', openWith(world, { [ORDER]: addressFromBytes(near) }));
  }
  refuses(world, 'InvalidInputAccount', openWith(world, { [MAKER]: other }));
  assert.ok(vm.run(openWith(world, { [RESERVE]: holding(vm, world.terms.inputMint, world.order) })).failure);
  const unrelated = newAddress();
  failedWith(
    vm.run(openWith(world, { [RESERVE]: unrelated })),
    'Provided seeds do not result in a valid address',
    ASSOCIATED_TOKEN_PROGRAM,
  );
  assert.equal(stateOf(world), undefined);
  assert.equal(vm.lamports(world.order), 0n);
  succeeded(vm.run(openWith(world, { [PAYER]: other })));
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
