import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expireInvite, INVITE_PROGRAM, initializeInvite } from '@slipway/programs';
import { base58Encode, generateKeypair, type Instruction } from '@slipway/wire';
import { beginningsOf } from '../../chain/long-base58.js';
import { decodeInviteEvents } from './decode.js';

const key = () => generateKeypair().address;

test('attack: a stranger on the chain expires the invite of another beside one that he makes with bytes behind it that leave its amount open: that is read', () => {
  const [sender, inviteSigner, inviteInfo, keeper] = [key(), key(), key(), key()];
  const made = initializeInvite({ sender, inviteSigner, amount: 1_000_000n, expiry: 2_000_000_000n });
  // All ones: from the digits that are read, a carry may come into the amount.
  const text = base58Encode(Uint8Array.from([...made.data, ...new Uint8Array(4_000).fill(255)]));
  const beginnings = beginningsOf(text);
  assert.equal(beginnings.length, 2);
  const called = (instruction: Instruction) => ({ ...instruction, isCalled: true });
  const instructions = [
    { ...called(made), isTooLong: true, beginnings },
    called(expireInvite({ inviteInfo, sender: key(), keeper })),
  ];
  const events = decodeInviteEvents(
    { slot: 1n, hasFailed: false, calledLength: 0, signers: [keeper], instructions },
    INVITE_PROGRAM,
  );
  assert.deepEqual(
    events.map(({ kind, invitePda }) => [kind, invitePda]),
    [['expired', inviteInfo]],
  );
});
