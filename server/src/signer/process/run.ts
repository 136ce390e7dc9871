import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { PrivateFileError } from '../private-file.js';
import { PinRefused } from '../token/token-error.js';
import type { SignerContext } from './context.js';
import { keyCommands, runKeyCommand } from './keys.js';
import { isOperatorCommand, runOperatorCommand } from './operate.js';
import { serve } from './serve.js';
import { SignerSettingsError } from './settings.js';

const USAGE = `Usage: slipway signer [--config <FILE>]
       slipway signer init|rekey [options]
       slipway signer rotate gas|keeper|tracker [--finish]
       slipway signer stop|resume|audit [options]

Holds the keys of the service in a process of its own, and signs for the callers that its settings name.

  init              make the file of the keys
  rekey             give it another passphrase
  rotate WALLET     exchange a key, and move what the wallet holds
  stop fills|all    sign less, or nothing, until "resume"
  audit             check or print the record of what it has signed

  --config <FILE>   its settings (default: slipway.signer.json)
  --help            show this

The passphrase of its key file is in SLIPWAY_SIGNER_PASSPHRASE. See docs/signer.md.

Examples:
  $ slipway signer init
  $ slipway signer --config /etc/slipway-signer/slipway.signer.json`;

/**
 * Runs `slipway signer` with these words after it; returns the exit code: 0 done, 1 failed, 2 wrong usage, 3 a PIN that the
 * token does not take.
 */
export async function runSigner(argv: readonly string[], context: SignerContext): Promise<number> {
  const [word = '', ...rest] = argv;
  if (Object.hasOwn(keyCommands, word)) return runKeyCommand(word as keyof typeof keyCommands, rest, context);
  if (isOperatorCommand(word)) return runOperatorCommand(word, rest, context);
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

function explain(error: unknown): string {
  if (error instanceof PrivateFileError || error instanceof SignerSettingsError) return error.message;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return `its port is taken by another program: stop that, or change tls.port (${message})`;
  return message;
}
