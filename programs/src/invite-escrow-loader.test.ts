import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressFromBytes, rentExemptLamports } from '@slipway/wire';
import { Rent } from 'litesvm/dist/internal.js';
import { INVITE_PROGRAM } from './invite-escrow.js';
import { INVITE_ERRORS } from './invite-escrow-errors.js';
import { inviteEvents } from './invite-escrow-events.js';
import {
  atTimeOf,
  END_NAMES,
  ENDS,
  inviteVm,
  KINDS,
  NOW,
  newInvite,
  openInvite,
  openingOf,
  watch,
} from './invite-escrow-testing.js';
import { newAddress, ownUnits, refusedWith, succeeded } from './test-vm.js';

/** The most that an instruction may cost without what it calls. */
const LIMITS = { sol: 4_500, tokens: 7_000 };

for (const features of ['default', 'all'] as const) {
  test(`compute units as deployed by the upgradeable loader, with ${features} features`, (t) => {
    const vm = inviteVm(features);
    for (const kind of KINDS) {
      const note = (name: string, instruction: ReturnType<typeof openingOf>) => {
        const outcome = succeeded(vm.run(instruction));
        const own = ownUnits(outcome, INVITE_PROGRAM);
        t.diagnostic(`${name}, ${kind}: ${own} of the program's own; the transaction ${outcome.computeUnits}`);
        assert.ok(own < (kind === 'sol' ? LIMITS.sol : LIMITS.tokens), name);
      };
      note('initialize', openingOf(newInvite(vm, { kind })));
      for (const end of END_NAMES) {
        const world = openInvite(vm, { kind });
        atTimeOf(world, end, () => note(end, ENDS[end](world)));
      }
    }
    for (const bump of [254, 250, 247]) {
      const outcome = succeeded(vm.run(openingOf(newInvite(vm, { kind: 'sol', bump }))));
      t.diagnostic(`initialize, sol, bump ${bump}: ${ownUnits(outcome, INVITE_PROGRAM)} of the program's own`);
    }
  });
}

test('a program at another address has its own invites and events', () => {
  const program = newAddress();
  const vm = inviteVm('all', program);
  for (const kind of KINDS) {
    for (const end of END_NAMES) {
      const world = newInvite(vm, { kind, program });
      const made = succeeded(vm.run(openingOf(world)));
      assert.equal(vm.owner(world.inviteInfo), program);
      assert.deepEqual(inviteEvents(made.logs), []);
      assert.equal(inviteEvents(made.logs, program).length, 1);
      atTimeOf(world, end, () => {
        const moved = watch(world);
        const outcome = succeeded(vm.run(ENDS[end](world)));
        assert.equal(inviteEvents(outcome.logs, program).length, 1);
        assert.equal(moved().inviteInfo, -world.infoRent - (kind === 'sol' ? world.amount : 0n));
      });
    }
  }
});

test('data is not completed by the program’s address, which stands behind it', () => {
  const LAST_OF_CLAIM = 0xd2;
  const program = addressFromBytes(Buffer.alloc(32, LAST_OF_CLAIM));
  const vm = inviteVm('all', program);
  const world = openInvite(vm, { kind: 'sol', program });
  const claim = ENDS.claim(world);
  const short = vm.run({ ...claim, data: claim.data.subarray(0, 7) });
  refusedWith(short, 'InstructionFallbackNotFound', INVITE_ERRORS, program);
  succeeded(vm.run(claim));
});

test('the rents, and the least amount, are what the chain asks for', () => {
  const vm = inviteVm('all');
  for (const rent of [new Rent(3480n, 2, 50), new Rent(6960n, 1, 50), new Rent(900n, 1, 50), new Rent(700n, 2, 50)]) {
    vm.svm.setRent(rent);
    const perByte = rent.lamportsPerByteYear * BigInt(rent.exemptionThreshold);
    const least = 128n * perByte;
    for (const kind of ['sol', 'spl'] as const) {
      const world = openInvite(vm, { kind, amount: least });
      const bytes = kind === 'sol' ? 48n : 120n;
      assert.equal(vm.lamports(world.inviteInfo), (128n + bytes) * perByte + (kind === 'sol' ? least : 0n));
    }
    const little = newInvite(vm, { kind: 'sol', amount: least - 1n });
    refusedWith(vm.run(openingOf(little)), 'AmountBelowMinimumLamports', INVITE_ERRORS, INVITE_PROGRAM);
  }
});

test('an invite from before a change of the rent ends like any other', () => {
  const vm = inviteVm('all');
  for (const [perByteYear, amount] of [
    [7_000n, 0n],
    [2_000n, (128n + 48n) * 2n * 1_480n + 1_000_000n],
  ] as const) {
    vm.svm.setRent(Rent.default());
    const world = openInvite(vm, { kind: 'sol', amount: 1_000_000n });
    vm.svm.setRent(new Rent(perByteYear, 2, 50));
    // Its wallet has what a wallet needs, whatever that is now.
    vm.put(world.claimer, new Uint8Array(0), vm.owner(vm.payer), 10n ** 9n);
    const moved = watch(world);
    const outcome = succeeded(vm.run(ENDS.claim(world)));
    assert.equal(moved().claimer, rentExemptLamports(48) + 1_000_000n);
    assert.equal(inviteEvents(outcome.logs)[0]?.data.amount, amount);
  }
  vm.setTime(NOW);
});
