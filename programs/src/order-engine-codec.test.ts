import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Address,
  compileMessage,
  decodeMessage,
  decompileInstructions,
  type Instruction,
  type MessageInput,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  address as toAddress,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import {
  type Fill,
  fillInstruction,
  ORDER_ENGINE_PROGRAM,
  parseFill,
  temporaryWrappedSolAccount,
} from './order-engine.js';
import { newAddress } from './test-vm.js';

const U64_MAX = 2n ** 64n - 1n;

const FILL: Fill = {
  taker: newAddress(),
  maker: newAddress(),
  takerInputAccount: newAddress(),
  makerInputAccount: newAddress(),
  takerOutputAccount: newAddress(),
  makerOutputAccount: newAddress(),
  inputMint: newAddress(),
  inputTokenProgram: TOKEN_PROGRAM,
  outputMint: newAddress(),
  outputTokenProgram: TOKEN_2022_PROGRAM,
  inputAmount: 258n,
  outputAmount: U64_MAX - 1n,
  expireAt: -2n,
};
const SOL_INPUT = { inputMint: WRAPPED_SOL_MINT, inputTokenProgram: TOKEN_PROGRAM };
const SOL_OUTPUT = { outputMint: WRAPPED_SOL_MINT, outputTokenProgram: TOKEN_PROGRAM };

/** The fill without some of its token accounts. */
function without(...absent: ('takerInput' | 'makerInput' | 'takerOutput' | 'makerOutput')[]): Fill {
  const gone = new Set<string>(absent.map((name) => `${name}Account`));
  const { taker, maker, inputMint, outputMint, ...others } = FILL;
  const kept = Object.fromEntries(Object.entries(others).filter(([name]) => !gone.has(name)));
  const { inputTokenProgram, outputTokenProgram, inputAmount, outputAmount, expireAt } = FILL;
  const needed = { inputTokenProgram, outputTokenProgram, inputAmount, outputAmount, expireAt };
  return { taker, maker, inputMint, outputMint, ...needed, ...kept };
}

const FILLS: [string, Fill][] = [
  ['tokens for tokens', FILL],
  ['with a fee noted', { ...FILL, feeBps: 513 }],
  ['SOL of the wallets for tokens', { ...without('takerInput', 'makerInput'), ...SOL_INPUT }],
  ['SOL of the taker’s wallet, wrapped', { ...without('takerInput'), ...SOL_INPUT }],
  ['wrapped SOL of the taker, unwrapped', { ...without('makerInput'), ...SOL_INPUT }],
  ['tokens for SOL of the wallets', { ...without('takerOutput', 'makerOutput'), ...SOL_OUTPUT }],
  ['tokens for SOL of the maker’s wallet, wrapped', { ...without('makerOutput'), ...SOL_OUTPUT }],
  ['tokens for wrapped SOL of the maker, unwrapped', { ...without('takerOutput'), ...SOL_OUTPUT, feeBps: 0 }],
];

test('a fill has the accounts and the data of the public interface', () => {
  const { program, accounts, data } = fillInstruction({ ...FILL, feeBps: 513 });
  assert.equal(program, '61DFfeTKM7trxYcPQCM78bJ794ddZprZpAwAnLiwTpYH');
  const meta = (address: Address, writable: boolean, signer = false) => ({ address, signer, writable });
  assert.deepEqual(accounts, [
    meta(FILL.taker, true, true),
    meta(FILL.maker, true, true),
    meta(FILL.takerInputAccount!, true),
    meta(FILL.makerInputAccount!, true),
    meta(FILL.takerOutputAccount!, true),
    meta(FILL.makerOutputAccount!, true),
    meta(FILL.inputMint, false),
    meta(TOKEN_PROGRAM, false),
    meta(FILL.outputMint, false),
    meta(TOKEN_2022_PROGRAM, false),
    meta(SYSTEM_PROGRAM, false),
  ]);
  assert.equal(
    Buffer.from(data).toString('hex'),
    'a860b7a35c0a28a0' + '0201000000000000' + 'feffffffffffffff' + 'feffffffffffffff' + '0102',
  );
});

test('the program stands for an account that is absent, and a side that unwraps brings the temporary account', () => {
  const absent = { address: ORDER_ENGINE_PROGRAM, signer: false, writable: false };
  const temporary = { address: temporaryWrappedSolAccount(FILL.maker), signer: false, writable: true };
  for (const [place, name, unwraps] of [
    [2, 'takerInput', false],
    [3, 'makerInput', true],
    [4, 'takerOutput', true],
    [5, 'makerOutput', false],
  ] as const) {
    const { accounts } = fillInstruction(without(name));
    assert.deepEqual(accounts[place], absent);
    assert.deepEqual(accounts.slice(11), unwraps ? [temporary] : []);
  }
  const other = newAddress();
  const elsewhere = fillInstruction(without('makerInput'), other);
  assert.equal(elsewhere.program, other);
  assert.equal(elsewhere.accounts[3]!.address, other);
  assert.equal(elsewhere.accounts[11]!.address, temporaryWrappedSolAccount(FILL.maker, other));
  assert.deepEqual(parseFill(elsewhere, other), without('makerInput'));
  assert.equal(parseFill(elsewhere), undefined);
});

test('what does not fit into a fill is refused by name', () => {
  for (const wrong of [
    { inputAmount: -1n },
    { inputAmount: U64_MAX + 1n },
    { outputAmount: -1n },
    { outputAmount: U64_MAX + 1n },
    { expireAt: 2n ** 63n },
    { expireAt: -(2n ** 63n) - 1n },
    { feeBps: -1 },
    { feeBps: 0.5 },
    { feeBps: 10_001 },
  ]) {
    const value = String(Object.values(wrong)[0]);
    assert.throws(
      () => fillInstruction({ ...FILL, ...wrong }),
      (error) => error instanceof RangeError && error.message.includes(value),
    );
  }
});

test('every fill is read as it was written, also out of a message', () => {
  for (const [what, fill] of FILLS) {
    const instruction = fillInstruction(fill);
    assert.deepEqual(parseFill(instruction), fill, what);
    const blockhash = '11111111111111111111111111111111';
    const input: MessageInput = { version: 0, feePayer: fill.maker, instructions: [instruction], blockhash };
    const [inMessage] = decompileInstructions(decodeMessage(compileMessage(input)));
    assert.deepEqual(parseFill(inMessage!), fill, what);
  }
});

test('what is not exactly a fill is read as none', () => {
  const longer = (data: Uint8Array, by: number) => Buffer.concat([data, Buffer.alloc(by)]);
  for (const [what, fill] of FILLS) {
    const made = fillInstruction(fill);
    const isNone = (changed: Partial<Instruction>, how: string) =>
      assert.equal(parseFill({ ...made, ...changed }), undefined, `${what}: ${how}`);
    isNone({ program: newAddress() }, 'another program');
    for (let i = 0; i < 8; i++) {
      isNone({ data: made.data.map((byte, at) => (at === i ? byte ^ 1 : byte)) }, 'another discriminator');
    }
    for (const by of [1, 3, 4]) isNone({ data: longer(made.data, by) }, 'more data');
    isNone({ data: Buffer.concat([made.data.subarray(0, 32), Buffer.from([0x11, 0x27])]) }, 'a fee of 10,001');
    for (const length of [0, 7, 8, 31]) isNone({ data: made.data.subarray(0, length) }, 'less data');
    isNone({ accounts: [...made.accounts, { address: newAddress(), signer: false, writable: true }] }, 'one more');
    for (let n = 0; n < made.accounts.length; n++)
      isNone({ accounts: made.accounts.slice(0, n) }, `only ${n} accounts`);
    for (const [i, meta] of made.accounts.entries()) {
      const changed = (change: object) => made.accounts.map((m, at) => (at === i ? { ...m, ...change } : m));
      if (meta.signer) isNone({ accounts: changed({ signer: false }) }, `unsigned account ${i}`);
      if (meta.writable) isNone({ accounts: changed({ writable: false }) }, `read-only account ${i}`);
      if (i >= 10) isNone({ accounts: changed({ address: newAddress() }) }, `another account ${i}`);
      const more = parseFill({ ...made, accounts: changed({ signer: true, writable: true }) });
      assert.deepEqual(more, fill, `${what}: more rights of account ${i}`);
    }
  }
});

test('the temporary account is the program address of the public seeds', () => {
  const maker = toAddress('DkiqsTrw1u1bYFumumC7sCG2S8K25qc2vemJFHyW2wJc');
  assert.equal(temporaryWrappedSolAccount(maker), '26uaa66AJTLfh9xsSzMaCDJQSyx6VjXQgj8T7y5STsNz');
});
