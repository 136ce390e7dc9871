import assert from 'node:assert/strict';
import { test } from 'node:test';
import { associatedTokenAddress, SYSTEM_PROGRAM } from '@slipway/wire';
import { type InviteEvent, inviteEvents } from './invite-escrow-events.js';
import { decodeInviteInfo, decodeInviteInfoToken } from './invite-escrow-state.js';
import {
  atTimeOf,
  END_NAMES,
  ENDS,
  type End,
  type InviteWorld,
  inviteVm,
  KINDS,
  NOW,
  newInvite,
  nonZero,
  openInvite,
  openingOf,
  refuses,
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
