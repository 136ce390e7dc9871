import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rentExemptLamports, SYSTEM_PROGRAM } from '@slipway/wire';
import fc from 'fast-check';
import { Rent } from 'litesvm/dist/internal.js';
import { fillInstruction } from './order-engine.js';
import {
  balances,
  type FillOptions,
  fillWorld,
  NOW,
  orderEngineVm,
  run,
  type Side,
  SOL_SIDES,
  SPL,
  settled,
  settles,
  sol,
  TOKEN_2022,
  WALLET_LAMPORTS,
} from './order-engine-testing.js';
import { extension, succeeded, u64 } from './test-vm.js';

const U64_MAX = 2n ** 64n - 1n;
const I64_MAX = 2n ** 63n - 1n;
const FILLS = 600;
const RENT = rentExemptLamports(165);

const vm = orderEngineVm();
const newFill = (options?: FillOptions) => fillWorld(vm, options);

const describe = ({ token, from, to }: Side) => (token === 'sol' ? `SOL from ${from} to ${to}` : token);
const SIDES = [SPL, TOKEN_2022, ...SOL_SIDES];
for (const input of SIDES) {
  for (const output of SIDES.filter(({ token }) => token !== 'sol' || input.token !== 'sol')) {
    test(`${describe(input)} against ${describe(output)}: both amounts move, and nothing else`, () => {
      settles(newFill({ input, output }));
    });
  }
}

const amounts = fc
  .oneof(
    { weight: 5, arbitrary: fc.tuple(fc.nat(63), fc.bigInt(1n, U64_MAX)).map(([bits, n]) => (n >> BigInt(bits)) + 1n) },
    { weight: 1, arbitrary: fc.constantFrom(1n, 2n, U64_MAX - 1n, U64_MAX) },
  )
  .map((n) => (n > U64_MAX ? U64_MAX : n));
const anyToken = fc.record({
  side: fc.constantFrom(SPL, TOKEN_2022),
  decimals: fc.nat(255),
  amount: amounts,
  exactly: fc.boolean(),
});

test('amounts of every size move to the unit, whatever the decimals, between tokens of both programs', () => {
  fc.assert(
    fc.property(anyToken, anyToken, (input, output) => {
      const world = newFill({
        input: { ...input.side, decimals: input.decimals },
        output: { ...output.side, decimals: output.decimals },
        inputAmount: input.amount,
        outputAmount: output.amount,
        held: U64_MAX,
      });
      if (input.exactly) vm.setAmount(world.fill.takerInputAccount!, input.amount);
      if (output.exactly) vm.setAmount(world.fill.makerOutputAccount!, output.amount);
      // As much as fits before the fill.
      vm.setAmount(world.fill.makerInputAccount!, U64_MAX - input.amount);
      vm.setAmount(world.fill.takerOutputAccount!, U64_MAX - output.amount);
      settles(world);
    }),
    { numRuns: FILLS },
  );
});

test('SOL in every form moves to the lamport', () => {
  const lamports = fc.bigInt(1n, WALLET_LAMPORTS - RENT);
  fc.assert(
    fc.property(fc.constantFrom(...SOL_SIDES), anyToken, lamports, fc.boolean(), (side, token, amount, solIsInput) => {
      const other = { ...token.side, decimals: token.decimals };
      const [input, output] = solIsInput ? [side, other] : [other, side];
      const [inputAmount, outputAmount] = solIsInput ? [amount, token.amount] : [token.amount, amount];
      settles(newFill({ input, output, inputAmount, outputAmount }));
    }),
    { numRuns: FILLS },
  );
});

test('a fill is valid until its expiry, that second included', () => {
  for (const expireAt of [NOW, NOW + 1n, I64_MAX]) {
    const world = newFill();
    settles({ ...world, fill: { ...world.fill, expireAt } });
  }
});

test('what stands after the terms of a fill is not its business', () => {
  const world = newFill();
  settles({ ...world, fill: { ...world.fill, feeBps: 10_000 } });
});

test('one who has spent all that he had of a token, or of wrapped SOL, can still settle', () => {
  for (const input of [SPL, TOKEN_2022, sol('account', 'account'), sol('account', 'wallet')]) {
    settles(newFill({ input, held: 2_500_000n, inputAmount: 2_500_000n, outputAmount: 2_500_000n }));
  }
});

const TRANSFER_FEE_CONFIG = 1;
const TRANSFER_FEE_AMOUNT = 2;
const IMMUTABLE_OWNER = 7;
const TRANSFER_HOOK = 14;
const TRANSFER_HOOK_ACCOUNT = 15;
const METADATA_POINTER = 18;
const INTEREST_BEARING = 10;

test('Token-2022 extensions that leave the amount as it is do not matter', () => {
  const noFee = Buffer.concat([Buffer.alloc(72), ...[0, 1].flatMap(() => [u64(0n), u64(U64_MAX), Buffer.alloc(2)])]);
  for (const [mintExtensions, accountExtensions] of [
    [Buffer.alloc(0), extension(IMMUTABLE_OWNER)],
    [extension(METADATA_POINTER, new Uint8Array(64).fill(1)), Buffer.alloc(0)],
    [extension(INTEREST_BEARING, new Uint8Array(52)), Buffer.alloc(0)],
    [extension(TRANSFER_FEE_CONFIG, noFee), extension(TRANSFER_FEE_AMOUNT, new Uint8Array(8))],
    [extension(TRANSFER_HOOK, Buffer.alloc(64)), extension(TRANSFER_HOOK_ACCOUNT, new Uint8Array(1))],
    // A hook's authority, without a hook.
    [extension(TRANSFER_HOOK, Buffer.alloc(64).fill(1, 0, 32)), extension(TRANSFER_HOOK_ACCOUNT, new Uint8Array(1))],
  ] as const) {
    const side = { ...TOKEN_2022, mintExtensions, accountExtensions };
    settles(newFill({ input: side }));
    settles(newFill({ output: side }));
  }
});

for (const [side, other] of [
  ['input', 'output'],
  ['output', 'input'],
] as const) {
  const unwrapping = sol('account', 'wallet');

  test(`unwrapping the ${side} needs the rent of an account for its time, and gives it back`, () => {
    const prices = [new Rent(3480n, 2, 50), new Rent(6960n, 1, 50), new Rent(900n, 1, 50), new Rent(700n, 2, 50)];
    for (const rent of prices) {
      const world = newFill({ [side]: unwrapping, [other]: TOKEN_2022 });
      vm.svm.setRent(rent);
      const needed = 293n * rent.lamportsPerByteYear * BigInt(rent.exemptionThreshold);
      vm.put(world.fill.maker, new Uint8Array(0), SYSTEM_PROGRAM, needed);
      settles(world);
    }
    vm.svm.setRent(Rent.default());
  });

  test(`a temporary account to which somebody sent lamports unwraps the ${side}; they are the maker’s`, () => {
    for (const sent of [1n, RENT - 1n, RENT, 3n * RENT]) {
      const world = newFill({ [side]: unwrapping });
      const { fill, temporary } = world;
      const before = settled(balances(world), world);
      vm.put(temporary, new Uint8Array(0), SYSTEM_PROGRAM, sent);
      succeeded(run(world));
      before[fill.maker]!.lamports += sent;
      assert.deepEqual(balances(world), before);
    }
  });

  test(`two fills in one transaction unwrap the ${side} one after the other`, () => {
    const world = newFill({ [side]: unwrapping, inputAmount: 300n, outputAmount: 400n });
    const second = { ...world.fill, inputAmount: 99n, outputAmount: 101n };
    const after = settled(settled(balances(world), world), { ...world, fill: second });
    succeeded(vm.run(fillInstruction(world.fill), fillInstruction(second)));
    assert.deepEqual(balances(world), after);
  });
}

test('lamports that wait in an account of wrapped SOL are counted, and go nowhere else', () => {
  const world = newFill({ input: sol('wallet', 'account') });
  const account = world.fill.makerInputAccount!;
  vm.put(account, vm.data(account), vm.owner(account), vm.lamports(account) + 55n);
  const after = settled(balances(world), world);
  after[account]!.amount += 55n;
  succeeded(run(world));
  assert.deepEqual(balances(world), after);
});
