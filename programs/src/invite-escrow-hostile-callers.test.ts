import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Address, type Instruction, WRAPPED_SOL_MINT } from '@slipway/wire';
import { INVITE_PROGRAM, type InviteTerms } from './invite-escrow.js';
import {
  honest,
  type OpenInvite,
  openWorld,
  type Party,
  parties,
  spoiled,
  type World,
} from './invite-escrow-callers.js';
import { inviteEvents } from './invite-escrow-events.js';
import { parseInviteInstruction } from './invite-escrow-parse.js';
import { decodeInviteInfo, decodeInviteInfoToken } from './invite-escrow-state.js';
import { randomNumbers } from './test-vm.js';

const STEPS = 10_000;
const SEED = 20_261_121;

/** Lamports, and tokens by mint; wrapped SOL is lamports. */
type Value = Record<string, bigint>;
/** What lies where. */
interface Snapshot {
  lamports: Map<Address, bigint>;
  tokens: Map<Address, bigint>;
}

function snapshot({ vm, everything, mintOf }: World): Snapshot {
  const holders = [...mintOf].filter(([, mint]) => mint !== WRAPPED_SOL_MINT);
  return {
    lamports: new Map(everything.map((address) => [address, vm.lamports(address)])),
    tokens: new Map(holders.map(([address]) => [address, vm.amount(address)])),
  };
}

function add(value: Value, more: Value, sign = 1n): Value {
  for (const [what, amount] of Object.entries(more)) value[what] = (value[what] ?? 0n) + sign * amount;
  return value;
}

/** All lamports of an open invite's accounts, and its tokens. */
function worthOf({ info, mint, escrow }: OpenInvite, { lamports, tokens }: Snapshot): Value {
  if (!mint || !escrow) return { lamports: lamports.get(info)! };
  return { lamports: lamports.get(info)! + lamports.get(escrow)!, [mint]: tokens.get(escrow) ?? 0n };
}

/** What somebody has, with the invites that he has sent. */
function worthOfParty(party: Party, { open }: World, now: Snapshot): Value {
  const value: Value = { lamports: now.lamports.get(party.wallet)! };
  for (const [mint, { associated, other }] of Object.entries(party.accounts)) {
    for (const account of [associated, other]) {
      add(value, { lamports: now.lamports.get(account)!, [mint]: now.tokens.get(account) ?? 0n });
    }
  }
  for (const invite of open.values()) if (invite.sender === party) add(value, worthOf(invite, now));
  return value;
}

/** Everything that there is, whoever has it. */
function totalOf({ mintOf }: World, { lamports, tokens }: Snapshot): Value {
  const total: Value = {};
  for (const amount of lamports.values()) add(total, { lamports: amount });
  for (const [account, amount] of tokens) add(total, { [mintOf.get(account)!]: amount });
  return total;
}

/** Forgets the invites that are gone, and learns of those that were made. Gives the ones that are gone. */
function followChain(world: World, instructions: Instruction[]): OpenInvite[] {
  const { vm, open } = world;
  const gone = [...open.values()].filter(({ info }) => vm.owner(info) !== INVITE_PROGRAM);
  for (const { info } of gone) open.delete(keyOf(world, info));
  for (const instruction of instructions) {
    const made = parseInviteInstruction(instruction);
    if (made?.name !== 'initialize' && made?.name !== 'initializeToken') continue;
    if (open.has(made.inviteSigner) || vm.owner(made.inviteInfo) !== INVITE_PROGRAM) continue;
    const sender = parties(world).find((party) => party.wallet === made.sender)!;
    const [mint, escrow] = made.name === 'initialize' ? [undefined, undefined] : [made.mint, made.escrowTokenAccount];
    const { amount, expiry }: InviteTerms = made;
    open.set(made.inviteSigner, {
      key: made.inviteSigner,
      info: made.inviteInfo,
      sender,
      mint,
      escrow,
      amount,
      expiry,
    });
  }
  return gone;
}
const keyOf = ({ open }: World, info: Address) => [...open.values()].find((invite) => invite.info === info)!.key;

/** Every open invite says what it was made with, and holds at least that. */
function checkOpen(world: World, now: Snapshot, what: string): void {
  for (const { info, sender, key, mint, escrow, amount, expiry } of world.open.values()) {
    const data = world.vm.data(info);
    if (!mint || !escrow) {
      assert.deepEqual(decodeInviteInfo(data), { sender: sender.wallet, expiry }, what);
      assert.ok(now.lamports.get(info)! >= amount + 1_224_960n, what);
      continue;
    }
    const { bump, ...state } = decodeInviteInfoToken(data)!;
    const expected = { sender: sender.wallet, inviteSigner: key, escrowTokenAccount: escrow, expiry };
    assert.deepEqual(state, expected, what);
    assert.ok(world.vm.amount(escrow) >= amount, what);
  }
}

test('whatever honest and hostile callers send, everything is conserved and only who may takes an invite', (t) => {
  t.diagnostic(`seed ${SEED}`);
  const world = openWorld();
  const { vm } = world;
  const random = randomNumbers(SEED);
  const done = { honest: 0, hostile: 0, opened: 0, claim: 0, clawback: 0, expire: 0 };
  let before = snapshot(world);
  for (let step = 0; step < STEPS; step++) {
    const what = `seed ${SEED}, step ${step}`;
    if (random(8) === 0) {
      world.time += BigInt(random(12));
      vm.setTime(world.time);
    }
    const isHostile = random(2) === 0;
    const sent = honest(world, random);
    const instructions = isHostile ? spoiled(sent, world, random) : sent.instructions;
    const outcome = vm.run(...instructions);
    if (outcome.failure) continue;
    done[isHostile ? 'hostile' : 'honest']++;
    const opened = new Map(world.open);
    const owners = parties(world);
    const values = new Map(owners.map((party) => [party, worthOfParty(party, world, before)]));
    const gone = followChain(world, instructions);
    const now = snapshot(world);
    assert.deepEqual(totalOf(world, now), totalOf(world, before), `${what}: something was made or lost`);
    checkOpen(world, now, what);
    const signers = new Set(
      instructions.flatMap(({ accounts }) => accounts.filter((m) => m.signer).map((m) => m.address)),
    );
    for (const { key, sender, expiry } of gone) {
      const claimed = signers.has(key) && world.time < expiry;
      assert.ok(claimed || signers.has(sender.wallet) || world.time >= expiry, `${what}: an invite was taken`);
    }
    if (!isHostile) {
      const { opens, ends, claimer, present } = sent;
      // What lay at an invite's addresses before belongs to it.
      if (opens) add(values.get(opens.sender)!, worthOf(opens, before));
      if (claimer && ends) {
        const worth = worthOf(ends, before);
        add(values.get(ends.sender)!, worth, -1n);
        add(values.get(claimer)!, worth);
      }
      if (present) {
        const { mint = '' } = present.to;
        const given = { lamports: present.lamports, ...(present.tokens && { [mint]: present.tokens }) };
        add(values.get(present.from)!, given, -1n);
        add(values.get(present.to.sender)!, given);
      }
      for (const party of owners) assert.deepEqual(worthOfParty(party, world, now), values.get(party), what);
    }
    // Who has signed nothing, and whose invites' keys have not, has lost nothing; a keeper never does.
    const lost = (party: Party) => {
      const has = worthOfParty(party, world, now);
      return Object.entries(values.get(party)!).some(([name, had]) => has[name]! < had);
    };
    const stays = (party: Party) =>
      !signers.has(party.wallet) &&
      ![...opened.values()].some(
        ({ sender, key, expiry }) => sender === party && signers.has(key) && world.time < expiry,
      );
    if (isHostile) {
      for (const party of owners.filter(stays)) assert.ok(!lost(party), `${what}: somebody who signed nothing lost`);
      assert.ok(!lost(world.keeper), `${what}: the keeper lost`);
    }
    for (const { name } of inviteEvents(outcome.logs)) {
      if (name.startsWith('initialize')) done.opened++;
      else done[name.replace('Token', '') as 'claim' | 'clawback' | 'expire']++;
    }
    before = now;
  }
  t.diagnostic(JSON.stringify(done));
  const { honest: kept, hostile, opened, claim, clawback, expire } = done;
  assert.ok(kept > STEPS / 8 && hostile > STEPS / 30 && opened > STEPS / 20, JSON.stringify(done));
  assert.ok(Math.min(claim, clawback, expire) > STEPS / 60, JSON.stringify(done));
});
