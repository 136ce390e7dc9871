import { type Address, CLOCK_SYSVAR, isAddress } from '@slipway/wire';
import { ChainError } from './chain-error.js';
import type { Account, AddressedAccount, Upstream } from './types.js';
import { createUpstreamRpc, isRecord, type UpstreamRpc } from './upstream-rpc.js';

/** What `getMultipleAccounts` takes in one call. */
const ACCOUNTS_PER_CALL = 100;
const DEFAULT_TIMEOUT_MS = 10_000;
/** A scan goes through all accounts of a program, which takes a node much longer than a few single accounts. */
const SCAN_TIMEOUT_FACTOR = 3;
const COMMITMENT = { commitment: 'confirmed' };
const READ_CONFIG = { ...COMMITMENT, encoding: 'base64' };

interface UpstreamOptions {
  url: string;
  fetch?: typeof fetch;
  /** Takes a line for every call that is tried again. */
  log?: (line: string) => void;
  /** Milliseconds until one try of a call is given up, three times as long for scans; default 10,000. */
  timeoutMs?: number;
  /** Waits between two tries; default a timer. */
  sleep?: (ms: number) => Promise<unknown>;
}

/**
 * The chain behind the JSON-RPC at `url`, read only. Reads of the same turn of the event loop go out together, at most
 * 100 addresses in a call; an address that is being read already is not asked for again. Nothing is cached here.
 * All failures are ChainErrors of the kind `upstream` that name the host and never the rest of the URL.
 * Throws a ChainError of the kind `invalid` for a URL that is not http(s).
 */
export function createUpstream(options: UpstreamOptions): Upstream {
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const rpc = createUpstreamRpc(options);
  const misread = (method: string) => notUnderstood(rpc, method);
  const accounts = coalesced(async (addresses) => {
    const read = await readAccounts(rpc, addresses, timeoutMs);
    return new Map(addresses.map((address, index) => [address, read.accounts[index]]));
  });

  async function scan(method: ScanMethod, params: unknown[]): Promise<AddressedAccount[]> {
    if (method === 'getTokenLargestAccounts') return largestTokenAccounts(params[0]);
    const configIndex = method === 'getProgramAccounts' ? 1 : 2;
    const given = params[configIndex];
    // Whole accounts in one form, whatever the caller's own answer will look like.
    const config = { ...(isRecord(given) ? given : {}), ...READ_CONFIG, dataSlice: undefined };
    const result = await rpc.call(method, [...params.slice(0, configIndex), config], timeoutMs * SCAN_TIMEOUT_FACTOR);
    const rows = isRecord(result) ? result.value : result;
    if (!Array.isArray(rows)) throw misread(method);
    return rows.map((row) => parseAddressedAccount(row) ?? raise(misread(method)));
  }

  async function largestTokenAccounts(param: unknown): Promise<AddressedAccount[]> {
    const method = 'getTokenLargestAccounts';
    const mint = parseAddress(param);
    // For a mint of the fork alone a node would refuse the call instead of answering that there are none.
    if (!mint || !(await accounts([mint]))[0]) return [];
    const result = await rpc.call(method, [mint, COMMITMENT], timeoutMs * SCAN_TIMEOUT_FACTOR);
    const rows = isRecord(result) ? result.value : undefined;
    if (!Array.isArray(rows)) throw misread(method);
    const addresses = rows.map((row) => (isRecord(row) && parseAddress(row.address)) || raise(misread(method)));
    // The answer names the accounts without their bytes.
    const found = await accounts(addresses);
    return addresses.flatMap((address, index) => {
      const account = found[index];
      return account ? [{ address, account }] : [];
    });
  }

  async function start(): ReturnType<Upstream['start']> {
    const [[clock], hash, rent] = await Promise.all([
      accounts([CLOCK_SYSVAR]),
      rpc.call('getGenesisHash', [], timeoutMs),
      rpc.call('getMinimumBalanceForRentExemption', [0], timeoutMs),
    ]);
    if (clock?.data.length !== 40) throw misread('getMultipleAccounts of the clock');
    const genesisHash = parseAddress(hash) ?? raise(misread('getGenesisHash'));
    const view = new DataView(clock.data.buffer, clock.data.byteOffset);
    // Without data, an account counts as 128 bytes.
    const lamportsPerByte =
      BigInt(Number.isSafeInteger(rent) ? (rent as number) : raise(misread('getMinimumBalanceForRentExemption'))) /
      128n;
    return {
      slot: view.getBigUint64(0, true),
      unixTimestamp: view.getBigInt64(32, true),
      genesisHash,
      lamportsPerByte,
    };
  }

  return { host: rpc.host, start, accounts, scan };
}

/** Accounts as they were at one slot. */
export interface Snapshot {
  slot: bigint;
  /** One for each address, in order; undefined where there is none. */
  accounts: (Account | undefined)[];
}

/** Reads another chain's accounts, at most 100 of them at a time. */
export interface AccountSource {
  /** Host and port: the only part of the URL that may be shown. */
  readonly host: string;
  /** Rejects with a ChainError that names the host and never the rest of the URL. */
  snapshot(addresses: Address[]): Promise<Snapshot>;
}

/** Throws a ChainError of the kind `invalid` for a URL that is not http(s), or holds a user name or password. */
export function openAccountSource({ timeoutMs = DEFAULT_TIMEOUT_MS, ...options }: UpstreamOptions): AccountSource {
  const rpc = createUpstreamRpc(options);
  return { host: rpc.host, snapshot: (addresses) => readAccounts(rpc, addresses, timeoutMs) };
}

async function readAccounts(rpc: UpstreamRpc, addresses: Address[], timeoutMs: number): Promise<Snapshot> {
  const method = 'getMultipleAccounts';
  const misread = notUnderstood(rpc, method);
  const result = await rpc.call(method, [addresses, READ_CONFIG], timeoutMs);
  const { value: values, context } = isRecord(result) ? result : {};
  const slot = isRecord(context) && typeof context.slot === 'number' ? context.slot : Number.NaN;
  if (!Array.isArray(values) || values.length !== addresses.length || !Number.isSafeInteger(slot)) throw misread;
  const accounts = values.map((value) => (value === null ? undefined : (parseAccount(value) ?? raise(misread))));
  return { slot: BigInt(slot), accounts };
}

const notUnderstood = (rpc: UpstreamRpc, method: string) =>
  new ChainError('upstream', `upstream ${rpc.host}: the answer to ${method} is not understood`);

type ScanMethod = Parameters<Upstream['scan']>[0];
type AccountsByAddress = Map<Address, Account | undefined>;

/** One `read` for all addresses asked for in a turn of the event loop, and none for those that are being read already. */
function coalesced(
  read: (addresses: Address[]) => Promise<AccountsByAddress>,
): (addresses: Address[]) => Promise<(Account | undefined)[]> {
  const underWay = new Map<Address, Promise<AccountsByAddress>>();
  let batch: { addresses: Address[]; results: Promise<AccountsByAddress> } | undefined;

  function newBatch() {
    const addresses: Address[] = [];
    const results = new Promise<void>((resolve) => setImmediate(resolve))
      .then(() => {
        if (batch?.addresses === addresses) batch = undefined;
        return read(addresses);
      })
      .finally(() => {
        for (const address of addresses) underWay.delete(address);
      });
    return { addresses, results };
  }

  function enqueue(address: Address): Promise<AccountsByAddress> {
    if (!batch || batch.addresses.length === ACCOUNTS_PER_CALL) batch = newBatch();
    batch.addresses.push(address);
    underWay.set(address, batch.results);
    return batch.results;
  }

  return (addresses) =>
    Promise.all(addresses.map(async (address) => (await (underWay.get(address) ?? enqueue(address))).get(address)));
}

/** An account with its address, as scans answer it and `solana account --output json` writes it; undefined for other things. */
export function parseAddressedAccount(row: unknown): AddressedAccount | undefined {
  if (!isRecord(row)) return undefined;
  const address = parseAddress(row.pubkey);
  const account = parseAccount(row.account);
  return address && account && { address, account };
}

function parseAccount(value: unknown): Account | undefined {
  if (!isRecord(value)) return undefined;
  const { executable } = value;
  const owner = parseAddress(value.owner);
  const lamports = parseLamports(value.lamports);
  const data = Array.isArray(value.data) && value.data[1] === 'base64' ? parseBase64(value.data[0]) : undefined;
  if (lamports === undefined || !owner || !data || typeof executable !== 'boolean') return undefined;
  return { lamports, owner, executable, data };
}

function parseAddress(value: unknown): Address | undefined {
  return typeof value === 'string' && isAddress(value) ? value : undefined;
}

function parseLamports(value: unknown): bigint | undefined {
  if (typeof value === 'string') return /^\d{1,20}$/.test(value) ? BigInt(value) : undefined;
  return Number.isSafeInteger(value) && Number(value) >= 0 ? BigInt(Number(value)) : undefined;
}

function parseBase64(text: unknown): Uint8Array | undefined {
  if (typeof text !== 'string' || text.length % 4 !== 0) return undefined;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const bytes = Buffer.from(text, 'base64');
  // Buffer.from skips characters that are not base64. The copy frees the account from Buffer's shared pool.
  return bytes.length === (text.length / 4) * 3 - padding ? new Uint8Array(bytes) : undefined;
}

function raise(error: Error): never {
  throw error;
}
