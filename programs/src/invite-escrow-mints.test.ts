import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@slipway/wire';
import { INVITE_PROGRAM } from './invite-escrow.js';
import {
  atTimeOf,
  END_NAMES,
  ENDS,
  inviteVm,
  newInvite,
  openInvite,
  openingOf,
  refuses,
  watch,
} from './invite-escrow-testing.js';
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
import { extension, failedWith, newAddress, succeeded, withAccounts } from './test-vm.js';

const vm = inviteVm();
const strict = inviteVm('all');

const ofMint = (mintExtensions: Uint8Array, accountExtensions?: Uint8Array) =>
  ({ kind: 'token-2022', mintExtensions, ...(accountExtensions && { accountExtensions }) }) as const;
const metadataBefore = (mint: Uint8Array) => Buffer.concat([extension(METADATA_POINTER, new Uint8Array(64)), mint]);

test('a mint that taxes transfers, or will, is refused', () => {
  for (const machine of [vm, strict]) {
    for (const [older, newer] of TAXES) {
      for (const mint of [taxes(older, newer), metadataBefore(taxes(older, newer))]) {
        const world = newInvite(machine, ofMint(mint, TAXED_ACCOUNTS));
        refuses(world, 'ConstraintTokenMint', openingOf(world));
      }
    }
  }
});

test('a mint whose transfers call a program is refused', () => {
  for (let byte = 0; byte < 32; byte++) {
    const world = newInvite(vm, ofMint(hook(byte)));
    refuses(world, 'ConstraintTokenMint', openingOf(world));
  }
});

test('a mint with an extension that is unknown or never gets out again is refused', () => {
  for (const kind of REFUSED_KINDS) {
    for (const mint of [extension(kind, new Uint8Array(16)), metadataBefore(extension(kind))]) {
      const world = newInvite(vm, ofMint(mint));
      refuses(world, 'ConstraintTokenMint', openingOf(world));
    }
  }
});

test('extensions that leave amounts as they are do not matter', () => {
  for (const [mint, accounts] of HARMLESS) {
    for (const end of END_NAMES) {
      const world = openInvite(vm, ofMint(mint, accounts));
      atTimeOf(world, end, () => {
        const moved = watch(world);
        succeeded(vm.run(ENDS[end](world)));
        assert.equal(moved()[end === 'claim' ? 'claimerTokenAccount' : 'senderTokenAccount'], world.amount);
        assert.equal(moved().keeper ?? 0n, 0n);
        assert.equal(vm.lamports(world.escrow), 0n);
      });
    }
  }
});

test('mints and token programs are real, and belong together', () => {
  const [PROGRAM, MINT] = [6, 7];
  for (const kind of ['spl', 'token-2022'] as const) {
    const world = newInvite(vm, { kind });
    const it = openingOf(world);
    const other = kind === 'spl' ? TOKEN_2022_PROGRAM : TOKEN_PROGRAM;
    for (const fake of [SYSTEM_PROGRAM, INVITE_PROGRAM, newAddress()]) {
      refuses(world, 'InvalidProgramId', withAccounts(it, { [PROGRAM]: fake }));
      const notOfTokens = vm.put(newAddress(), vm.data(world.mint), fake);
      refuses(world, 'InvalidProgramId', withAccounts(it, { [PROGRAM]: fake, [MINT]: notOfTokens }));
    }
    refuses(world, 'ConstraintMintTokenProgram', withAccounts(it, { [PROGRAM]: other }));
    const ownedByOther = vm.put(newAddress(), vm.data(world.mint), other);
    refuses(world, 'ConstraintMintTokenProgram', withAccounts(it, { [MINT]: ownedByOther }));
    const { tokenProgram, sender, mint } = world;
    const notThere = vm.mint({ tokenProgram, initialized: false });
    const tokens = vm.tokenAccount({ tokenProgram, mint, owner: sender, amount: 5n });
    for (const wrong of [notThere, tokens]) {
      const from = vm.tokenAccount({ tokenProgram, mint: wrong, owner: sender, amount: 10n ** 9n });
      refuses(world, 'ConstraintTokenMint', withAccounts(it, { [MINT]: wrong, 4: from }));
    }
  }
});

test('a Token-2022 mint or account that is something else does not pass', () => {
  const [FROM, KIND_AT] = [4, 165];
  for (const kind of [0, 2, 3]) {
    const world = newInvite(vm, ofMint(new Uint8Array(4)));
    vm.patch(world.mint, KIND_AT, Uint8Array.of(kind));
    refuses(world, 'ConstraintTokenMint', openingOf(world));
  }
  // A multisig's bytes are free to choose; its length gives it away.
  const disguised = newInvite(vm, ofMint(new Uint8Array(355 - 166)));
  refuses(disguised, 'ConstraintTokenMint', openingOf(disguised));
  for (const [extensions, kind] of [
    [new Uint8Array(355 - 166), 2],
    [new Uint8Array(4), 1],
    [new Uint8Array(4), 0],
  ] as const) {
    const world = newInvite(vm, { kind: 'token-2022' });
    const { mint, sender: owner, tokenProgram } = world;
    const from = vm.tokenAccount({ mint, owner, tokenProgram, amount: 10n ** 9n, extensions });
    vm.patch(from, KIND_AT, Uint8Array.of(kind));
    refuses(world, 'ConstraintTokenMint', withAccounts(openingOf(world), { [FROM]: from }));
  }
});

test('a mint that begins to tax transfers costs who gets the tokens, but nobody is locked out', () => {
  for (const end of END_NAMES) {
    const world = openInvite(vm, ofMint(taxes(0, 0), TAXED_ACCOUNTS));
    for (const at of TAX_BPS_AT) vm.patch(world.mint, at, Uint8Array.of(100));
    atTimeOf(world, end, () => {
      const moved = watch(world);
      succeeded(vm.run(ENDS[end](world)));
      assert.equal(moved()[end === 'claim' ? 'claimerTokenAccount' : 'senderTokenAccount'], 990_000n);
      assert.equal(moved().escrow, -1_000_000n);
    });
  }
});

test('what a permanent delegate or freeze authority does to an escrow delays, but loses nothing else', () => {
  const emptied = openInvite(vm, ofMint(extension(12, new Uint8Array(32).fill(1))));
  vm.setAmount(emptied.escrow, 0n);
  const moved = watch(emptied);
  succeeded(vm.run(ENDS.claim(emptied)));
  assert.equal(moved().claimer, emptied.infoRent);

  const [STATE_AT, FROZEN] = [108, 2];
  for (const end of END_NAMES) {
    const frozen = openInvite(vm);
    vm.patch(frozen.escrow, STATE_AT, Uint8Array.of(FROZEN));
    atTimeOf(frozen, end, () => {
      failedWith(vm.run(ENDS[end](frozen)), 'custom program error: 0x11', TOKEN_PROGRAM);
      vm.patch(frozen.escrow, STATE_AT, Uint8Array.of(1));
      succeeded(vm.run(ENDS[end](frozen)));
    });
  }
});

test('a mint that opens its accounts frozen makes no invite', () => {
  const world = newInvite(vm, ofMint(extension(6, Uint8Array.of(2))));
  const moved = watch(world);
  failedWith(vm.run(openingOf(world)), 'custom program error: 0x11', TOKEN_2022_PROGRAM);
  assert.deepEqual(moved(), {});
});
