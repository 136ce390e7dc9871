import type { Answer } from '@slipway/client';
import type { Command } from 'commander';
import { type CommandContext, UsageError } from './context.js';
import { example, URL_OPTION } from './program.js';
import { postToSandbox, sandboxInfo } from './sandbox.js';
import { serviceUrl } from './service.js';

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** `slipway clock [STEP]` */
export function clockCommand(program: Command, context: CommandContext): void {
  program
    .command('clock')
    .description('Show the time of the sandbox, or move it forward')
    .argument('[STEP]', 'How far to move: +90s, +15m, +1h or +2d')
    .option(...URL_OPTION)
    .addHelpText('after', example('slipway clock', 'slipway clock +1h'))
    .action(async (step: string | undefined, { url }: { url?: string }) => {
      const base = serviceUrl(context, url);
      const unixTimestamp =
        step === undefined ? (await sandboxInfo(context, base)).unixTimestamp : await move(context, base, step);
      context.answer({ json: { unixTimestamp }, text: new Date(unixTimestamp * 1_000).toISOString() });
    });
}

async function move(context: CommandContext, base: string, step: string): Promise<number> {
  const [, count, unit] = /^\+?([1-9]\d*)([smhd])$/.exec(step) ?? [];
  if (count === undefined || unit === undefined)
    throw new UsageError(`STEP must be a time such as +90s, +15m, +1h or +2d, not ${JSON.stringify(step)}`);
  await sandboxInfo(context, base);
  const seconds = Number(count) * SECONDS[unit]!;
  return (await postToSandbox<Answer<'post', '/sandbox/clock'>>(context, base, '/sandbox/clock', { seconds }))
    .unixTimestamp;
}
