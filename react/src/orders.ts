import type { LimitOrder, Login, PriceOrder } from '@slipway/client';
import { type RequestResult, useRequest } from '@solana/react';
import { useCallback, useEffect } from 'react';
import { type EventsFilter, useEvents } from './events.js';
import { useSlipway } from './provider.js';

/** A wallet's orders that wait for a price, the last changed first; asked again whenever one of them changes. */
export function useOrders(login: Login | undefined): RequestResult<readonly PriceOrder[]> {
  const client = useSlipway();
  const token = login?.token;
  const ask = useCallback(
    async (signal: AbortSignal) => {
      const answer = await client.api.get('/trigger/v2/orders/history', { token, signal });
      return 'orders' in answer ? answer.orders : [];
    },
    [client, token],
  );
  const result = useRequest(token === undefined ? null : ask);
  useRefreshed(result, token === undefined ? undefined : { kinds: ['order.*'], login: { token } });
  return result;
}

/** A wallet's open limit orders; asked again whenever one of those changes that this API key knows of. */
export function useLimitOrders(wallet: string | undefined): RequestResult<readonly LimitOrder[]> {
  const client = useSlipway();
  const ask = useCallback(
    (signal: AbortSignal) => client.limitOrders({ user: wallet!, status: 'active' }, { signal }),
    [client, wallet],
  );
  const result = useRequest(wallet === undefined ? null : ask);
  useRefreshed(result, wallet === undefined ? undefined : { kinds: ['order.*'], wallet });
  return result;
}

/** How often a list is asked for without a stream, in ms. */
const WITHOUT_EVENTS_MS = 10_000;

/**
 * Asks again at each event, and whenever the stream is open again: what has happened before may not have arrived. Where the
 * stream has ended (too many of the key, or events that are no longer kept), from time to time while the page is seen.
 */
function useRefreshed({ refresh }: RequestResult<unknown>, filter: EventsFilter | undefined): void {
  const stream = useEvents(filter, () => refresh());
  useEffect(() => {
    if (stream.isOpen) refresh();
    if (stream.error === undefined) return;
    refresh();
    const timer = setInterval(() => document.visibilityState === 'visible' && refresh(), WITHOUT_EVENTS_MS);
    return () => clearInterval(timer);
  }, [stream, refresh]);
}
