import { stripVTControlCharacters } from 'node:util';
import { type Command, CommanderError } from 'commander';
import { nearest } from '../lib/nearest.js';
import { plainJson } from '../lib/plain-json.js';
import { version } from '../lib/version.js';
import { addCommands } from './commands.js';
import { type CliContext, UsageError } from './context.js';
import { plainLines } from './plain.js';
import { createProgram } from './program.js';

/**
 * Runs one command line (without the program's name) and returns its exit code: 0 done, 1 failed, 2 wrong usage, 4 done but
 * for what is listed. Output goes to the context. It never prompts, so it works without a terminal.
 */
export async function runCli(argv: readonly string[], given: CliContext): Promise<number> {
  const end = argv.indexOf('--');
  const json = argv.slice(0, end === -1 ? undefined : end).includes('--json');
  // Tokens, orders and events carry names that strangers have chosen.
  const clean = json ? plainJson : plainLines;
  const context: CliContext = {
    ...given,
    stdout: (text) => given.stdout(clean(text)),
    stderr: (text) => given.stderr(clean(text)),
  };
  let code = 0;
  let shown = '';
  const program = createProgram(argv, {
    stdout: (text) => {
      shown += text;
    },
    colors: context.colors,
    version: version(),
  });
  addCommands(program, {
    ...context,
    json,
    answer(result) {
      context.stdout(json ? JSON.stringify(result.json) : result.text);
      if (result.failed) code = 1;
      else if (result.leaves) code ||= 4;
    },
  });
  try {
    const words = argv.length === 0 ? ['serve'] : argv.every((word) => word === '--json') ? ['--help'] : argv;
    await program.parseAsync(words, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) {
      const text = shown.trimEnd();
      // Help has colors, and is ours alone.
      given.stdout(json && error.code === 'commander.version' ? JSON.stringify(text) : text);
      return 0;
    }
    return fail(context, error, { argv, json, command: commandOf(program, argv) });
  }
}

/** The context of this process. */
export function processContext(): CliContext {
  // The reader has closed the pipe, as `head` does: there is nobody left to write to.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
  return {
    env: process.env,
    cwd: process.cwd(),
    stdout: (text) => process.stdout.write(`${text}\n`),
    stderr: (text) => process.stderr.write(`${text}\n`),
    colors: process.stdout.isTTY === true && !process.env.NO_COLOR,
  };
}

/** The command that the leading words name; the program itself if they name none. */
function commandOf(program: Command, argv: readonly string[]): Command {
  let command = program;
  for (const word of argv.filter((each) => each !== '--json')) {
    const next = command.commands.find((each) => each.name() === word && word !== 'orders');
    if (next === undefined) break;
    command = next;
  }
  return command;
}

interface Failing {
  readonly argv: readonly string[];
  readonly json: boolean;
  readonly command: Command;
}

function fail(context: CliContext, error: unknown, { argv, json, command }: Failing): number {
  const isUsage = error instanceof UsageError || error instanceof CommanderError;
  const text = stripVTControlCharacters(messageOf(error, command, argv));
  const see = isUsage ? `\nSee "${pathOf(command)} --help".` : '';
  context.stderr(json ? JSON.stringify({ error: text }) : `slipway: ${text}${see}`);
  return isUsage ? 2 : 1;
}

function messageOf(error: unknown, command: Command, argv: readonly string[]): string {
  if (!(error instanceof CommanderError)) return error instanceof Error ? error.message : String(error);
  if (error.code === 'commander.help') {
    const names = command.commands.map((each) => each.name());
    return `"${pathOf(command)}" needs one of: ${names.join(', ')}`;
  }
  if (error.code === 'commander.missingMandatoryOptionValue') {
    // Commander reports missing options before misspelled ones.
    const known = [command, ...ancestorsOf(command)].flatMap(({ options }) => options.map(({ long }) => long ?? ''));
    const unknown = argv
      .map((word) => word.split('=')[0] ?? '')
      .find((word) => /^--./.test(word) && !known.includes(word));
    const guess = unknown && nearest(unknown, known);
    if (unknown) return `unknown option '${unknown}'${guess ? `: did you mean ${guess}?` : ''}`;
  }
  // "error: unknown command 'kyes'\n(Did you mean keys?)"
  return error.message.replace(/^error: /, '').replace(/\n\(Did (.*)\)$/, ': did $1');
}

function ancestorsOf({ parent }: Command): Command[] {
  return parent === null ? [] : [...ancestorsOf(parent), parent];
}

function pathOf(command: Command): string {
  return [...ancestorsOf(command), command].map((each) => each.name()).join(' ');
}
