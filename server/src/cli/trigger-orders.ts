import type { Command } from 'commander';
import type { OrderExplanation, OrdersPage } from '../areas/admin/index.js';
import { withAdmin } from './admin-client.js';
import { type CommandContext, UsageError } from './context.js';
import { example, URL_OPTION } from './program.js';
import { table } from './table.js';

interface ListOptions {
  wallet?: string;
  state?: string;
  limit: string;
  cursor?: string;
  url?: string;
}

/** `slipway trigger-orders …` */
export function triggerOrdersCommand(program: Command, context: CommandContext): void {
  const orders = program.command('trigger-orders').description('Look into trigger orders');
  orders
    .command('list')
    .description('List trigger orders, the newest first')
    .option('--wallet <WALLET>', 'Only those of a wallet')
    .option('--state <STATE>', 'Only those in a raw state, such as open')
    .option('--limit <COUNT>', 'How many, up to 100', '50')
    .option('--cursor <ID>', 'Those before this one')
    .option(...URL_OPTION)
    .addHelpText('after', example('slipway trigger-orders list --state open'))
    .action(async ({ url, ...wanted }: ListOptions) => {
      const { limit } = wanted;
      if (!/^[1-9]\d?$|^100$/.test(limit)) throw new UsageError('--limit must be a number from 1 to 100');
      const path = `/orders?${new URLSearchParams({ ...wanted })}`;
      const page = await withAdmin(context, url, (admin) => admin.request<OrdersPage>('GET', path));
      context.answer({ json: page, text: show(page) });
    });
  orders
    .command('explain')
    .description('Say why a trigger order has fired or not')
    .argument('<ID>', 'The id of the order')
    .option(...URL_OPTION)
    .addHelpText('after', example('slipway trigger-orders explain 01a20229-7c1e-7d2a-b3f4-5a6b7c8d9e0f'))
    .action(async (id: string, { url }: { url?: string }) => {
      const path = `/orders/${encodeURIComponent(id)}/explanation`;
      const explanation = await withAdmin(context, url, (admin) => admin.request<OrderExplanation>('GET', path));
      const text = [`Order ${explanation.id}`, ...explanation.reasons].join('\n');
      context.answer({ json: explanation, text });
    });
}

function show({ orders, nextCursor }: OrdersPage): string {
  if (orders.length === 0) return 'No such orders.';
  const rows = orders.map(({ id, type, state, wallet, remaining, amount, inputMint, createdAt }) => [
    ...[id, type, state, wallet, `${remaining} of ${amount}`, inputMint, createdAt],
  ]);
  const listed = table(['ID', 'TYPE', 'STATE', 'WALLET', 'LEFT TO SELL', 'OF', 'CREATED'], rows);
  return nextCursor === null ? listed : `${listed}\n\nThere are more: --cursor ${nextCursor}`;
}
