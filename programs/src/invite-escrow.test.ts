import assert from 'node:assert/strict';
import { test } from 'node:test';
import { associatedTokenAddress, rentExemptLamports, SYSTEM_PROGRAM } from '@slipway/wire';
import { type InviteEvent, inviteEvents } from './invite-escrow-events.js';
import { decodeInviteInfo, decodeInviteInfoToken } from './invite-escrow-state.js';
import {
  atTimeOf,
  END_NAMES,
  ENDS,
  type End,
  holding,
  type InviteWorld,
  inviteVm,
  KINDS,
  NOW,
  newInvite,
  nonZero,
  openInvite,
  openingOf,
  refuses,
  TOKEN_INFO_RENT,
  wallet,
  watch,
} from './invite-escrow-testing.js';
import { succeeded } from './test-vm.js';

const vm = inviteVm('all');

const isSol = ({ kind }: InviteWorld) => kind === 'sol';
/** What of the tokens are lamports. */
const lamportsOf = ({ kind }: InviteWorld, amount: bigint) => (kind === 'wrapped' ? amount : 0n);

function eventOf(world: InviteWorld, end: End | 'initialize', amount = world.amount): InviteEvent {
  const { sender, inviteSigner, claimer, expiry: expiration, mint } = world;
  const data = {
    initialize: { sender, inviteSigner, amount, expiration },
    claim: { claimer, sender, inviteSigner, amount },
    clawback: { sender, amount },
    expire: { sender, amount, expiration },
  }[end];
  const event = isSol(world) ? { name: end, data } : { name: `${end}Token`, data: { ...data, mint } };
  return event as unknown as InviteEvent;
}

/** What an end changes; the claimer's token account is made on the way, the sender's is there. */
function changesOf(world: InviteWorld, end: End, amount = world.amount): Record<string, bigint> {
  const { infoRent, escrowRent } = world;
  if (isSol(world)) {
    const all = infoRent + amount;
    return { inviteInfo: -all, [end === 'claim' ? 'claimer' : 'sender']: all };
  }
  const common = { inviteInfo: -infoRent, escrow: -amount, 'escrow lamports': -escrowRent - lamportsOf(world, amount) };
  if (end !== 'claim') {
    const back = { senderTokenAccount: amount, 'senderTokenAccount lamports': lamportsOf(world, amount) };
    return nonZero({ ...common, ...back, sender: infoRent + escrowRent });
  }
  return nonZero({
    ...common,
    claimerTokenAccount: amount,
    'claimerTokenAccount lamports': escrowRent + lamportsOf(world, amount),
    claimer: infoRent,
  });
}

for (const kind of KINDS) {
  test(`an invite of ${kind} holds exactly what the sender gave`, () => {
    const world = newInvite(vm, { kind });
    const { sender, inviteSigner, escrow: escrowTokenAccount, expiry, infoRent, escrowRent, amount } = world;
    const moved = watch(world);
    const outcome = succeeded(vm.run(openingOf(world)));
    assert.deepEqual(inviteEvents(outcome.logs), [eventOf(world, 'initialize')]);
    const data = vm.data(world.inviteInfo);
    if (kind === 'sol') {
      assert.deepEqual(moved(), { sender: -infoRent - amount, inviteInfo: infoRent + amount });
      assert.deepEqual(decodeInviteInfo(data), { sender, expiry });
      assert.equal(decodeInviteInfoToken(data), undefined);
      assert.equal(data.length, 48);
      return;
    }
    const lamports = lamportsOf(world, amount);
    assert.deepEqual(
      moved(),
      nonZero({
        sender: -infoRent - escrowRent,
        inviteInfo: infoRent,
        senderTokenAccount: -amount,
        escrow: amount,
        'senderTokenAccount lamports': -lamports,
        'escrow lamports': escrowRent + lamports,
      }),
    );
    const { bump, ...fields } = decodeInviteInfoToken(data)!;
    assert.deepEqual(fields, { sender, inviteSigner, escrowTokenAccount, expiry });
    assert.equal(bump, 255);
    assert.equal(decodeInviteInfo(data), undefined);
    assert.equal(data.length, 120);
    assert.deepEqual(data.subarray(113), Buffer.alloc(7));
  });

  for (const end of END_NAMES) {
    test(`${end} of ${kind} gives everything to one wallet, to the unit, and leaves nothing behind`, () => {
      for (const bump of [255, 254, 250]) {
        const world = openInvite(vm, { kind, bump });
        atTimeOf(world, end, () => {
          const moved = watch(world);
          const outcome = succeeded(vm.run(ENDS[end](world)));
          assert.deepEqual(moved(), changesOf(world, end));
          assert.deepEqual(inviteEvents(outcome.logs), [eventOf(world, end)]);
        });
        for (const gone of [world.inviteInfo, world.escrow]) {
          assert.equal(vm.lamports(gone), 0n);
          assert.equal(vm.data(gone).length, 0);
          assert.equal(vm.owner(gone), SYSTEM_PROGRAM);
        }
        refuses(world, 'AccountNotInitialized', ENDS[end](world));
      }
    });

    test(`${end} of ${kind} gives what strangers have sent there, too`, () => {
      const world = openInvite(vm, { kind });
      const info = vm.lamports(world.inviteInfo);
      vm.put(world.inviteInfo, vm.data(world.inviteInfo), world.program, info + 31n);
      if (kind !== 'sol') {
        vm.setAmount(world.escrow, world.amount + 7n);
        const lamports = vm.lamports(world.escrow) + (kind === 'wrapped' ? 7n : 0n);
        vm.put(world.escrow, vm.data(world.escrow), world.tokenProgram, lamports + 1_000n);
      }
      atTimeOf(world, end, () => {
        const moved = watch(world);
        const outcome = succeeded(vm.run(ENDS[end](world)));
        const amount = world.amount + (kind === 'sol' ? 31n : 7n);
        const expected = changesOf(world, end, amount);
        if (kind !== 'sol') {
          expected[end === 'claim' ? 'claimer' : 'sender']! += 1_031n;
          expected.inviteInfo! -= 31n;
          expected['escrow lamports']! -= 1_000n;
        }
        assert.deepEqual(moved(), expected);
        assert.deepEqual(inviteEvents(outcome.logs), [eventOf(world, end, amount)]);
      });
    });
  }

  test(`the key of an invite of ${kind} can be used again, for either kind, by anybody`, () => {
    const first = openInvite(vm, { kind });
    succeeded(vm.run(ENDS.clawback(first)));
    for (const other of ['sol', 'spl'] as const) {
      const again = { ...newInvite(vm, { kind: other }), inviteSigner: first.inviteSigner };
      const escrow = associatedTokenAddress(first.inviteInfo, again.mint, again.tokenProgram);
      const world = { ...again, inviteInfo: first.inviteInfo, escrow };
      succeeded(vm.run(openingOf(world)));
      succeeded(vm.run(ENDS.claim(world)));
      assert.equal(
        other === 'sol' ? vm.lamports(world.claimer) : vm.amount(world.claimerTokenAccount),
        {
          sol: world.amount + world.infoRent,
          spl: world.amount,
        }[other],
      );
    }
  });
}

// ---- when -----------------------------------------------------------------------------------------------------------

test('an invite is claimed before its expiry and sent back from then on; the sender can take it back at any time', () => {
  const times: [bigint, End[]][] = [
    [NOW, ['claim', 'clawback']],
    [NOW + 99n, ['claim', 'clawback']],
    [NOW + 100n, ['expire', 'clawback']],
    [NOW + 101n, ['expire', 'clawback']],
    [2n ** 62n, ['expire', 'clawback']],
  ];
  for (const kind of ['sol', 'spl'] as const) {
    for (const [time, allowed] of times) {
      for (const end of END_NAMES) {
        const world = openInvite(vm, { kind });
        vm.setTime(time);
        if (allowed.includes(end)) succeeded(vm.run(ENDS[end](world)));
        else refuses(world, end === 'claim' ? 'Expired' : 'NotYetExpired', ENDS[end](world));
        vm.setTime(NOW);
      }
    }
    const endless = openInvite(vm, { kind, expiry: 2n ** 63n - 1n });
    vm.setTime(2n ** 62n);
    refuses(endless, 'NotYetExpired', ENDS.expire(endless));
    succeeded(vm.run(ENDS.claim(endless)));
    // Times before 1970 come before, not long after.
    vm.setTime(-50n);
    const old = openInvite(vm, { kind, expiry: -10n });
    refuses(old, 'NotYetExpired', ENDS.expire(old));
    vm.setTime(5n);
    refuses(old, 'Expired', ENDS.claim(old));
    succeeded(vm.run(ENDS.expire(old)));
    vm.setTime(NOW);
  }
});

// ---- who pays for token accounts ------------------------------------------------------------------------------------

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
      succeeded(vm.run(openingOf(world)));
      const topped = sent < rent ? rent - sent : 0n;
      assert.equal(moved().inviteInfo ?? 0n, topped + (kind === 'sol' ? world.amount : 0n));
      assert.equal(moved().sender, -topped - (kind === 'sol' ? world.amount : world.escrowRent));
      succeeded(vm.run(ENDS.claim(world)));
      assert.equal(vm.lamports(world.inviteInfo), 0n);
    }
  }
});
