import assert from 'node:assert/strict';
import { test } from 'node:test';
import { associatedTokenAddress, rentExemptLamports, SYSTEM_PROGRAM } from '@slipway/wire';
import {
  atTimeOf,
  ENDS,
  holding,
  inviteVm,
  KINDS,
  newInvite,
  openInvite,
  openingOf,
  refuses,
  TOKEN_INFO_RENT,
  wallet,
  watch,
} from './invite-escrow-testing.js';
import { succeeded } from './test-vm.js';

const vm = inviteVm('all');

test('the keeper gets back what it pays for a token account, and nothing more', () => {
  for (const kind of ['spl', 'token-2022', 'wrapped'] as const) {
    for (const end of ['claim', 'expire'] as const) {
      for (const account of ['missing', 'there', 'paid in part'] as const) {
        const world = openInvite(vm, { kind });
        const { escrowRent, infoRent, mint } = world;
        const [who, tokens] =
          end === 'claim' ? [world.claimer, world.claimerTokenAccount] : [world.sender, world.senderTokenAccount];
        if (account === 'there') holding(vm, mint, who, 5n, { address: tokens });
        else vm.put(tokens, new Uint8Array(0), SYSTEM_PROGRAM, account === 'missing' ? 0n : 1_000_000n);
        const spent = { missing: escrowRent, there: 0n, 'paid in part': escrowRent - 1_000_000n }[account];
        atTimeOf(world, end, () => {
          const moved = watch(world);
          const before = vm.amount(tokens);
          succeeded(vm.run(ENDS[end](world)));
          assert.equal(moved().keeper ?? 0n, 0n);
          assert.equal(moved()[end === 'claim' ? 'claimer' : 'sender'], infoRent + escrowRent - spent);
          assert.equal(vm.amount(tokens), before + world.amount);
        });
      }
    }
  }
});

test('a sender who has closed the token account gets a new one from the rents', () => {
  const world = openInvite(vm);
  vm.put(world.senderTokenAccount, new Uint8Array(0), SYSTEM_PROGRAM, 0n);
  const moved = watch(world);
  succeeded(vm.run(ENDS.clawback(world)));
  assert.equal(moved().sender, TOKEN_INFO_RENT);
  assert.equal(moved().senderTokenAccount, world.amount);
});

test('a keeper is not made to pay more than the rents that come free', () => {
  for (const [rents, works] of [
    [2_039_280n, true],
    [2_039_279n, false],
  ] as const) {
    const world = openInvite(vm);
    vm.put(world.escrow, vm.data(world.escrow), world.tokenProgram, 1_000_000n);
    vm.put(world.inviteInfo, vm.data(world.inviteInfo), world.program, rents - 1_000_000n);
    // A wallet that has something of its own need not get more.
    vm.put(world.claimer, new Uint8Array(0), SYSTEM_PROGRAM, 1_000_000n);
    if (works) succeeded(vm.run(ENDS.claim(world)));
    else refuses(world, 'MathOverflow', ENDS.claim(world));
    assert.equal(vm.lamports(world.claimer), 1_000_000n);
  }
});

test('claimer, keeper, sender and the key of the invite may be one and the same', () => {
  for (const kind of KINDS) {
    for (const [claimer, keeper] of [
      ['keeper', 'keeper'],
      ['sender', 'keeper'],
      ['sender', 'sender'],
      ['inviteSigner', 'keeper'],
      ['inviteSigner', 'sender'],
      ['claimer', 'sender'],
    ] as const) {
      const world = openInvite(vm, { kind });
      const tokens = associatedTokenAddress(world[claimer], world.mint, world.tokenProgram);
      const who = { claimer: world[claimer], keeper: world[keeper], claimerTokenAccount: tokens };
      const held = () => (kind === 'sol' ? 0n : vm.amount(tokens));
      const isThere = vm.lamports(tokens) > 0n;
      const [before, lamports] = [held(), vm.lamports(who.claimer)];
      succeeded(vm.run(ENDS.claim(world, who)));
      assert.equal(held() - before, kind === 'sol' ? 0n : world.amount);
      const rents = world.infoRent + (isThere ? world.escrowRent : 0n);
      assert.equal(vm.lamports(who.claimer) - lamports, kind === 'sol' ? world.infoRent + world.amount : rents);
    }
    const own = openInvite(vm, { kind });
    atTimeOf(own, 'expire', () => succeeded(vm.run(ENDS.expire(own, { keeper: own.sender }))));
  }
});

test('a wallet that signs can name any of its token accounts, one that does not only the associated one', () => {
  for (const kind of ['spl', 'token-2022', 'wrapped'] as const) {
    const open = () => {
      const world = openInvite(vm, { kind });
      return { world, ofSender: holding(vm, world.mint, world.sender, 3n) };
    };
    const back = open();
    succeeded(vm.run(ENDS.clawback(back.world, { senderTokenAccount: back.ofSender })));
    assert.equal(vm.amount(back.ofSender), back.world.amount + 3n);

    const claimed = open();
    const claimer = wallet(vm);
    const ofClaimer = holding(vm, claimed.world.mint, claimer, 3n);
    const who = { claimer, claimerTokenAccount: ofClaimer };
    assert.ok(vm.run(ENDS.claim(claimed.world, who)).failure);
    succeeded(vm.run(ENDS.claim(claimed.world, { ...who, keeper: claimer })));
    assert.equal(vm.amount(ofClaimer), claimed.world.amount + 3n);

    const expired = open();
    atTimeOf(expired.world, 'expire', () => {
      const moved = watch(expired.world);
      assert.ok(vm.run(ENDS.expire(expired.world, { senderTokenAccount: expired.ofSender })).failure);
      assert.deepEqual(moved(), {});
      succeeded(vm.run(ENDS.expire(expired.world)));
    });
  }
});

test('an account that strangers have sent lamports to becomes an invite’s all the same', () => {
  for (const kind of ['sol', 'spl'] as const) {
    const rent = rentExemptLamports(kind === 'sol' ? 48 : 120);
    for (const sent of [1n, rent - 1n, rent, rent + 5n]) {
      const world = newInvite(vm, { kind });
      vm.put(world.inviteInfo, new Uint8Array(0), SYSTEM_PROGRAM, sent);
      const moved = watch(world);
      const calls = succeeded(vm.run(openingOf(world))).calls().length;
      const topped = sent < rent ? rent - sent : 0n;
      // Of the System program's: one that tops the rent up, where it is needed; one each to allocate, assign, and give.
      if (kind === 'sol') assert.equal(calls, topped ? 4 : 3);
      assert.equal(moved().inviteInfo ?? 0n, topped + (kind === 'sol' ? world.amount : 0n));
      assert.equal(moved().sender, -topped - (kind === 'sol' ? world.amount : world.escrowRent));
      succeeded(vm.run(ENDS.claim(world)));
      assert.equal(vm.lamports(world.inviteInfo), 0n);
    }
  }
});
