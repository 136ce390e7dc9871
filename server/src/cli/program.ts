import { styleText } from 'node:util';
import { Command, Option } from 'commander';
import { UsageError } from './context.js';

/** An option of every command that talks to the service. */
export const URL_OPTION = [
  '--url <URL>',
  'Where the service is (default: SLIPWAY_URL, or where the configuration says)',
] as const;

/** The end of a command's help. */
export const example = (...lines: string[]): string =>
  ['', lines.length === 1 ? 'Example:' : 'Examples:', ...lines.map((line) => `  $ ${line}`)].join('\n');

/** A command whose options refuse an empty value and a value that looks like the next option: `--name --tier pro`. */
class StrictCommand extends Command {
  readonly #words: readonly string[];

  constructor(words: readonly string[], name?: string) {
    super(name);
    this.#words = words;
  }

  override createCommand(name?: string): Command {
    return new StrictCommand(this.#words, name);
  }

  override createOption(flags: string, description?: string): Option {
    const option = new Option(flags, description);
    if (!option.required) return option;
    return option.argParser((value: string, before: unknown) => {
      const given = this.#valueOf(option, value);
      return option.variadic ? [...(Array.isArray(before) ? before : []), given] : given;
    });
  }

  #valueOf({ long }: Option, value: string): string {
    if (value === '') throw new UsageError(`${long} needs a value`);
    // Only in one word, as in `--name=-x`, is it certainly not the next option.
    if (value.startsWith('-') && this.#words.includes(value)) {
      throw new UsageError(`${long} needs a value; write ${long}=${value} if that is it`);
    }
    return value;
  }
}

/** The program without its commands: it throws instead of ending the process, and writes to `stdout` only. */
export function createProgram(
  words: readonly string[],
  { stdout, colors, version }: { stdout: (text: string) => void; colors: boolean; version: string },
): Command {
  return new StrictCommand(words, 'slipway')
    .description('Builds Solana transactions, takes them back signed, and lands them')
    .version(version, '--version', 'Show the version')
    .option('--json', 'Print output and errors as JSON')
    .helpOption('-h, --help', 'Show the help of a command')
    .helpCommand(false)
    .exitOverride()
    .configureHelp({
      showGlobalOptions: true,
      styleTitle: (title) => styleText('bold', title, { validateStream: false }),
    })
    .configureOutput({
      writeOut: stdout,
      writeErr: () => {},
      getOutHasColors: () => colors,
      getOutHelpWidth: () => 100,
    });
}
