import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Address, SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@slipway/wire';
import { ORDER_ENGINE_PROGRAM } from './order-engine.js';
import {
  balances,
  type FillOptions,
  type FillWorld,
  fillWorld,
  orderEngineVm,
  refuses,
  replaced,
  run,
  SPL,
  TOKEN_2022,
  TOKEN_ACCOUNTS,
} from './order-engine-testing.js';
import { extension, failedWith, newAddress, succeeded, u64 } from './test-vm.js';

const U64_MAX = 2n ** 64n - 1n;
const SIDES = ['input', 'output'] as const;

const vm = orderEngineVm('all');
const newFill = (options?: FillOptions) => fillWorld(vm, options);

for (const { at, owner, side, name } of TOKEN_ACCOUNTS) {
  const other = owner === 'taker' ? 'maker' : 'taker';

  test(`the ${owner}’s ${side} account is a usable token account of his, of the mint and its program`, () => {
    for (const token of [SPL, TOKEN_2022]) {
      const options: FillOptions = { [side]: token };
      type Fields = Partial<Parameters<FillWorld['vm']['tokenAccount']>[0]>;
      const spoil = (fields: (world: FillWorld) => Fields) => {
        const world = newFill(options);
        const { fill } = world;
        const mint = fill[`${side}Mint`];
        const tokenProgram = vm.owner(mint);
        vm.tokenAccount({
          address: fill[name]!,
          mint,
          owner: fill[owner],
          amount: 10n ** 9n,
          tokenProgram,
          ...fields(world),
        });
        return world;
      };
      succeeded(run(spoil(() => ({ amount: 2_500_000n }))));
      const stranger = newAddress();
      refuses(
        spoil(() => ({ owner: stranger })),
        'ConstraintTokenOwner',
      );
      refuses(
        spoil(({ fill }) => ({ owner: fill[other] })),
        'ConstraintTokenOwner',
      );
      const delegated = ({ fill }: FillWorld) => ({ owner: stranger, delegate: fill[owner], delegatedAmount: U64_MAX });
      refuses(spoil(delegated), 'ConstraintTokenOwner');
      refuses(
        spoil(() => ({ mint: newAddress() })),
        'ConstraintTokenMint',
      );
      refuses(
        spoil(({ fill }) => ({ mint: side === 'input' ? fill.outputMint : fill.inputMint })),
        'ConstraintTokenMint',
      );
      for (const state of ['frozen', 'uninitialized'] as const)
        refuses(
          spoil(() => ({ state })),
          'InvalidTokenAccount',
        );
      const opposite = token === SPL ? TOKEN_2022_PROGRAM : TOKEN_PROGRAM;
      for (const tokenProgram of [opposite, SYSTEM_PROGRAM, ORDER_ENGINE_PROGRAM]) {
        refuses(
          spoil(() => ({ tokenProgram })),
          'ConstraintTokenTokenProgram',
        );
      }
      const world = newFill(options);
      const { fill } = world;
      refuses(
        world,
        'InvalidTokenAccount',
        replaced(world, { [at]: vm.mint({ tokenProgram: vm.owner(fill[`${side}Mint`]) }) }),
      );
      refuses(world, 'ConstraintTokenTokenProgram', replaced(world, { [at]: newAddress() }));
    }
  });

  test(`the ${owner}’s ${side} account is not one of the others`, () => {
    const world = newFill();
    for (const twin of TOKEN_ACCOUNTS.filter((account) => account.at !== at)) {
      const error = twin.side === side ? 'ConstraintTokenOwner' : 'ConstraintTokenMint';
      refuses(world, error, replaced(world, { [at]: world.fill[twin.name]! }));
    }
    for (const party of [world.fill.taker, world.fill.maker]) {
      refuses(world, 'ConstraintTokenTokenProgram', replaced(world, { [at]: party }));
    }
  });
}

test('an address is another one wherever it differs', () => {
  const world = newFill();
  const account = world.fill.takerInputAccount!;
  const MINT_AT = 0;
  const OWNER_AT = 32;
  for (let i = 0; i < 32; i++) {
    for (const [at, error] of [
      [MINT_AT, 'ConstraintTokenMint'],
      [OWNER_AT, 'ConstraintTokenOwner'],
    ] as const) {
      const byte = vm.data(account)[at + i]!;
      vm.patch(account, at + i, Uint8Array.of(byte ^ 1));
      refuses(world, error);
      vm.patch(account, at + i, Uint8Array.of(byte));
    }
  }
  succeeded(run(world));
});

test('a Token-2022 account or mint that is something else does not pass', () => {
  const longMint = { ...TOKEN_2022, mintExtensions: new Uint8Array(4), accountExtensions: new Uint8Array(4) };
  for (const side of SIDES) {
    const mintAs = (kind: number) => {
      const world = newFill({ [side]: longMint });
      vm.patch(world.fill[`${side}Mint`], 165, Uint8Array.of(kind));
      return world;
    };
    for (const kind of [0, 2, 3]) refuses(mintAs(kind), 'InvalidMint');
    succeeded(run(mintAs(1)));
  }
  for (const { side, name } of TOKEN_ACCOUNTS) {
    const accountAs = (kind: number) => {
      const world = newFill({ [side]: longMint });
      vm.patch(world.fill[name]!, 165, Uint8Array.of(kind));
      return world;
    };
    for (const kind of [0, 1, 3]) refuses(accountAs(kind), 'InvalidTokenAccount');
    succeeded(run(accountAs(2)));
    // A multisig's bytes are free to choose; its length gives it away.
    const disguised = newFill({ [side]: { ...longMint, accountExtensions: new Uint8Array(355 - 166) } });
    refuses(disguised, 'InvalidTokenAccount');
  }
});

const FEE_AMOUNT = extension(2, new Uint8Array(8));
const feeConfig = (bps: number, most = U64_MAX) => {
  const fee = Buffer.concat([u64(0n), u64(most), Buffer.from([bps & 255, bps >> 8])]);
  return extension(1, Buffer.concat([Buffer.alloc(72), fee, fee]));
};
const hook = (program: Address | undefined) => {
  const data = Buffer.alloc(64);
  if (program) data[63] = 1;
  return extension(14, data);
};
const HOOKED = extension(15, new Uint8Array(1));

for (const side of SIDES) {
  const after = (mintExtensions: Uint8Array, accountExtensions: Uint8Array) =>
    newFill({ [side]: { ...TOKEN_2022, mintExtensions, accountExtensions }, inputAmount: 10n, outputAmount: 10n });

  test(`a mint that taxes transfers is refused for the ${side}, even when the tax is one unit`, () => {
    refuses(after(feeConfig(1), FEE_AMOUNT), 'Token2022MintExtensionNotSupported');
    refuses(after(feeConfig(10_000), FEE_AMOUNT), 'Token2022MintExtensionNotSupported');
    refuses(after(feeConfig(5_000, 1n), FEE_AMOUNT), 'Token2022MintExtensionNotSupported');
    succeeded(run(after(feeConfig(5_000, 0n), FEE_AMOUNT)));
  });

  test(`a mint whose transfers call a program is refused for the ${side}`, () => {
    const pointer = extension(18, new Uint8Array(64));
    const program = newAddress();
    for (const extensions of [
      hook(program),
      Buffer.concat([pointer, hook(program)]),
      Buffer.concat([extension(9), hook(program)]),
      Buffer.concat([extension(19, new Uint8Array(700)), hook(program)]),
      Buffer.concat([hook(program), pointer]),
      Buffer.concat([hook(program), new Uint8Array(40)]),
    ]) {
      refuses(after(extensions, HOOKED), 'Token2022MintExtensionNotSupported');
    }
    succeeded(run(after(Buffer.concat([hook(undefined), pointer]), HOOKED)));
  });
}

test('a token that cannot be transferred stops the fill', () => {
  const NON_TRANSFERABLE = 9;
  const NON_TRANSFERABLE_ACCOUNT = 13;
  for (const side of SIDES) {
    const mintExtensions = extension(NON_TRANSFERABLE);
    const accountExtensions = Buffer.concat([extension(7), extension(NON_TRANSFERABLE_ACCOUNT)]);
    const world = newFill({ [side]: { ...TOKEN_2022, mintExtensions, accountExtensions } });
    const before = balances(world);
    failedWith(run(world), 'custom program error: 0x25', TOKEN_2022_PROGRAM);
    assert.deepEqual(balances(world), before);
  }
});
