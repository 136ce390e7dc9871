import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Address, COMPUTE_BUDGET_PROGRAM, type Instruction, readonlyAccount } from '@slipway/wire';
import {
  atTimeOf,
  END_NAMES,
  ENDS,
  inviteVm,
  KINDS,
  newInvite,
  openInvite,
  openingOf,
} from './invite-escrow-testing.js';
import { initializeOrder } from './limit-order.js';
import { limitOrderVm, loanOf, newOrder, openOrder, paymentOf } from './limit-order-testing.js';
import { fillInstruction } from './order-engine.js';
import { fillWorld, orderEngineVm, SOL_SIDES, SPL, TOKEN_2022 } from './order-engine-testing.js';
import { newAddress, type TestVm } from './test-vm.js';

interface Opened {
  vm: TestVm;
  transaction: Instruction[];
  /** Runs it when it is allowed. */
  inTime?: (run: () => void) => void;
}

/**
 * Which places of a transaction can have an account with the same bytes that belongs to a program which does whatever it is
 * told, that is, nothing: `<instruction>:<place>`.
 */
function placesThatTake(open: () => Opened): string[] {
  const { transaction } = open();
  const places = transaction.flatMap(({ accounts }, at) => accounts.map((_, place) => [at, place] as const));
  return places.flatMap(([at, place]) => {
    const { vm, transaction: honest, inTime = (run) => run() } = open();
    // The runtime's own: it ignores what it is told, and belongs to the accounts of the call.
    const idle = readonlyAccount(COMPUTE_BUDGET_PROGRAM);
    const fake = (address: Address) => vm.put(newAddress(), vm.data(address), COMPUTE_BUDGET_PROGRAM, 10n ** 9n);
    const spoiled = honest.map((each, i) => ({
      ...each,
      accounts: [
        ...each.accounts.map((meta, j) => (i === at && j === place ? { ...meta, address: fake(meta.address) } : meta)),
        idle,
      ],
    }));
    let isTaken = false;
    inTime(() => {
      isTaken = vm.run(...spoiled).failure === undefined;
    });
    return isTaken ? [`${at}:${place}`] : [];
  });
}

describe('attack: a stranger on the chain puts accounts of a program that does nothing in the place of others', () => {
  it('limit orders: only of who borrows, and of programs that are known anyway', () => {
    for (const output of ['spl', 'token-2022', 'sol'] as const) {
      const opening = placesThatTake(() => {
        const world = newOrder(limitOrderVm(), { output });
        return { vm: world.vm, transaction: [initializeOrder(world.terms, world.addresses)] };
      });
      assert.deepEqual(opening, ['0:14'], output);
      const filling = placesThatTake(() => {
        const world = openOrder(limitOrderVm(), { output });
        return { vm: world.vm, transaction: [loanOf(world, 1_000_000n), paymentOf(world)] };
      });
      const harmless = ['0:0', '1:7', '1:9', '1:10'];
      assert.deepEqual(
        filling.filter((place) => !harmless.includes(place)),
        [],
        output,
      );
    }
  });

  it('invites: only of who gets SOL, of the keeper, and of programs that are known anyway', () => {
    const harmless = { claim: ['0:2', '0:3', '0:4'], clawback: ['0:5', '0:6'], expire: ['0:2', '0:6', '0:8'] };
    for (const kind of KINDS) {
      const opening = placesThatTake(() => {
        const world = newInvite(inviteVm(), { kind });
        return { vm: world.vm, transaction: [openingOf(world)] };
      });
      assert.deepEqual(opening, [], kind);
      for (const end of END_NAMES) {
        const ending = placesThatTake(() => {
          const world = openInvite(inviteVm(), { kind });
          return { vm: world.vm, transaction: [ENDS[end](world)], inTime: (run) => atTimeOf(world, end, run) };
        });
        assert.deepEqual(
          ending.filter((place) => !harmless[end].includes(place)),
          [],
          `${end} ${kind}`,
        );
      }
    }
  });

  it('quotes of market makers: of nobody', () => {
    for (const input of [SPL, TOKEN_2022, ...SOL_SIDES]) {
      const places = placesThatTake(() => {
        const { vm, fill } = fillWorld(orderEngineVm(), { input });
        return { vm, transaction: [fillInstruction(fill)] };
      });
      assert.deepEqual(places, [], JSON.stringify(input));
    }
  });
});
