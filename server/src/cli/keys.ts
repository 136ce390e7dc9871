import { defineCommand } from 'citty';
import type { Key, NewKey } from '../areas/admin/index.js';
import { withAdmin } from './admin-client.js';
import { commonArgs } from './common-args.js';
import { type CliContext, type Result, UsageError } from './context.js';
import { table } from './table.js';

/** `slipway keys …` */
export function keysCommand(context: CliContext) {
  return defineCommand({
    meta: { name: 'keys', description: 'Make, list, replace and revoke API keys' },
    subCommands: {
      create: createCommand(context),
      list: listCommand(context),
      rotate: rotateCommand(context),
      revoke: revokeCommand(context),
    },
  });
}

function createCommand(context: CliContext) {
  return defineCommand({
    meta: { name: 'create', description: 'Make an API key; it is shown once' },
    args: {
      name: { type: 'string', required: true, description: 'Who or what the key is for' },
      tier: { type: 'string', default: 'free', description: 'Its rate limits: a tier of the configuration' },
      prefixes: { type: 'string', description: 'Paths it may use, with commas between (default: all)' },
      ...commonArgs,
    },
    run: ({ args }): Promise<Result> =>
      withAdmin(context, args.url, async (admin) => {
        const prefixes = args.prefixes === undefined ? [] : args.prefixes.split(',').map((prefix) => prefix.trim());
        const key = await admin.request<NewKey>('POST', '/keys', { name: args.name, tier: args.tier, prefixes });
        return { json: key, text: `${key.key}\n\nKey ${key.id} (${key.tier}). It cannot be shown again.` };
      }),
  });
}

function listCommand(context: CliContext) {
  return defineCommand({
    meta: { name: 'list', description: 'List the API keys, the newest first' },
    args: commonArgs,
    run: ({ args }): Promise<Result> =>
      withAdmin(context, args.url, async (admin) => {
        const { keys } = await admin.request<{ keys: Key[] }>('GET', '/keys');
        const rows = keys.map((key) => [
          key.id,
          key.name,
          `${key.prefix}…`,
          key.tier,
          key.prefixes.join(',') || 'all',
          key.createdAt,
          stateOf(key),
        ]);
        const text = table(['ID', 'NAME', 'KEY', 'TIER', 'PATHS', 'CREATED', 'STATE'], rows);
        return { json: keys, text: keys.length === 0 ? 'No keys yet.' : text };
      }),
  });
}

function rotateCommand(context: CliContext) {
  return defineCommand({
    meta: { name: 'rotate', description: 'Replace an API key; the old one goes on working for a while' },
    args: {
      id: { type: 'positional', required: true, description: 'The id of the key' },
      overlap: { type: 'string', default: '86400', description: 'Seconds that the old key still works' },
      ...commonArgs,
    },
    run: ({ args }): Promise<Result> => {
      if (!/^\d{1,8}$/.test(args.overlap)) throw new UsageError('--overlap must be a number of seconds');
      const overlapSeconds = Number(args.overlap);
      return withAdmin(context, args.url, async (admin) => {
        const path = `/keys/${encodeURIComponent(args.id)}/rotate`;
        const key = await admin.request<NewKey>('POST', path, { overlapSeconds });
        const text = `${key.key}\n\nKey ${key.id} replaces ${args.id}, which works for ${overlapSeconds} more seconds.`;
        return { json: key, text: `${text} It cannot be shown again.` };
      });
    },
  });
}

function revokeCommand(context: CliContext) {
  return defineCommand({
    meta: { name: 'revoke', description: 'End an API key at once' },
    args: { id: { type: 'positional', required: true, description: 'The id of the key' }, ...commonArgs },
    run: ({ args }): Promise<Result> =>
      withAdmin(context, args.url, async (admin) => {
        const key = await admin.request<Key>('DELETE', `/keys/${encodeURIComponent(args.id)}`);
        return { json: key, text: `Key ${key.id} (${key.name}) is revoked.` };
      }),
  });
}

function stateOf(key: Key): string {
  if (key.revokedAt !== null) return `revoked ${key.revokedAt}`;
  if (key.expiresAt !== null) return `until ${key.expiresAt}`;
  return 'active';
}
