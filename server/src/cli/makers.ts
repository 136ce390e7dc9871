import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Maker } from '../areas/admin/index.js';
import { readPrivateFile } from '../signer/index.js';
import { withAdmin } from './admin-client.js';
import { type CommandContext, UsageError } from './context.js';
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
    .argument('<WEBHOOK>', 'Its URL')
    .requiredOption('--name <NAME>', 'Who it is')
    .option('--key-file <FILE>', 'Holds the API key that it is asked with, for its owner alone to read')
    .option(...URL_OPTION)
    .addHelpText('after', example('slipway makers add https://maker.example.com/rfq --name desk --key-file desk.key'))
    .action(async (given: string, { name, keyFile, url }: { name: string; keyFile?: string; url?: string }) => {
      const webhook = keyFile === undefined ? given : await withKey(context, given, keyFile);
      if (keyFile === undefined && URL.canParse(given) && new URL(given).password !== '')
        context.stderr(context.json ? JSON.stringify({ warning: SEEN }) : `slipway: ${SEEN}`);
      const maker = await withAdmin(context, url, (admin) =>
        admin.request<Maker>('POST', '/makers', { name, url: webhook }),
      );
      context.answer({ json: maker, text: `Maker ${maker.id} (${maker.name}) is asked for quotes from now on.` });
    });
}

const SEEN =
  'other users of this machine can see the key on the command line, and the shell may keep it: use --key-file';

/** The URL with the key of the file as its password, as the service takes it. */
async function withKey({ cwd }: CommandContext, webhook: string, file: string): Promise<string> {
  const bytes = await readPrivateFile(resolve(cwd, file));
  if (bytes === undefined) throw new UsageError(`--key-file: ${file} does not exist`);
  const key = bytes.toString('utf8').trim();
  if (key === '') throw new UsageError(`--key-file: ${file} is empty`);
  if (!URL.canParse(webhook)) throw new UsageError('WEBHOOK: expected a URL');
  const url = new URL(webhook);
  if (url.password !== '') throw new UsageError('WEBHOOK: expected no password beside --key-file');
  url.password = encodeURIComponent(key);
  return url.href;
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
