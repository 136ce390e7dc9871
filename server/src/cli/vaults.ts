import { isAddress } from '@slipway/wire';
import type { Command } from 'commander';
import type { SweepReport } from '../vault/sweep.js';
import { type CommandContext, UsageError } from './context.js';
import { example } from './program.js';
import { configOf } from './service.js';
import { table } from './table.js';

/** `slipway vaults …` */
export function vaultsCommand(program: Command, context: CommandContext): void {
  program
    .command('vaults')
    .description('Give the wallets of trigger orders back what their vaults hold')
    .command('sweep')
    .description('Send all that the vault of a wallet holds to that wallet')
    .requiredOption('--wallet <WALLET>', 'The wallet that the vault belongs to')
    .addHelpText('after', example('slipway vaults sweep --wallet 8gMBNeKwXaoNi9bhbVUWFt4Uc5aobL9PeYMXfYDMePE2'))
    .action(async ({ wallet }: { wallet: string }) => {
      if (!isAddress(wallet)) throw new UsageError('--wallet must be the address of a wallet');
      const { sweep } = await import('./sweep.js');
      const report = await sweep(configOf(context), wallet);
      context.answer({ json: toJson(report), text: show(report), failed: report.left.length > 0 });
    });
}

function toJson({ wallet, vault, sent, left }: SweepReport) {
  const asText = <T extends { amount: bigint }>(swept: T) => ({ ...swept, amount: swept.amount.toString() });
  return { wallet, vault, sent: sent.map(asText), left: left.map(asText) };
}

function show({ vault, sent, left }: SweepReport): string {
  if (sent.length + left.length === 0) return `The vault ${vault} holds nothing.`;
  const rows = [
    ...sent.map(({ account, mint, amount, signature }) => [account, mint, amount.toString(), `sent: ${signature}`]),
    ...left.map(({ account, mint, amount, reason }) => [account, mint, amount.toString(), `left: ${reason}`]),
  ];
  return table(['ACCOUNT', 'MINT', 'AMOUNT', 'RESULT'], rows);
}
