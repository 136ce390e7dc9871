import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { LEAST_SECRET } from '../../lib/least-secret.js';
import { PrivateFileError, readPrivateFile } from '../private-file.js';
import { rekeySeedFile } from '../rekey.js';
import { openSigner } from '../signer.js';
import { addressesOf, linesOf } from './addresses.js';
import { type Answer, type CommandOptions, runCommand, UsageError } from './command.js';
import type { SignerContext } from './context.js';
import type { ManagedSettings } from './key-management.js';
import { initManagedKeys, isManaged, rekeyManagedKeys } from './managed.js';
import { readSignerSettings, SignerSettingsError } from './settings.js';

const OPTIONS = `  --file <FILE>                 the file (default: SLIPWAY_SIGNER_FILE, or what the settings name)
  --config <FILE>               the settings of the signer (default: slipway.signer.json)
  --passphrase-file <FILE>      holds the passphrase (default: it is in SLIPWAY_SIGNER_PASSPHRASE)`;
const LAST_OPTIONS = `  --json                        print output and errors as JSON
  --help                        show this`;

/** The commands on the file of the keys, and what they say of themselves. */
export const keyCommands = {
  init: `Usage: slipway signer init [options]

Makes the encrypted file of the keys, shows the addresses of the service's wallets, and says what to back up.
Where the settings name a token, it makes the keys of the wallets there, and the file opens with the token only. Where they
name keys in AWS KMS, those must be there, and the file opens with them only.

  --backup <FILE>               with a token or AWS KMS: the same seed, encrypted under the passphrase; used if it exists
${OPTIONS}
${LAST_OPTIONS}

Examples:
  $ slipway signer init --file signer.json --passphrase-file passphrase
  $ slipway signer init --config /etc/slipway-signer/slipway.signer.json`,
  rekey: `Usage: slipway signer rekey [--new-passphrase-file <FILE> | --new-key <KEY>] [options]

Encrypts the file of the keys under another passphrase; where the settings name a token, with a new key of the token; where
they name keys in AWS KMS, with another one. All addresses stay. Can be interrupted and run again.

  --new-passphrase-file <FILE>  holds the new passphrase
  --new-key <KEY>               with AWS KMS: the id, the ARN or the alias of the key
${OPTIONS}
${LAST_OPTIONS}

Examples:
  $ slipway signer rekey --new-passphrase-file new-passphrase
  $ slipway signer rekey --new-key alias/slipway-seed-2`,
};
export type KeyCommand = keyof typeof keyCommands;

interface Options extends CommandOptions {
  file?: string;
  config: string;
  'passphrase-file'?: string;
  'new-passphrase-file'?: string;
  'new-key'?: string;
  backup?: string;
}

/** Runs `slipway signer init` or `rekey`; returns the exit code: 0 done, 1 failed, 2 wrong usage. */
export function runKeyCommand(name: KeyCommand, argv: readonly string[], context: SignerContext): Promise<number> {
  const command = {
    name,
    usage: keyCommands[name],
    read: (words: readonly string[]) => ({ options: optionsOf(name, words) }),
    run: ({ options }: { options: Options }) => (name === 'init' ? init : rekey)(options, context),
  };
  return runCommand(command, argv, context);
}

async function init(options: Options, context: SignerContext): Promise<Answer> {
  const place = await placeOf(options, context);
  const passphrase = await passphraseOf(options, context);
  requireLength(passphrase, 'the passphrase');
  if (isManaged(place)) return initManagedKeys(place, { passphrase, backup: options.backup }, context);
  const { file } = place;
  if (options.backup !== undefined) {
    throw new UsageError('--backup is for a token or AWS KMS, and the settings name neither');
  }
  const signer = await openSigner({ file, passphrase, create: 'only' });
  const addresses = addressesOf(signer);
  const backUp = [file, 'the passphrase'];
  const text = [
    `${file} is made.`,
    '',
    ...linesOf(addresses),
    '',
    'Back up the file and its passphrase now, in two different places: neither is of use without the other, and whoever',
    'has both has everything. Without them nobody can reach what these wallets and the vaults hold.',
  ];
  return { json: { file, addresses, backUp }, text: text.join('\n') };
}

async function rekey(options: Options, context: SignerContext): Promise<Answer> {
  const { 'new-passphrase-file': path, 'new-key': newKey } = options;
  const place = await placeOf(options, context);
  if (isManaged(place)) {
    if (path !== undefined) {
      throw new UsageError('--new-passphrase-file is for a file with a passphrase, not for a token or AWS KMS');
    }
    return rekeyManagedKeys(place, newKey, context);
  }
  if (newKey !== undefined) throw new UsageError('--new-key is for AWS KMS, and the settings name none');
  const { file } = place;
  if (path === undefined) throw new UsageError('--new-passphrase-file is needed');
  const newPassphrase = await secretIn(resolve(context.cwd, path));
  requireLength(newPassphrase, 'the new passphrase');
  const changed = await rekeySeedFile({ file, passphrase: await passphraseOf(options, context), newPassphrase });
  if (!changed) return { json: { file, changed }, text: `${file} has the new passphrase already.` };
  const text = [
    `${file} has the new passphrase. The old file is gone; all addresses are as before.`,
    '',
    'Back up the file and the new passphrase now, in two different places. Then destroy the old backups: the old',
    'passphrase still opens them. A signer that runs goes on; its next start needs the new passphrase.',
  ];
  return { json: { file, changed }, text: text.join('\n') };
}

function optionsOf(name: KeyCommand, argv: readonly string[]): Options {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        file: { type: 'string' },
        config: { type: 'string', default: 'slipway.signer.json' },
        'passphrase-file': { type: 'string' },
        'new-passphrase-file': { type: 'string' },
        'new-key': { type: 'string' },
        backup: { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    const others = name === 'init' ? (['new-passphrase-file', 'new-key'] as const) : (['backup'] as const);
    for (const other of others) if (values[other] !== undefined) throw new Error(`Unknown option '--${other}'`);
    return values;
  } catch (error) {
    throw new UsageError((error as Error).message.split('. ')[0]);
  }
}

/** The file that is meant, and where it is that of the settings, their key management. */
async function placeOf(
  { file, config }: Options,
  { env, cwd }: SignerContext,
): Promise<{ file: string } & ManagedSettings> {
  const given = file ?? (env.SLIPWAY_SIGNER_FILE || undefined);
  if (given !== undefined) return { file: resolve(cwd, given) };
  try {
    return await readSignerSettings(resolve(cwd, config));
  } catch (error) {
    if (!(error instanceof SignerSettingsError)) throw error;
    throw new UsageError(`${error.message}; --file or SLIPWAY_SIGNER_FILE names the file itself`);
  }
}

async function passphraseOf(options: Options, { env, cwd }: SignerContext): Promise<string> {
  const path = options['passphrase-file'];
  if (path !== undefined) return secretIn(resolve(cwd, path));
  const { SLIPWAY_SIGNER_PASSPHRASE: passphrase } = env;
  if (!passphrase) throw new UsageError('set SLIPWAY_SIGNER_PASSPHRASE, or give --passphrase-file');
  return passphrase;
}

async function secretIn(path: string): Promise<string> {
  const secret = (await readPrivateFile(path))?.toString('utf8').trim();
  if (secret === undefined) throw new PrivateFileError(`${path} does not exist`);
  if (secret === '') throw new PrivateFileError(`${path} is empty`);
  return secret;
}

function requireLength(passphrase: string, name: string): void {
  if (passphrase.length >= LEAST_SECRET) return;
  throw new PrivateFileError(`${name} has fewer than ${LEAST_SECRET} characters: choose a longer one`);
}
