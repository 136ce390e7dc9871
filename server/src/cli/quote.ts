import type { SwapOrder } from '@slipway/client';
import type { Command } from 'commander';
import { parseRawAmount, requireDecimals, toSmallestUnit } from './amount.js';
import { type CliContext, type CommandContext, CommandError, type Result, UsageError } from './context.js';
import { onOneLine } from './plain.js';
import { example, URL_OPTION } from './program.js';
import { describeOrder, type Token } from './quote-text.js';
import { findWallet } from './sandbox.js';
import { askApi, serviceUrl } from './service.js';

type Ask = <T>(path: string, query: Record<string, string | undefined>) => Promise<T>;

interface Options {
  taker?: string;
  excludeRouters?: string;
  raw?: true;
  url?: string;
}

/** `slipway quote AMOUNT FROM TO` */
export function quoteCommand(program: Command, context: CommandContext): void {
  program
    .command('quote')
    .description('Ask what a swap would give')
    .argument('<AMOUNT>', 'Amount of FROM in whole tokens, for example 1.5')
    .argument('<FROM>', 'The symbol or mint of what is sold')
    .argument('<TO>', 'The symbol or mint of what is bought')
    .option('--taker <WALLET>', 'The wallet that would swap: tells its costs, and what it lacks')
    .option('--exclude-routers <LIST>', 'Routers not to ask, with commas between')
    .option('--raw', 'The amount is in the smallest unit of FROM (lamports)')
    .option(...URL_OPTION)
    .addHelpText('after', example('slipway quote 2 SOL JUPUSD', 'slipway quote 2 SOL JUPUSD --taker alice'))
    .action(async (amount: string, from: string, to: string, options: Options) => {
      context.answer(await quote(context, { amount, from, to }, options));
    });
}

async function quote(
  context: CommandContext,
  given: { amount: string; from: string; to: string },
  { taker, excludeRouters, raw, url }: Options,
): Promise<Result> {
  const base = serviceUrl(context, url);
  const ask = asker(context, base);
  const wallet = taker === undefined ? undefined : await findWallet(context, base, taker, '--taker');
  const [from, to] = await Promise.all([findToken(ask, given.from), findToken(ask, given.to)]);
  const amount = raw ? parseRawAmount(given.amount) : toSmallestUnit(given.amount, from.decimals);
  const order = await ask<SwapOrder>('/ultra/v1/order', {
    inputMint: from.id,
    outputMint: to.id,
    amount: amount.toString(),
    taker: wallet,
    excludeRouters,
  });
  return { json: order, text: describeOrder(order, await tokensOf(ask, order, [from, to])) };
}

function asker(context: CliContext, base: string): Ask {
  return async <T>(path: string, query: Record<string, string | undefined>) => {
    try {
      return await askApi<T>(context, base, path, query);
    } catch (error) {
      throw error instanceof CommandError ? new CommandError(inArguments(error.message)) : error;
    }
  };
}

const ARGUMENTS: Record<string, string> = {
  inputMint: 'FROM',
  outputMint: 'TO',
  excludeRouters: '--exclude-routers',
};

/** The service's message, with its field names replaced by the command line's. */
function inArguments(text: string): string {
  return text
    .replace(/\b(?:inputMint|outputMint|excludeRouters)\b/g, (field) => ARGUMENTS[field]!)
    .replace(/^amount:/, 'AMOUNT:')
    .replace(/^taker:/, '--taker:');
}

async function findTokens(ask: Ask, query: string): Promise<Token[]> {
  const found = await ask<Token[]>('/tokens/v2/search', { query });
  for (const { id, decimals } of found) requireDecimals(onOneLine(id), decimals);
  return found.map((token) => ({ ...token, id: onOneLine(token.id), symbol: onOneLine(token.symbol) }));
}

async function findToken(ask: Ask, name: string): Promise<Token> {
  const found = await findTokens(ask, name);
  const called = found.filter(({ id, symbol }) => id === name || symbol.toLowerCase() === name.toLowerCase());
  // Anybody launches a token that is called like another one.
  const meant = called.filter(({ id, isVerified }) => id === name || isVerified);
  const exact = meant.length > 0 ? meant : called;
  const [token, ...others] = exact;
  if (token !== undefined && others.length === 0) return token;
  if (token !== undefined) {
    const mints = exact.map(({ id }) => id).join(', ');
    throw new UsageError(`${exact.length} tokens are called ${name}: give the mint of one, of ${mints}`);
  }
  const near = found.map(({ symbol }) => symbol).join(', ');
  throw new UsageError(`no token is called ${name}${near === '' ? '' : `: did you mean one of ${near}?`}`);
}

/** The two tokens and those in between on the route. */
async function tokensOf(ask: Ask, order: SwapOrder, ends: Token[]): Promise<(mint: string) => Token | undefined> {
  const tokens = new Map(ends.map((token) => [token.id, token]));
  const passed = order.routePlan.flatMap(({ swapInfo }) => [swapInfo.inputMint, swapInfo.outputMint]);
  const unknown = [...new Set(passed)].filter((mint) => !tokens.has(mint));
  if (unknown.length > 0) for (const token of await findTokens(ask, unknown.join(','))) tokens.set(token.id, token);
  return (mint) => tokens.get(mint);
}
