// Pays for the verification of a token: craft, look, sign, execute, and see the balances move.
// Usage: npm run example:express [-- <wallet of the sandbox>], with "npm start" in another terminal.

import {
  type Address,
  address,
  createKeyPairSignerFromBytes,
  createSolanaRpc,
  decompileTransactionMessage,
  getBase58Encoder,
  getBase64EncodedWireTransaction,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  partiallySignTransaction,
  type Signature,
} from '@solana/kit';
import { findAssociatedTokenPda, parseTransferCheckedInstruction, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { createMint } from './mint.js';
import { call, fail, type SandboxInfo, say } from './service.js';

interface Crafted {
  transaction: string;
  requestId: string;
  receiverAddress: string;
  mint: string;
  amount: string;
  feeLamports: number;
  gasless: boolean;
  code: number;
  error?: string;
}

interface Executed {
  status: 'Success' | 'Failed';
  signature?: string;
  error?: string;
  verificationCreated: boolean;
}

const info = await call<SandboxInfo>('/sandbox/info');
const wanted = process.argv[2] ?? 'alice';
const wallet =
  info.wallets.find((each) => each.name === wanted) ??
  fail(`No wallet ${wanted} in this sandbox; there are ${info.wallets.map((each) => each.name).join(', ')}`);
const rpc = createSolanaRpc(info.rpcUrl);
const mint = address(info.platformToken);

const signer = await createKeyPairSignerFromBytes(getBase58Encoder().encode(wallet.secretKey));

// The token to verify: one that the wallet has just made.
const token = await createMint(info.rpcUrl, info.wsUrl, signer);
say('Token to verify', token);

// 1. Craft: the service answers with an unsigned transaction.
const craftPath = `/tokens/v2/verify/express/craft-txn?senderAddress=${wallet.address}`;
const crafted = await call<Crafted>(craftPath);
if (crafted.code !== 0) fail(`Nothing to sign (code ${crafted.code}): ${crafted.error}`);
say('Crafted request', crafted.requestId);

// 2. Look at it before signing: whatever the service says, these bytes are what happens.
const transaction = getTransactionDecoder().decode(getBase64Encoder().encode(crafted.transaction));
const compiled = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
const { instructions, feePayer } = decompileTransactionMessage(compiled);
say('Fee payer', `${feePayer.address} (${crafted.feeLamports} lamports)`);
for (const { programAddress, accounts = [], data = new Uint8Array() } of instructions) {
  if (programAddress !== TOKEN_PROGRAM_ADDRESS) {
    say('Instruction of', programAddress);
    continue;
  }
  const transfer = parseTransferCheckedInstruction({ programAddress, accounts: [...accounts], data });
  say('Token transfer', `${transfer.data.amount} units from ${transfer.accounts.source.address}`);
  say('', `to ${transfer.accounts.destination.address}`);
}

// 3. Sign with the wallet's key, which the service never sees.
const signed = await partiallySignTransaction([signer.keyPair], transaction);

// 4. Execute, and watch the balances.
const receiver = address(crafted.receiverAddress);
const before = { sender: await balance(address(wallet.address)), receiver: await balance(receiver) };
const executed = await call<Executed>('/tokens/v2/verify/express/execute', {
  transaction: getBase64EncodedWireTransaction(signed),
  requestId: crafted.requestId,
  senderAddress: wallet.address,
  tokenId: token,
  twitterHandle: 'https://x.com/example',
  description: 'Paid by the example',
});
if (executed.status !== 'Success') fail(`The payment failed: ${executed.error}`);
const after = { sender: await balance(address(wallet.address)), receiver: await balance(receiver) };

say('Signature', executed.signature);
say('Verification requested', executed.verificationCreated);
say('Sender', `${before.sender} -> ${after.sender} (${after.sender - before.sender})`);
say('Receiver', `${before.receiver} -> ${after.receiver} (+${after.receiver - before.receiver})`);

// 5. The chain knows it too.
const found = await rpc
  .getTransaction(executed.signature as Signature, { maxSupportedTransactionVersion: 0, encoding: 'json' })
  .send();
say('Found on the chain', found ? `in slot ${found.slot}, error: ${found.meta?.err ?? 'none'}` : 'no');

async function balance(owner: Address): Promise<bigint> {
  const [account] = await findAssociatedTokenPda({ owner, mint, tokenProgram: TOKEN_PROGRAM_ADDRESS });
  const { value } = await rpc.getTokenAccountBalance(account).send();
  return BigInt(value.amount);
}
