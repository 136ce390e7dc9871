import type { Answer } from '@slipway/client';
import type { Command } from 'commander';
import { parseRawAmount, toSmallestUnit } from './amount.js';
import { type CommandContext, type Result, UsageError } from './context.js';
import { example, URL_OPTION } from './program.js';
import { mintOf, postToSandbox, type SandboxMint, sandboxInfo, walletOf } from './sandbox.js';
import { serviceUrl } from './service.js';

interface Options {
  mint: string;
  raw?: true;
  url?: string;
}

/** `slipway airdrop WALLET AMOUNT` */
export function airdropCommand(program: Command, context: CommandContext): void {
  program
    .command('airdrop')
    .description('Give a wallet of the sandbox SOL or tokens')
    .argument('<WALLET>', 'The address of the wallet, or its name in the sandbox')
    .argument('<AMOUNT>', 'Amount in whole tokens, for example 1.5')
    .option('--mint <MINT>', 'The symbol or address of a mint', 'SOL')
    .option('--raw', 'The amount is in the smallest unit (lamports)')
    .option(...URL_OPTION)
    .addHelpText('after', example('slipway airdrop alice 250 --mint USDC'))
    .action(async (wallet: string, amount: string, options: Options) => {
      context.answer(await airdrop(context, wallet, amount, options));
    });
}

async function airdrop(
  context: CommandContext,
  name: string,
  given: string,
  { mint: symbol, raw, url }: Options,
): Promise<Result> {
  const base = serviceUrl(context, url);
  const info = await sandboxInfo(context, base);
  const wallet = walletOf(info, name, 'WALLET');
  const mint = mintOf(info, symbol) ?? unlisted(symbol, raw === true);
  const amount = raw ? parseRawAmount(given) : toSmallestUnit(given, mint.decimals);
  const request = { wallet, mint: mint.mint, amount: amount.toString() };
  const { signature } = await postToSandbox<Answer<'post', '/sandbox/airdrop'>>(
    context,
    base,
    '/sandbox/airdrop',
    request,
  );
  const shown = raw ? `${amount} of the smallest unit of ${mint.symbol}` : `${given} ${mint.symbol}`;
  return { json: { ...request, signature }, text: `${shown} to ${wallet}\n${signature}` };
}

function unlisted(mint: string, raw: boolean): SandboxMint {
  if (!raw) throw new UsageError(`the decimals of ${mint} are not known here: give the amount with --raw`);
  return { symbol: mint, mint, decimals: 0 };
}
