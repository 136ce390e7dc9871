import { ROUTER_PROGRAM } from '@slipway/programs';
import {
  ADDRESS_LOOKUP_TABLE_PROGRAM,
  type Address,
  decodeLookupTable,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { type ChainAccount, createAccountReader, createHttpRpc, type Rpc } from '../chain/index.js';
import type { Config } from '../config/index.js';
import { createClock } from '../lib/clock.js';
import { allVenues, tokenSwapVenue, type Venue } from '../routing/aggregator/index.js';
import { askService, type RoutingService, routingServices } from '../routing/services/index.js';
import { isOurChain } from '../sandbox/index.js';
import type { Check } from './doctor-check.js';
import { feeAccounts } from './fee-accounts.js';

const TIMEOUT_MS = 10_000;
const ACTIVE = 2n ** 64n - 1n;
const PUBLIC_HERMES_HOST = 'hermes.pyth.network';

/** Without an address where the signer does not say it. */
export interface GasWallet {
  address: Address | undefined;
}

type Read = (address: Address) => Promise<ChainAccount | undefined>;

/**
 * Checks what swaps need on the chain at `rpcUrl`, which must be reachable. What is only missing, so that swaps earn or
 * reach less, is ok with a `next`; what is configured wrongly is not ok. `gas` is undefined before the first start.
 */
export async function checkSwaps(config: Config, rpcUrl: string, gas: GasWallet | undefined): Promise<Check[]> {
  const rpc = createHttpRpc({ url: rpcUrl, timeoutMs: TIMEOUT_MS });
  const read = createAccountReader(rpc);
  const checks: [name: string, check: Promise<Omit<Check, 'name'>>][] = [
    ['fee receiver', checkFeeReceiver(config, read, gas)],
    ['router program', checkRouter(config, read, rpc)],
    ['pools', checkPools(config, read, rpc)],
    ...routingServices(config.services, createClock()).map((service): [string, Promise<Omit<Check, 'name'>>] => [
      service.name,
      checkService(service, config),
    ]),
  ];
  return Promise.all(
    checks.map(async ([name, check]) => {
      try {
        return { name, ...(await check) };
      } catch (error) {
        const detail = error instanceof Error ? error.message : String(error);
        return { name, ok: false, detail, next: 'ask who runs this RPC' };
      }
    }),
  );
}

async function checkFeeReceiver(config: Config, read: Read, gas: GasWallet | undefined): Promise<Omit<Check, 'name'>> {
  const receiver = config.swap.feeReceiver ?? gas?.address;
  if (receiver === undefined) {
    if (gas === undefined) return { ok: true, detail: 'the gas wallet, which is made at the first start' };
    const next = 'see the check of the signer, or set swap.feeReceiver';
    return { ok: true, detail: 'not checked: it is the gas wallet, whose address only the signer knows', next };
  }
  const whose = config.swap.feeReceiver === undefined ? `the gas wallet ${receiver}` : receiver;
  const here = await feeAccounts(config, read, receiver);
  const missing = here.filter(({ exists }) => !exists);
  if (missing.length === 0) return { ok: true, detail: `${whose} takes fees in ${symbolsOf(here)}` };
  return {
    ok: true,
    detail: `${whose} has no token account for ${symbolsOf(missing)}: no default fee is taken in it`,
    next: 'make it to earn fees: slipway wallets fee-accounts',
  };
}

const symbolsOf = (tokens: { symbol: string }[]): string => tokens.map(({ symbol }) => symbol).join(', ') || 'no token';

/** Whether the service accepts the credentials, tested with a price request for one SOL. */
async function checkService(service: RoutingService, { tokens }: Config): Promise<Omit<Check, 'name'>> {
  const token = { tokenProgram: TOKEN_PROGRAM, mint: WRAPPED_SOL_MINT, decimals: 9 };
  const question = { input: token, output: { ...token, ...tokens.usdc }, amount: 10n ** 9n };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const price = await askService(service.name, () => service.price(question, signal));
  if (!('refused' in price)) return { ok: true, detail: 'answers, and takes its credentials' };
  if (price.refused === 'no-route') return { ok: true, detail: `answers: ${price.reason}` };
  return { ok: false, detail: price.reason, next: 'renew its credentials, or unset them: it is then not asked' };
}

async function checkRouter(
  { sandbox, programs: { router } }: Config,
  read: Read,
  rpc: Rpc,
): Promise<Omit<Check, 'name'>> {
  if (router === undefined) {
    return {
      ok: true,
      detail: 'none: routes have one hop, or are split over pools of one pair',
      next: 'deploy it (programs/README.md) and set programs.router for routes of several hops',
    };
  }
  if (!sandbox && router === ROUTER_PROGRAM && !(await isOurChain(rpc))) {
    return {
      ok: false,
      detail: `${router} is the router of sandboxes, whose secret key anybody can derive: the service does not start with it`,
      next: 'deploy it at an address of your own (programs/README.md), or leave programs.router out',
    };
  }
  if ((await read(router))?.executable) return { ok: true, detail: `${router} is deployed` };
  return {
    ok: false,
    detail: `${router} is no program on this chain: every route of several hops fails`,
    next: 'deploy it (programs/README.md), or correct programs.router',
  };
}

async function checkPools({ swap, programs }: Config, read: Read, rpc: Rpc): Promise<Omit<Check, 'name'>> {
  const wrong = [...(await wrongPools(swap.pools, programs, read)), ...(await wrongTables(swap, read))];
  if (wrong.length > 0) {
    const next = 'correct or remove it in swap.pools and swap.lookupTables';
    return { ok: false, detail: wrong.join('; '), next };
  }
  const given = `swap.pools has ${swap.pools.length}, swap.lookupTables ${swap.lookupTables.length}`;
  const listed = await countPools(rpc, programs.tokenSwap);
  if (listed !== undefined && listed + swap.pools.length > 0) {
    return { ok: true, detail: `${listed} of ${programs.tokenSwap} on the chain; ${given}` };
  }
  const why = listed === undefined ? 'the RPC does not list them' : `${programs.tokenSwap} has none on this chain`;
  const next =
    swap.pools.length > 0 ? {} : { next: 'name pools in swap.pools, or routes have those of other programs only' };
  return { ok: true, detail: `${why}; ${given}`, ...next };
}

async function wrongPools(pools: readonly Address[], programs: Config['programs'], read: Read): Promise<string[]> {
  const venues = allVenues(programs);
  const states = await Promise.all(
    pools.map(async (address) => {
      const account = await read(address);
      if (!account) return `pool ${address}: there is no account`;
      const venue = venues.find(({ program }) => program === account.owner);
      const state = venue ? await openPool(venue, address, account, read) : 'its program is none that has pools';
      return typeof state === 'string' ? `pool ${address}: ${state}` : undefined;
    }),
  );
  return states.filter((state) => state !== undefined);
}

async function openPool(venue: Venue, address: Address, account: ChainAccount, read: Read) {
  const needed = new Map<Address, ChainAccount>();
  let described = venue.describe(address, account, needed);
  if (typeof described === 'object' && 'needs' in described) {
    const { needs } = described;
    const more = await read(needs);
    if (!more) return `${needs} is missing`;
    described = venue.describe(address, account, needed.set(needs, more));
  }
  if (typeof described === 'string') return described;
  if ('needs' in described) return `${described.needs} is missing`;
  return venue.open(address, account, await Promise.all(described.accounts.map(read)));
}

async function wrongTables({ lookupTables }: Config['swap'], read: Read): Promise<string[]> {
  const states = await Promise.all(
    lookupTables.map(async (address) => {
      const account = await read(address);
      if (!account) return `lookup table ${address}: there is no account`;
      const table = account.owner === ADDRESS_LOOKUP_TABLE_PROGRAM ? decodeLookupTable(account.data) : undefined;
      if (!table) return `lookup table ${address}: the account is none`;
      return table.deactivationSlot === ACTIVE ? undefined : `lookup table ${address}: it is deactivated`;
    }),
  );
  return states.filter((state) => state !== undefined);
}

/** Counts pools with the same query as the service's, but without their data; undefined if the RPC refuses. */
async function countPools(rpc: Rpc, program: Address): Promise<number | undefined> {
  const { poolSize } = tokenSwapVenue(program);
  const options = {
    encoding: 'base64',
    commitment: 'confirmed',
    filters: [{ dataSize: poolSize }],
    dataSlice: { offset: 0, length: 0 },
  };
  try {
    const found = await rpc.call<unknown>('getProgramAccounts', [program, options]);
    return Array.isArray(found) ? found.length : undefined;
  } catch {
    return undefined;
  }
}

/** Whether every configured price source has what it needs. */
export function checkPrices({ prices, tokens: { usdc } }: Config): Check {
  const name = 'prices';
  const sources = prices.sources.join(', ') || 'none';
  if (!prices.sources.includes('hermes')) return { name, ok: true, detail: sources };
  const feeds = Object.keys(prices.feeds).length;
  const { host } = new URL(prices.hermesUrl);
  const needsKey = host === PUBLIC_HERMES_HOST && prices.hermesKey === undefined;
  if (feeds === 0) {
    const rest = prices.sources.filter((source) => source !== 'hermes').join(', ') || 'nobody';
    return {
      name,
      ok: true,
      detail: `${sources}; hermes has no feeds, so that only ${rest} tells prices`,
      next: `set prices.feeds${needsKey ? ' and SLIPWAY_HERMES_KEY' : ''}: see "Swaps" in docs/operations.md`,
    };
  }
  const detail = `${sources}; hermes has ${feeds} feed${feeds === 1 ? '' : 's'}`;
  if (!needsKey && prices.feeds[usdc.mint] === undefined)
    return {
      name,
      ok: true,
      detail: `${detail}, and none of ${usdc.symbol}, which counts as one dollar`,
      next: `add ${usdc.symbol} to prices.feeds: while it is more than 5 % off, its pools contradict the other feeds, and their orders wait`,
    };
  if (!needsKey) return { name, ok: true, detail };
  return { name, ok: false, detail: `${detail}, but no key for ${host}`, next: 'set SLIPWAY_HERMES_KEY' };
}
