import { useSyncExternalStore } from 'react';

export interface PricePoint {
  /** Milliseconds since 1970. */
  at: number;
  usd: number;
}

const PLACE = 'slipway.prices';
const MOST = 600;
const NONE: readonly PricePoint[] = [];
let series: Readonly<Record<string, readonly PricePoint[]>> = restore();
const listeners = new Set<() => void>();

function restore(): Record<string, PricePoint[]> {
  try {
    return JSON.parse(sessionStorage.getItem(PLACE) ?? '{}');
  } catch {
    return {};
  }
}

/** Notes the prices of now: the service keeps no history of them. A price that stands still is two points. */
export function keepPrices(mints: readonly { mint: string; usdPrice?: number | undefined }[]): void {
  const at = Date.now();
  const next = { ...series };
  for (const { mint, usdPrice } of mints) {
    if (usdPrice === undefined) continue;
    const known = next[mint] ?? NONE;
    const stands = known.at(-1)?.usd === usdPrice && known.at(-2)?.usd === usdPrice;
    next[mint] = [...(stands ? known.slice(0, -1) : known.slice(1 - MOST)), { at, usd: usdPrice }];
  }
  series = next;
  sessionStorage.setItem(PLACE, JSON.stringify(series));
  for (const listener of listeners) listener();
}

/** The price of a mint since this tab was opened. */
export function usePrices(mint: string): readonly PricePoint[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => series[mint] ?? NONE,
  );
}
