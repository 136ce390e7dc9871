import type { Command } from 'commander';
import type { PoolsPage } from '../areas/admin/index.js';
import { withAdmin } from './admin-client.js';
import { type CommandContext, UsageError } from './context.js';
import { example, URL_OPTION } from './program.js';
import { table } from './table.js';

interface Options {
  limit: string;
  url?: string;
}
type Pool = PoolsPage['pools'][number];

/** `slipway pools [TOKEN]` */
export function poolsCommand(program: Command, context: CommandContext): void {
  program
    .command('pools')
    .description('Show the pools that swaps are routed over, the deepest first')
    .argument('[TOKEN]', 'Only those of a token: its mint, or a listed symbol')
    .option('--limit <COUNT>', 'How many, up to 1000', '50')
    .option(...URL_OPTION)
    .addHelpText('after', example('slipway pools', 'slipway pools USDC'))
    .action(async (token: string | undefined, { limit, url }: Options) => {
      if (!/^[1-9]\d{0,2}$|^1000$/.test(limit)) throw new UsageError('--limit must be a number from 1 to 1000');
      const query = new URLSearchParams({ limit, ...(token !== undefined && { token }) });
      const page = await withAdmin(context, url, (admin) => admin.request<PoolsPage>('GET', `/pools?${query}`));
      context.answer({ json: page, text: show(page, token) });
    });
}

function show({ pools, count }: PoolsPage, token: string | undefined): string {
  if (pools.length === 0)
    return token === undefined ? 'No pools are watched yet.' : `No pools of ${token} are watched.`;
  const rows = pools.map((pool) => [
    pool.tokens.map(nameOf).join('/'),
    pool.venue,
    pool.price === null ? '' : String(Number(pool.price.toPrecision(6))),
    pool.refusal ?? pool.tokens.map((each) => `${amountOf(each)} ${nameOf(each)}`).join(' + '),
    pool.feePercent === null ? '' : `${Number(pool.feePercent.toPrecision(3))} %`,
    pool.address,
  ]);
  const listed = table(['PAIR', 'VENUE', 'PRICE', 'TRADABLE', 'FEE', 'POOL'], rows);
  return count > pools.length ? `${listed}\n\n${count - pools.length} more: --limit` : listed;
}

const nameOf = ({ symbol, mint }: Pool['tokens'][number]): string => symbol ?? `${mint.slice(0, 4)}…${mint.slice(-4)}`;

function amountOf({ reserve, decimals }: Pool['tokens'][number]): string {
  const whole = Number(reserve) / 10 ** (decimals ?? 0);
  return whole.toLocaleString('en-US', { maximumSignificantDigits: 6 });
}
