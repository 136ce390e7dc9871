import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseCommandLine, USAGE, UsageError } from './command-line.js';
import { followParent } from './follow-parent.js';
import { type Localnet, startLocalnet } from './index.js';
import { lockFolder } from './lock.js';

interface Info {
  wallets: { name: string; address: string }[];
  programs: { address: string }[];
  forkHost: string | null;
}

/** The chain alone, without the service: `npm run localnet`. */
async function main(): Promise<void> {
  const { reset, help, ...options } = parseCommandLine(process.argv.slice(2), process.env);
  if (help) {
    console.log(USAGE);
    return;
  }
  if (reset) await emptyFolder(options.dataDir);
  const localnet = await startLocalnet({ ...options, log: (line) => console.error(line) });
  const info = (await localnet.call('localnet_info')) as Info;
  console.log(greeting(localnet, info, options.dataDir));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void localnet.close());
  followParent(process.env, () => void localnet.close());
  const crash = await localnet.closed;
  if (crash) throw crash;
}

function greeting({ rpcUrl, wsUrl }: Localnet, { wallets, programs, forkHost }: Info, dataDir: string): string {
  return [
    `Solana localnet${forkHost ? `, a fork of ${forkHost}` : ''}`,
    `  RPC        ${rpcUrl}`,
    `  WebSocket  ${wsUrl}`,
    `  State      ${dataDir}`,
    ...(programs.length > 0 ? [`  Programs   ${programs.map(({ address }) => address).join(', ')}`] : []),
    'Funded wallets (their keys: JSON-RPC method localnet_info)',
    ...wallets.map(({ name, address }) => `  ${name.padEnd(9)}  ${address}`),
  ].join('\n');
}

/** Removes the chain's state, unless another process is using it. */
async function emptyFolder(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  const unlock = lockFolder(folder);
  try {
    for (const name of await readdir(folder)) {
      if (name !== 'lock') await rm(join(folder, name), { recursive: true });
    }
  } finally {
    unlock();
  }
}

main().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  console.error(error instanceof UsageError ? message : `localnet: ${message}`);
  process.exitCode = 1;
});
