import type { Address } from '@slipway/wire';
import { createHttpRpc, RpcError } from '../chain/index.js';
import type { Config } from '../config/index.js';
import { keeperWarning } from '../keeper/wallet.js';
import type { Check } from './doctor-check.js';

const TIMEOUT_MS = 10_000;

/** The chain's RPC URL, which may contain a key; undefined if the chain is embedded and its service is not running. */
export function chainUrl({ chain }: Pick<Config, 'chain'>, running: boolean): string | undefined {
  if (chain.kind === 'outside') return chain.rpcUrl;
  return running ? `http://127.0.0.1:${chain.rpcPort}` : undefined;
}

/** Asks every RPC that the service would use whether it is healthy, and whether all are on one chain. */
export async function checkChain({ chain }: Config, running: boolean): Promise<Check[]> {
  if (chain.kind === 'embedded') {
    const url = chainUrl({ chain }, running);
    if (url === undefined) return [{ name: 'rpc', ok: true, detail: 'embedded: starts with the service' }];
    return [(await checkRpc('rpc', url)).check];
  }
  const main = await checkRpc('rpc', chain.rpcUrl);
  const others = await Promise.all(chain.sendUrls.map((url, at) => checkRpc(`send url ${at + 1}`, url)));
  for (const { check, genesis } of others) {
    if (genesis === undefined || main.genesis === undefined || genesis === main.genesis) continue;
    check.ok = false;
    check.detail += `; the chain of SLIPWAY_RPC_URL is another one: ${main.genesis}`;
    check.next = 'take it out of SLIPWAY_SEND_URLS';
  }
  return [main.check, ...others.map((other) => other.check)];
}

/** Whether the wallet that pays for what the keepers do has SOL for it; no check if this instance runs none. */
export async function checkKeeperWallet({ roles }: Config, rpcUrl: string, wallet: Address): Promise<Check[]> {
  if (!roles.has('keeper')) return [];
  const name = 'keeper wallet';
  const rpc = createHttpRpc({ url: rpcUrl, timeoutMs: TIMEOUT_MS });
  try {
    const { value } = await rpc.call<{ value: number }>('getBalance', [wallet, { commitment: 'confirmed' }]);
    const detail = keeperWarning(wallet, BigInt(value));
    if (detail !== undefined) return [{ name, ok: false, detail, next: 'send it SOL: what waits then goes on' }];
    return [{ name, ok: true, detail: `${wallet} has ${value / 1e9} SOL` }];
  } catch {
    return [{ name, ok: false, detail: `the balance of ${wallet} cannot be read`, next: 'see the check of the RPC' }];
  }
}

/** Of no transaction: a node that keeps them answers null. */
const NO_SIGNATURE = '1'.repeat(64);

/**
 * How far back the RPC's history goes, which lists are built from, and whether it tells transactions; no check for an embedded
 * chain.
 */
export async function checkHistory({ chain }: Config): Promise<Check[]> {
  if (chain.kind === 'embedded') return [];
  const name = 'history';
  const rpc = createHttpRpc({ url: chain.rpcUrl, timeoutMs: TIMEOUT_MS });
  // As the lists of invites and limit orders ask.
  const asked = [NO_SIGNATURE, { commitment: 'confirmed', maxSupportedTransactionVersion: 1 }];
  const refusal = await rpc.call('getTransaction', asked).catch((error: unknown) => error);
  if (refusal instanceof RpcError) {
    const detail = `the RPC tells no transactions (${refusal.message}): what clients sign is taken at the word of a status, which may be that of another one`;
    return [{ name, ok: false, detail, next: 'have it keep its transaction history, or name one that does' }];
  }
  const first = await rpc.call<number>('getFirstAvailableBlock', []).catch(() => undefined);
  if (first === undefined) return [{ name, ok: true, detail: 'the RPC does not say from which block on it has it' }];
  // The first block of a chain is 0, but some RPCs answer 1.
  if (first <= 1) return [{ name, ok: true, detail: 'the RPC has it from the first block on' }];
  const detail = `the RPC has it from block ${first} on: invites and limit orders that ended before are not listed`;
  return [{ name, ok: true, detail }];
}

/** Orders and deadlines go by the chain's time and by this machine's. */
const MOST_SKEW_S = 60;

/** Whether this machine's clock agrees with the chain's; no check where the RPC does not say the time of its last block. */
export async function checkClock({ chain }: Config, now: () => number): Promise<Check[]> {
  if (chain.kind === 'embedded') return [];
  const name = 'clock';
  const rpc = createHttpRpc({ url: chain.rpcUrl, timeoutMs: TIMEOUT_MS });
  const slot = await rpc.call<unknown>('getSlot', [{ commitment: 'confirmed' }]).catch(() => undefined);
  const time = await rpc.call<unknown>('getBlockTime', [slot]).catch(() => undefined);
  if (typeof time !== 'number') return [];
  const skew = Math.round(now() / 1_000 - time);
  if (Math.abs(skew) <= MOST_SKEW_S) return [{ name, ok: true, detail: 'agrees with that of the chain' }];
  const detail = `${Math.abs(skew)} seconds ${skew > 0 ? 'after' : 'before'} that of the chain`;
  const next = 'set the time of this machine by NTP, or ask who runs this RPC whether it lags';
  return [{ name, ok: false, detail, next }];
}

async function checkRpc(name: string, url: string): Promise<{ check: Check; genesis?: string }> {
  // The URL may contain a key: only its host is shown.
  const { host } = new URL(url);
  const rpc = createHttpRpc({ url, timeoutMs: TIMEOUT_MS });
  try {
    const genesis = await rpc.call<string>('getGenesisHash', []);
    const health = await rpc.call<string>('getHealth', []);
    if (health !== 'ok') throw new Error(`getHealth answers ${JSON.stringify(health)}`);
    return { check: { name, ok: true, detail: `${host} is healthy; genesis hash ${genesis}` }, genesis };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const detail = reason.startsWith(host) ? reason : `${host}: ${reason}`;
    return { check: { name, ok: false, detail, next: 'check the URL and its key, or ask who runs this RPC' } };
  }
}
