import type { Command } from 'commander';
import type { CommandContext } from './context.js';
import type { Check } from './doctor-check.js';
import { example, URL_OPTION } from './program.js';

/** `slipway doctor` */
export function doctorCommand(program: Command, context: CommandContext): void {
  program
    .command('doctor')
    .description('Check configuration, chain, database, uploads, signer file, admin token, and what swaps need')
    .option(...URL_OPTION)
    .addHelpText('after', example('slipway doctor'))
    .action(async ({ url }: { url?: string }) => {
      const { runChecks } = await import('./doctor-checks.js');
      const checks = await runChecks(context, url);
      const failed = checks.some((check) => !check.ok);
      context.answer({ json: { ok: !failed, checks }, text: checks.map(show).join('\n'), failed });
    });
}

function show({ name, ok, detail, next }: Check): string {
  const state = !ok ? 'failed' : next === undefined ? 'ok    ' : 'note  ';
  const line = `${state}  ${name.padEnd(14)}  ${detail}`;
  return next === undefined ? line : `${line}\n        ${' '.repeat(14)}  -> ${next}`;
}
