import type { Command } from 'commander';
import type { Admin, NewAdmin } from '../areas/admin/index.js';
import { withAdmin } from './admin-client.js';
import type { CommandContext } from './context.js';
import { example, URL_OPTION } from './program.js';
import { table } from './table.js';

/** `slipway admins …` */
export function adminsCommand(program: Command, context: CommandContext): void {
  const admins = program.command('admins').description('Create, list and revoke admins, each with a token and roles');
  createCommand(admins, context);
  listCommand(admins, context);
  revokeCommand(admins, context);
}

function createCommand(admins: Command, context: CommandContext): void {
  admins
    .command('create')
    .description('Create an admin. The token is shown once')
    .argument('<NAME>', 'What the record calls the admin')
    .requiredOption('--roles <LIST>', 'read, operate, keys, all, with commas between')
    .option(...URL_OPTION)
    .addHelpText('after', example('slipway admins create alice --roles read,operate'))
    .action(async (name: string, options: { roles: string; url?: string }) => {
      const roles = options.roles.split(',').map((role) => role.trim());
      const admin = await withAdmin(context, options.url, (api) =>
        api.request<NewAdmin>('POST', '/admins', { name, roles }),
      );
      const text = `${admin.token}\n\nAdmin ${name} (${admin.roles.join(', ')}). The token cannot be shown again.`;
      context.answer({ json: admin, text });
    });
}

function listCommand(admins: Command, context: CommandContext): void {
  admins
    .command('list')
    .description('List the admins, the oldest first')
    .option(...URL_OPTION)
    .addHelpText('after', example('slipway admins list'))
    .action(async ({ url }: { url?: string }) => {
      const found = await withAdmin(context, url, (api) => api.request<{ admins: Admin[] }>('GET', '/admins'));
      const rows = found.admins.map(({ name, roles, createdAt, revokedAt }) => {
        return [name, roles.join(','), createdAt, revokedAt === null ? 'active' : `revoked ${revokedAt}`];
      });
      const text = rows.length === 0 ? 'None but root.' : table(['NAME', 'ROLES', 'CREATED', 'STATE'], rows);
      context.answer({ json: found.admins, text });
    });
}

function revokeCommand(admins: Command, context: CommandContext): void {
  admins
    .command('revoke')
    .description('End the token and the sessions of an admin, in all copies, within a second')
    .argument('<NAME>', 'The name of the admin')
    .option(...URL_OPTION)
    .addHelpText('after', example('slipway admins revoke alice'))
    .action(async (name: string, { url }: { url?: string }) => {
      const path = `/admins/${encodeURIComponent(name)}`;
      const revoked = await withAdmin(context, url, (api) => api.request<{ name: string }>('DELETE', path));
      context.answer({ json: revoked, text: `The admin ${revoked.name} is revoked.` });
    });
}
