import { isAddress, WRAPPED_SOL_MINT } from '@slipway/wire';
import { defineCommand } from 'citty';
import { SANDBOX_KEY } from '../http/key-lookup.js';
import { nearest } from '../lib/nearest.js';
import { parseRawAmount, toSmallestUnit } from './amount.js';
import { commonArgs } from './common-args.js';
import { type CliContext, CommandError, type Result, UsageError } from './context.js';
import { bodyOf, requestJson, serviceUrl } from './service.js';

interface SandboxMint {
  symbol: string;
  mint: string;
  decimals: number;
}

const SOL: SandboxMint = { symbol: 'SOL', mint: WRAPPED_SOL_MINT, decimals: 9 };

const headers = { 'x-api-key': SANDBOX_KEY };

/** `slipway airdrop WALLET AMOUNT` */
export function airdropCommand(context: CliContext) {
  return defineCommand({
    meta: { name: 'airdrop', description: 'Give a wallet of the sandbox SOL or tokens' },
    args: {
      wallet: { type: 'positional', required: true, description: 'The address of the wallet' },
      amount: { type: 'positional', required: true, description: 'How much, as people write it: 1.5' },
      mint: { type: 'string', default: 'SOL', description: 'The symbol or address of a mint' },
      raw: { type: 'boolean', default: false, description: 'The amount is in the smallest unit (lamports)' },
      ...commonArgs,
    },
    run: async ({ args }): Promise<Result> => {
      if (!isAddress(args.wallet)) throw new UsageError('WALLET must be the address of a wallet');
      const base = serviceUrl(context, args.url);
      const mint = await findMint(base, args.mint, args.raw);
      const amount = args.raw ? parseRawAmount(args.amount) : toSmallestUnit(args.amount, mint.decimals);
      const request = { wallet: args.wallet, mint: mint.mint, amount: amount.toString() };
      const answer = await requestJson(`${base}/sandbox/airdrop`, { method: 'POST', headers, body: request });
      const { signature } = bodyOf<{ signature: string }>(answer);
      const shown = args.raw ? `${amount} of the smallest unit of ${mint.symbol}` : `${args.amount} ${mint.symbol}`;
      return { json: { ...request, signature }, text: `${shown} to ${args.wallet}\n${signature}` };
    },
  });
}

async function findMint(base: string, name: string, raw: boolean): Promise<SandboxMint> {
  const answer = await requestJson(`${base}/sandbox/info`, { headers });
  if (answer.status === 404) throw new CommandError(`the service at ${base} is not a sandbox: it gives nothing away`);
  const mints = [SOL, ...bodyOf<{ mints: SandboxMint[] }>(answer).mints];
  const found = mints.find((mint) => mint.mint === name || mint.symbol.toLowerCase() === name.toLowerCase());
  if (found !== undefined) return found;
  if (!isAddress(name)) {
    const symbols = mints.map((mint) => mint.symbol);
    throw new UsageError(`no mint is called ${name}: did you mean ${nearest(name.toUpperCase(), symbols)}?`);
  }
  if (!raw) throw new UsageError(`the decimals of ${name} are not known here: give the amount with --raw`);
  return { symbol: name, mint: name, decimals: 0 };
}
