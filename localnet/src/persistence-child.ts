import { writeSync } from 'node:fs';
import { address, keypairFromSecret, systemTransfer } from '@slipway/wire';
import { Chain } from './chain.js';
import { signedTransaction } from './chain-testing.js';

// Sends transactions without end and tells of each one that was confirmed; for the test that kills it.
const [dataDir = '', to = '', start = '0'] = process.argv.slice(2);
const chain = await Chain.open({ dataDir });
const alice = chain.genesis.wallets[0]!;
const signer = keypairFromSecret(alice.secretKey);
for (let number = Number(start); ; number++) {
  const lamports = 1_000_000n + BigInt(number);
  const instructions = [systemTransfer({ from: alice.address, to: address(to), lamports })];
  const { signature } = await chain.send(signedTransaction(chain, { signers: [signer], instructions }), {
    skipPreflight: false,
  });
  writeSync(1, `${lamports} ${signature}\n`);
  // Lets the timer in.
  if (number % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
}
