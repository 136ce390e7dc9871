// Pays for the verification of a token: craft, check, sign, execute, and see the balances move.
// Usage: npm run example:express [-- <wallet of the sandbox>], with "npm start" in another terminal.

import { type Address, address, createSolanaRpc, type Signature } from '@solana/kit';
import { findAssociatedTokenPda, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { createMint } from './mint.js';
import { openSandbox } from './sandbox.js';
import { say } from './service.js';

const { client, info, wallet } = await openSandbox(process.argv[2] ?? 'alice');
const rpc = createSolanaRpc(info.rpcUrl);
const mint = address(info.platformToken);

// The token to verify: one that the wallet has just made.
const tokenId = await createMint(info.rpcUrl, info.wsUrl, wallet);
say('Token to verify', tokenId);
const { canVerify } = await client.checkEligibility(tokenId);
say('It can be verified', canVerify);

// The service crafts the payment, the client checks that it is what is asked for here, the wallet signs, and the service
// lands it. The key never leaves this process.
const before = await balance(wallet.address);
const paid = await client.payVerification(
  { tokenId, twitterHandle: 'https://x.com/example', description: 'Paid by the example', mint },
  { onProgress: ({ step, signature = '' }) => say(`  ${step}`, signature) },
);
const after = await balance(wallet.address);

say('Signature', paid.signature);
say('Verification requested', paid.verificationCreated);
say('Sender', `${before} -> ${after} (${after - before})`);
say('Receiver', `+${paid.amount}`);

// The chain knows it too.
const found = await rpc
  .getTransaction(paid.signature as Signature, { maxSupportedTransactionVersion: 0, encoding: 'json' })
  .send();
say('Found on the chain', found ? `in slot ${found.slot}, error: ${found.meta?.err ?? 'none'}` : 'no');

async function balance(owner: Address): Promise<bigint> {
  const [account] = await findAssociatedTokenPda({ owner, mint, tokenProgram: TOKEN_PROGRAM_ADDRESS });
  const { value } = await rpc.getTokenAccountBalance(account).send();
  return BigInt(value.amount);
}
