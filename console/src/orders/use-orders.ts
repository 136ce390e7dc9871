import type { Client, Login, PriceOrder, SlipwayEvent } from '@slipway/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

/** The wallet's session: a message that it signs, once as long as the page is open. */
export function useLogin(client: Client, wallet: string) {
  return useQuery({
    queryKey: ['login', wallet],
    queryFn: ({ signal }) => client.login({ signal }),
    staleTime: 20 * 3_600_000,
    gcTime: Number.POSITIVE_INFINITY,
  });
}

/** The wallet's orders, the newest first. What is heard of them makes them be read again. */
export function useOrders(client: Client, login: Login | undefined) {
  return useQuery({
    queryKey: ['orders', login?.wallet],
    queryFn: async ({ signal }): Promise<PriceOrder[]> => {
      const query = { limit: 50, sort: 'created_at', dir: 'desc' } as const;
      const page = await client.api.get('/trigger/v2/orders/history', { query, token: login!.token, signal });
      return 'orders' in page ? page.orders : [page];
    },
    enabled: login !== undefined,
    refetchInterval: 10_000,
  });
}

const KEPT = 8;

/** What the service tells of the wallet's orders, as it happens, the newest first. */
export function useOrderEvents(client: Client, login: Login | undefined): readonly SlipwayEvent[] {
  const queries = useQueryClient();
  const [heard, setHeard] = useState<readonly SlipwayEvent[]>([]);
  useEffect(() => {
    if (login === undefined) return undefined;
    setHeard([]);
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
  }, [client, login, queries]);
  return heard;
}

/** The prices that an order waits for, with what each of them is. */
export function linesOf(order: PriceOrder): { usd: number; name: string }[] {
  const { tpPriceUsd, slPriceUsd, triggerPriceUsd, triggerCondition } = order;
  return [
    ...(tpPriceUsd === undefined ? [] : [{ usd: tpPriceUsd, name: 'take profit' }]),
    ...(slPriceUsd === undefined ? [] : [{ usd: slPriceUsd, name: 'stop loss' }]),
    ...(triggerPriceUsd === undefined
      ? []
      : [{ usd: triggerPriceUsd, name: triggerCondition === 'below' ? 'stop loss' : 'take profit' }]),
  ];
}

const ENDED = new Set(['filled', 'cancelled', 'expired', 'failed']);
export const isOpen = ({ orderState }: PriceOrder): boolean => !ENDED.has(orderState);
