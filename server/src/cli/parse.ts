import { parseArgs } from 'node:util';
import type { ArgsDef, CommandDef } from 'citty';
import { nearest } from '../lib/nearest.js';
import { UsageError } from './context.js';

/** Flags that every command knows; they may stand anywhere before `--`. */
export interface GlobalFlags {
  json: boolean;
  help: boolean;
  version: boolean;
  rest: string[];
}

/** Takes the flags that every command knows out of the arguments. */
export function takeGlobalFlags(argv: readonly string[]): GlobalFlags {
  const end = argv.indexOf('--');
  const before = end === -1 ? argv : argv.slice(0, end);
  const has = (...names: string[]): boolean => before.some((arg) => names.includes(arg));
  const known = ['--json', '--help', '-h', '--version'];
  return {
    json: has('--json'),
    help: has('--help', '-h'),
    version: has('--version'),
    rest: [...before.filter((arg) => !known.includes(arg)), ...argv.slice(before.length)],
  };
}

export interface FoundCommand {
  command: CommandDef;
  /** The words that lead to it, without the program's name. */
  path: string[];
  rest: string[];
}

/** Follows the leading words of the arguments down the tree of commands. Throws UsageError at an unknown one. */
export function findCommand(root: CommandDef, argv: readonly string[]): FoundCommand {
  let command = root;
  const path: string[] = [];
  let rest = [...argv];
  for (;;) {
    const children = command.subCommands as Record<string, CommandDef> | undefined;
    const [word] = rest;
    if (children === undefined || word === undefined) return { command, path, rest };
    if (word.startsWith('-')) throw unknown('option', word, globalFlagNames);
    const child = Object.hasOwn(children, word) ? children[word] : undefined;
    if (child === undefined) throw unknown('command', [...path, word].join(' '), Object.keys(children), word);
    command = child;
    path.push(word);
    rest = rest.slice(1);
  }
}

const globalFlagNames = ['--json', '--help', '--version'];

/**
 * Refuses what citty would take in silence: unknown options, options without a value, too many words. A last
 * positional whose `valueHint` ends with … takes any number of them.
 */
export function checkArguments(definition: ArgsDef, argv: readonly string[]): void {
  const words = Object.values(definition).filter((arg) => arg.type === 'positional');
  const positionals = words.at(-1)?.valueHint?.endsWith('…') ? Number.POSITIVE_INFINITY : words.length;
  const options = new Map<string, { type: 'boolean' | 'string' }>();
  for (const [name, { type }] of Object.entries(definition)) {
    if (type !== 'positional') options.set(name, { type: type === 'boolean' ? 'boolean' : 'string' });
  }
  const { tokens } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(options),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  let count = 0;
  for (const token of tokens) {
    if (token.kind === 'option') {
      const given = argv[token.index] ?? '';
      if (/^-[.\d]/.test(given)) throw new UsageError(`${given} begins with a minus: a number must be above 0`);
      const option = options.get(token.name);
      const names = [...[...options.keys()].map((name) => `--${name}`), ...globalFlagNames];
      if (option === undefined) throw unknown('option', token.rawName, names);
      checkValue(option.type, token);
    } else if (token.kind === 'positional') {
      count += 1;
      if (count > positionals) throw new UsageError(`unexpected argument ${JSON.stringify(token.value)}`);
    }
  }
}

interface OptionToken {
  rawName: string;
  value: string | undefined;
  inlineValue: boolean | undefined;
}

function checkValue(type: 'boolean' | 'string', { rawName, value, inlineValue }: OptionToken): void {
  if (type === 'boolean') {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value`);
    return;
  }
  if (value === undefined || value === '') throw new UsageError(`${rawName} needs a value`);
  if (!inlineValue && value.startsWith('-')) {
    throw new UsageError(`${rawName} needs a value; write ${rawName}=${value} if that is it`);
  }
}

function unknown(kind: string, shown: string, names: readonly string[], given = shown): UsageError {
  return new UsageError(`unknown ${kind} ${JSON.stringify(shown)}: did you mean ${nearest(given, names)}?`);
}
