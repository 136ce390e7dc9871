// Sends SOL to somebody who has no wallet yet, lets them claim it with the code, and takes another invite back.
// Usage: npm run example:send [-- <wallet of the sandbox>], with "npm start" in another terminal.

import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createKeyPairSignerFromBytes,
  createKeyPairSignerFromPrivateKeyBytes,
  generateKeyPairSigner,
  getBase58Decoder,
  getBase58Encoder,
  getBase64EncodedWireTransaction,
  getBase64Encoder,
  getTransactionDecoder,
  type KeyPairSigner,
  partiallySignTransaction,
} from '@solana/kit';
import { call, fail, type SandboxInfo, say } from './service.js';

interface Invite {
  invite_signer: string;
  invite_pda: string;
  receiver: string | null;
  amount: string;
  action: string | null;
  creation_tx: string;
  deletion_tx: string | null;
  mint: string | null;
}

interface Info extends SandboxInfo {
  mints: { symbol: string; mint: string; decimals: number }[];
}

const PATIENCE_MS = 30_000;

const [name = 'alice'] = process.argv.slice(2);
const info = await call<Info>('/sandbox/info');
const wallet =
  info.wallets.find((each) => each.name === name) ??
  fail(`No wallet ${name} in this sandbox; there are ${info.wallets.map((each) => each.name).join(', ')}`);
const sender = await createKeyPairSignerFromBytes(getBase58Encoder().encode(wallet.secretKey));
const usdc = info.mints.find(({ symbol }) => symbol === 'USDC') ?? fail('This sandbox has no USDC');

// 1. An invite of 0.1 SOL. The code is the money: it goes to the receiver, and never to the service.
const code = newCode();
const made = await invite(code, { amount: '100000000' });
say('Invite of 0.1 SOL', made.invite_pda);
say('made in', made.creation_tx);
say('The link to share', `https://wallet.example/claim#${code}`);

// 2. Whoever has the code claims for a wallet that is new and empty: the service's keeper pays the network fee.
const receiver = await generateKeyPairSigner();
const key = await keyOf(code);
const claim = await call<{ tx: string; requestId: string }>('/send/v1/craft-claim', {
  inviteSigner: key.address,
  receiver: receiver.address,
});
const { signature: claimed } = await call<{ signature: string }>('/send/v1/execute-claim', {
  requestId: claim.requestId,
  signedTransaction: await sign(claim.tx, key),
});
say('Claimed for', receiver.address);
const [received] = await until(receiver.address, 'invite-history', ({ deletion_tx }) => deletion_tx === claimed);
say('in', received?.deletion_tx);

// 3. An invite of 25 USDC is taken back before anybody claims it.
const other = await invite(newCode(), { amount: `${25 * 10 ** usdc.decimals}`, mint: usdc.mint });
say('Invite of 25 USDC', other.invite_pda);
const clawback = await call<{ tx: string }>('/send/v1/craft-clawback', {
  invitePDA: other.invite_pda,
  sender: sender.address,
});
const back = await land(clawback.tx, sender);
await until(sender.address, 'invite-history', ({ deletion_tx }) => deletion_tx === back);
say('Taken back in', back);

// 4. Both histories, from the chain.
for (const [who, address] of [
  [name, sender.address],
  ['the new wallet', receiver.address],
] as const) {
  say('History of', `${who}, ${address}`);
  for (const each of (await list(address, 'invite-history')).slice(0, 2)) {
    say(`  ${each.action}`, `${each.amount} of ${each.mint ?? 'SOL'}`);
    say('    made in', each.creation_tx);
    say('    ended in', each.deletion_tx);
  }
}

/** 12 characters cut from the base58 of 13 random bytes. */
function newCode(): string {
  return getBase58Decoder().decode(randomBytes(13)).slice(0, 12);
}

/** The key of an invite: its seed is the SHA-256 hash of "invite:" and the code. */
function keyOf(code: string): Promise<KeyPairSigner> {
  return createKeyPairSignerFromPrivateKeyBytes(createHash('sha256').update(`invite:${code}`).digest());
}

/** Makes an invite, and waits until the list has it. */
async function invite(code: string, asked: { amount: string; mint?: string }): Promise<Invite> {
  const inviteKey = await keyOf(code);
  const inviteSigner = inviteKey.address;
  const crafted = await call<{ tx: string }>('/send/v1/craft-send', {
    inviteSigner,
    sender: sender.address,
    ...asked,
  });
  await land(crafted.tx, sender, inviteKey);
  const [found] = await until(sender.address, 'pending-invites', (each) => each.invite_signer === inviteSigner);
  return found!;
}

/** Adds the signatures of these; base64. */
async function sign(tx: string, ...signers: KeyPairSigner[]): Promise<string> {
  const transaction = getTransactionDecoder().decode(getBase64Encoder().encode(tx));
  const signed = await partiallySignTransaction(
    signers.map(({ keyPair }) => keyPair),
    transaction,
  );
  return getBase64EncodedWireTransaction(signed);
}

/** Adds the signatures of these and has the service land it; the signature. */
async function land(tx: string, ...signers: KeyPairSigner[]): Promise<string> {
  const signedTransaction = await sign(tx, ...signers);
  return (await call<{ signature: string }>('/tx/v1/submit', { signedTransaction })).signature;
}

async function list(address: string, which: 'pending-invites' | 'invite-history'): Promise<Invite[]> {
  return (await call<{ invites: Invite[] }>(`/send/v1/${which}?address=${address}`)).invites;
}

/** The list from the first time on that it has such an invite, with that one first. */
async function until(
  address: string,
  which: 'pending-invites' | 'invite-history',
  isMeant: (invite: Invite) => boolean,
): Promise<Invite[]> {
  for (const started = performance.now(); performance.now() - started < PATIENCE_MS; await sleep(250)) {
    const found = (await list(address, which)).filter(isMeant);
    if (found.length > 0) return found;
  }
  return fail(`The chain did not take a transaction within ${PATIENCE_MS / 1_000} s`);
}
