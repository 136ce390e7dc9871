import type { SwapOrder, SwapRequest } from '@slipway/client';
import { type RequestResult, useRequest } from '@solana/react';
import { useCallback, useEffect } from 'react';
import { useSlipway } from './provider.js';

const REFRESH_MS = 5_000;

/**
 * What a swap would give now. It asks again from time to time while the page is seen, and when the request changes, which
 * also ends the asking for the one before. Undefined: there is nothing to ask for.
 */
export function useQuote(
  request: SwapRequest | undefined,
  { refreshMs = REFRESH_MS }: { refreshMs?: number } = {},
): RequestResult<SwapOrder> {
  const client = useSlipway();
  const key = keyOf(request);
  // By the key, because the request may be a new object at each render.
  const ask = useCallback((signal: AbortSignal) => client.quote(request!, { signal }), [client, key]);
  const result = useRequest(key === undefined ? null : ask);
  const { refresh, status } = result;
  useEffect(() => {
    if (status !== 'success' && status !== 'error') return;
    const timer = setInterval(() => document.visibilityState === 'visible' && refresh(), refreshMs);
    return () => clearInterval(timer);
  }, [refresh, refreshMs, status]);
  return result;
}

const keyOf = (request: SwapRequest | undefined): string | undefined =>
  request && JSON.stringify(request, (_, value) => (typeof value === 'bigint' ? `${value}n` : value));
