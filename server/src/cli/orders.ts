import type { Answer } from '@slipway/client';
import type { Command } from 'commander';
import type { OrdersPage } from '../areas/admin/index.js';
import { isFinal, type RawState } from '../trigger-orders/state.js';
import { withAdmin } from './admin-client.js';
import { type CommandContext, UsageError } from './context.js';
import { example, URL_OPTION } from './program.js';
import { askSandbox, findWallet } from './sandbox.js';
import { askApi, serviceUrl } from './service.js';
import { table } from './table.js';

type LimitOrders = Answer<'get', '/trigger/v1/getTriggerOrders'>;

interface ListOptions {
  all?: true;
  url?: string;
}

/** Of either kind, as a line shows it. Amounts of trigger orders are of the smallest unit, as their route has them. */
interface Line {
  kind: string;
  order: string;
  wallet: string;
  state: string;
  left: string;
  inputMint: string;
  outputMint: string;
  createdAt: string;
}

/** How many trigger orders of a wallet are looked at, the newest first. */
const MOST = '100';

/** `slipway orders …` */
export function ordersCommand(program: Command, context: CommandContext): void {
  const orders = program.command('orders').description('List the limit orders and the trigger orders of wallets');
  orders
    .command('list')
    .description('List the open orders of a wallet, or of all wallets of a sandbox')
    .argument('[WALLET]', 'An address, or the name of a wallet of the sandbox; outside of a sandbox it is required')
    .option('--all', 'Also orders that have ended')
    .option(...URL_OPTION)
    .addHelpText('after', example('slipway orders list alice', 'slipway orders list --all'))
    .action(async (wallet: string | undefined, { all = false, url }: { all?: boolean; url?: string }) => {
      const wallets = await walletsFor(context, serviceUrl(context, url), wallet);
      const found = await listOrders(context, [...wallets.keys()], { ...(all && { all }), ...(url && { url }) });
      context.answer({ json: found, text: show(found, wallets, all) });
    });
  orders
    .command('explain', { hidden: true })
    .allowExcessArguments()
    .allowUnknownOption()
    .action(() => {
      throw new UsageError("unknown command 'orders explain': did you mean trigger-orders explain?");
    });
}

/** Names by address. */
async function walletsFor(context: CommandContext, base: string, text?: string): Promise<Map<string, string>> {
  const info = await askSandbox(context, base);
  const names = new Map(info?.wallets.map(({ address, name }) => [address, name]));
  if (text === undefined) {
    if (info) return names;
    throw new UsageError(
      'WALLET is required where the service is no sandbox; "slipway trigger-orders list" shows the trigger orders of all',
    );
  }
  const address = await findWallet(context, base, text, 'WALLET');
  return new Map([[address, names.get(address) ?? address]]);
}

async function listOrders(context: CommandContext, wallets: string[], { all, url }: ListOptions): Promise<Line[]> {
  const base = serviceUrl(context, url);
  const lines: Line[] = [];
  for (const wallet of wallets) {
    for (const orderStatus of all ? ['active', 'history'] : ['active'])
      lines.push(...(await limitOrders(context, base, { user: wallet, orderStatus })));
  }
  await withAdmin(context, url, async (admin) => {
    for (const wallet of wallets) {
      const path = `/orders?${new URLSearchParams({ wallet, limit: MOST })}`;
      const { orders } = await admin.request<OrdersPage>('GET', path);
      for (const { id, type, state, remaining, inputMint, outputMint, createdAt } of orders)
        if (all || !isFinal(state as RawState))
          lines.push({ kind: type, order: id, wallet, state, left: remaining, inputMint, outputMint, createdAt });
    }
  });
  return lines.sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
}

async function limitOrders(
  context: CommandContext,
  base: string,
  query: { user: string; orderStatus: string },
): Promise<Line[]> {
  const lines: Line[] = [];
  for (let page = 1; ; page += 1) {
    const asked = { ...query, page: String(page) };
    const { orders, hasMoreData } = await askApi<LimitOrders>(context, base, '/trigger/v1/getTriggerOrders', asked);
    for (const { orderKey: order, status, rawRemainingMakingAmount: left, inputMint, outputMint, createdAt } of orders)
      lines.push({ kind: 'limit', order, wallet: query.user, state: status, left, inputMint, outputMint, createdAt });
    if (!hasMoreData) return lines;
  }
}

function show(lines: readonly Line[], names: ReadonlyMap<string, string>, all: boolean): string {
  if (lines.length === 0) return all ? 'No orders.' : 'No open orders. --all also shows those that have ended.';
  const rows = lines.map(({ kind, order, wallet, state, left, inputMint, createdAt }) => [
    ...[kind, order, names.get(wallet) ?? wallet, state, left, inputMint, createdAt],
  ]);
  return table(['KIND', 'ORDER', 'WALLET', 'STATE', 'LEFT TO SELL', 'OF', 'CREATED'], rows);
}
