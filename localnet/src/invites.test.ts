import assert from 'node:assert/strict';
import test from 'node:test';
import {
  claimInvite,
  claimTokenInvite,
  expireTokenInvite,
  initializeInvite,
  initializeTokenInvite,
  inviteAddress,
  inviteKeypair,
  newInviteCode,
} from '@slipway/programs';
import { associatedTokenAddress, decodeTokenAccount, generateKeypair, TOKEN_PROGRAM } from '@slipway/wire';
import { execute, lamportsOf, openTestChain } from './chain-testing.js';

const SOON = 3600n;

test('an invite is made, and claimed by its code for a new wallet, with real signatures', async (t) => {
  const { chain, alice, bob, usdc } = await openTestChain(t);
  const expiry = chain.unixTimestamp + SOON;
  const token = { mint: usdc, tokenProgram: TOKEN_PROGRAM };
  const senderTokenAccount = associatedTokenAddress(alice.address, usdc);

  const code = newInviteCode();
  const key = inviteKeypair(code);
  const terms = { sender: alice.address, inviteSigner: key.address, expiry };
  await execute(chain, [alice, key], initializeInvite({ ...terms, amount: 5_000_000n }));
  const claimer = generateKeypair().address;
  const who = { inviteSigner: key.address, claimer, keeper: bob.address };
  const stranger = generateKeypair();
  const stolen = claimInvite({ ...who, inviteSigner: stranger.address });
  const byStranger = { ...stolen, accounts: stolen.accounts.with(0, claimInvite(who).accounts[0]!) };
  await assert.rejects(execute(chain, [bob, stranger], byStranger), /"Custom":2006/);
  await execute(chain, [bob, inviteKeypair(code)], claimInvite(who));
  assert.equal(await lamportsOf(chain, claimer), 5_000_000n + 1_224_960n);
  assert.equal(await lamportsOf(chain, inviteAddress(key.address)), 0n);

  const amount = 12_345_678n;
  await execute(chain, [alice, key], initializeTokenInvite({ ...terms, ...token, amount, senderTokenAccount }));
  const claimerTokenAccount = associatedTokenAddress(claimer, usdc);
  await execute(chain, [bob, key], claimTokenInvite({ ...who, ...token, claimerTokenAccount }));
  assert.equal(decodeTokenAccount((await chain.account(claimerTokenAccount))!.data)?.amount, amount);
});

test('an invite that nobody claims goes back when its time has come', async (t) => {
  const { chain, alice, bob, usdc } = await openTestChain(t);
  const key = generateKeypair();
  const token = { mint: usdc, tokenProgram: TOKEN_PROGRAM };
  const senderTokenAccount = associatedTokenAddress(alice.address, usdc);
  const held = async () => decodeTokenAccount((await chain.account(senderTokenAccount))!.data)!.amount;
  const before = await held();
  const terms = { sender: alice.address, inviteSigner: key.address, expiry: chain.unixTimestamp + SOON };
  await execute(chain, [alice, key], initializeTokenInvite({ ...terms, ...token, amount: 7n, senderTokenAccount }));
  assert.equal(await held(), before - 7n);
  const inviteInfo = inviteAddress(key.address);
  const keeper = bob.address;
  const back = expireTokenInvite({ inviteInfo, sender: alice.address, keeper, ...token, senderTokenAccount });
  await assert.rejects(execute(chain, [bob], back), /"Custom":6002/);
  chain.advanceClock(Number(SOON));
  await execute(chain, [bob], back);
  assert.equal(await held(), before);
});
