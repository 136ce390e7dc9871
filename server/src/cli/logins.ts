import type { Command } from 'commander';
import type { RevokedLogins } from '../areas/admin/index.js';
import { withAdmin } from './admin-client.js';
import type { CommandContext } from './context.js';
import { example, URL_OPTION } from './program.js';

/** `slipway logins …` */
export function loginsCommand(program: Command, context: CommandContext): void {
  program
    .command('logins')
    .description('End logins of wallets')
    .command('revoke')
    .description('End all logins of a wallet, in all copies, within a second')
    .argument('<WALLET>', 'The address of the wallet')
    .option(...URL_OPTION)
    .addHelpText('after', example('slipway logins revoke 8gMBNeKwXaoNi9bhbVUWFt4Uc5aobL9PeYMXfYDMePE2'))
    .action(async (wallet: string, { url }: { url?: string }) => {
      const path = `/logins/${encodeURIComponent(wallet)}`;
      const revoked = await withAdmin(context, url, (admin) => admin.request<RevokedLogins>('DELETE', path));
      context.answer({ json: revoked, text: `The logins of ${revoked.wallet} are ended.` });
    });
}
