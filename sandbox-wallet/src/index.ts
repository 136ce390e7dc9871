// What a sandbox serves as /sandbox/wallet.js: registers its wallets with the page that loads it.
import { registerWallet } from '@wallet-standard/wallet';
import { readSandbox } from './sandbox.js';
import { createWallet } from './wallet.js';

const sandbox = await readSandbox(new URL(import.meta.url).origin);
for (const person of sandbox.wallets) registerWallet(createWallet(sandbox, person));
