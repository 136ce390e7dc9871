import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  associatedTokenAddress,
  type Instruction,
  readonlyAccount,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '@slipway/wire';
import { INVITE_PROGRAM, inviteAddress } from './invite-escrow.js';
import {
  ENDS,
  holding,
  type InviteWorld,
  inviteVm,
  LEAST_LAMPORTS,
  NOW,
  near,
  newInvite,
  openInvite,
  openingOf,
  refuses,
  U64_MAX,
  watch,
} from './invite-escrow-testing.js';
import { failedWith, newAddress, succeeded, withAccounts } from './test-vm.js';

const vm = inviteVm('all');
const KINDS = ['sol', 'spl'] as const;

/** One instruction of each kind that would succeed, and the places of its accounts that the interface calls writable. */
const INSTRUCTIONS: [
  name: string,
  world: () => InviteWorld,
  of: (world: InviteWorld) => Instruction,
  readable: number[],
][] = KINDS.flatMap((kind) => [
  ['initialize', () => newInvite(vm, { kind }), openingOf, kind === 'sol' ? [] : [1]],
  ['claim', () => openInvite(vm, { kind }), ENDS.claim, kind === 'sol' ? [4] : [1, 8]],
  ['clawback', () => openInvite(vm, { kind }), ENDS.clawback, kind === 'sol' ? [] : [7]],
  ['expire', () => openInvite(vm, { kind, expiry: NOW + 1n }), ENDS.expire, kind === 'sol' ? [2] : [7]],
]);

for (const [name, open, of, readable] of INSTRUCTIONS) {
  test(`${name} (${of(open()).accounts.length} accounts) wants them and its data complete, signatures, and writable what changes`, () => {
    const world = open();
    if (name === 'expire') vm.setTime(NOW + 1n);
    const it = of(world);
    for (let n = 0; n < it.accounts.length; n++) {
      refuses(world, 'AccountNotEnoughKeys', { ...it, accounts: it.accounts.slice(0, n) });
    }
    for (const [at, meta] of it.accounts.entries()) {
      const weaker = (less: object) => ({
        ...it,
        accounts: it.accounts.map((other, i) => (i === at ? { ...other, ...less } : other)),
      });
      if (meta.signer) refuses(world, 'AccountNotSigner', weaker({ signer: false }));
      if (meta.writable && !readable.includes(at)) refuses(world, 'ConstraintMut', weaker({ writable: false }));
    }
    for (let n = 0; n < it.data.length; n++) {
      const error = n < 8 ? 'InstructionFallbackNotFound' : 'InstructionDidNotDeserialize';
      refuses(world, error, { ...it, data: it.data.subarray(0, n) });
    }
    for (let i = 0; i < 8; i++) {
      const data = it.data.map((byte, at) => (at === i ? byte ^ 0x80 : byte));
      refuses(world, 'InstructionFallbackNotFound', { ...it, data });
    }
    const accounts = it.accounts.map((meta, i) => (readable.includes(i) ? { ...meta, writable: false } : meta));
    const more = Array.from({ length: 9 }, (_, i) => (i === 4 ? accounts[0]! : readonlyAccount(newAddress())));
    succeeded(vm.run({ ...it, accounts: [...accounts, ...more], data: Buffer.concat([it.data, Buffer.alloc(3)]) }));
    vm.setTime(NOW);
  });
}

// ---- initialize -----------------------------------------------------------------------------------------------------

test('an invite of nothing, of less than a wallet can hold, or without a future is refused', () => {
  for (const kind of KINDS) {
    for (const [terms, error] of [
      [{ amount: 0n }, 'ZeroAmount'],
      [{ expiry: NOW }, 'Expired'],
      [{ expiry: NOW - 1n }, 'Expired'],
      [{ expiry: 0n }, 'Expired'],
      [{ expiry: -1n }, 'Expired'],
      [{ expiry: -(2n ** 63n) }, 'Expired'],
    ] as const) {
      const world = newInvite(vm, { kind, ...terms });
      refuses(world, error, openingOf(world));
    }
    openInvite(vm, { kind, expiry: NOW + 1n });
    openInvite(vm, { kind, expiry: 2n ** 63n - 1n });
  }
  for (const amount of [1n, LEAST_LAMPORTS - 1n]) {
    const world = newInvite(vm, { kind: 'sol', amount });
    refuses(world, 'AmountBelowMinimumLamports', openingOf(world));
  }
  for (const amount of [LEAST_LAMPORTS, 10n ** 10n]) openInvite(vm, { kind: 'sol', amount });
  for (const amount of [1n, U64_MAX]) {
    const world = openInvite(vm, { amount });
    succeeded(vm.run(ENDS.claim(world)));
    assert.equal(vm.amount(world.claimerTokenAccount), amount);
  }
});

test('a sender who has too little makes no invite', () => {
  for (const [kind, amount, program] of [
    ['sol', 10n ** 11n, SYSTEM_PROGRAM],
    ['sol', U64_MAX, SYSTEM_PROGRAM],
    ['spl', 1_000_778n, TOKEN_PROGRAM],
  ] as const) {
    const world = newInvite(vm, { kind });
    const moved = watch(world);
    failedWith(vm.run(openingOf({ ...world, amount })), 'custom program error: 0x1', program);
    assert.deepEqual(moved(), {});
  }
});

test('an invite stands at the address of its key, and its tokens in its associated token account', () => {
  for (const kind of KINDS) {
    const world = newInvite(vm, { kind });
    const it = openingOf(world);
    const others = [newAddress(), inviteAddress(newAddress()), world.escrow, ...near(world.inviteInfo)];
    for (const wrong of others) refuses(world, 'ConstraintSeeds', withAccounts(it, { 2: wrong }));
    refuses(world, 'ConstraintSeeds', withAccounts(it, { 1: newAddress() }));
    if (kind === 'sol') continue;
    const moved = watch(world);
    const own = holding(vm, world.mint, world.inviteInfo, 0n);
    for (const wrong of [own, newAddress(), world.senderTokenAccount]) {
      const outcome = vm.run(withAccounts(it, { 5: wrong }));
      failedWith(outcome, 'Provided seeds do not result in a valid address', ASSOCIATED_TOKEN_PROGRAM);
    }
    assert.deepEqual(moved(), {});
  }
});

test('an open invite’s key makes no second one', () => {
  for (const kind of KINDS) {
    for (const other of KINDS) {
      const first = openInvite(vm, { kind });
      const second = { ...newInvite(vm, { kind: other }), inviteSigner: first.inviteSigner };
      const moved = watch(first);
      const outcome = vm.run(
        openingOf({
          ...second,
          inviteInfo: first.inviteInfo,
          escrow: associatedTokenAddress(first.inviteInfo, second.mint),
        }),
      );
      failedWith(outcome, 'custom program error: 0x0', SYSTEM_PROGRAM);
      assert.deepEqual(moved(), {});
    }
  }
});

test('tokens come from a token account that the sender signs for, of the mint, in use', () => {
  for (const kind of ['spl', 'token-2022'] as const) {
    const world = newInvite(vm, { kind });
    const { mint, tokenProgram, sender } = world;
    const account = (more: Partial<Parameters<typeof vm.tokenAccount>[0]>) =>
      vm.tokenAccount({ mint, owner: sender, amount: 10n ** 9n, tokenProgram, ...more });
    const otherProgram = kind === 'spl' ? TOKEN_2022_PROGRAM : TOKEN_PROGRAM;
    const it = openingOf(world);
    for (const wrong of [
      account({ mint: vm.mint({ tokenProgram }) }),
      account({ state: 'frozen' }),
      account({ state: 'uninitialized' }),
      account({ tokenProgram: otherProgram }),
      account({ tokenProgram: INVITE_PROGRAM }),
      mint,
      sender,
      newAddress(),
    ]) {
      refuses(world, 'ConstraintTokenMint', withAccounts(it, { 4: wrong }));
    }
    const moved = watch(world);
    const ofOther = account({ owner: newAddress() });
    failedWith(vm.run(withAccounts(it, { 4: ofOther })), 'custom program error: 0x4', tokenProgram);
    assert.deepEqual(moved(), {});
    succeeded(vm.run(withAccounts(it, { 4: account({}) })));
    const delegated = newInvite(vm, { kind });
    const lent = { mint: delegated.mint, owner: newAddress(), amount: 10n ** 9n, tokenProgram };
    const from = vm.tokenAccount({ ...lent, delegate: delegated.sender, delegatedAmount: delegated.amount });
    succeeded(vm.run(withAccounts(openingOf(delegated), { 4: from })));
  }
});
