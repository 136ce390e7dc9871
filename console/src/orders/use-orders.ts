import { type Client, type Login, type PriceOrder, SlipwayError, type SlipwayEvent } from '@slipway/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { useAttention } from '../lib/attention.js';
import type { Line } from './price-line.js';

/** The wallet's session: a message that it signs, once as long as the page is open. */
export function useLogin(client: Client, wallet: string) {
  return useQuery({
    queryKey: ['login', wallet],
    queryFn: ({ signal }) => client.login({ signal }),
    staleTime: 20 * 3_600_000,
    gcTime: Number.POSITIVE_INFINITY,
  });
}

const SHOWN = 50;

/** The wallet's orders, the newest first. What is heard of them makes them be read again; where the login is over, another is made. */
export function useOrders(client: Client, login: Login | undefined) {
  const queries = useQueryClient();
  const orders = useQuery({
    // Another login reads them anew: the one before may be over.
    queryKey: ['orders', login?.wallet, login?.token],
    queryFn: async ({ signal }): Promise<{ orders: PriceOrder[]; total: number }> => {
      const query = { limit: SHOWN, sort: 'created_at', dir: 'desc' } as const;
      const page = await client.api.get('/trigger/v2/orders/history', { query, token: login!.token, signal });
      return 'orders' in page ? { orders: page.orders, total: page.pagination.total } : { orders: [page], total: 1 };
    },
    enabled: login !== undefined,
    refetchInterval: 10_000,
  });
  const over = orders.error instanceof SlipwayError && orders.error.status === 401 ? login?.token : undefined;
  useEffect(() => {
    // Once for each: the wallet may be asked, and refuse.
    if (over !== undefined) void queries.invalidateQueries({ queryKey: ['login'] });
  }, [over, queries]);
  return orders;
}

/** The lines of the open orders that a token's price fires. */
export function useLines(client: Client, login: Login | undefined, orders: PriceOrder[] | undefined, mint: string) {
  const queries = useQueryClient();
  return useMemo(() => {
    const open = orders?.filter((order) => isOpen(order) && order.triggerMint === mint) ?? [];
    return linesOf(open, async ({ id, orderType }, change) => {
      await client.editPriceOrder(login!, id, { orderType, ...change });
      await queries.invalidateQueries({ queryKey: ['orders'] });
    });
  }, [client, login, orders, mint, queries]);
}

const KEPT = 8;

/** What the service tells of the wallet's orders, as it happens, the newest first. */
export function useOrderEvents(client: Client, login: Login | undefined): readonly SlipwayEvent[] {
  const queries = useQueryClient();
  const [heard, setHeard] = useState<readonly SlipwayEvent[]>([]);
  const isLookedAt = useAttention();
  // Of another wallet.
  useEffect(() => setHeard([]), [login?.wallet]);
  useEffect(() => {
    if (login === undefined || !isLookedAt) return undefined;
    const ended = new AbortController();
    const reread = () => queries.invalidateQueries({ queryKey: ['orders', login.wallet] });
    const listen = async () => {
      for await (const event of client.events({ kinds: ['order.*'], login, signal: ended.signal, onOpen: reread })) {
        setHeard((last) => [event, ...last].slice(0, KEPT));
        await reread();
      }
    };
    // Without events, the orders are still read every ten seconds.
    listen().catch(() => {});
    return () => ended.abort();
  }, [client, login, queries, isLookedAt]);
  return heard;
}

interface PriceOf {
  field: 'tpPriceUsd' | 'slPriceUsd' | 'triggerPriceUsd';
  usd: number;
  name: string;
}

/** The prices that an order waits for, with what each of them is. */
export function pricesOf(order: PriceOrder): PriceOf[] {
  const { orderType, tpPriceUsd, slPriceUsd, triggerPriceUsd, triggerCondition, trailingBps, outputAmount } = order;
  const single = triggerCondition === 'below' ? 'stop loss' : 'take profit';
  const name = orderType === 'otoco' ? 'buy' : trailingBps === null ? single : 'trailing stop';
  // What an OTOCO has bought, it waits to sell.
  const isOver = orderType === 'otoco' && outputAmount !== null;
  const priced: [PriceOf['field'], number | undefined, string][] = [
    ['tpPriceUsd', tpPriceUsd, 'take profit'],
    ['slPriceUsd', slPriceUsd, 'stop loss'],
    ['triggerPriceUsd', isOver ? undefined : triggerPriceUsd, name],
  ];
  return priced.flatMap(([field, usd, said]) => (usd === undefined ? [] : [{ field, usd, name: said }]));
}

/** The lines of orders on the chart; `edit` changes one of the prices. */
export function linesOf(
  orders: readonly PriceOrder[],
  edit: (order: PriceOrder, change: Partial<Record<PriceOf['field'], number>>) => Promise<void>,
): Line[] {
  return orders.flatMap((order) =>
    pricesOf(order).map(({ field, usd, name }) => ({
      key: `${order.id} ${field}`,
      usd,
      name,
      // The price of a trailing order follows the market.
      move:
        order.orderState === 'open' && name !== 'trailing stop'
          ? (to: number) => edit(order, { [field]: to })
          : undefined,
    })),
  );
}

const ENDED = new Set(['filled', 'cancelled', 'expired', 'failed']);
export const isOpen = ({ orderState }: PriceOrder): boolean => !ENDED.has(orderState);
