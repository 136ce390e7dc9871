import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { clawbackInvite, inviteAddress } from '@slipway/programs';
import { generateKeypair, type Keypair, systemTransfer } from '@slipway/wire';
import { claim, execute, land, makeInvite, newWallet, openSendWorld, type SendWorld, send } from './testing.js';

let world: SendWorld;
before(async () => {
  world = await openSendWorld();
});
after(() => world.close());

let unique = 1n;

async function craftClaim(key: Keypair) {
  const claimed = await world.post('craft-claim', { inviteSigner: key.address, receiver: generateKeypair().address });
  assert.equal(claimed.status, 200, JSON.stringify(claimed.body));
  return claimed.body;
}

/** An invite of the thief's own, at the address of one that he has claimed. */
async function makeAgain(thief: Keypair, key: Keypair) {
  const amount = `${1_000_000n + unique++}`;
  const made = await world.post('craft-send', { inviteSigner: key.address, sender: thief.address, amount });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  await land(world, made.body.tx, thief, key);
}

/** Posts a claim; in the moment in which it is sent, which its simulation has not seen, the thief takes his own invite back. */
async function executeTooLate(thief: Keypair, key: Keypair, crafted: { tx: string; requestId: string }) {
  const { chain } = world;
  const { simulate } = chain;
  chain.simulate = async (wire, options) => {
    const outcome = await simulate(wire, options);
    chain.simulate = simulate;
    await send(
      world,
      [thief],
      [
        clawbackInvite({ inviteInfo: inviteAddress(key.address), sender: thief.address }),
        systemTransfer({ from: thief.address, to: thief.address, lamports: unique++ }),
      ],
    );
    return outcome;
  };
  try {
    return await execute(world, crafted, key);
  } finally {
    chain.simulate = simulate;
  }
}

async function failuresOf(wallet: string): Promise<number> {
  const { rows } = await world.store.query<{ count: bigint }>(
    `select count(*) from ledger where area = 'invite-claim' and state = 'failed' and wallet = $1`,
    [wallet],
  );
  return Number(rows[0]!.count);
}

it('attack: a wallet that may claim seven invites of one sender makes others with their keys, at which claims of the sender’s fail: each bars only itself', async () => {
  const [promoter, thief] = [await newWallet(world), await newWallet(world)];
  const honest = (await makeInvite(world, promoter, 1_000_000n)).key;
  let address = '';
  for (let invites = 0; invites < 7; invites++) {
    const { key } = await makeInvite(world, promoter, 1_000_000n);
    address = inviteAddress(key.address);
    const crafted = [await craftClaim(key), await craftClaim(key), await craftClaim(key), await craftClaim(key)];
    await claim(world, key, thief.address);
    const statuses: number[] = [];
    for (const each of crafted) {
      if (!(await world.chain.account(inviteAddress(key.address)))) await makeAgain(thief, key);
      statuses.push((await executeTooLate(thief, key, each)).status);
    }
    assert.deepEqual(statuses, [400, 400, 400, 429]);
  }
  assert.deepEqual([await failuresOf(promoter.address), await failuresOf(address)], [7, 2]);
  await claim(world, honest, generateKeypair().address);
});
