import { Argument, type Command } from 'commander';
import type { Stop } from '../areas/admin/index.js';
import { STOPPABLE } from '../store/stops.js';
import { type AdminClient, withAdmin } from './admin-client.js';
import { type CommandContext, CommandError, UsageError } from './context.js';
import { example, URL_OPTION } from './program.js';

/** `slipway stop` and `slipway resume` */
export function stopCommands(program: Command, context: CommandContext): void {
  program
    .command('stop')
    .description('Stop what the service signs and sends, in all copies, within a second')
    .addArgument(new Argument('<WHAT>', 'fills, crafts, or all').choices(STOPPABLE))
    .option('--why <TEXT>', 'What clients and operators read about it (required)')
    .option(...URL_OPTION)
    .addHelpText('after', example('slipway stop fills --why "the price feed is wrong"'))
    .action(async (what: string, { why, url }: { why?: string; url?: string }) => {
      // Not an option that the parser requires: that would be missed before a misspelled WHAT is.
      if (why === undefined) throw new UsageError('--why: expected a text that clients and operators read about it');
      const stop = await withAdmin(context, url, (admin) => admin.request<Stop>('PUT', `/stops/${what}`, { why }));
      const next = what === 'all' ? 'slipway resume' : `slipway resume ${what}`;
      context.answer({ json: stop, text: `Stopped: ${what}. "${next}" goes on.` });
    });
  program
    .command('resume')
    .description('Go on with what was stopped')
    .addArgument(new Argument('[WHAT]', 'fills, crafts, or all (default: whatever is stopped)').choices(STOPPABLE))
    .option(...URL_OPTION)
    .addHelpText('after', example('slipway resume', 'slipway resume fills'))
    .action(async (what: string | undefined, { url }: { url?: string }) => {
      const { resumed, refused } = await withAdmin(context, url, async (admin) => {
        if (what === undefined) return resumeAll(admin);
        await admin.request('DELETE', `/stops/${what}`);
        return { resumed: [what], refused: [] };
      });
      const lines = refused.map(({ what, why }) => `Not resumed: ${what}: ${why}`);
      if (resumed.length > 0) lines.unshift(`Resumed: ${resumed.join(', ')}.`);
      const text = lines.length === 0 ? 'Nothing was stopped.' : lines.join('\n');
      context.answer({ json: { resumed, refused }, text, failed: refused.length > 0 });
    });
}

/** Ends each stop that is listed; one that is refused, because it is another by now, keeps the others from nothing. */
async function resumeAll(admin: AdminClient) {
  const resumed: string[] = [];
  const refused: { what: string; why: string }[] = [];
  const { stops } = await admin.request<{ stops: Stop[] }>('GET', '/stops');
  for (const { what, stoppedAt } of stops) {
    try {
      await admin.request('DELETE', `/stops/${what}?stoppedAt=${stoppedAt}`);
      resumed.push(what);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      refused.push({ what, why: error.message });
    }
  }
  return { resumed, refused };
}
