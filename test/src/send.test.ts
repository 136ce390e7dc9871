import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Invite } from '@slipway/client';
import { inviteAddress, inviteKeypair, newInviteCode } from '@slipway/programs';
import { type Address, generateKeypair, type Keypair } from '@slipway/wire';
import { run, SLIPWAY } from './command.js';
import { eventually } from './rounds.js';
import { request, type Service, startService } from './service.js';
import { lamportsOf } from './swap.js';
import { newWallet, signTransaction } from './wallet.js';

const WEEK = 7 * 24 * 60 * 60;
const AMOUNT = 5_000_000n;
const RENT = 1_224_960n;

let service: Service;
let sender: Keypair;
before(async () => {
  service = await startService({ database: 'embedded' });
  sender = await newWallet(service, 10_000_000_000n);
});
after(() => service?.close());

async function craft(name: string, body: object): Promise<string> {
  const answer = await request<{ tx: string }>(`${service.url}/send/v1/craft-${name}`, { body });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.tx;
}

/** Lands a crafted transaction the way a client of the service does, and waits until the chain has it. */
async function land(tx: string, ...signers: Keypair[]): Promise<string> {
  const body = { signedTransaction: signTransaction(tx, ...signers) };
  const { signature } = (await request<{ signature: string }>(`${service.url}/tx/v1/submit`, { body })).body;
  await eventually(`${signature} has landed`, async () => {
    const { status } = (await request<{ status: string }>(`${service.url}/tx/v1/status/${signature}`)).body;
    return status === 'landed' || undefined;
  });
  return signature;
}

async function makeInvite(code: string): Promise<string> {
  const key = inviteKeypair(code);
  const body = { inviteSigner: key.address, sender: sender.address, amount: `${AMOUNT}` };
  return land(await craft('send', body), sender, key);
}

/** As whoever has the code does it; the signature. */
async function claim(key: Keypair, receiver: Address): Promise<string> {
  const asked = { inviteSigner: key.address, receiver };
  const crafted = await request<{ tx: string; requestId: string }>(`${service.url}/send/v1/craft-claim`, {
    body: asked,
  });
  const { tx, requestId } = crafted.body;
  const body = { requestId, signedTransaction: signTransaction(tx, key) };
  const { status, body: done } = await request<{ signature: string }>(`${service.url}/send/v1/execute-claim`, { body });
  assert.equal(status, 200, JSON.stringify(done));
  return done.signature;
}

async function list(name: 'pending-invites' | 'invite-history', address: Address): Promise<Invite[]> {
  const url = `${service.url}/send/v1/${name}?address=${address}`;
  return (await request<{ invites: Invite[] }>(url)).body.invites;
}

/** The first of a list that is about this invite, once there is one. */
const listed = (name: Parameters<typeof list>[0], address: Address, key: Address) =>
  eventually(`${key} stands in ${name}`, async () =>
    (await list(name, address)).find(({ invite_signer }) => invite_signer === key),
  );

it('an invite goes to whoever has the code, and is the same after a kill and from the chain again', async () => {
  const [code, lateCode] = [newInviteCode(), newInviteCode()];
  const [key, lateKey] = [inviteKeypair(code), inviteKeypair(lateCode)];
  const creation_tx = await makeInvite(code);
  assert.equal((await listed('pending-invites', sender.address, key.address)).creation_tx, creation_tx);
  const receiver = generateKeypair().address;
  const deletion_tx = await claim(key, receiver);
  assert.equal(await lamportsOf(service, receiver), AMOUNT + RENT);
  const claimed = await listed('invite-history', receiver, key.address);
  assert.deepEqual(
    [claimed.action, claimed.receiver, claimed.creation_tx, claimed.deletion_tx],
    ['claimed', receiver, creation_tx, deletion_tx],
  );

  await makeInvite(lateCode);
  const had = await lamportsOf(service, sender.address);
  await request(`${service.url}/sandbox/clock`, { body: { seconds: WEEK + 1 } });
  const expired = await listed('invite-history', sender.address, lateKey.address);
  assert.deepEqual([expired.action, expired.receiver], ['expired', null]);
  assert.equal(await lamportsOf(service, sender.address), had + AMOUNT + RENT);

  const backCode = newInviteCode();
  await makeInvite(backCode);
  const invitePDA = inviteAddress(inviteKeypair(backCode).address);
  await land(await craft('clawback', { invitePDA, sender: sender.address }), sender);
  await listed('invite-history', sender.address, inviteKeypair(backCode).address);
  const whole = await list('invite-history', sender.address);
  assert.deepEqual(
    whole.map(({ action }) => action),
    ['clawed_back', 'expired', 'claimed'],
  );

  const { dataDir } = service;
  await service.kill();
  service = await startService({ dataDir });
  assert.deepEqual(await list('invite-history', sender.address), whole);
  const env = { SLIPWAY_URL: service.url, SLIPWAY_DATA_DIR: dataDir };
  const rebuilt = await run(SLIPWAY, ['invites', 'rebuild', '--json'], { env, cwd: dataDir });
  assert.equal(rebuilt.code, 0, rebuilt.error);
  assert.deepEqual(JSON.parse(rebuilt.out), { done: true, transactions: 6, unread: 0, invites: 3, open: 0 });
  assert.deepEqual(await list('invite-history', sender.address), whole);

  await service.kill();
  const alone = await run(SLIPWAY, ['invites', 'rebuild'], {
    env: { SLIPWAY_DATA_DIR: dataDir, SLIPWAY_PORT: '1' },
    cwd: dataDir,
  });
  assert.equal(alone.code, 0, alone.error);
  assert.match(alone.out, /^Forgotten/);
  service = await startService({ dataDir });
  assert.deepEqual(await list('invite-history', sender.address), whole);
});
