import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { type Address, ASSOCIATED_TOKEN_PROGRAM, associatedTokenAddress, type Instruction } from '@slipway/wire';
import {
  anyValues,
  byName,
  comparable,
  decode,
  derived,
  encode,
  errorsInSource,
  fixedOr,
  type Node,
  readInterface,
} from './interface-testing.js';
import * as invites from './invite-escrow.js';
import { INVITE_ERRORS } from './invite-escrow-errors.js';
import { decodeInviteEvent } from './invite-escrow-events.js';
import { decodeInviteInfo, decodeInviteInfoToken } from './invite-escrow-state.js';
import { inviteVm, openInvite } from './invite-escrow-testing.js';
import { newAddress } from './test-vm.js';

// The interface description, read as the tools of its standard do, against the builders, the decoders and the program.

const idl = readInterface('invite-escrow');

const BUILDERS: Record<string, (input: Node) => Instruction> = {
  initialize: invites.initializeInvite,
  initializeToken: invites.initializeTokenInvite,
  claim: invites.claimInvite,
  claimToken: invites.claimTokenInvite,
  clawback: invites.clawbackInvite,
  clawbackToken: invites.clawbackTokenInvite,
  expire: invites.expireInvite,
  expireToken: invites.expireTokenInvite,
};

const infoOf = (inviteSigner: Address) => derived(byName(idl.pdas, 'inviteInfo'), idl.publicKey, () => inviteSigner);

for (const [name, build] of Object.entries(BUILDERS)) {
  test(`the builder of ${name} makes what the description says`, () => {
    const { accounts, arguments: args } = byName(idl.instructions, name);
    const given: Record<string, Node> = anyValues(args);
    for (const account of accounts) given[account.name] = account.defaultValue?.publicKey ?? newAddress();
    given.associatedTokenProgram = ASSOCIATED_TOKEN_PROGRAM;
    given.inviteSigner ??= given.invite;
    if (given.inviteSigner) given.inviteInfo = infoOf(given.inviteSigner);
    if (given.mint) given.tokenProgram = newAddress();
    given.escrowTokenAccount = given.mint && associatedTokenAddress(given.inviteInfo, given.mint, given.tokenProgram);
    const made = build(given);
    assert.equal(made.program, idl.publicKey);
    assert.deepEqual(
      made.accounts,
      accounts.map((account: Node) => ({
        address: given[account.name],
        signer: account.isSigner,
        writable: account.isWritable,
      })),
    );
    const data = args.map((arg: Node) => encode(arg.type, fixedOr(arg, given[arg.name])));
    assert.deepEqual(Buffer.from(made.data), Buffer.concat(data));
  });
}

test('every instruction of the description has a builder', () => {
  assert.deepEqual(Object.keys(BUILDERS).sort(), idl.instructions.map(({ name }: Node) => name).sort());
});

test('an invite’s account reads the same by the description and by the decoder, and has the size', () => {
  const vm = inviteVm();
  for (const [kind, name, decoder] of [
    ['sol', 'inviteInfo', decodeInviteInfo],
    ['spl', 'inviteInfoToken', decodeInviteInfoToken],
  ] as const) {
    const { data: type, size } = byName(idl.accounts, name);
    const data = vm.data(openInvite(vm, { kind }).inviteInfo);
    assert.equal(data.length, size);
    const [{ padding, ...fields }, end] = decode(type, data, 0);
    assert.deepEqual(fields, decoder(data));
    assert.equal(end, size);
    if (padding) assert.deepEqual(padding, Buffer.alloc(7));
  }
});

test('events read the same by the description and by the decoder', () => {
  for (const { name, data: type, discriminators } of idl.events) {
    const data = anyValues(type.fields);
    const start = Buffer.from(discriminators[0].constant.value.data, 'hex');
    const bytes = Buffer.concat([start, encode(type, data)]);
    assert.deepEqual(decodeInviteEvent(bytes), { name, data });
    assert.equal(decodeInviteEvent(bytes.subarray(0, -1)), undefined);
  }
});

test('the address of an invite is that of the description', () => {
  const key = newAddress();
  assert.equal(infoOf(key), invites.inviteAddress(key));
  assert.equal(idl.publicKey, invites.INVITE_PROGRAM);
});

test('description, program and table have the same errors', () => {
  const described = idl.errors.map(({ name, code }: Node) => [code, name]);
  const table = Object.entries(INVITE_ERRORS).filter(([code]) => Number(code) >= 6000);
  assert.deepEqual(
    table.map(([code, name]) => [Number(code), name[0]!.toLowerCase() + name.slice(1)]),
    described,
  );
  const own = errorsInSource('invite-escrow/src/interface.h');
  assert.deepEqual(own, described);
  for (const [code, name] of errorsInSource('base/framework.h')) assert.ok(code in INVITE_ERRORS, name);
});

const publicInterface = process.env.SLIPWAY_PUBLIC_INTERFACE ?? '';
const theirs = existsSync(publicInterface) ? JSON.parse(readFileSync(publicInterface, 'utf8')).program : undefined;
const skip = theirs?.name === idl.name ? false : 'needs the public interface’s file in SLIPWAY_PUBLIC_INTERFACE';

test('the description is the public interface', { skip }, () => {
  const [own, other] = [comparable(idl), comparable(theirs)];
  for (const part of ['instructions', 'accounts', 'events', 'definedTypes', 'errors', 'publicKey', 'name']) {
    assert.deepEqual(own[part], other[part], part);
  }
});
