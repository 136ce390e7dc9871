import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createClock } from '../../lib/clock.js';
import { PrivateFileError } from '../private-file.js';
import { openSigner } from '../signer.js';
import { PinRefused } from '../token/token-error.js';
import type { SignerContext } from './context.js';
import { keyCommands, runKeyCommand } from './keys.js';
import { listenForCallers } from './listen.js';
import { createSignerLog } from './log.js';
import { readSignerSettings, SignerSettingsError } from './settings.js';
import { openToken } from './token.js';

const USAGE = `Usage: slipway signer [--config <FILE>]
       slipway signer init|rekey [options]

Holds the keys of the service in a process of its own, and signs for the callers that its settings name.

  init              make the file of the keys
  rekey             give it another passphrase

  --config <FILE>   its settings (default: slipway.signer.json)
  --help            show this

The passphrase of its key file is in SLIPWAY_SIGNER_PASSPHRASE. See docs/signer.md.`;

/**
 * Runs `slipway signer` with these words after it; returns the exit code: 0 done, 1 failed, 2 wrong usage, 3 a PIN that the
 * token does not take.
 */
export async function runSigner(argv: readonly string[], context: SignerContext): Promise<number> {
  const [word = '', ...rest] = argv;
  if (Object.hasOwn(keyCommands, word)) return runKeyCommand(word as keyof typeof keyCommands, rest, context);
  const options = readOptions(argv, context);
  if (typeof options === 'number') return options;
  try {
    await serve(resolve(context.cwd, options.config), context);
    return 0;
  } catch (error) {
    context.stderr(`slipway signer: ${explain(error)}\n`);
    return error instanceof PinRefused ? 3 : 1;
  }
}

function readOptions(argv: readonly string[], { stdout, stderr }: SignerContext): { config: string } | number {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        config: { type: 'string', default: 'slipway.signer.json' },
        help: { type: 'boolean', default: false },
      },
    });
    if (!values.help) return values;
    stdout(`${USAGE}\n`);
    return 0;
  } catch (error) {
    stderr(`slipway signer: ${(error as Error).message.split('. ')[0]}\n\n${USAGE}\n`);
    return 2;
  }
}

async function serve(path: string, { env, stdout, stderr, ended }: SignerContext): Promise<void> {
  const settings = await readSignerSettings(path);
  const note = createSignerLog(stderr);
  const token = settings.token && openToken(settings.token, env, note);
  const clock = createClock();
  const port = await openSigner({
    file: settings.file,
    passphrase: env.SLIPWAY_SIGNER_PASSPHRASE,
    ...(token && { token }),
    create: false,
    service: settings.service,
    clock,
    since: clock.now(),
    ...(settings.programs && { programs: settings.programs }),
  });
  const listening = await listenForCallers(settings, port, note);
  const names = settings.callers.map(
    ({ name, socket }) => `${name} (${socket?.path ?? `TLS, port ${listening.tlsPort}`})`,
  );
  stdout(`The signer is ready. Its callers: ${names.join(', ')}\n`);
  const reason = await ended();
  note('closing', { reason });
  await listening.close();
}

function explain(error: unknown): string {
  if (error instanceof PrivateFileError || error instanceof SignerSettingsError) return error.message;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return `its port is taken by another program: stop that, or change tls.port (${message})`;
  return message;
}
