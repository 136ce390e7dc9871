import { defineCommand } from 'citty';
import type { RebuiltInvites } from '../areas/admin/index.js';
import { withAdmin } from './admin-client.js';
import { commonArgs } from './common-args.js';
import type { CliContext, Result } from './context.js';

/** `slipway invites …` */
export function invitesCommand(context: CliContext) {
  return defineCommand({
    meta: { name: 'invites', description: 'Look after the lists of invites' },
    subCommands: { rebuild: rebuildCommand(context) },
  });
}

function rebuildCommand(context: CliContext) {
  return defineCommand({
    meta: { name: 'rebuild', description: 'Forget what is known of invites and read it from the chain again' },
    args: commonArgs,
    run: ({ args }): Promise<Result> =>
      withAdmin(context, args.url, async (admin) => {
        const rebuilt = await admin.request<RebuiltInvites>('POST', '/invites/rebuild', {});
        return { json: rebuilt, text: sentenceOf(rebuilt), failed: rebuilt.done && rebuilt.unread > 0 };
      }),
  });
}

function sentenceOf({ transactions, unread, invites, open, done }: RebuiltInvites): string {
  if (!done && transactions === 0) return 'Forgotten; a service reads the invites from the chain again';
  if (!done) return `${transactions} transactions are listed, ${unread} of them are still to be read; that goes on`;
  const left = unread > 0 ? `; the RPC cannot tell what ${unread} of them did, which is tried again` : '';
  return `Read ${transactions} transactions: ${invites} invites, ${open} of them open${left}`;
}
