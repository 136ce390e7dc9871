import type { Command } from 'commander';
import type { WalletRole } from '../signer/index.js';
import type { RotationReport } from '../vault/rotate-wallet.js';
import { type CommandContext, UsageError } from './context.js';
import { example } from './program.js';
import { configOf } from './service.js';
import { table } from './table.js';

/** `slipway signer`: bin/slipway.mjs runs all but `rotate` by itself, without the dependencies of the others. */
export function signerCommand(program: Command, context: CommandContext): void {
  const signer = program
    .command('signer')
    .description(
      'Hold the keys in a process of their own, and sign for the callers that its settings name; make their file (init); change its passphrase (rekey); exchange a key (rotate)',
    )
    .option('--config <FILE>', 'Its settings (default: slipway.signer.json)')
    .addHelpText(
      'after',
      example('slipway signer', 'slipway signer --config /etc/slipway/signer.json', 'slipway signer init --help'),
    )
    .action(() => {
      throw new UsageError('signer must be the first word: "slipway signer"');
    });
  signer
    .command('rotate')
    .description(
      'Exchange the key of a wallet of the service for the next one, and move what the wallet holds. Can be interrupted and run again',
    )
    .argument('<WALLET>', 'gas, keeper or tracker')
    .option('--finish', 'Only end what was begun, and move what earlier wallets hold; begin nothing')
    .addHelpText('after', example('slipway signer rotate gas', 'slipway signer rotate gas --finish'))
    .action(async (name: string, { finish = false }: { finish?: boolean }) => {
      if (!['gas', 'keeper', 'tracker'].includes(name)) throw new UsageError('WALLET must be gas, keeper or tracker');
      const { rotate, staysWith } = await import('./rotate.js');
      const [role, config] = [name as WalletRole, configOf(context)];
      const tell = (progress: string) => context.stderr(context.json ? JSON.stringify({ progress }) : progress);
      const report = await rotate(config, role, { begins: !finish, tell });
      const note = report.before.length > 0 ? staysWith(role, config) : undefined;
      context.answer({
        json: { ...report, moved: report.moved.map(asText), left: report.left.map(asText), ...(note && { note }) },
        text: show(report, note),
        failed: report.left.length > 0,
      });
    });
}

const asText = <T extends { amount: bigint }>(moved: T) => ({ ...moved, amount: moved.amount.toString() });

function show({ role, address, before, moved, left }: RotationReport, note: string | undefined): string {
  const rows = [
    ...moved.map(({ account, mint, amount, signature }) => [account, mint, `${amount}`, `moved: ${signature}`]),
    ...left.map(({ account, mint, amount, reason }) => [account, mint, `${amount}`, `left: ${reason}`]),
  ];
  const lines = [`The ${role} wallet is ${address}.`];
  if (before.length > 0) lines.push(`Before, it was ${before.join(', ')}.`);
  if (rows.length > 0) lines.push('', table(['ACCOUNT', 'MINT', 'AMOUNT', 'RESULT'], rows));
  if (left.length > 0)
    lines.push('', `What is left, and why, stands above: run "slipway signer rotate ${role} --finish" again.`);
  if (before.length > 0) lines.push('', 'Back up the signer file: it says which key is used.');
  if (note) lines.push('', note);
  return lines.join('\n');
}
