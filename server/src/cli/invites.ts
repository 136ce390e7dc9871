import type { Command } from 'commander';
import type { RebuiltInvites } from '../areas/admin/index.js';
import { withAdmin } from './admin-client.js';
import type { CommandContext } from './context.js';
import { example, URL_OPTION } from './program.js';

/** `slipway invites …` */
export function invitesCommand(program: Command, context: CommandContext): void {
  program
    .command('invites')
    .description('Look after the lists of invites')
    .command('rebuild')
    .description('Forget what is known of invites and read it from the chain again')
    .option(...URL_OPTION)
    .addHelpText('after', example('slipway invites rebuild'))
    .action(async ({ url }: { url?: string }) => {
      const rebuilt = await withAdmin(context, url, (admin) =>
        admin.request<RebuiltInvites>('POST', '/invites/rebuild', {}),
      );
      context.answer({ json: rebuilt, text: sentenceOf(rebuilt), failed: rebuilt.done && rebuilt.unread > 0 });
    });
}

function sentenceOf({ transactions, unread, invites, open, done }: RebuiltInvites): string {
  if (!done && transactions === 0) return 'Forgotten; a service reads the invites from the chain again';
  if (!done) return `${transactions} transactions are listed, ${unread} of them are still to be read; that goes on`;
  const left = unread > 0 ? `; the RPC cannot tell what ${unread} of them did, which is tried again` : '';
  return `Read ${transactions} transactions: ${invites} invites, ${open} of them open${left}`;
}
