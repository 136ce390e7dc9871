// What a sandbox serves as /sandbox/wallet.js: registers its wallets with the page that loads it.
import { registerWallet } from '@wallet-standard/wallet';
import { readSandbox } from './sandbox.js';
import { createWallet } from './wallet.js';

const { origin, searchParams } = new URL(import.meta.url);
// The key of every sandbox but a public one.
const sandbox = await readSandbox(origin, searchParams.get('key') ?? 'sandbox');
for (const person of sandbox.wallets) registerWallet(createWallet(sandbox, person));
