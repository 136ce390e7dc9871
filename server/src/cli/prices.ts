import type { Answer } from '@slipway/client';
import type { Command } from 'commander';
import { type CommandContext, UsageError } from './context.js';
import { example, URL_OPTION } from './program.js';
import { mintOf, postToSandbox, sandboxInfo } from './sandbox.js';
import { serviceUrl } from './service.js';
import { table } from './table.js';

interface Options {
  url?: string;
}

/** `slipway prices [set TOKEN USD]` */
export function pricesCommand(program: Command, context: CommandContext): void {
  const prices = program.command('prices').description('Show or move the prices of the sandbox');
  prices
    .command('list', { isDefault: true })
    .description('Show what each token of the sandbox costs')
    .option(...URL_OPTION)
    .addHelpText('after', example('slipway prices list'))
    .action(async ({ url }: Options) => {
      const { mints } = await sandboxInfo(context, serviceUrl(context, url));
      const rows = mints.map(({ symbol, mint, usdPrice }) => [symbol, usdPrice?.toString() ?? 'unknown', mint]);
      context.answer({ json: mints, text: table(['TOKEN', 'USD', 'MINT'], rows) });
    });
  prices
    .command('set')
    .description('Move the price of a token: pools, market makers and orders follow')
    .argument('<TOKEN>', 'The symbol or mint of the token')
    .argument('<USD>', 'What one whole token costs: 165')
    .option(...URL_OPTION)
    .addHelpText('after', example('slipway prices set SOL 165'))
    .action(async (token: string, text: string, { url }: Options) => {
      const usd = Number(text);
      if (!/^\d+(\.\d+)?$/.test(text) || usd === 0) throw new UsageError('USD must be a number above 0, such as 165');
      const base = serviceUrl(context, url);
      const mint = mintOf(await sandboxInfo(context, base), token);
      const request = { mint: mint?.mint ?? token, usd };
      const answer = await postToSandbox<Answer<'post', '/sandbox/prices'>>(context, base, '/sandbox/prices', request);
      const { note } = answer;
      const moved = `1 ${mint?.symbol ?? token} costs ${usd} USD`;
      context.answer({ json: answer, text: note === undefined ? moved : `${moved}\n${note}` });
    });
}
