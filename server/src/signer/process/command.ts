import type { SignerContext } from './context.js';

/** The command line is wrong. */
export class UsageError extends Error {}

/** A command's output: `json` for programs, `text` for people. `failed` makes the exit code 1. */
export interface Answer {
  json: object;
  text: string;
  failed?: boolean;
}

/** Of every command. */
export interface CommandOptions {
  json: boolean;
  help: boolean;
}

interface Command<Read extends { options: CommandOptions }> {
  name: string;
  usage: string;
  /** @throws UsageError */
  read(argv: readonly string[]): Read;
  /** Undefined when it has printed what there is. @throws UsageError, or why it could not be done */
  run(read: Read): Promise<Answer | undefined>;
}

/** Runs a command of `slipway signer`; returns the exit code: 0 done, 1 failed, 2 wrong usage. */
export async function runCommand<Read extends { options: CommandOptions }>(
  { name, usage, read, run }: Command<Read>,
  argv: readonly string[],
  { stdout, stderr }: SignerContext,
): Promise<number> {
  try {
    const given = read(argv);
    if (given.options.help) {
      stdout(`${usage}\n`);
      return 0;
    }
    const answer = await run(given);
    if (answer) stdout(given.options.json ? `${JSON.stringify(answer.json)}\n` : `${answer.text}\n`);
    return answer?.failed ? 1 : 0;
  } catch (error) {
    const isUsage = error instanceof UsageError;
    const { message } = error as Error;
    const see = isUsage ? `\nSee "slipway signer ${name} --help".` : '';
    stderr(argv.includes('--json') ? `${JSON.stringify({ error: message })}\n` : `slipway: ${message}${see}\n`);
    return isUsage ? 2 : 1;
  }
}
