import { requireAddress } from '../../errors/index.js';
import { isoTime } from '../../lib/iso-time.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { searchTriggerOrders } from '../../store/operator-views.js';
import { type AdminDeps, adminRoute } from './deps.js';
import { ListOrdersQuery, type Order, OrdersPage } from './watch-schema.js';

export function registerListOrders(app: TypedServer, { store }: AdminDeps): void {
  app.get(
    '/admin/v1/orders',
    {
      config: adminRoute,
      schema: {
        tags: ['Admin'],
        summary: 'List the trigger orders',
        description: 'The newest first. `nextCursor`, null on the last page, is the `cursor` of the next one.',
        querystring: ListOrdersQuery,
        response: { 200: OrdersPage },
      },
    },
    async ({ query: { limit, ...wanted } }) => {
      // Read one more, to see whether another page follows.
      if (wanted.wallet !== undefined) requireAddress('wallet', wanted.wallet);
      const rows = await searchTriggerOrders(store, { ...wanted, limit: limit + 1 });
      const page = rows.slice(0, limit);
      return { orders: page.map(showOrder), nextCursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null };
    },
  );
}

function showOrder({ progress, ...row }: Awaited<ReturnType<typeof searchTriggerOrders>>[number]): Order {
  return {
    id: row.id,
    wallet: row.wallet,
    type: progress.type,
    state: progress.state,
    inputMint: row.inputMint,
    outputMint: row.outputMint,
    triggerMint: row.triggerMint,
    amount: progress.entry.initial.toString(),
    remaining: progress.entry.remaining.toString(),
    failures: progress.failures,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    expiresAt: isoTime(row.expiresAt.getTime()),
  };
}
