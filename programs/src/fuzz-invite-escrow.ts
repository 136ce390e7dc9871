import assert from 'node:assert/strict';
import type { Address } from '@slipway/wire';
import { tokenOf } from './fuzz-accounts.js';
import type { FuzzTarget } from './fuzz-engine.js';
import { type Change, flowsOf } from './fuzz-invariants.js';
import { honestSeeds } from './fuzz-seeds.js';
import { INVITE_PROGRAM, inviteAddress } from './invite-escrow.js';
import { honest, type OpenInvite, openWorld, type World } from './invite-escrow-callers.js';
import { randomNumbers } from './test-vm.js';

/** A world with open invites, expired ones among them, and a bystander whose wallet and invite keys never sign. */
export function inviteEscrowTarget(seed: number): FuzzTarget {
  const world = openWorld();
  const random = randomNumbers(seed);
  const next = () => {
    if (random(8) === 0) {
      world.time += BigInt(random(6));
      world.vm.setTime(world.time);
    }
    return honest(world, random);
  };
  const seeds = honestSeeds(world.vm, next, ({ opens, ends }) => {
    if (opens) world.open.set(opens.key, opens);
    if (ends) world.open.delete(ends.key);
  });
  const infos = new Set([...world.keys.traders, ...world.keys.bystander].map((key) => inviteAddress(key)));
  return {
    vm: world.vm,
    program: INVITE_PROGRAM,
    seeds,
    signers: [...world.traders.map((party) => party.wallet), ...world.keys.traders, world.keeper.wallet],
    others: world.everything,
    isProgramOwned: (address) => infos.has(address),
    isAlone: false,
    check: (change) => {
      for (const invite of world.open.values()) checkInvite(world, invite, change);
    },
  };
}

/** It stays whole, or ends by its key in time, by its sender, or after its expiry; then the sender has all of it. */
function checkInvite(world: World, { key, info, sender, mint, escrow, expiry }: OpenInvite, change: Change): void {
  const { accounts, signers, what } = change;
  const [state, held] = [accounts.get(info), escrow ? accounts.get(escrow) : undefined];
  if (state?.after?.owner === INVITE_PROGRAM || !state) {
    if (state) assert.deepEqual(state.after!.data, state.before!.data, `${what}: an invite's terms changed`);
    if (state) assert.ok(state.after!.lamports >= state.before!.lamports, `${what}: an invite lost lamports`);
    if (!held) return;
    assert.ok(tokenOf(held.after)!.amount >= tokenOf(held.before)!.amount, `${what}: an escrow lost tokens`);
    assert.deepEqual(tokenOf(held.after)!.powers, tokenOf(held.before)!.powers, `${what}: an escrow changed hands`);
    return;
  }
  const isClaimed = signers.has(key) && world.time < expiry;
  assert.ok(isClaimed || signers.has(sender.wallet) || world.time >= expiry, `${what}: an invite was taken`);
  if (isClaimed || signers.has(sender.wallet)) return;
  const flow = flowsOf(change);
  const least = state.before!.lamports + (held?.before?.lamports ?? 0n);
  assert.ok(flow(sender.wallet, 'sol') >= least, `${what}: the sender of an expired invite has not its lamports`);
  const token = held && tokenOf(held.before);
  if (!token || token.reserve !== undefined) return;
  assert.ok(flow(sender.wallet, mint as Address) >= token.amount, `${what}: the sender has not its tokens`);
}
