import { defineCommand } from 'citty';
import type { Maker } from '../areas/admin/index.js';
import { withAdmin } from './admin-client.js';
import { commonArgs } from './common-args.js';
import type { CliContext, Result } from './context.js';
import { table } from './table.js';

/** `slipway makers …` */
export function makersCommand(context: CliContext) {
  return defineCommand({
    meta: { name: 'makers', description: 'Register, list and remove market makers' },
    subCommands: {
      add: addCommand(context),
      list: listCommand(context),
      remove: removeCommand(context),
    },
  });
}

function addCommand(context: CliContext) {
  return defineCommand({
    meta: { name: 'add', description: 'Register a market maker by the URL of its webhook' },
    args: {
      webhook: {
        type: 'positional',
        required: true,
        description: 'Its URL; a password in it is sent as the API key: https://:KEY@maker.example.com/rfq',
      },
      name: { type: 'string', required: true, description: 'Who it is' },
      ...commonArgs,
    },
    run: ({ args }): Promise<Result> =>
      withAdmin(context, args.url, async (admin) => {
        const maker = await admin.request<Maker>('POST', '/makers', { name: args.name, url: args.webhook });
        return { json: maker, text: `Maker ${maker.id} (${maker.name}) is asked for quotes from now on.` };
      }),
  });
}

function listCommand(context: CliContext) {
  return defineCommand({
    meta: { name: 'list', description: 'List the market makers, the first registered first' },
    args: commonArgs,
    run: ({ args }): Promise<Result> =>
      withAdmin(context, args.url, async (admin) => {
        const { makers } = await admin.request<{ makers: Maker[] }>('GET', '/makers');
        const rows = makers.map(({ id, name, url, createdAt }) => [id, name, url, createdAt]);
        const text = table(['ID', 'NAME', 'URL', 'ADDED'], rows);
        return { json: makers, text: makers.length === 0 ? 'No market makers yet.' : text };
      }),
  });
}

function removeCommand(context: CliContext) {
  return defineCommand({
    meta: { name: 'remove', description: 'Ask a market maker no more' },
    args: { id: { type: 'positional', required: true, description: 'The id of the maker' }, ...commonArgs },
    run: ({ args }): Promise<Result> =>
      withAdmin(context, args.url, async (admin) => {
        const removed = await admin.request<{ id: string }>('DELETE', `/makers/${encodeURIComponent(args.id)}`);
        return { json: removed, text: `Maker ${removed.id} is removed.` };
      }),
  });
}
