import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Address,
  ASSOCIATED_TOKEN_PROGRAM,
  associatedTokenAddress,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '@slipway/wire';
import { INVITE_PROGRAM } from './invite-escrow.js';
import {
  atTimeOf,
  END_NAMES,
  ENDS,
  type End,
  holding,
  inviteVm,
  type Kind,
  near,
  openInvite,
  refused,
  refuses,
  wallet,
  watch,
} from './invite-escrow-testing.js';
import { failedWith, newAddress, type Outcome, succeeded, withAccounts } from './test-vm.js';

const vm = inviteVm('all');

const eachEnd = (run: (kind: Kind, end: End) => void) => {
  for (const kind of ['sol', 'spl', 'token-2022'] as const) for (const end of END_NAMES) run(kind, end);
};

/** Where an end of an invite of tokens has its accounts. */
const PLACES = {
  claim: { tokens: 5, escrow: 6, tokenProgram: 7, mint: 8 },
  clawback: { tokens: 2, escrow: 3, tokenProgram: 4, mint: 7 },
  expire: { tokens: 2, escrow: 3, tokenProgram: 4, mint: 7 },
};

test('no other account is taken for an invite’s', () => {
  eachEnd((kind, end) => {
    const world = openInvite(vm, { kind });
    const it = ENDS[end](world);
    const other = openInvite(vm, { kind: kind === 'sol' ? 'spl' : 'sol' });
    const instead = (account: Address): Outcome => vm.run(withAccounts(it, { 0: account }));
    const data = vm.data(world.inviteInfo);
    atTimeOf(world, end, () => {
      for (const owner of [SYSTEM_PROGRAM, TOKEN_PROGRAM, ...near(INVITE_PROGRAM)]) {
        refused(instead(vm.put(newAddress(), data, owner)), 'AccountOwnedByWrongProgram');
      }
      refused(instead(newAddress()), 'AccountNotInitialized');
      for (let i = 0; i < 8; i++) {
        const changed = data.map((byte, at) => (at === i ? byte ^ 1 : byte));
        refused(instead(vm.put(newAddress(), changed, INVITE_PROGRAM)), 'AccountDiscriminatorMismatch');
      }
      refused(instead(other.inviteInfo), 'AccountDiscriminatorMismatch');
      succeeded(vm.run(it));
    });
  });
});

test('only the invite’s own key claims it', () => {
  for (const kind of ['sol', 'spl', 'token-2022'] as const) {
    const world = openInvite(vm, { kind });
    const it = ENDS.claim(world);
    const others = [world.sender, world.keeper, world.claimer, openInvite(vm, { kind }).inviteSigner];
    for (const wrong of [...others, ...near(world.inviteSigner)]) {
      refuses(world, 'ConstraintSeeds', withAccounts(it, { 1: wrong }));
    }
    // Also where the key signs for another invite of its own program.
    refuses(world, 'ConstraintSeeds', withAccounts(it, { 0: openInvite(vm, { kind }).inviteInfo }));
  }
});

test('only the sender takes an invite back, and it goes back to no other', () => {
  eachEnd((kind, end) => {
    if (end === 'claim') return;
    const world = openInvite(vm, { kind });
    const it = ENDS[end](world);
    atTimeOf(world, end, () => {
      for (const wrong of [world.claimer, world.keeper, world.inviteSigner, wallet(vm), ...near(world.sender)]) {
        refuses(world, 'ConstraintHasOne', withAccounts(it, { 1: wrong }));
      }
    });
  });
});

test('tokens go out of the invite’s own escrow, of its mint, by its token program', () => {
  for (const kind of ['spl', 'token-2022'] as const) {
    for (const end of END_NAMES) {
      const world = openInvite(vm, { kind });
      const twin = openInvite(vm, { kind });
      const it = ENDS[end](world);
      const { escrow, tokenProgram, mint } = PLACES[end];
      const own = holding(vm, world.mint, world.inviteInfo, 9n);
      const otherProgram = kind === 'spl' ? TOKEN_2022_PROGRAM : TOKEN_PROGRAM;
      atTimeOf(world, end, () => {
        for (const wrong of [own, twin.escrow, world.senderTokenAccount, newAddress(), ...near(world.escrow)]) {
          refuses(world, 'ConstraintHasOne', withAccounts(it, { [escrow]: wrong }));
        }
        for (const wrong of [otherProgram, SYSTEM_PROGRAM, INVITE_PROGRAM, newAddress()]) {
          refuses(world, 'ConstraintMintTokenProgram', withAccounts(it, { [tokenProgram]: wrong }));
        }
        for (const wrong of [twin.mint, newAddress(), ...near(world.mint)]) {
          refuses(world, 'ConstraintTokenMint', withAccounts(it, { [mint]: wrong }));
        }
      });
    }
  }
});

test('tokens go to a token account of the one who gets them', () => {
  for (const kind of ['spl', 'token-2022'] as const) {
    for (const end of END_NAMES) {
      const world = openInvite(vm, { kind });
      const { tokenProgram, mint } = world;
      const who = end === 'claim' ? world.claimer : world.sender;
      const account = (more: Partial<Parameters<typeof vm.tokenAccount>[0]>) =>
        vm.tokenAccount({ mint, owner: who, tokenProgram, ...more });
      const it = ENDS[end](world);
      atTimeOf(world, end, () => {
        const moved = watch(world);
        for (const wrong of [
          account({ owner: world.keeper }),
          account({ owner: newAddress() }),
          account({ mint: vm.mint({ tokenProgram }) }),
          account({ state: 'frozen' }),
          account({ tokenProgram: INVITE_PROGRAM }),
          world.escrow,
          who,
          newAddress(),
        ]) {
          const outcome = vm.run(withAccounts(it, { [PLACES[end].tokens]: wrong }));
          failedWith(outcome, 'Provided seeds do not result in a valid address', ASSOCIATED_TOKEN_PROGRAM);
          assert.deepEqual(moved(), {});
        }
        // Somebody else's associated account: made for him by anybody, but nothing goes there.
        const ofOther = associatedTokenAddress(world.keeper, mint, tokenProgram);
        assert.ok(vm.run(withAccounts(it, { [PLACES[end].tokens]: ofOther })).failure);
        assert.deepEqual(moved(), {});
      });
    }
  }
});

test('an invite cannot be claimed into itself', () => {
  for (const kind of ['sol', 'spl', 'wrapped'] as const) {
    const world = openInvite(vm, { kind });
    const moved = watch(world);
    const itself = { claimer: world.inviteInfo, claimerTokenAccount: world.escrow };
    assert.ok(vm.run(ENDS.claim(world, itself)).failure);
    assert.deepEqual(moved(), {});
    succeeded(vm.run(ENDS.claim(world)));
  }
});

test('an invite cannot be claimed for the program’s own address, which nobody could spend from', () => {
  const world = openInvite(vm, { kind: 'sol' });
  const moved = watch(world);
  const outcome = vm.run(ENDS.claim(world, { claimer: INVITE_PROGRAM }));
  failedWith(outcome, 'instruction changed the balance of a read-only account', INVITE_PROGRAM);
  assert.deepEqual(moved(), {});
});

test('an end in the same transaction as another one is refused', () => {
  eachEnd((kind, end) => {
    const world = openInvite(vm, { kind });
    atTimeOf(world, end, () => {
      for (const next of END_NAMES) {
        refuses(world, 'AccountNotInitialized', ENDS[end](world), ENDS[next](world));
      }
    });
  });
});
