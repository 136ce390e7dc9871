import { defineCommand } from 'citty';
import { commonArgs } from './common-args.js';
import type { CliContext, Result } from './context.js';
import type { Check } from './doctor-check.js';

/** `slipway doctor` */
export function doctorCommand(context: CliContext) {
  return defineCommand({
    meta: {
      name: 'doctor',
      description: 'Check configuration, chain, database, uploads, signer file, admin token, and what swaps need',
    },
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
  const state = !ok ? 'failed' : next === undefined ? 'ok    ' : 'note  ';
  const line = `${state}  ${name.padEnd(14)}  ${detail}`;
  return next === undefined ? line : `${line}\n        ${' '.repeat(14)}  -> ${next}`;
}
