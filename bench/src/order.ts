import { type Address, generateKeypair, WRAPPED_SOL_MINT } from '@slipway/wire';
import { putLoad, type Round } from './load.js';
import { offerLoad } from './offered.js';
import { writePools } from './pools.js';
import { type Rig, startProgram } from './processes.js';
import { API_KEY, call, type Service, startService } from './service.js';

const CONNECTIONS = 8;
const WARM_UP_SECONDS = 2;
const QUERIES = 200;
/** Of what is offered: 0.1 of a token with 9 decimals. */
const AMOUNT = 100_000_000;
/** Quotes that are offered a second, answered or not. */
const OFFERED = 2_500;
const TAKERS = 16;
const TAKER_LAMPORTS = 100_000_000_000n;
/** What an answer with a quote says, and one with a transaction, which begins with the number of its signatures. */
export const EXPECTED_QUOTE = '"requestId"';
const EXPECTED_TRANSACTION = '"transaction":"A';

/**
 * What is measured turn by turn, by the number of pools beside those of the genesis; `mixed`: they are of several venues,
 * `maker`: the sandbox's market maker is asked, too; `taker`: orders of wallets that have what they sell, which are
 * crafted, simulated and stored; `offered`: the quotes of `pools100`, at fixed times.
 */
export const ORDER_TARGETS = [
  'bare',
  'pools0',
  'pools100',
  'pools1000',
  'direct1000',
  'mixed1000',
  'mixed10000',
  'maker100',
  'taker100',
  'offered100',
] as const;
export type OrderTarget = (typeof ORDER_TARGETS)[number];

/**
 * Orders with few and with many pools, next to a bare route; but for `taker100`, quotes only. Half of the queries are SOL for USDC, half
 * between two random tokens, which takes two or three hops; `direct1000` is SOL for USDC alone.
 */
export async function measureOrders(
  rig: Rig,
  { seconds, rounds }: { seconds: number; rounds: number },
): Promise<Record<OrderTarget, Round[]>> {
  const [few, hundred, thousand] = [
    await openService(rig, { pools: 0 }),
    await openService(rig, { pools: 100 }),
    await openService(rig, { pools: 1_000 }),
  ];
  const mixed = [
    await openService(rig, { pools: 1_000, isMixed: true }),
    await openService(rig, { pools: 10_000, isMixed: true }),
  ] as const;
  const bare = await startBare(rig, few);
  const direct = (own: Opened) => [own.path(WRAPPED_SOL_MINT, own.usdc)];
  const targets: Record<OrderTarget, { url: string; paths: string[]; expect?: string; offered?: number }> = {
    bare: { url: bare, paths: direct(few) },
    pools0: { url: few.service.url, paths: direct(few) },
    pools100: { url: hundred.service.url, paths: hundred.mixed },
    pools1000: { url: thousand.service.url, paths: thousand.mixed },
    direct1000: { url: thousand.service.url, paths: direct(thousand) },
    mixed1000: { url: mixed[0].service.url, paths: mixed[0].mixed },
    mixed10000: { url: mixed[1].service.url, paths: mixed[1].mixed },
    maker100: { url: hundred.service.url, paths: hundred.mixed.map(withMakers) },
    taker100: { url: hundred.service.url, paths: await takersPaths(hundred), expect: EXPECTED_TRANSACTION },
    offered100: { url: hundred.service.url, paths: hundred.mixed, offered: OFFERED },
  };
  const figures = Object.fromEntries(ORDER_TARGETS.map((name) => [name, [] as Round[]])) as Record<
    OrderTarget,
    Round[]
  >;
  for (let round = 0; round <= rounds; round++) {
    for (const name of ORDER_TARGETS) {
      const { url, paths, expect = EXPECTED_QUOTE, offered } = targets[name];
      const load = {
        url,
        requests: paths.map((path) => ({ path })),
        expect,
        seconds: round === 0 ? WARM_UP_SECONDS : seconds,
      };
      const measured = await (offered === undefined
        ? putLoad({ ...load, connections: CONNECTIONS })
        : offerLoad({ ...load, perSecond: offered }));
      if (round > 0) figures[name].push(measured);
    }
  }
  return figures;
}

interface Opened {
  service: Service;
  usdc: Address;
  path(input: Address, output: Address): string;
  mixed: string[];
  /** Of the pools that were written. */
  tokens: Address[];
}

/** A sandbox with so many more pools: they are written, and the service finds them at its next start. */
export async function openService(
  rig: Rig,
  { pools, isMixed = false }: { pools: number; isMixed?: boolean },
): Promise<Opened> {
  const folder = rig.folder();
  const first = await startService(rig, folder);
  const { mints } = await call<{ mints: { symbol: string; mint: Address }[] }>(first, '/sandbox/info');
  const usdc = mints.find(({ symbol }) => symbol === 'USDC')!.mint;
  const tokens = await writePools(first, usdc, pools, isMixed);
  await first.stop();
  const service = await startService(rig, folder);
  const mixed = Array.from({ length: QUERIES }, (_, index) => {
    if (index % 2 === 0 || tokens.length < 2) return orderPath(WRAPPED_SOL_MINT, usdc);
    const input = (index * 7) % tokens.length;
    return orderPath(tokens[input]!, tokens[(input + 1 + ((index * 3) % (tokens.length - 1))) % tokens.length]!);
  });
  return { service, usdc, path: orderPath, mixed: isMixed ? await answered(service, mixed) : mixed, tokens };
}

/** Several hops over other companies' pools do not always fit into a transaction without a lookup table: those that do. */
async function answered(service: Service, paths: string[]): Promise<string[]> {
  const headers = { 'x-api-key': API_KEY };
  const known = new Map<string, boolean>();
  for (const path of paths) {
    if (!known.has(path)) known.set(path, (await fetch(`${service.url}${path}`, { headers })).ok);
  }
  const [direct, others] = [paths.slice(0, 1), paths.filter((_, index) => index % 2 === 1)];
  return others.filter((path) => known.get(path)).flatMap((path) => [...direct, path]);
}

/** Each wallet sells SOL: every other time for USDC, otherwise for a token that takes one or two hops. */
async function takersPaths({ service, usdc, path, tokens }: Opened): Promise<string[]> {
  const takers = Array.from({ length: TAKERS }, () => generateKeypair().address);
  for (const wallet of takers) await call(service, '/sandbox/airdrop', { wallet, amount: TAKER_LAMPORTS.toString() });
  return Array.from({ length: QUERIES }, (_, index) => {
    const output = index % 2 === 0 ? usdc : tokens[(index * 7) % tokens.length]!;
    return `${path(WRAPPED_SOL_MINT, output)}&taker=${takers[index % TAKERS]}`;
  });
}

export const orderPath = (input: Address, output: Address): string =>
  `/ultra/v1/order?inputMint=${input}&outputMint=${output}&amount=${AMOUNT}&excludeRouters=jupiterz`;

const withMakers = (path: string): string => path.replace('&excludeRouters=jupiterz', '');

async function startBare(rig: Rig, { service, usdc, path }: Opened): Promise<string> {
  const asked = path(WRAPPED_SOL_MINT, usdc);
  const { output } = await startProgram(rig, {
    file: 'bench/dist/bare.js',
    args: ['GET', asked.split('?')[0]!, JSON.stringify(await call(service, asked))],
    ready: /listening on .*\n/,
  });
  return /http\S+/.exec(output)![0];
}
