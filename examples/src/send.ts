// Sends SOL to somebody who has no wallet yet, lets them claim it with the code, and takes another invite back.
// Usage: npm run example:send [-- <wallet of the sandbox>], with "npm start" in another terminal.

import { generateKeyPairSigner } from '@solana/kit';
import { openSandbox } from './sandbox.js';
import { say } from './service.js';

const [name = 'alice'] = process.argv.slice(2);
const { client, wallet, mintOf } = await openSandbox(name);
const usdc = mintOf('USDC');

// 1. An invite of 0.1 SOL. The code is the money: it goes to the receiver, and never to the service.
const made = await client.send({ amount: 100_000_000n });
say('Invite of 0.1 SOL', made.invite);
say('made in', made.signature);
say('The link to share', `https://wallet.example/claim#${made.code}`);

// 2. Whoever has the code claims for a wallet that is new and empty: the service's keeper pays the network fee.
const receiver = await generateKeyPairSigner();
const claimed = await client.claim({ code: made.code, receiver: receiver.address });
say('Claimed for', receiver.address);
say('in', claimed.signature);

// 3. An invite of 25 USDC is taken back before anybody claims it.
const other = await client.send({ amount: 25n * 10n ** BigInt(usdc.decimals), mint: usdc.mint });
say('Invite of 25 USDC', other.invite);
const back = await client.takeBack(other.invite);
say('Taken back in', back.signature);

// 4. Both histories, from the chain.
await client.waitForInvite(made.invite, ({ deletion_tx }) => deletion_tx === claimed.signature);
await client.waitForInvite(other.invite, ({ deletion_tx }) => deletion_tx === back.signature);
for (const [who, address] of [
  [name, wallet.address],
  ['the new wallet', receiver.address],
] as const) {
  say('History of', `${who}, ${address}`);
  const { invites } = await client.invites({ address, which: 'ended' });
  for (const each of invites.slice(0, 2)) {
    say(`  ${each.action}`, `${each.amount} of ${each.mint ?? 'SOL'}`);
    say('    made in', each.creation_tx);
    say('    ended in', each.deletion_tx);
  }
}
