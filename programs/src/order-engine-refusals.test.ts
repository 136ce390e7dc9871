import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MEMO_PROGRAM, SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM, WRAPPED_SOL_MINT } from '@slipway/wire';
import { type Fill, fillInstruction, ORDER_ENGINE_PROGRAM, temporaryWrappedSolAccount } from './order-engine.js';
import {
  balances,
  type FillOptions,
  type FillWorld,
  fillWorld,
  NOW,
  orderEngineVm,
  refuses,
  replaced,
  run,
  SPL,
  sol,
  TOKEN_2022,
  TOKEN_ACCOUNTS,
  wallet,
} from './order-engine-testing.js';
import { failedWith, newAddress, succeeded } from './test-vm.js';

const [TAKER, MAKER, INPUT_MINT, INPUT_PROGRAM, OUTPUT_MINT, OUTPUT_PROGRAM, SYSTEM, TEMPORARY] = [
  0, 1, 6, 7, 8, 9, 10, 11,
];
const SIDES = [
  { side: 'input', mint: INPUT_MINT, program: INPUT_PROGRAM },
  { side: 'output', mint: OUTPUT_MINT, program: OUTPUT_PROGRAM },
] as const;

const vm = orderEngineVm('all');
const newFill = (options?: FillOptions) => fillWorld(vm, options);
const change = (world: FillWorld, fill: Partial<Fill>): FillWorld => ({ ...world, fill: { ...world.fill, ...fill } });

test('a fill wants its data complete, and no other instruction is known', () => {
  const world = newFill();
  const made = fillInstruction(world.fill);
  for (const length of [0, 7, 8, 24, 31]) {
    refuses(world, 'InstructionDidNotDeserialize', { ...made, data: made.data.subarray(0, length) });
  }
  for (let i = 0; i < 8; i++) {
    const data = made.data.map((byte, at) => (at === i ? byte ^ 0x80 : byte));
    refuses(world, 'InstructionFallbackNotFound', { ...made, data });
  }
});

test('a fill wants its accounts complete', () => {
  const world = newFill();
  const made = fillInstruction(world.fill);
  for (let n = 0; n < 11; n++) refuses(world, 'AccountNotEnoughKeys', { ...made, accounts: made.accounts.slice(0, n) });
  const spare = { address: newAddress(), signer: false, writable: false };
  succeeded(vm.run({ ...made, accounts: [...made.accounts, ...Array.from({ length: 9 }, () => spare)] }));
});

test('taker and maker sign, and every account that changes is writable', () => {
  const world = newFill();
  const made = fillInstruction(world.fill);
  const weaker = (at: number, less: object) => ({
    ...made,
    accounts: made.accounts.map((meta, i) => (i === at ? { ...meta, ...less } : meta)),
  });
  for (const at of [TAKER, MAKER]) refuses(world, 'AccountNotSigner', weaker(at, { signer: false }));
  for (let at = 0; at < 6; at++) refuses(world, 'ConstraintMut', weaker(at, { writable: false }));
});

test('nobody fills his own order', () => {
  const world = newFill();
  const { fill } = world;
  const { taker, inputMint, outputMint } = fill;
  const own = {
    maker: taker,
    makerInputAccount: vm.tokenAccount({ mint: inputMint, owner: taker, amount: 5n * 10n ** 9n }),
    makerOutputAccount: vm.tokenAccount({ mint: outputMint, owner: taker, amount: 5n * 10n ** 9n }),
  };
  refuses(change(world, own), 'MakerIsTaker');
  const both = { makerInputAccount: fill.takerInputAccount!, takerOutputAccount: own.makerOutputAccount };
  refuses(change(world, { ...own, ...both }), 'MakerIsTaker');
});

test('a token is not exchanged for itself', () => {
  const world = newFill();
  const { fill } = world;
  const inSame = {
    outputMint: fill.inputMint,
    takerOutputAccount: vm.tokenAccount({ mint: fill.inputMint, owner: fill.taker }),
    makerOutputAccount: vm.tokenAccount({ mint: fill.inputMint, owner: fill.maker, amount: 10n ** 9n }),
  };
  refuses(change(world, inSame), 'SameMint');
  const circle = { takerOutputAccount: fill.takerInputAccount!, makerOutputAccount: fill.makerInputAccount! };
  refuses(change(world, { ...inSame, ...circle }), 'SameMint');
  refuses(newFill({ input: sol('account', 'account'), output: sol('wallet', 'wallet') }), 'SameMint');
});

test('nothing is not an amount', () => {
  refuses(newFill({ inputAmount: 0n }), 'ZeroAmount');
  refuses(newFill({ outputAmount: 0n }), 'ZeroAmount');
  refuses(newFill({ inputAmount: 0n, outputAmount: 0n }), 'ZeroAmount');
});

test('a fill ends with its expiry', () => {
  for (const expireAt of [NOW - 1n, 0n, -1n, -(2n ** 63n)])
    refuses(change(newFill(), { expireAt }), 'RequireGteViolated');
});

test('the System program and the token programs are the real ones', () => {
  const world = newFill();
  for (const other of [newAddress(), TOKEN_PROGRAM, MEMO_PROGRAM]) {
    refuses(world, 'InvalidProgramId', replaced(world, { [SYSTEM]: other }));
  }
  for (const { side, program, mint } of SIDES) {
    for (const other of [newAddress(), SYSTEM_PROGRAM, MEMO_PROGRAM, ORDER_ENGINE_PROGRAM]) {
      refuses(world, 'InvalidProgramId', replaced(world, { [program]: other }));
      // Also when everything belongs to the other one.
      const forged = newFill();
      const accounts = TOKEN_ACCOUNTS.filter((account) => account.side === side).map(({ name }) => forged.fill[name]!);
      for (const at of [forged.fill[`${side}Mint`], ...accounts]) vm.put(at, vm.data(at), other);
      refuses(forged, 'InvalidProgramId', replaced(forged, { [program]: other }));
    }
    refuses(world, 'InvalidMint', replaced(world, { [program]: TOKEN_2022_PROGRAM }));
    refuses(world, 'InvalidMint', replaced(world, { [mint]: newAddress() }));
  }
});

for (const { side } of SIDES) {
  test(`the ${side} mint is a mint`, () => {
    for (const token of [SPL, TOKEN_2022]) {
      const world = newFill({ [side]: token });
      const { fill } = world;
      const mint = fill[`${side}Mint`];
      const program = vm.owner(mint);
      const data = vm.data(mint);
      vm.put(mint, data.subarray(0, 81), program);
      refuses(world, 'InvalidMint');
      vm.put(mint, new Uint8Array(0), program);
      refuses(world, 'InvalidMint');
      vm.put(mint, new Uint8Array(82), program);
      refuses(world, 'InvalidMint');
      vm.put(mint, data, program);
      succeeded(run(world));
    }
  });

  test(`the ${side} of a mint that is not wrapped SOL needs both token accounts`, () => {
    const [first, second] = TOKEN_ACCOUNTS.filter((account) => account.side === side).map(({ name }) => name);
    for (const token of [SPL, TOKEN_2022]) {
      const world = newFill({ [side]: token });
      for (const absent of [[first!], [second!], [first!, second!]]) {
        const fill = { ...world.fill };
        for (const name of absent) delete fill[name];
        refuses({ ...world, fill }, 'RequireKeysEqViolated');
      }
    }
  });

  test(`the ${side} is unwrapped through the maker’s temporary account alone`, () => {
    const world = newFill({ [side]: sol('account', 'wallet') });
    const { fill } = world;
    const made = fillInstruction(fill);
    refuses(world, 'MissingTemporaryWrappedSolTokenAccount', { ...made, accounts: made.accounts.slice(0, TEMPORARY) });
    const { takerInputAccount, makerOutputAccount, maker, taker } = fill;
    const strangers = [newAddress(), wallet(vm), temporaryWrappedSolAccount(taker), maker, taker];
    for (const other of [...strangers, takerInputAccount!, makerOutputAccount!]) {
      refuses(world, 'RequireKeysEqViolated', replaced(world, { [TEMPORARY]: other }));
    }
    succeeded(vm.run(made));
  });
}

test('one who has too little gives nothing, and gets nothing', () => {
  const insufficient = 'custom program error: 0x1';
  for (const token of [SPL, TOKEN_2022, sol('account', 'account'), sol('account', 'wallet')]) {
    const program = token.token === 'token-2022' ? TOKEN_2022_PROGRAM : TOKEN_PROGRAM;
    for (const side of [{ input: token }, { output: token }]) {
      const world = newFill({ ...side, inputAmount: 1_000n, outputAmount: 1_000n, held: 999n });
      const other = 'input' in side ? world.fill.makerOutputAccount! : world.fill.takerInputAccount!;
      vm.setAmount(other, 1_000n);
      const before = balances(world);
      failedWith(run(world), insufficient, program);
      assert.deepEqual(balances(world), before);
    }
  }
  for (const to of ['wallet', 'account'] as const) {
    for (const side of ['input', 'output'] as const) {
      const world = newFill({ [side]: sol('wallet', to), [`${side}Amount`]: 10_000_000_001n });
      const before = balances(world);
      failedWith(run(world), insufficient, SYSTEM_PROGRAM);
      assert.deepEqual(balances(world), before);
    }
  }
});

test('SOL of one mint, tokens of another: the places of wrapped SOL cannot be confused', () => {
  const world = newFill({ input: sol('wallet', 'wallet') });
  const fake = vm.mint({ decimals: 9 });
  refuses(world, 'RequireKeysEqViolated', replaced(world, { [INPUT_MINT]: fake }));
  refuses(world, 'SameMint', replaced(world, { [OUTPUT_MINT]: WRAPPED_SOL_MINT }));
  refuses(world, 'InvalidMint', replaced(world, { [INPUT_PROGRAM]: TOKEN_2022_PROGRAM }));
});
