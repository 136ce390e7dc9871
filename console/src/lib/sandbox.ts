import type { Answer, Client } from '@slipway/client';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { clientFor, Recorder, SERVICE } from './api.js';
import { useBrowserAccount } from './browser-wallets.js';
import { holdingsOf } from './chain.js';
import { type Book, KNOWN_PROGRAMS } from './describe.js';
import { givenKey } from './key.js';
import { useLive } from './live.js';
import { keepPrices } from './prices.js';
import { type ActingWallet, signerOf, useWalletName } from './wallet.js';

export type Info = Answer<'get', '/sandbox/info'>;
export type Mint = Info['mints'][number];

const REFRESH_MS = 10_000;
/** While the service does not answer. */
const AGAIN_MS = 2_000;
const service = clientFor();

/** The chain of a public sandbox is behind its service: reached under whatever name the page was opened by. */
function withChainHere(info: Info): Info {
  if (givenKey === undefined) return info;
  const rpcUrl = SERVICE + new URL(info.rpcUrl).pathname;
  return { ...info, rpcUrl, wsUrl: rpcUrl.replace(/^http/, 'ws') };
}

/** What the sandbox is made of, and its prices. */
export const infoQuery = queryOptions({
  queryKey: ['info'],
  queryFn: async ({ signal }) => {
    const info = withChainHere(await service.api.get('/sandbox/info', { signal }));
    keepPrices(info.mints);
    return info;
  },
  refetchInterval: ({ state }) => (state.status === 'error' ? AGAIN_MS : REFRESH_MS),
});

/** What the sandbox is made of. Screens are shown only once it is known. */
export function useInfo(): Info {
  const { data } = useQuery(infoQuery);
  if (data === undefined) throw new Error('a screen is shown before the sandbox is known');
  return data;
}

/** Hears of prices as they change. */
export function usePriceEvents(ready: boolean): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (!ready) return undefined;
    const ended = new AbortController();
    const reread = () => void queries.invalidateQueries(infoQuery);
    const listen = async () => {
      for await (const event of service.events({ kinds: ['price.changed'], signal: ended.signal, onOpen: reread })) {
        if (event.kind !== 'price.changed') continue;
        const { mint, usd: usdPrice } = event.data;
        queries.setQueryData(infoQuery.queryKey, (info) => {
          if (info === undefined) return undefined;
          const mints = info.mints.map((each) => (each.mint === mint ? { ...each, usdPrice } : each));
          keepPrices(mints);
          return { ...info, mints };
        });
      }
    };
    // Without events, prices are still read every ten seconds.
    listen().catch(() => {});
    return () => ended.abort();
  }, [ready, queries]);
}

/** The wallet that acts on every screen. */
export function useWallet(): ActingWallet {
  const { wallets } = useInfo();
  const name = useWalletName();
  const account = useBrowserAccount();
  const wallet = wallets.find((each) => each.name === name) ?? wallets[0]!;
  return useMemo(
    () => account ?? { name: wallet.name, address: wallet.address, signer: signerOf(wallet) },
    [account, wallet],
  );
}

/** The wallets of the sandbox, and that of the browser which acts. */
export function useWallets(): readonly { name: string; address: string }[] {
  const { wallets } = useInfo();
  const account = useBrowserAccount();
  return useMemo(
    () => (account && !wallets.some(({ address }) => address === account.address) ? [...wallets, account] : wallets),
    [account, wallets],
  );
}

/** What each of `useWallets` holds, by its address, as of the last transaction. */
export function useHoldings() {
  const { rpcUrl } = useInfo();
  const addresses = useWallets().map(({ address }) => address);
  const queries = useQueryClient();
  const { count } = useLive();
  // Whatever is executed may have changed what they hold.
  useEffect(() => void queries.invalidateQueries({ queryKey: ['holdings'] }), [count, queries]);
  return useQuery({
    queryKey: ['holdings', rpcUrl, ...addresses],
    queryFn: async () => {
      const held = await holdingsOf(rpcUrl, addresses);
      return new Map(addresses.map((address, index) => [address, held[index]!]));
    },
    // Those of the others, while a wallet is added.
    placeholderData: (last) => last,
    refetchInterval: 10_000,
  });
}

/** Names for what has an address here. */
export function useBook(): Book {
  const { programs, mints } = useInfo();
  const wallets = useWallets();
  return useMemo(
    () => ({
      programs: new Map([...KNOWN_PROGRAMS, ...programs.map(({ address, name }) => [address, name] as const)]),
      wallets: new Map(wallets.map(({ address, name }) => [address, name])),
      symbols: new Map(mints.map(({ mint, symbol }) => [mint, symbol])),
    }),
    [programs, wallets, mints],
  );
}

/** The client of a screen: it signs as the chosen wallet, and what it asks is kept to be shown. */
export function useClient(): { client: Client; recorder: Recorder } {
  const { rpcUrl } = useInfo();
  const wallet = useWallet();
  const recorder = useMemo(() => new Recorder(), []);
  const { signer } = wallet;
  return useMemo(() => ({ client: clientFor({ recorder, rpcUrl, signer }), recorder }), [recorder, rpcUrl, signer]);
}

export const useCalls = (recorder: Recorder) => useSyncExternalStore(recorder.subscribe, recorder.list);
