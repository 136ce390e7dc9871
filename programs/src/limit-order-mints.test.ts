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
  watch,
} from './limit-order-testing.js';
import {
  HARMLESS,
  hook,
  METADATA_POINTER,
  REFUSED_KINDS,
  TAX_BPS_AT,
  TAXED_ACCOUNTS,
  TAXES,
  taxes,
} from './mints-testing.js';
import { extension, failedWith, succeeded } from './test-vm.js';

const vm = limitOrderVm();
const strict = limitOrderVm('all');
const SIDES = ['input', 'output'] as const;

/** What options of an order have such a mint on one side. */
function withMint(side: (typeof SIDES)[number], mint: Uint8Array, accounts?: Uint8Array): OrderOptions {
  return { [side]: 'token-2022', [`${side}Extensions`]: mint, ...(accounts && { accountExtensions: accounts }) };
}

for (const side of SIDES) {
  test(`a mint that taxes transfers, or will, is refused for the ${side}`, () => {
    for (const machine of [vm, strict]) {
      for (const [older, newer] of TAXES) {
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
    for (const kind of REFUSED_KINDS) {
      const world = newOrder(vm, withMint(side, extension(kind, new Uint8Array(16))));
      refuses(world, 'UnsupportedMint', initializeOrder(world.terms));
      const later = Buffer.concat([extension(METADATA_POINTER, new Uint8Array(64)), extension(kind)]);
      const hidden = newOrder(vm, withMint(side, later));
      refuses(hidden, 'UnsupportedMint', initializeOrder(hidden.terms));
    }
  });

  test(`extensions that leave amounts as they are do not matter for the ${side}`, () => {
    for (const [mint, accounts] of HARMLESS) {
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

test('attack: an issuer of a token begins to tax the output of open orders: they are filled no more, because their makers would get less', () => {
  // The second is too small for a fee, so that only the maker is paid.
  for (const takingAmount of [2_500_000n, 500n]) {
    const taxed = withMint('output', taxes(0, 0), TAXED_ACCOUNTS);
    const world = openOrder(vm, { ...taxed, terms: { takingAmount } });
    for (const at of TAX_BPS_AT) vm.patch(world.terms.outputMint, at, Uint8Array.of(1));
    refuses(world, 'TransferTaxMint', ...fillOf(world, 400_000n));
    succeeded(vm.run(cancelOf(world)));
  }
});

test('an input mint that begins to tax transfers costs the taker, or the maker who cancels, but nobody is locked out', () => {
  const world = openOrder(vm, withMint('input', taxes(0, 0), TAXED_ACCOUNTS));
  for (const at of TAX_BPS_AT) vm.patch(world.terms.inputMint, at, Uint8Array.of(100));
  const moved = watch(world);
  succeeded(vm.run(...fillOf(world, 400_000n)));
  assert.equal(moved().makerOutput, 1_000_000n);
  assert.equal(moved().takerInput, 396_000n);
  succeeded(vm.run(cancelOf(world)));
  assert.equal(moved().makerInput, 594_000n);
});

test('attack: an issuer of a token takes or freezes the reserve of an order: it costs nobody else', () => {
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
