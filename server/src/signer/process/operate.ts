import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { CHAIN_START, readEnd } from '../../lib/hash-chain.js';
import { plainJson } from '../../lib/plain-json.js';
import { resumeCallers } from '../caller-stops.js';
import { readRecord, verifyRecord } from '../record.js';
import { DamagedStops, readStops, SIGNER_STOPS, type SignerStop, type StoppedHere, writeStops } from '../stop-file.js';
import { type Answer, type CommandOptions, runCommand, UsageError } from './command.js';
import type { SignerContext } from './context.js';
import { readSignerSettings, type SignerSettings, SignerSettingsError } from './settings.js';
import { callerStopsFileOf, stopFileOf } from './state.js';

const LAST_OPTIONS = `  --config <FILE>   the settings of the signer (default: slipway.signer.json)
  --json            print output and errors as JSON
  --help            show this`;

/** The commands on what a signer writes beside its keys: they need no passphrase, and the signer may run. */
const usages = {
  stop: `Usage: slipway signer stop fills|all --why <TEXT> [options]

Has the signer refuse within a second, whoever asks, and after each start of it until "slipway signer resume":
fills, what the service does by itself; all, every transaction that its keys sign.

  --why <TEXT>      what whoever is refused reads, and the log (required)
${LAST_OPTIONS}

Example:
  $ slipway signer stop fills --why "a copy behaves strangely"`,
  resume: `Usage: slipway signer resume [fills|all] [options]

Goes on with what "slipway signer stop" has stopped, and what copies have passed on; without a word, with all of it.

${LAST_OPTIONS}

Examples:
  $ slipway signer resume
  $ slipway signer resume fills`,
  audit: `Usage: slipway signer audit verify [--end <SEQ:HASH>] [options]
       slipway signer audit export [options]

verify   finds a changed, removed or reordered entry of the record of what the signer has signed and refused
export   prints the record as JSON lines, the oldest first

  --end <SEQ:HASH>  an entry that was noted before, which must still be there
${LAST_OPTIONS}

Examples:
  $ slipway signer audit verify
  $ slipway signer audit export > signed.jsonl`,
};
type OperatorCommand = keyof typeof usages;

interface Options extends CommandOptions {
  config: string;
  why?: string;
  end?: string;
}

export const isOperatorCommand = (word: string): word is OperatorCommand => Object.hasOwn(usages, word);

/** Runs one of them; returns the exit code: 0 done, 1 failed or a broken record, 2 wrong usage. */
export function runOperatorCommand(
  name: OperatorCommand,
  argv: readonly string[],
  context: SignerContext,
): Promise<number> {
  const command = {
    name,
    usage: usages[name],
    read: (words: readonly string[]) => read(name, words),
    async run({ words, options }: ReturnType<typeof read>) {
      const settings = await settingsOf(options, context);
      return { stop, resume, audit }[name](words, options, { settings, stdout: context.stdout });
    },
  };
  return runCommand(command, argv, context);
}

interface Place {
  settings: SignerSettings;
  stdout: SignerContext['stdout'];
}

async function stop([what, ...others]: string[], { why }: Options, { settings }: Place): Promise<Answer> {
  if (!isStop(what) || others.length > 0) throw new UsageError('expected what to stop: fills, or all');
  if (!why?.trim()) throw new UsageError('--why: expected a text that whoever is refused reads');
  if (why.length > 500) throw new UsageError('--why: expected at most 500 characters');
  const file = stopFileOf(settings);
  const stopped = { ...(await readStops(file).catch(orAll)), [what]: why };
  await writeStops(file, stopped);
  const text = `Stopped: ${what}, within a second. "slipway signer resume${what === 'all' ? '' : ` ${what}`}" goes on.`;
  return { json: { stopped }, text };
}

async function resume(words: string[], _options: Options, { settings }: Place): Promise<Answer> {
  const [what] = words;
  if (words.length > 1 || (what !== undefined && !isStop(what))) {
    throw new UsageError('expected fills, all, or nothing more');
  }
  const file = stopFileOf(settings);
  const before = await readStops(file).catch(orAll);
  const asked = SIGNER_STOPS.filter((each) => (what ?? each) === each);
  const ofCallers = await resumeCallers(callerStopsFileOf(settings), asked);
  const resumed = asked.filter((each) => before[each] !== undefined || ofCallers.includes(each));
  const stopped = Object.fromEntries(Object.entries(before).filter(([each]) => !asked.includes(each as SignerStop)));
  await writeStops(file, stopped);
  const again =
    ofCallers.length === 0 ? '' : ' Copies in which "slipway stop" still holds stop it again within seconds.';
  const text = resumed.length === 0 ? 'Nothing of it was stopped.' : `Resumed: ${resumed.join(', ')}.${again}`;
  return { json: { resumed, stopped }, text };
}

async function audit(words: string[], { end }: Options, { settings, stdout }: Place): Promise<Answer | undefined> {
  const { state } = settings;
  if (words.length !== 1 || !['verify', 'export'].includes(words[0]!))
    throw new UsageError('expected verify, or export');
  if (words[0] === 'export') {
    if (end !== undefined) throw new UsageError('--end is for verify');
    for await (const line of readRecord(state)) stdout(`${plainJson(JSON.stringify(line))}\n`);
    return undefined;
  }
  const noted = end === undefined ? undefined : readEnd(end);
  if (end !== undefined && noted === undefined) {
    throw new UsageError('--end must be a number, a colon and a hash, as verify prints them');
  }
  const found = await verifyRecord(state, noted);
  const last = `${found.end?.seq ?? 0}:${found.end?.hash ?? CHAIN_START}`;
  const begins = (found.first ?? 1) > 1 ? ` It begins with number ${found.first}: what was before is not here.` : '';
  const text =
    found.fault === undefined
      ? `The record is whole.${begins} It ends with ${last}`
      : `The record is broken: ${found.fault}`;
  const json = { whole: found.fault === undefined, fault: found.fault, first: found.first, end: last };
  return { json, text, failed: found.fault !== undefined };
}

const isStop = (what: string | undefined): what is SignerStop => (SIGNER_STOPS as readonly string[]).includes(what!);

/** A signer with a damaged file signs nothing, until its operator resumes all of it. */
function orAll(error: unknown): StoppedHere {
  if (error instanceof DamagedStops) return { all: 'what was stopped before cannot be read' };
  throw error;
}

function read(name: OperatorCommand, argv: readonly string[]): { words: string[]; options: Options } {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        config: { type: 'string', default: 'slipway.signer.json' },
        ...(name === 'stop' && { why: { type: 'string' } }),
        ...(name === 'audit' && { end: { type: 'string' } }),
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    return { words: positionals, options: values as Options };
  } catch (error) {
    throw new UsageError((error as Error).message.split('. ')[0]);
  }
}

async function settingsOf({ config }: Options, { cwd }: SignerContext): Promise<SignerSettings> {
  try {
    return await readSignerSettings(resolve(cwd, config));
  } catch (error) {
    if (error instanceof SignerSettingsError) throw new UsageError(error.message);
    throw error;
  }
}
