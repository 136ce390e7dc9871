import type { Client, SwapOrder } from '@slipway/client';
import { useQuery } from '@tanstack/react-query';

export interface Asked {
  inputMint: string;
  outputMint: string;
  amount: bigint;
  /** Left out: all. */
  excludeRouters?: string | undefined;
}
/** What one router offers; an error in its place says why it does not. */
export interface Offer {
  id: string;
  name: string;
  /** The others, by commas. */
  excludeRouters: string;
  quote?: SwapOrder;
  error?: string;
}

const FRESH_MS = 5_000;

/** The order that the service would give the wallet now, renewed while nobody is signing it. */
export function useOrder(client: Client, wallet: string, asked: Asked | undefined, paused: boolean) {
  return useQuery({
    queryKey: ['order', wallet, ...keyOf(asked), asked?.excludeRouters],
    queryFn: ({ signal }) => client.orderSwap(asked!, { signal }),
    enabled: asked !== undefined && !paused,
    refetchInterval: FRESH_MS,
    // One of before is offered no longer.
    gcTime: 0,
  });
}

/** What each router alone would give. */
export function useOffers(client: Client, asked: Asked | undefined, paused: boolean) {
  const { data: routers } = useQuery({
    queryKey: ['routers'],
    queryFn: () => client.api.get('/ultra/v1/order/routers'),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return useQuery({
    queryKey: ['offers', ...keyOf(asked)],
    queryFn: async ({ signal }): Promise<Offer[]> => {
      const offers = routers!.map(async ({ id, name }) => {
        const excludeRouters = routers!.flatMap((other) => (other.id === id ? [] : [other.id])).join(',');
        try {
          const alone = { ...asked!, excludeRouters: excludeRouters || undefined };
          return { id, name, excludeRouters, quote: await client.quote(alone, { signal }) };
        } catch (error) {
          return { id, name, excludeRouters, error: (error as Error).message };
        }
      });
      return (await Promise.all(offers)).sort((a, b) => Number(outOf(b) - outOf(a)));
    },
    enabled: asked !== undefined && routers !== undefined && !paused,
    refetchInterval: FRESH_MS,
    placeholderData: (last) => last,
  });
}

/** Whether two ask for the same order. */
export const isSame = (one: Asked | undefined, other: Asked | undefined): boolean =>
  one?.excludeRouters === other?.excludeRouters && keyOf(one).join() === keyOf(other).join();

const keyOf = (asked: Asked | undefined) => [asked?.inputMint, asked?.outputMint, asked?.amount.toString()];
const outOf = ({ quote }: Offer): bigint => BigInt(quote?.outAmount ?? 0);
