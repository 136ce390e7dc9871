import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Address,
  ASSOCIATED_TOKEN_PROGRAM,
  addressFromBytes,
  addressToBytes,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '@slipway/wire';
import { initializeOrder } from './limit-order.js';
import { LIMIT_ORDER_ADDRESSES, LIMIT_ORDER_PROGRAM, limitOrderAddress } from './limit-order-addresses.js';
import {
  holding,
  limitOrderVm,
  NOW,
  newOrder,
  type OrderOptions,
  type OrderWorld,
  openOrder,
  refuses,
  stateOf,
  U64_MAX,
  wallet,
  watch,
} from './limit-order-testing.js';
import { failedWith, newAddress, succeeded, withAccounts } from './test-vm.js';

const vm = limitOrderVm('all');

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
  const plain = opens();
  const without = initializeOrder(plain.terms);
  for (const at of [32, 33, 34]) {
    const data = without.data.map((given, i) => (i === at ? 2 : given));
    refuses(plain, 'InstructionDidNotDeserialize', { ...without, data });
  }
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
