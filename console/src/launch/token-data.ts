import type { Client } from '@slipway/client';
import { useQuery } from '@tanstack/react-query';
import { type RpcCall, rpc } from '../lib/chain.js';
import type { ParsedTransaction } from '../lib/describe.js';
import { plainName } from '../lib/format.js';
import { OUTDATED_MS } from '../lib/live.js';
import { useInfo } from '../lib/sandbox.js';
import { marketCapOf } from './curve.js';

/** What a token says of itself on the chain: written by whoever launched it. */
export interface TokenText {
  name: string;
  symbol: string;
  uri: string;
}
interface AccountAnswer {
  value: { data: [string] } | null;
}

const METADATA_STRINGS_AT = 65;
const LAUNCH_DECIMALS = 6;

/** The token's name and pool, as the chain has them now. */
export function useToken(client: Client, mint: string, count: number) {
  const { rpcUrl, mints } = useInfo();
  return useQuery({
    queryKey: ['token', mint, count],
    gcTime: OUTDATED_MS,
    queryFn: async ({ signal }) => {
      const [formats, programs] = await Promise.all([
        import('@slipway/wire/formats'),
        import('@slipway/programs/formats'),
      ]);
      const { dbcPoolAddress: pool } = await client.launchAddresses(mint, { signal });
      if (pool === null) throw new Error(`${mint} has no pool: was it launched here?`);
      const metadata = formats.metadataAddress(formats.address(mint));
      const account = (address: string): RpcCall => ['getAccountInfo', [address, { encoding: 'base64' }]];
      const [text, state] = await rpc<AccountAnswer[]>(rpcUrl, [account(metadata), account(pool)]);
      const decoded = state?.value && programs.decodeBondingCurvePool(bytesOf(state.value.data[0]));
      if (!decoded) throw new Error(`${pool} is no pool of a launch`);
      const [configured] = await rpc<AccountAnswer[]>(rpcUrl, [account(decoded.config)]);
      const config = configured?.value && programs.decodeBondingCurveConfig(bytesOf(configured.value.data[0]));
      if (!config) throw new Error(`${decoded.config} is no configuration of a launch`);
      const quote = mints.find((each) => each.mint === config.quoteMint);
      const decimals = quote?.decimals ?? LAUNCH_DECIMALS;
      return {
        text: text?.value ? textOf(bytesOf(text.value.data[0])) : { name: '', symbol: '', uri: '' },
        pool,
        state: decoded,
        config,
        quote,
        marketCap: marketCapOf(decoded.sqrtPrice, decimals),
        migrationMarketCap: marketCapOf(config.migrationSqrtPrice, decimals),
        progress: Number(decoded.quoteReserve) / Number(config.migrationQuoteThreshold),
      };
    },
    placeholderData: (last) => last,
  });
}

function textOf(bytes: Uint8Array): TokenText {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = METADATA_STRINGS_AT;
  const next = (most: number) => {
    const length = Math.min(view.getUint32(at, true), bytes.length - at - 4);
    const text = new TextDecoder().decode(bytes.subarray(at + 4, at + 4 + length));
    at += 4 + length;
    return plainName(text, most);
  };
  return { name: next(32), symbol: next(10), uri: next(300) };
}

const MOST_METADATA = 64 * 1024;

/** Where the picture of a token is, if that is this service: the page asks nobody else. */
export function usePicture(uri: string | undefined) {
  return useQuery({
    queryKey: ['picture', uri],
    queryFn: async ({ signal }): Promise<string | null> => {
      const place = ownPath(uri!);
      if (place === undefined) return null;
      const text = await (await fetch(place, { signal })).text();
      if (text.length > MOST_METADATA) return null;
      const { image } = JSON.parse(text) as { image?: unknown };
      return (typeof image === 'string' && ownPath(image)) || null;
    },
    enabled: uri !== undefined && uri !== '',
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The path of an upload of this service, under whatever name of this machine it was published. */
function ownPath(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { port, protocol, pathname } = new URL(url);
  return protocol === location.protocol && port === location.port && pathname.startsWith('/objects/')
    ? pathname
    : undefined;
}

/** The last transactions of a pool, the newest first. */
export function useTrades(pool: string | undefined, count: number) {
  const { rpcUrl } = useInfo();
  return useQuery({
    queryKey: ['trades', pool, count],
    gcTime: OUTDATED_MS,
    queryFn: async () => {
      const [signatures] = await rpc<[{ signature: string }[]]>(rpcUrl, [
        ['getSignaturesForAddress', [pool, { limit: 20 }]],
      ]);
      const config = { encoding: 'jsonParsed', maxSupportedTransactionVersion: 1 };
      const asked = signatures.map(({ signature }): RpcCall => ['getTransaction', [signature, config]]);
      return (await rpc<(ParsedTransaction | null)[]>(rpcUrl, asked)).filter((each) => each !== null);
    },
    enabled: pool !== undefined,
    placeholderData: (last) => last,
  });
}

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
