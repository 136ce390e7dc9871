import { isAddress } from '@slipway/wire';
import type { Command } from 'commander';
import { type CommandContext, UsageError } from './context.js';
import { example } from './program.js';
import { configOf } from './service.js';
import { table } from './table.js';
import type { OwnWallet } from './withdraw.js';

interface WithdrawOptions {
  to: string;
  token: string;
  amount: string;
}

/** `slipway wallets …` */
export function walletsCommand(program: Command, context: CommandContext): void {
  const wallets = program.command('wallets').description("Show and empty the service's own wallets");
  wallets
    .command('list')
    .description('Show what the wallets of the service hold, by its signer file and the chain')
    .addHelpText('after', example('slipway wallets list'))
    .action(async () => {
      const { OWN_WALLETS, ownHoldings } = await import('./withdraw.js');
      const holdings = await ownHoldings(configOf(context));
      const rows = holdings.map(({ wallet, address, token, amount, before }) => [
        before ? `${wallet}, before` : wallet,
        address,
        amount,
        token,
      ]);
      const purposes = Object.entries(OWN_WALLETS).map(([wallet, purpose]) => `${wallet} ${purpose}.`);
      const text = [table(['WALLET', 'ADDRESS', 'AMOUNT', 'TOKEN'], rows), '', ...purposes].join('\n');
      context.answer({ json: holdings, text });
    });
  wallets
    .command('withdraw')
    .description('Send what a wallet of the service holds to another wallet')
    .argument('<WALLET>', 'gas, keeper or tracker')
    .requiredOption('--to <ADDRESS>', 'The wallet that gets it')
    .requiredOption('--amount <AMOUNT>', 'Amount in whole tokens; all of a token')
    .option('--token <MINT>', 'The mint of what is sent', 'SOL')
    .addHelpText(
      'after',
      example(
        'slipway wallets withdraw keeper --amount 0.5 --to 8gMBNeKwXaoNi9bhbVUWFt4Uc5aobL9PeYMXfYDMePE2',
        'slipway wallets withdraw gas --token EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v --amount all --to 8gMBNeKwXaoNi9bhbVUWFt4Uc5aobL9PeYMXfYDMePE2',
      ),
    )
    .action(async (name: string, { to, token, amount }: WithdrawOptions) => {
      const { OWN_WALLETS, withdraw } = await import('./withdraw.js');
      if (!Object.hasOwn(OWN_WALLETS, name))
        throw new UsageError(`WALLET must be one of ${Object.keys(OWN_WALLETS).join(', ')}`);
      if (!isAddress(to)) throw new UsageError('--to must be the address of a wallet');
      if (token !== 'SOL' && !isAddress(token)) throw new UsageError('--token must be SOL, or the address of a mint');
      const tell = (progress: string) => context.stderr(context.json ? JSON.stringify({ progress }) : progress);
      const done = await withdraw(configOf(context), { wallet: name as OwnWallet, to, token, amount }, tell);
      context.answer({ json: done, text: `${done.amount} ${token} to ${to}\n${done.signature}` });
    });
  feeAccountsCommand(wallets, context);
}

function feeAccountsCommand(wallets: Command, context: CommandContext): void {
  wallets
    .command('fee-accounts')
    .description('Make the token accounts that default fees of swaps come into, where they are missing')
    .option('--payer <WALLET>', 'Who pays about 0.002 SOL for each: gas, keeper or tracker', 'keeper')
    .addHelpText('after', example('slipway wallets fee-accounts', 'slipway wallets fee-accounts --payer gas'))
    .action(async ({ payer }: { payer: string }) => {
      const { OWN_WALLETS } = await import('./withdraw.js');
      const { openFeeAccounts } = await import('./fee-accounts.js');
      if (!Object.hasOwn(OWN_WALLETS, payer))
        throw new UsageError(`--payer must be one of ${Object.keys(OWN_WALLETS).join(', ')}`);
      const report = await openFeeAccounts(configOf(context), payer as OwnWallet);
      const rows = report.accounts.map(({ symbol, account, signature, reason }) => [
        symbol,
        account,
        reason ?? (signature === undefined ? 'was there' : 'made'),
      ]);
      const text = [`Fees go to ${report.receiver}.`, '', table(['TOKEN', 'ACCOUNT', 'STATE'], rows)].join('\n');
      const failed = report.accounts.some(({ reason }) => reason !== undefined);
      context.answer({ json: report, text, failed });
    });
}
