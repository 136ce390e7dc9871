import type { Command } from 'commander';
import type { Key, NewKey } from '../areas/admin/index.js';
import { withAdmin } from './admin-client.js';
import { type CommandContext, UsageError } from './context.js';
import { example, URL_OPTION } from './program.js';
import { table } from './table.js';

const ID = '01a20229-7c1e-7d2a-b3f4-5a6b7c8d9e0f';

/** `slipway keys …` */
export function keysCommand(program: Command, context: CommandContext): void {
  const keys = program.command('keys').description('Create, list, replace and revoke API keys');
  createCommand(keys, context);
  listCommand(keys, context);
  rotateCommand(keys, context);
  revokeCommand(keys, context);
}

interface CreateOptions {
  name: string;
  tier: string;
  prefixes?: string;
  origins?: string;
  url?: string;
}

function createCommand(keys: Command, context: CommandContext): void {
  keys
    .command('create')
    .description('Create an API key. It is shown once')
    .requiredOption('--name <NAME>', 'Who or what the key is for')
    .option('--tier <TIER>', 'How often it may call: a tier of the configuration, such as developer', 'free')
    .option('--prefixes <LIST>', 'Paths that it may use, with commas between (default: all)')
    .option('--origins <LIST>', 'For pages of these origins, where everybody can read it')
    .option(...URL_OPTION)
    .addHelpText(
      'after',
      example(
        'slipway keys create --name shop --tier pro --prefixes /ultra,/tokens',
        'slipway keys create --name page --tier developer --origins https://app.example.com',
      ),
    )
    .action(async ({ name, tier, prefixes, origins, url }: CreateOptions) => {
      const grants = { prefixes: listOf(prefixes), origins: listOf(origins) };
      const key = await withAdmin(context, url, (admin) =>
        admin.request<NewKey>('POST', '/keys', { name, tier, ...grants }),
      );
      context.answer({ json: key, text: `${key.key}\n\nKey ${key.id} (${key.tier}). It cannot be shown again.` });
    });
}

function listCommand(keys: Command, context: CommandContext): void {
  keys
    .command('list')
    .description('List the API keys, the newest first')
    .option(...URL_OPTION)
    .addHelpText('after', example('slipway keys list'))
    .action(async ({ url }: { url?: string }) => {
      const found = await withAdmin(context, url, (admin) => admin.request<{ keys: Key[] }>('GET', '/keys'));
      const rows = found.keys.map((key) => [
        key.id,
        key.name,
        `${key.prefix}…`,
        key.tier,
        key.prefixes.join(',') || 'all',
        key.origins.join(',') || 'none',
        key.createdAt,
        stateOf(key),
      ]);
      const text = table(['ID', 'NAME', 'KEY', 'TIER', 'PATHS', 'PAGES', 'CREATED', 'STATE'], rows);
      context.answer({ json: found.keys, text: rows.length === 0 ? 'No keys yet.' : text });
    });
}

function rotateCommand(keys: Command, context: CommandContext): void {
  keys
    .command('rotate')
    .description('Replace an API key. The old one goes on working for a while')
    .argument('<ID>', 'The id of the key')
    .option('--overlap <SECONDS>', 'How long the old key still works', '86400')
    .option(...URL_OPTION)
    .addHelpText('after', example(`slipway keys rotate ${ID} --overlap 3600`))
    .action(async (id: string, { overlap, url }: { overlap: string; url?: string }) => {
      if (!/^\d{1,8}$/.test(overlap)) throw new UsageError('--overlap must be a number of seconds');
      const overlapSeconds = Number(overlap);
      const path = `/keys/${encodeURIComponent(id)}/rotate`;
      const key = await withAdmin(context, url, (admin) => admin.request<NewKey>('POST', path, { overlapSeconds }));
      const text = `${key.key}\n\nKey ${key.id} replaces ${id}, which works for ${overlapSeconds} more seconds.`;
      context.answer({ json: key, text: `${text} It cannot be shown again.` });
    });
}

function revokeCommand(keys: Command, context: CommandContext): void {
  keys
    .command('revoke')
    .description('End an API key at once')
    .argument('<ID>', 'The id of the key')
    .option(...URL_OPTION)
    .addHelpText('after', example(`slipway keys revoke ${ID}`))
    .action(async (id: string, { url }: { url?: string }) => {
      const path = `/keys/${encodeURIComponent(id)}`;
      const key = await withAdmin(context, url, (admin) => admin.request<Key>('DELETE', path));
      context.answer({ json: key, text: `Key ${key.id} (${key.name}) is revoked.` });
    });
}

const listOf = (text: string | undefined): string[] =>
  text === undefined ? [] : text.split(',').map((part) => part.trim());

function stateOf(key: Key): string {
  if (key.revokedAt !== null) return `revoked ${key.revokedAt}`;
  if (key.expiresAt !== null) return `until ${key.expiresAt}`;
  return 'active';
}
