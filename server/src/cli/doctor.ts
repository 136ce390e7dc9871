import { defineCommand } from 'citty';
import { commonArgs } from './common-args.js';
import type { CliContext, Result } from './context.js';
import type { Check } from './doctor-checks.js';

/** `slipway doctor` */
export function doctorCommand(context: CliContext) {
  return defineCommand({
    meta: { name: 'doctor', description: 'Check configuration, chain, database, signer file and admin token' },
    args: commonArgs,
    run: async ({ args }): Promise<Result> => {
      const { runChecks } = await import('./doctor-checks.js');
      const checks = await runChecks(context, args.url);
      const failed = checks.some((check) => !check.ok);
      return { json: { ok: !failed, checks }, text: checks.map(show).join('\n'), failed };
    },
  });
}

function show({ name, ok, detail, next }: Check): string {
  const line = `${ok ? 'ok    ' : 'failed'}  ${name.padEnd(13)}  ${detail}`;
  return next === undefined ? line : `${line}\n        ${' '.repeat(13)}  -> ${next}`;
}
