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
  type Sent,
  spoiled,
  type World,
} from './invite-escrow-callers.js';
import { inviteEvents } from './invite-escrow-events.js';
import { inviteLayouts } from './invite-escrow-layout.js';
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

const signersOf = (instructions: Instruction[]) =>
  new Set(instructions.flatMap(({ accounts }) => accounts.filter((meta) => meta.signer)).map((meta) => meta.address));

/** One transaction that has succeeded: what it was to do, and what is different since. */
interface Step {
  what: string;
  instructions: Instruction[];
  before: Snapshot;
  now: Snapshot;
  /** What everybody had, and the invites that were open. */
  had: Map<Party, Value>;
  wereOpen: OpenInvite[];
}

/** An honest transaction moves what it says, to the unit, and nothing else. */
function checkHonest(world: World, { opens, ends, claimer, present }: Sent, step: Step): void {
  const { had, before, now, what } = step;
  // What lay at an invite's addresses before belongs to it.
  if (opens) add(had.get(opens.sender)!, worthOf(opens, before));
  if (claimer && ends) {
    const worth = worthOf(ends, before);
    add(had.get(ends.sender)!, worth, -1n);
    add(had.get(claimer)!, worth);
  }
  if (present) {
    const { mint = '' } = present.to;
    const given = { lamports: present.lamports, ...(present.tokens && { [mint]: present.tokens }) };
    add(had.get(present.from)!, given, -1n);
    add(had.get(present.to.sender)!, given);
  }
  for (const [party, value] of had) assert.deepEqual(worthOfParty(party, world, now), value, what);
}

/** Who has signed nothing, and whose invites' keys have not either, has lost nothing; a keeper never has. */
function checkHostile(world: World, { had, now, what, instructions, wereOpen }: Step): void {
  const signers = signersOf(instructions);
  for (const [party, value] of had) {
    const claimable = wereOpen.filter(({ sender, expiry }) => sender === party && world.time < expiry);
    const takesPart = signers.has(party.wallet) || claimable.some(({ key }) => signers.has(key));
    if (takesPart && party !== world.keeper) continue;
    const has = worthOfParty(party, world, now);
    for (const [name, amount] of Object.entries(value)) {
      assert.ok(has[name]! >= amount, `${what}: somebody lost who signed nothing, or only as keeper`);
    }
  }
}

/** An invite ends by its key before its expiry, by its sender, or after it. */
function checkGone(world: World, gone: OpenInvite[], { instructions, what }: Step): void {
  const signers = signersOf(instructions);
  for (const { key, sender, expiry } of gone) {
    const isClaimed = signers.has(key) && world.time < expiry;
    assert.ok(isClaimed || signers.has(sender.wallet) || world.time >= expiry, `${what}: an invite was taken`);
  }
}

test('attack: a stranger on the chain sends the invites whatever he likes: everything is conserved and only who may takes an invite', (t) => {
  t.diagnostic(`seed ${SEED}`);
  const world = openWorld();
  const { vm } = world;
  const random = randomNumbers(SEED);
  const done: Record<string, number> = { honest: 0, hostile: 0 };
  let before = snapshot(world);
  for (let i = 0; i < STEPS; i++) {
    if (random(8) === 0) {
      world.time += BigInt(random(12));
      vm.setTime(world.time);
    }
    const isHostile = random(2) === 0;
    const sent = honest(world, random);
    const instructions = isHostile ? spoiled(sent, world, random) : sent.instructions;
    const outcome = vm.run(...instructions);
    if (outcome.failure) continue;
    const wereOpen = [...world.open.values()];
    const had = new Map(parties(world).map((party) => [party, worthOfParty(party, world, before)]));
    const gone = followChain(world, instructions);
    const step: Step = {
      what: `seed ${SEED}, step ${i}`,
      instructions,
      before,
      now: snapshot(world),
      had,
      wereOpen,
    };
    assert.deepEqual(totalOf(world, step.now), totalOf(world, before), `${step.what}: something was made or lost`);
    checkOpen(world, step.now, step.what);
    checkGone(world, gone, step);
    if (isHostile) checkHostile(world, step);
    else checkHonest(world, sent, step);
    for (const name of [isHostile ? 'hostile' : 'honest', ...inviteEvents(outcome.logs).map((event) => event.name)]) {
      done[name] = (done[name] ?? 0) + 1;
    }
    before = step.now;
  }
  t.diagnostic(JSON.stringify(done));
  for (const [what, least] of [
    ['honest', STEPS / 8],
    ['hostile', STEPS / 30],
    ...Object.keys(inviteLayouts).map((name) => [name, STEPS / 200] as const),
  ] as const) {
    assert.ok((done[what] ?? 0) > least, `too little of ${what}: ${JSON.stringify(done)}`);
  }
});
