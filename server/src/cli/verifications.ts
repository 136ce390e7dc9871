import { type Command, Option } from 'commander';
import type { Verification, VerificationsPage } from '../areas/admin/index.js';
import { withAdmin } from './admin-client.js';
import type { CommandContext } from './context.js';
import { example, URL_OPTION } from './program.js';
import { table } from './table.js';

const ID = '01a20229-7c1e-7d2a-b3f4-5a6b7c8d9e0f';

/** `slipway verifications …` */
export function verificationsCommand(program: Command, context: CommandContext): void {
  const verifications = program.command('verifications').description('List and decide the paid verification requests');
  listCommand(verifications, context);
  decideCommand(verifications, context, 'approve', 'Approve a pending request');
  decideCommand(verifications, context, 'reject', 'Reject a pending request');
}

interface ListOptions {
  state?: string;
  limit: string;
  cursor?: string;
  url?: string;
}

function listCommand(verifications: Command, context: CommandContext): void {
  const states = ['reserved', 'pending', 'approved', 'rejected'];
  verifications
    .command('list')
    .description('List verification requests, the newest first')
    .addOption(new Option('--state <STATE>', 'Only requests in this state (default: all)').choices(states))
    .option('--limit <N>', 'How many, 1 to 100', '50')
    .option('--cursor <ID>', 'The nextCursor of the page before')
    .option(...URL_OPTION)
    .addHelpText('after', example('slipway verifications list --state pending'))
    .action(async ({ state, limit, cursor, url }: ListOptions) => {
      const query = new URLSearchParams({ limit });
      if (state !== undefined) query.set('state', state);
      if (cursor !== undefined) query.set('cursor', cursor);
      const page = await withAdmin(context, url, (admin) =>
        admin.request<VerificationsPage>('GET', `/verifications?${query}`),
      );
      context.answer({ json: page, text: showPage(page) });
    });
}

function showPage({ verifications, nextCursor }: VerificationsPage): string {
  if (verifications.length === 0) return 'No verification requests.';
  const headings = ['ID', 'TOKEN', 'KIND', 'STATE', 'PAYER', 'PAID', 'NOTE', 'TWITTER'];
  const rows = verifications.map((row) => [
    row.id,
    row.tokenId,
    row.kind,
    row.state,
    row.payer,
    row.paidAt ?? '-',
    row.note ?? '-',
    // What strangers write is the last, so that it moves nothing else out of sight.
    row.twitterHandle ?? '-',
  ]);
  const more = nextCursor === null ? '' : `\n\nMore: --cursor ${nextCursor}`;
  return `${table(headings, rows)}${more}`;
}

function decideCommand(
  verifications: Command,
  context: CommandContext,
  verb: 'approve' | 'reject',
  description: string,
): void {
  verifications
    .command(verb)
    .description(description)
    .argument('<ID>', 'The id of the request')
    .option('--note <TEXT>', 'Kept with the decision')
    .option(...URL_OPTION)
    .addHelpText('after', example(`slipway verifications ${verb} ${ID} --note "seen"`))
    .action(async (id: string, { note, url }: { note?: string; url?: string }) => {
      const path = `/verifications/${encodeURIComponent(id)}/${verb}`;
      const body = note === undefined ? {} : { note };
      const row = await withAdmin(context, url, (admin) => admin.request<Verification>('POST', path, body));
      context.answer({ json: row, text: `${row.kind} of ${row.tokenId}: ${row.state}` });
    });
}
