import type { Command } from 'commander';
import type { Maker } from '../areas/admin/index.js';
import { withAdmin } from './admin-client.js';
import type { CommandContext } from './context.js';
import { example, URL_OPTION } from './program.js';
import { table } from './table.js';

/** `slipway makers …` */
export function makersCommand(program: Command, context: CommandContext): void {
  const makers = program.command('makers').description('Register, list and remove market makers');
  addCommand(makers, context);
  listCommand(makers, context);
  removeCommand(makers, context);
}

function addCommand(makers: Command, context: CommandContext): void {
  makers
    .command('add')
    .description('Register a market maker by the URL of its webhook')
    .argument('<WEBHOOK>', 'Its URL. A password in it is sent as the API key')
    .requiredOption('--name <NAME>', 'Who it is')
    .option(...URL_OPTION)
    .addHelpText('after', example('slipway makers add https://:KEY@maker.example.com/rfq --name desk'))
    .action(async (webhook: string, { name, url }: { name: string; url?: string }) => {
      const maker = await withAdmin(context, url, (admin) =>
        admin.request<Maker>('POST', '/makers', { name, url: webhook }),
      );
      context.answer({ json: maker, text: `Maker ${maker.id} (${maker.name}) is asked for quotes from now on.` });
    });
}

function listCommand(makers: Command, context: CommandContext): void {
  makers
    .command('list')
    .description('List the market makers, the first registered first')
    .option(...URL_OPTION)
    .addHelpText('after', example('slipway makers list'))
    .action(async ({ url }: { url?: string }) => {
      const found = await withAdmin(context, url, (admin) => admin.request<{ makers: Maker[] }>('GET', '/makers'));
      const rows = found.makers.map((maker) => [maker.id, maker.name, maker.url, maker.createdAt]);
      const text = rows.length === 0 ? 'No market makers yet.' : table(['ID', 'NAME', 'URL', 'ADDED'], rows);
      context.answer({ json: found.makers, text });
    });
}

function removeCommand(makers: Command, context: CommandContext): void {
  makers
    .command('remove')
    .description('Remove a market maker: it is asked for no more quotes')
    .argument('<ID>', 'The id of the maker')
    .option(...URL_OPTION)
    .addHelpText('after', example('slipway makers remove 01a20229-7c1e-7d2a-b3f4-5a6b7c8d9e0f'))
    .action(async (id: string, { url }: { url?: string }) => {
      const removed = await withAdmin(context, url, (admin) =>
        admin.request<{ id: string }>('DELETE', `/makers/${encodeURIComponent(id)}`),
      );
      context.answer({ json: removed, text: `Maker ${removed.id} is removed.` });
    });
}
