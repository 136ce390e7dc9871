import type { Answer } from '@slipway/client';
import { isAddress, WRAPPED_SOL_MINT } from '@slipway/wire';
import type { Command } from 'commander';
import { SANDBOX_KEY } from '../config/index.js';
import { nearest } from '../lib/nearest.js';
import { parseRawAmount, toSmallestUnit } from './amount.js';
import { type CommandContext, CommandError, type Result, UsageError } from './context.js';
import { example, URL_OPTION } from './program.js';
import { bodyOf, requestJson, serviceUrl } from './service.js';

type Info = Answer<'get', '/sandbox/info'>;
type SandboxMint = Info['mints'][number];

const SOL: SandboxMint = { symbol: 'SOL', mint: WRAPPED_SOL_MINT, decimals: 9 };

const headers = { 'x-api-key': SANDBOX_KEY };

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
    .argument('<WALLET>', 'The address of the wallet')
    .argument('<AMOUNT>', 'How much, as people write it: 1.5')
    .option('--mint <MINT>', 'The symbol or address of a mint', 'SOL')
    .option('--raw', 'The amount is in the smallest unit (lamports)')
    .option(...URL_OPTION)
    .addHelpText('after', example('slipway airdrop 8gMBNeKwXaoNi9bhbVUWFt4Uc5aobL9PeYMXfYDMePE2 250 --mint USDC'))
    .action(async (wallet: string, amount: string, options: Options) => {
      context.answer(await airdrop(context, wallet, amount, options));
    });
}

async function airdrop(
  context: CommandContext,
  wallet: string,
  given: string,
  { mint: name, raw, url }: Options,
): Promise<Result> {
  if (!isAddress(wallet)) throw new UsageError('WALLET must be the address of a wallet');
  const base = serviceUrl(context, url);
  const mint = await findMint(base, name, raw === true);
  const amount = raw ? parseRawAmount(given) : toSmallestUnit(given, mint.decimals);
  const request = { wallet, mint: mint.mint, amount: amount.toString() };
  const answer = await requestJson(`${base}/sandbox/airdrop`, { method: 'POST', headers, body: request });
  const { signature } = bodyOf<Answer<'post', '/sandbox/airdrop'>>(answer);
  const shown = raw ? `${amount} of the smallest unit of ${mint.symbol}` : `${given} ${mint.symbol}`;
  return { json: { ...request, signature }, text: `${shown} to ${wallet}\n${signature}` };
}

async function findMint(base: string, name: string, raw: boolean): Promise<SandboxMint> {
  const answer = await requestJson(`${base}/sandbox/info`, { headers });
  if (answer.status === 404) throw new CommandError(`the service at ${base} is not a sandbox: it gives nothing away`);
  const mints = [SOL, ...bodyOf<Info>(answer).mints];
  const found = mints.find((mint) => mint.mint === name || mint.symbol.toLowerCase() === name.toLowerCase());
  if (found !== undefined) return found;
  if (!isAddress(name)) {
    const symbols = mints.map((mint) => mint.symbol);
    const guess = nearest(name.toUpperCase(), symbols);
    throw new UsageError(
      `no mint is called ${name}: ${guess ? `did you mean ${guess}?` : `there are ${symbols.join(', ')}`}`,
    );
  }
  if (!raw) throw new UsageError(`the decimals of ${name} are not known here: give the amount with --raw`);
  return { symbol: name, mint: name, decimals: 0 };
}
