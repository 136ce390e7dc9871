import { defineCommand } from 'citty';
import type { Verification } from '../areas/admin/index.js';
import { withAdmin } from './admin-client.js';
import { commonArgs } from './common-args.js';
import type { CliContext, Result } from './context.js';
import { table } from './table.js';

/** `slipway verifications …` */
export function verificationsCommand(context: CliContext) {
  return defineCommand({
    meta: { name: 'verifications', description: 'List and decide the paid verification requests' },
    subCommands: {
      list: listCommand(context),
      approve: decideCommand(context, 'approve', 'Approve a pending request'),
      reject: decideCommand(context, 'reject', 'Reject a pending request'),
    },
  });
}

function listCommand(context: CliContext) {
  return defineCommand({
    meta: { name: 'list', description: 'List verification requests, the newest first' },
    args: {
      state: {
        type: 'enum',
        options: ['reserved', 'pending', 'approved', 'rejected'],
        description: 'Only requests in this state (default: all)',
      },
      limit: { type: 'string', default: '50', description: 'How many, 1 to 100' },
      cursor: { type: 'string', description: 'The nextCursor of the page before' },
      ...commonArgs,
    },
    run: ({ args }): Promise<Result> => {
      const query = new URLSearchParams({ limit: args.limit });
      if (args.state !== undefined) query.set('state', args.state);
      if (args.cursor !== undefined) query.set('cursor', args.cursor);
      return withAdmin(context, args.url, async (admin) => {
        const page = await admin.request<Page>('GET', `/verifications?${query}`);
        return { json: page, text: showPage(page) };
      });
    },
  });
}

interface Page {
  verifications: Verification[];
  nextCursor: string | null;
}

function showPage({ verifications, nextCursor }: Page): string {
  if (verifications.length === 0) return 'No verification requests.';
  const headings = ['ID', 'TOKEN', 'KIND', 'STATE', 'PAYER', 'PAID', 'TWITTER'];
  const rows = verifications.map((row) => [
    row.id,
    row.tokenId,
    row.kind,
    row.state,
    row.payer,
    row.paidAt ?? '-',
    row.twitterHandle ?? '-',
  ]);
  const more = nextCursor === null ? '' : `\n\nMore: --cursor ${nextCursor}`;
  return `${table(headings, rows)}${more}`;
}

function decideCommand(context: CliContext, verb: 'approve' | 'reject', description: string) {
  return defineCommand({
    meta: { name: verb, description },
    args: {
      id: { type: 'positional', required: true, description: 'The id of the request' },
      note: { type: 'string', description: 'Kept with the decision' },
      ...commonArgs,
    },
    run: ({ args }): Promise<Result> =>
      withAdmin(context, args.url, async (admin) => {
        const path = `/verifications/${encodeURIComponent(args.id)}/${verb}`;
        const row = await admin.request<Verification>('POST', path, args.note === undefined ? {} : { note: args.note });
        return { json: row, text: `${row.kind} of ${row.tokenId}: ${row.state}` };
      }),
  });
}
