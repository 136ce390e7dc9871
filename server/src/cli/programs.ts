import { resolve } from 'node:path';
import { isAddress } from '@slipway/wire';
import type { Command } from 'commander';
import { type CommandContext, UsageError } from './context.js';
import { example } from './program.js';

interface Options {
  rpc: string;
  pool?: string[];
  dir?: string;
}

/** `slipway programs …` */
export function programsCommand(program: Command, context: CommandContext): void {
  program
    .command('programs')
    .description('Bring programs and pools of a cluster to the embedded chain')
    .command('pull')
    .description('Copy programs, and what pools need, into the programs folder')
    .requiredOption('--rpc <URL>', 'RPC of the cluster to copy from')
    .option(
      '--pool <ADDRESS...>',
      'A pool, with its programs, or a lookup table; any number of times (default: the programs of all venues, and those that launches need)',
    )
    .option('--dir <FOLDER>', 'The programs folder (default: SLIPWAY_PROGRAMS_DIR)')
    .addHelpText('after', example('slipway programs pull --rpc https://api.mainnet-beta.solana.com --dir programs'))
    .action((options: Options) => pull(context, options));
}

async function pull(context: CommandContext, { rpc, pool = [], dir }: Options): Promise<void> {
  if (!pool.every(isAddress)) throw new UsageError('--pool must be the address of a pool or a lookup table');
  const folder = dir ?? (context.env.SLIPWAY_PROGRAMS_DIR || undefined);
  if (folder === undefined)
    throw new UsageError('say which folder is the programs folder: --dir or SLIPWAY_PROGRAMS_DIR');
  const url = URL.canParse(rpc) ? new URL(rpc) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw new UsageError('--rpc must be an http or https URL');
  // Loaded lazily: it needs the chain and every venue.
  const { copyPrograms } = await import('./copy-programs.js');
  context.answer(
    await copyPrograms(context, { url: rpc, folder: resolve(context.cwd, folder), pools: [...new Set(pool)] }),
  );
}
