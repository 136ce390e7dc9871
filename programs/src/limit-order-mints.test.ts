import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TOKEN_2022_PROGRAM } from '@slipway/wire';
import { initializeOrder } from './limit-order.js';
import {
  cancelOf,
  fillOf,
  limitOrderVm,
  newOrder,
  type OrderOptions,
  openOrder,
  refuses,
  stateOf,
  U64_MAX,
  watch,
} from './limit-order-testing.js';
import { extension, failedWith, succeeded, u64 } from './test-vm.js';

const vm = limitOrderVm();
const strict = limitOrderVm('all');
const SIDES = ['input', 'output'] as const;

const TRANSFER_FEE_CONFIG = 1;
const TRANSFER_FEE_AMOUNT = 2;
const NON_TRANSFERABLE = 9;
const TRANSFER_HOOK = 14;
const METADATA_POINTER = 18;
const PAUSABLE = 26;

/** A mint's fee now and from some epoch on. */
function taxes(older: number, newer: number): Uint8Array {
  const fee = (bps: number) => Buffer.concat([u64(0n), u64(U64_MAX), Buffer.from([bps & 255, bps >> 8])]);
  return extension(TRANSFER_FEE_CONFIG, Buffer.concat([Buffer.alloc(72), fee(older), fee(newer)]));
}
const TAXED_ACCOUNTS = extension(TRANSFER_FEE_AMOUNT, new Uint8Array(8));
const hook = (programByte: number | undefined) => {
  const data = Buffer.alloc(64).fill(1, 0, 32);
  if (programByte !== undefined) data[32 + programByte] = 1;
  return extension(TRANSFER_HOOK, data);
};

/** What options of an order have such a mint on one side. */
function withMint(side: (typeof SIDES)[number], mint: Uint8Array, accounts?: Uint8Array): OrderOptions {
  return { [side]: 'token-2022', [`${side}Extensions`]: mint, ...(accounts && { accountExtensions: accounts }) };
}

for (const side of SIDES) {
  test(`a mint that taxes transfers, or will, is refused for the ${side}`, () => {
    for (const machine of [vm, strict]) {
      for (const [older, newer] of [
        [1, 1],
        [1, 0],
        [0, 1],
        [256, 0],
        [0, 10_000],
      ] as const) {
        const world = newOrder(machine, withMint(side, taxes(older, newer), TAXED_ACCOUNTS));
        refuses(world, 'TransferTaxMint', initializeOrder(world.terms));
        const later = Buffer.concat([extension(METADATA_POINTER, new Uint8Array(64)), taxes(older, newer)]);
        const hidden = newOrder(machine, withMint(side, later, TAXED_ACCOUNTS));
        refuses(hidden, 'TransferTaxMint', initializeOrder(hidden.terms));
      }
    }
  });

  test(`a mint whose transfers call a program is refused for the ${side}`, () => {
    for (let byte = 0; byte < 32; byte++) {
      const world = newOrder(vm, withMint(side, hook(byte)));
      refuses(world, 'UnsupportedMint', initializeOrder(world.terms));
    }
  });

  test(`a mint with an extension that is unknown or cannot be traded is refused for the ${side}`, () => {
    const kinds = [2, 5, 7, 8, NON_TRANSFERABLE, 11, 13, 15, 17, 27, 28, 31, 32, 33, 63, 64, 65, 82, 256 + 12, 0x8000];
    for (const kind of kinds) {
      const world = newOrder(vm, withMint(side, extension(kind, new Uint8Array(16))));
      refuses(world, 'UnsupportedMint', initializeOrder(world.terms));
      const later = Buffer.concat([extension(METADATA_POINTER, new Uint8Array(64)), extension(kind)]);
      const hidden = newOrder(vm, withMint(side, later));
      refuses(hidden, 'UnsupportedMint', initializeOrder(hidden.terms));
    }
  });

  test(`extensions that leave amounts as they are do not matter for the ${side}`, () => {
    for (const [mint, accounts] of [
      [taxes(0, 0), TAXED_ACCOUNTS],
      [hook(undefined), extension(15, new Uint8Array(1))],
      [extension(3, new Uint8Array(32).fill(1))],
      [extension(4, new Uint8Array(65))],
      [extension(6, Uint8Array.of(1))],
      [extension(10, new Uint8Array(52))],
      [extension(12, new Uint8Array(32).fill(1))],
      [Buffer.concat([taxes(0, 0), extension(16, new Uint8Array(129))]), TAXED_ACCOUNTS],
      [extension(METADATA_POINTER, new Uint8Array(64).fill(1))],
      [extension(19, new Uint8Array(300).fill(1))],
      [extension(20, new Uint8Array(64))],
      [extension(21, new Uint8Array(80))],
      [extension(22, new Uint8Array(64))],
      [extension(23, new Uint8Array(72))],
      [extension(25, Buffer.concat([Buffer.alloc(32), F64_ONE, Buffer.alloc(8), F64_ONE]))],
      [extension(PAUSABLE, new Uint8Array(33)), extension(27)],
      [Buffer.concat([extension(METADATA_POINTER, new Uint8Array(64)), new Uint8Array(40)])],
      [new Uint8Array(3)],
    ] as [Uint8Array, Uint8Array?][]) {
      const world = openOrder(vm, withMint(side, mint, accounts));
      const moved = watch(world);
      succeeded(vm.run(...fillOf(world, 400_000n)));
      assert.equal(moved().takerInput, 400_000n);
      assert.equal(moved().makerOutput, 1_000_000n);
      succeeded(vm.run(cancelOf(world)));
      assert.equal(moved().makerInput, 600_000n);
    }
  });
}
const F64_ONE = Buffer.alloc(8);
F64_ONE.writeDoubleLE(1);

test('a Token-2022 mint that is something else does not pass', () => {
  for (const side of SIDES) {
    for (const kind of [0, 2, 3]) {
      const world = newOrder(vm, withMint(side, new Uint8Array(4)));
      vm.patch(world.terms[`${side}Mint`], 165, Uint8Array.of(kind));
      refuses(world, 'UnsupportedMint', initializeOrder(world.terms));
    }
    // A multisig's bytes are free to choose; its length gives it away.
    const disguised = newOrder(vm, withMint(side, new Uint8Array(355 - 166)));
    refuses(disguised, 'UnsupportedMint', initializeOrder(disguised.terms));
  }
});

const NEWER_BPS_AT = 166 + 4 + 106;
const OLDER_BPS_AT = 166 + 4 + 88;

test('an output mint that begins to tax transfers ends the filling, because the maker would get less', () => {
  // The second is too small for a fee, so that only the maker is paid.
  for (const takingAmount of [2_500_000n, 500n]) {
    const taxed = withMint('output', taxes(0, 0), TAXED_ACCOUNTS);
    const world = openOrder(vm, { ...taxed, terms: { takingAmount } });
    for (const at of [OLDER_BPS_AT, NEWER_BPS_AT]) vm.patch(world.terms.outputMint, at, Uint8Array.of(1));
    refuses(world, 'TransferTaxMint', ...fillOf(world, 400_000n));
    succeeded(vm.run(cancelOf(world)));
  }
});

test('an input mint that begins to tax transfers costs the taker, or the maker who cancels, but nobody is locked out', () => {
  const world = openOrder(vm, withMint('input', taxes(0, 0), TAXED_ACCOUNTS));
  for (const at of [OLDER_BPS_AT, NEWER_BPS_AT]) vm.patch(world.terms.inputMint, at, Uint8Array.of(100));
  const moved = watch(world);
  succeeded(vm.run(...fillOf(world, 400_000n)));
  assert.equal(moved().makerOutput, 1_000_000n);
  assert.equal(moved().takerInput, 396_000n);
  succeeded(vm.run(cancelOf(world)));
  assert.equal(moved().makerInput, 594_000n);
});

test('what a permanent delegate or freeze authority does to a reserve costs nobody else', () => {
  const delegated = openOrder(vm, withMint('input', extension(12, new Uint8Array(32).fill(1))));
  vm.setAmount(delegated.reserve, 100_000n);
  const fails = (makingAmount: bigint, reason: string) =>
    failedWith(vm.run(...fillOf(delegated, makingAmount)), reason, TOKEN_2022_PROGRAM);
  for (const makingAmount of [100_001n, 999_999n, 1_000_000n]) fails(makingAmount, 'custom program error: 0x1');
  succeeded(vm.run(...fillOf(delegated, 60_000n)));
  const moved = watch(delegated);
  succeeded(vm.run(cancelOf(delegated)));
  assert.equal(moved().makerInput, 40_000n);

  const FROZEN = 2;
  const STATE_AT = 108;
  const frozen = openOrder(vm);
  vm.patch(frozen.reserve, STATE_AT, Uint8Array.of(FROZEN));
  assert.ok(vm.run(...fillOf(frozen, 1n)).failure);
  assert.ok(vm.run(cancelOf(frozen)).failure);
  vm.patch(frozen.reserve, STATE_AT, Uint8Array.of(1));
  succeeded(vm.run(cancelOf(frozen)));
  assert.equal(stateOf(frozen), undefined);
});

test('a mint that opens its accounts frozen opens no order', () => {
  const world = newOrder(vm, withMint('input', extension(6, Uint8Array.of(2))));
  const moved = watch(world);
  failedWith(vm.run(initializeOrder(world.terms)), 'custom program error: 0x11', TOKEN_2022_PROGRAM);
  assert.deepEqual(moved(), {});
});
