import type { Answer } from '@slipway/client';
import type { Command } from 'commander';
import type { CommandContext } from './context.js';
import { example, URL_OPTION } from './program.js';
import { askApi, serviceUrl } from './service.js';
import { table } from './table.js';

type Token = Answer<'get', '/tokens/v2/search'>[number];

/** `slipway tokens NAME...` */
export function tokensCommand(program: Command, context: CommandContext): void {
  program
    .command('tokens')
    .description('Find tokens by symbol, name or mint')
    .argument('<NAME...>', 'A symbol, a name or a mint, or several')
    .option(...URL_OPTION)
    .addHelpText('after', example('slipway tokens USDC'))
    .action(async (names: string[], { url }: { url?: string }) => {
      const query = names.join(',');
      const found = await askApi<Token[]>(context, serviceUrl(context, url), '/tokens/v2/search', { query });
      context.answer({ json: found, text: found.length === 0 ? `No token is called ${query}.` : show(found) });
    });
}

function show(tokens: readonly Token[]): string {
  const rows = tokens.map(({ symbol, name, id, decimals, usdPrice, isVerified }) => [
    symbol,
    name,
    id,
    String(decimals),
    usdPrice?.toString() ?? 'unknown',
    isVerified ? 'yes' : 'no',
  ]);
  return table(['TOKEN', 'NAME', 'MINT', 'DECIMALS', 'USD', 'VERIFIED'], rows);
}
