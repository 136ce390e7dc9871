import type { Command } from 'commander';
import type { ActsPage } from '../areas/admin/index.js';
import { CHAIN_START, readEnd, whyBroken } from '../lib/hash-chain.js';
import { type AdminClient, withAdmin } from './admin-client.js';
import { type CommandContext, UsageError } from './context.js';
import { example, URL_OPTION } from './program.js';

const PAGE = 1_000;
type Act = ActsPage['acts'][number];
type End = { seq: number; hash: string };

/** `slipway audit …` */
export function auditCommand(program: Command, context: CommandContext): void {
  const audit = program.command('audit').description('Check and export the record of what admins have asked for');
  audit
    .command('verify')
    .description('Find a changed, removed or reordered entry')
    .option('--end <SEQ:HASH>', 'An entry that was noted before, which must still be there')
    .option(...URL_OPTION)
    .addHelpText('after', example('slipway audit verify', 'slipway audit verify --end 41:9f86d081…'))
    .action(async (options: { end?: string; url?: string }) => {
      const noted = options.end === undefined ? undefined : notedEnd(options.end);
      const { fault, last } = await withAdmin(context, options.url, (admin) => verify(admin, noted));
      const end = `${last?.seq ?? 0}:${last?.hash ?? CHAIN_START}`;
      const text = fault === undefined ? `The record is whole. It ends with ${end}` : `The record is broken: ${fault}`;
      context.answer({ json: { whole: fault === undefined, fault, end }, text, failed: fault !== undefined });
    });
  audit
    .command('export')
    .description('Print the record as JSON lines, the oldest first')
    .option(...URL_OPTION)
    .addHelpText('after', example('slipway audit export > acts.jsonl'))
    .action(async ({ url }: { url?: string }) => {
      await withAdmin(context, url, async (admin) => {
        for await (const { acts } of pagesOf(admin)) for (const act of acts) context.stdout(JSON.stringify(act));
      });
    });
}

function notedEnd(text: string): End {
  const end = readEnd(text);
  if (end === undefined) throw new UsageError('--end must be a number, a colon and a hash, as verify prints them');
  return end;
}

/** Pages until one has nothing new: it has the end of the record after all before were read. */
async function* pagesOf(admin: AdminClient): AsyncGenerator<ActsPage> {
  for (let after = 0; ; ) {
    const page = await admin.request<ActsPage>('GET', `/acts?after=${after}&limit=${PAGE}`);
    yield page;
    const last = page.acts.at(-1);
    if (last === undefined) return;
    after = last.seq;
  }
}

/** What is wrong with the record, if anything, and its last good entry. */
async function verify(
  admin: AdminClient,
  noted: End | undefined,
): Promise<{ fault: string | undefined; last: End | undefined }> {
  let last: Act | undefined;
  let head: End | null = null;
  let isNoted = noted === undefined || noted.seq === 0;
  for await (const page of pagesOf(admin)) {
    for (const act of page.acts) {
      const fault = whyBroken(act, last);
      if (fault !== undefined) return { fault, last };
      isNoted ||= act.seq === noted?.seq && act.hash === noted.hash;
      last = act;
    }
    head = page.head;
  }
  if ((head?.seq ?? 0) !== (last?.seq ?? 0) || (head?.hash ?? '') !== (last?.hash ?? '')) {
    return { fault: `it ended with number ${head?.seq ?? 0}, and now ends with ${last?.seq ?? 0}`, last };
  }
  return { fault: isNoted ? undefined : `it does not have number ${noted!.seq} as it was noted`, last };
}
