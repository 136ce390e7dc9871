import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileMessage, decodeMessage, decompileInstructions, TOKEN_2022_PROGRAM } from '@slipway/wire';
import * as invites from './invite-escrow.js';
import { decodeInviteEvent, inviteEvents } from './invite-escrow-events.js';
import { parseInviteInstruction } from './invite-escrow-parse.js';
import { decodeInviteInfo, decodeInviteInfoToken } from './invite-escrow-state.js';
import { isMadeOf } from './made-of.js';
import { newAddress } from './test-vm.js';

const inviteSigner = newAddress();
const inviteInfo = invites.inviteAddress(inviteSigner);
const [sender, claimer, keeper] = [newAddress(), newAddress(), newAddress()];
const token = { mint: newAddress(), tokenProgram: TOKEN_2022_PROGRAM };
const escrowTokenAccount = invites.inviteEscrow(inviteInfo, token.mint, token.tokenProgram);
const terms = { sender, inviteSigner, expiry: -(2n ** 63n), amount: 2n ** 64n - 1n };
const senderTokenAccount = newAddress();

const CASES = {
  initialize: [invites.initializeInvite, terms],
  initializeToken: [invites.initializeTokenInvite, { ...terms, ...token, senderTokenAccount }],
  claim: [invites.claimInvite, { inviteSigner, claimer, keeper }],
  claimToken: [
    invites.claimTokenInvite,
    { inviteSigner, claimer, keeper, ...token, claimerTokenAccount: newAddress() },
  ],
  clawback: [invites.clawbackInvite, { inviteInfo, sender }],
  clawbackToken: [invites.clawbackTokenInvite, { inviteInfo, sender, ...token, senderTokenAccount }],
  expire: [invites.expireInvite, { inviteInfo, sender, keeper }],
  expireToken: [invites.expireTokenInvite, { inviteInfo, sender, keeper, ...token, senderTokenAccount }],
} as const;
type Build = (given: object, program?: typeof sender) => ReturnType<typeof invites.claimInvite>;

for (const [name, [build, given]] of Object.entries(CASES) as [string, [Build, object]][]) {
  test(`${name} is read as it was written, also out of a message and with more than it needs`, () => {
    const made = build(given);
    const expected = { name, inviteInfo, ...given, ...(name.endsWith('Token') && { escrowTokenAccount }) };
    assert.deepEqual(parseInviteInstruction(made), expected);
    const blockhash = '11111111111111111111111111111111';
    const message = compileMessage({ version: 0, feePayer: newAddress(), instructions: [made], blockhash });
    const read = decompileInstructions(decodeMessage(message))[0]!;
    assert.deepEqual(parseInviteInstruction(read), expected);
    assert.ok(isMadeOf(read, () => made));
    const more = {
      ...made,
      accounts: [...made.accounts, { address: keeper, signer: false, writable: false }],
      data: Uint8Array.from([...made.data, 1]),
    };
    assert.deepEqual(parseInviteInstruction(more), expected);
    assert.ok(!isMadeOf(more, () => made));
    // A key that signs elsewhere in the transaction, or a call that only reads it, changes nothing for the program.
    const weaker = made.accounts.map((meta) => ({ ...meta, signer: false, writable: false }));
    assert.deepEqual(parseInviteInstruction({ ...made, accounts: weaker }), expected);
    assert.ok(!isMadeOf({ ...made, accounts: weaker }, () => made));
  });

  test(`what is no ${name} is not read as one`, () => {
    const made = build(given);
    assert.equal(parseInviteInstruction({ ...made, program: newAddress() }), undefined);
    assert.equal(parseInviteInstruction({ ...made, accounts: made.accounts.slice(0, -1) }), undefined);
    for (let n = 0; n < made.data.length; n++) {
      assert.equal(parseInviteInstruction({ ...made, data: made.data.subarray(0, n) }), undefined);
    }
    const elsewhere = newAddress();
    const there = build(given, elsewhere);
    assert.equal(there.program, elsewhere);
    assert.equal(parseInviteInstruction(there), undefined);
    assert.equal(parseInviteInstruction(there, elsewhere)?.name, name);
  });
}

test('a number that does not fit is refused by its name', () => {
  for (const [wrong, what] of [
    [{ amount: 2n ** 64n }, /^amount /],
    [{ amount: -1n }, /^amount /],
    [{ expiry: 2n ** 63n }, /^expiry /],
  ] as const) {
    const matches = (error: Error) => error instanceof RangeError && what.test(error.message);
    assert.throws(() => invites.initializeInvite({ ...terms, ...wrong }), matches);
  }
});

test('data of something else is no invite and no event', () => {
  for (const data of [
    new Uint8Array(0),
    new Uint8Array(48),
    new Uint8Array(120),
    Buffer.from('dd10cf74168ff4d3', 'hex'),
  ]) {
    assert.equal(decodeInviteInfo(data), undefined);
    assert.equal(decodeInviteInfoToken(data), undefined);
    assert.equal(decodeInviteEvent(data), undefined);
  }
});

test('only what the program itself has logged is an event', () => {
  const event = Buffer.concat([Buffer.from('ef901e45503b8e40', 'hex'), Buffer.alloc(32, 7), Buffer.alloc(8, 1)]);
  const line = `Program data: ${event.toString('base64')}`;
  const own = invites.INVITE_PROGRAM;
  const other = newAddress();
  const inside = (who: string, depth: number, ...lines: string[]) => [
    `Program ${who} invoke [${depth}]`,
    ...lines,
    `Program ${who} consumed 5 of 200000 compute units`,
    `Program ${who} success`,
  ];
  const count = (...logs: string[]) => inviteEvents(logs).length;
  assert.equal(count(...inside(own, 1, line)), 1);
  assert.equal(count(...inside(other, 1, ...inside(own, 2, line))), 1);
  assert.equal(count(...inside(own, 1, ...inside(other, 2), line, line)), 2);
  assert.equal(count(...inside(other, 1, line)), 0);
  assert.equal(count(...inside(own, 1, ...inside(other, 2, line))), 0);
  assert.equal(count(...inside(own, 1), line), 0);
  assert.equal(count(...inside(other, 1, ...inside(own, 2), line)), 0);
  assert.equal(count(...inside(own, 1, `Program log: ${line}`, `Program log: x\n${line}`, 'Program data: AAAA')), 0);
  assert.equal(count(`Program ${own} invoke [1]`, `Program ${own} failed: custom program error: 0x1`, line), 0);
  assert.equal(inviteEvents(inside(other, 1, line), other).length, 1);
});
