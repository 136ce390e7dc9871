import type { Command } from 'commander';
import { UsageError } from './context.js';
import { example } from './program.js';

/** `slipway signer`, for the help: bin/slipway.mjs runs it by itself, without the dependencies of the others. */
export function signerCommand(program: Command): void {
  program
    .command('signer')
    .description(
      'Hold the keys in a process of their own, and sign for the callers that its settings name; make their file (init); change its passphrase (rekey)',
    )
    .option('--config <FILE>', 'Its settings (default: slipway.signer.json)')
    .addHelpText(
      'after',
      example('slipway signer', 'slipway signer --config /etc/slipway/signer.json', 'slipway signer init --help'),
    )
    .action(() => {
      throw new UsageError('signer must be the first word: "slipway signer"');
    });
}
