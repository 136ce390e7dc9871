import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  compileMessage,
  decodeMessage,
  decompileInstructions,
  type Instruction,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '@slipway/wire';
import {
  cancelDustOrder,
  cancelOrder,
  flashFillOrder,
  type InitializeOrder,
  initializeOrder,
  preFlashFillOrder,
  updateLimitOrderFee,
} from './limit-order.js';
import { LIMIT_ORDER_PROGRAM, type LimitOrderAddresses, limitOrderAddresses } from './limit-order-addresses.js';
import { decodeLimitOrderEvent } from './limit-order-events.js';
import {
  parseCancelOrder,
  parseFlashFillOrder,
  parseInitializeOrder,
  parsePreFlashFillOrder,
} from './limit-order-parse.js';
import {
  decodeLimitOrder,
  decodeLimitOrderFees,
  encodeLimitOrder,
  encodeLimitOrderFees,
  LIMIT_ORDER_SIZE,
} from './limit-order-state.js';
import { newAddress } from './test-vm.js';

const U64_MAX = 2n ** 64n - 1n;

const TERMS: InitializeOrder = {
  payer: newAddress(),
  maker: newAddress(),
  uniqueId: 258n,
  makerInputMintAccount: newAddress(),
  inputMint: newAddress(),
  outputMint: newAddress(),
  inputTokenProgram: TOKEN_PROGRAM,
  outputTokenProgram: TOKEN_2022_PROGRAM,
  makingAmount: U64_MAX,
  takingAmount: 1n,
};
const CANCEL = {
  signer: newAddress(),
  maker: newAddress(),
  order: newAddress(),
  inputMintReserve: newAddress(),
  inputMint: newAddress(),
  inputTokenProgram: TOKEN_2022_PROGRAM,
};
const LOAN = {
  taker: newAddress(),
  order: newAddress(),
  inputMintReserve: newAddress(),
  takerInputMintAccount: newAddress(),
  inputMint: newAddress(),
  inputTokenProgram: TOKEN_PROGRAM,
  makingAmount: 77n,
};
const PAYMENT = {
  taker: newAddress(),
  maker: newAddress(),
  order: newAddress(),
  inputMintReserve: newAddress(),
  feeAccount: newAddress(),
  inputTokenProgram: TOKEN_PROGRAM,
  outputMint: newAddress(),
  outputTokenProgram: TOKEN_2022_PROGRAM,
  maxTakingAmount: 2n ** 63n,
};
const account = newAddress();

type Case<T> = [
  name: string,
  build: (terms: T, addresses?: LimitOrderAddresses) => Instruction,
  parse: (instruction: Instruction, addresses?: LimitOrderAddresses) => T | undefined,
  terms: T[],
];
const listed = <T>(...one: Case<T>): Case<unknown> => one as unknown as Case<unknown>;
const CASES = [
  listed('initializeOrder', initializeOrder, parseInitializeOrder, [
    TERMS,
    { ...TERMS, expiredAt: -1n },
    { ...TERMS, feeBps: 65_535 },
    { ...TERMS, slippageBps: 0, referral: account },
    { ...TERMS, expiredAt: 5n, feeBps: 256, slippageBps: 9_999, referral: account },
  ]),
  listed('cancelOrder', cancelOrder, parseCancelOrder, [CANCEL, { ...CANCEL, makerInputMintAccount: account }]),
  listed('preFlashFillOrder', preFlashFillOrder, parsePreFlashFillOrder, [LOAN]),
  listed('flashFillOrder', flashFillOrder, parseFlashFillOrder, [
    PAYMENT,
    { ...PAYMENT, makerOutputMintAccount: account },
    { ...PAYMENT, takerOutputMintAccount: account },
    { ...PAYMENT, makerOutputMintAccount: account, takerOutputMintAccount: newAddress() },
  ]),
];
const OTHERS = [
  cancelDustOrder({ ...CANCEL, oneUsdInputMintAmount: 5n }),
  updateLimitOrderFee({ admin: newAddress(), normalFeeBps: 1, stableFeeBps: 1 }),
];

for (const [name, build, parse, all] of CASES) {
  test(`every ${name} is read as it was written, also out of a message, and of a program elsewhere`, () => {
    const elsewhere = limitOrderAddresses(newAddress());
    for (const terms of all) {
      const made = build(terms);
      assert.deepEqual(parse(made), terms);
      const feePayer = newAddress();
      const blockhash = '11111111111111111111111111111111';
      const message = compileMessage({ version: 0, feePayer, instructions: [made], blockhash });
      assert.deepEqual(parse(decompileInstructions(decodeMessage(message))[0]!), terms);
      const other = build(terms, elsewhere);
      assert.equal(other.program, elsewhere.program);
      assert.deepEqual(parse(other, elsewhere), terms);
      assert.equal(parse(other), undefined);
    }
  });

  test(`what is not exactly a ${name} is read as none`, () => {
    for (const terms of all) {
      const made = build(terms);
      const isNone = (changed: Partial<Instruction>, how: string) =>
        assert.equal(parse({ ...made, ...changed }), undefined, how);
      isNone({ program: newAddress() }, 'another program');
      for (let i = 0; i < 8; i++) {
        isNone({ data: made.data.map((byte, at) => (at === i ? byte ^ 1 : byte)) }, 'another discriminator');
      }
      isNone({ data: Buffer.concat([made.data, Buffer.alloc(1)]) }, 'more data');
      for (let n = 0; n < made.data.length; n++) isNone({ data: made.data.subarray(0, n) }, `only ${n} bytes`);
      isNone({ accounts: [...made.accounts, { address: account, signer: false, writable: true }] }, 'one more');
      for (let n = 0; n < made.accounts.length; n++)
        isNone({ accounts: made.accounts.slice(0, n) }, `only ${n} accounts`);
      for (const [i, meta] of made.accounts.entries()) {
        const changed = (change: object) => made.accounts.map((m, at) => (at === i ? { ...m, ...change } : m));
        if (meta.signer) isNone({ accounts: changed({ signer: false }) }, `unsigned account ${i}`);
        if (meta.writable) isNone({ accounts: changed({ writable: false }) }, `read-only account ${i}`);
        const more = parse({ ...made, accounts: changed({ signer: true, writable: true }) });
        assert.deepEqual(more, terms, `more rights of account ${i}`);
      }
      const own = made.accounts.at(-1)!;
      if (own.address === LIMIT_ORDER_PROGRAM) {
        const others = made.accounts.slice(0, -1);
        isNone({ accounts: [...others, { ...own, address: newAddress() }] }, 'another program at the end');
      }
    }
    for (const other of [
      ...OTHERS,
      ...CASES.filter(([its]) => its !== name).map(([, make, , [terms]]) => make(terms)),
    ]) {
      assert.equal(parse(other), undefined);
    }
  });
}

test('an order elsewhere than at the address of its maker and id is read as none', () => {
  const made = initializeOrder(TERMS);
  for (const at of [2, 3, 5, 11, 12, 13]) {
    const accounts = made.accounts.map((meta, i) => (i === at ? { ...meta, address: newAddress() } : meta));
    assert.equal(parseInitializeOrder({ ...made, accounts }), undefined);
  }
});

test('numbers that do not fit are refused by name', () => {
  for (const [name, values] of [
    ['uniqueId', [-1n, U64_MAX + 1n]],
    ['makingAmount', [-1n, U64_MAX + 1n]],
    ['takingAmount', [-1n, U64_MAX + 1n]],
    ['expiredAt', [2n ** 63n, -(2n ** 63n) - 1n]],
    ['feeBps', [-1, 0.5, 65_536, Number.NaN]],
    ['slippageBps', [-1, 0.5, 65_536]],
  ] as const) {
    for (const value of values) {
      const isRefused = (error: unknown) =>
        error instanceof RangeError && error.message.includes(name) && error.message.includes(String(value));
      assert.throws(() => initializeOrder({ ...TERMS, [name]: value }), isRefused);
    }
  }
  for (const wrong of [-1n, U64_MAX + 1n]) {
    assert.throws(() => preFlashFillOrder({ ...LOAN, makingAmount: wrong }), /makingAmount/);
    assert.throws(() => flashFillOrder({ ...PAYMENT, maxTakingAmount: wrong }), /maxTakingAmount/);
    assert.throws(() => cancelDustOrder({ ...CANCEL, oneUsdInputMintAmount: wrong }), /oneUsdInputMintAmount/);
  }
  const fees = { admin: account, normalFeeBps: 1, stableFeeBps: 1 };
  assert.throws(() => updateLimitOrderFee({ ...fees, normalFeeBps: 65_536 }), /normalFeeBps/);
  assert.throws(() => updateLimitOrderFee({ ...fees, stableFeeBps: -1 }), /stableFeeBps/);
});

test('what is no order, no fees and no event is read as none', () => {
  const order = encodeLimitOrder({
    maker: account,
    inputMint: account,
    outputMint: account,
    inputTokenProgram: account,
    feeAccount: account,
    outputTokenProgram: account,
    inputMintReserve: account,
    uniqueId: 1n,
    oriMakingAmount: 2n,
    oriTakingAmount: 3n,
    makingAmount: 4n,
    takingAmount: 5n,
    borrowMakingAmount: 6n,
    expiredAt: 7n,
    feeBps: 8,
    createdAt: -9n,
    updatedAt: 10n,
    bump: 11,
    slippageBps: 12,
  });
  const FIELDS_END = 310;
  const EXPIRES_AT = 248;
  assert.equal(order.length, LIMIT_ORDER_SIZE);
  assert.equal(decodeLimitOrder(order)!.createdAt, -9n);
  assert.equal(decodeLimitOrder(order.subarray(0, FIELDS_END))!.slippageBps, 12);
  for (let n = 0; n < FIELDS_END; n++) assert.equal(decodeLimitOrder(order.subarray(0, n)), undefined);
  for (let i = 0; i < 8; i++) {
    assert.equal(decodeLimitOrder(order.map((byte, at) => (at === i ? byte ^ 1 : byte))), undefined);
  }
  assert.equal(decodeLimitOrder(order.map((byte, at) => (at === EXPIRES_AT ? 2 : byte))), undefined);

  const fees = Buffer.from('183796faa81b65b20a000300', 'hex');
  assert.deepEqual(decodeLimitOrderFees(fees), { normalFeeBps: 10, stableFeeBps: 3 });
  assert.deepEqual(Buffer.from(encodeLimitOrderFees({ normalFeeBps: 10, stableFeeBps: 3 })), fees);
  for (let n = 0; n < 12; n++) assert.equal(decodeLimitOrderFees(fees.subarray(0, n)), undefined);
  assert.equal(decodeLimitOrderFees(order), undefined);

  const event = Buffer.concat([Buffer.from('e445a52e51cb9a1dae428d1104e0a24d', 'hex'), Buffer.alloc(32)]);
  assert.equal(decodeLimitOrderEvent(event)?.name, 'cancelOrderEvent');
  for (let n = 0; n < event.length; n++) assert.equal(decodeLimitOrderEvent(event.subarray(0, n)), undefined);
  for (const i of [0, 7, 8, 15]) {
    assert.equal(decodeLimitOrderEvent(event.map((byte, at) => (at === i ? byte ^ 1 : byte))), undefined);
  }
});
