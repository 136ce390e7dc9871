import { readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { type ArgsDef, type CommandDef, defineCommand, renderUsage, runCommand } from 'citty';
import { airdropCommand } from './airdrop.js';
import { type CliContext, type Result, UsageError } from './context.js';
import { doctorCommand } from './doctor.js';
import { invitesCommand } from './invites.js';
import { keysCommand } from './keys.js';
import { makersCommand } from './makers.js';
import { checkArguments, findCommand, takeGlobalFlags } from './parse.js';
import { programsCommand } from './programs.js';
import { quoteCommand } from './quote.js';
import { scoresCommand } from './scores.js';
import { serveCommand } from './serve.js';
import { ordersCommand } from './trigger-orders.js';
import { vaultsCommand } from './vaults.js';
import { verificationsCommand } from './verifications.js';

/**
 * Runs one command line (without the program's name) and answers its exit code: 0 done, 1 failed, 2 wrong usage.
 * What it says goes to the context; nothing is asked, so that it works without a terminal.
 */
export async function runCli(argv: readonly string[], context: CliContext): Promise<number> {
  const flags = takeGlobalFlags(argv);
  let words: string[] = [];
  try {
    const { command, path, rest } = findCommand(rootCommand({ ...context, json: flags.json }), flags.rest);
    words = path;
    if (flags.version && path.length === 0)
      return say(context, { json: { version: version() }, text: version() }, flags);
    if (flags.help || (path.length === 0 && rest.length === 0)) {
      context.stdout(await help(command, path, context.colors));
      return 0;
    }
    if (command.subCommands !== undefined) {
      throw new UsageError(`"slipway ${path.join(' ')}" needs one of: ${Object.keys(command.subCommands).join(', ')}`);
    }
    checkArguments((command.args ?? {}) as ArgsDef, rest);
    const { result } = await runCommand(command, { rawArgs: rest });
    return say(context, result as Result | undefined, flags);
  } catch (error) {
    return fail(context, error, flags, words);
  }
}

/** The context of the process that runs this. */
export function processContext(): CliContext {
  // Whoever reads has gone, as `head` does: there is nobody left to say anything to.
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

function rootCommand(context: CliContext): CommandDef {
  return defineCommand({
    meta: { name: 'slipway', description: 'Builds Solana transactions, takes them back signed, and lands them' },
    subCommands: {
      serve: serveCommand(),
      keys: keysCommand(context),
      airdrop: airdropCommand(context),
      quote: quoteCommand(context),
      makers: makersCommand(context),
      verifications: verificationsCommand(context),
      scores: scoresCommand(context),
      orders: ordersCommand(context),
      programs: programsCommand(context),
      invites: invitesCommand(context),
      vaults: vaultsCommand(context),
      doctor: doctorCommand(context),
    },
  });
}

function say(context: CliContext, result: Result | undefined, { json }: { json: boolean }): number {
  if (result === undefined) return 0;
  context.stdout(json ? JSON.stringify(result.json) : result.text);
  return result.failed ? 1 : 0;
}

/** `words`: the command, as far as it is known. */
function fail(context: CliContext, error: unknown, { json }: { json: boolean }, words: readonly string[]): number {
  const message = error instanceof Error ? error.message : String(error);
  const usage = error instanceof UsageError || (error instanceof Error && error.name === 'CLIError');
  const text = stripVTControlCharacters(message);
  const see = usage ? `\nSee "${['slipway', ...words].join(' ')} --help".` : '';
  context.stderr(json ? JSON.stringify({ error: text }) : `slipway: ${text}${see}`);
  return usage ? 2 : 1;
}

async function help(command: CommandDef, path: readonly string[], colors: boolean): Promise<string> {
  const parent = path.length === 0 ? undefined : { meta: { name: ['slipway', ...path.slice(0, -1)].join(' ') } };
  const usage = await renderUsage(command, parent);
  return colors ? usage : stripVTControlCharacters(usage);
}

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
