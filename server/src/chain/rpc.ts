import { Outage } from '../errors/index.js';
import { BodyTooLong, readBody } from '../lib/read-body.js';

/** JSON-RPC to one Solana endpoint. Every room that needs the chain gets one; the app chooses its transport. */
export interface Rpc {
  /** Where it goes, safe to show: host only, never a path or query that may hold a key. */
  readonly name: string;
  /** @throws RpcError when the endpoint answered with an error, ChainUnavailable when it gave no usable answer. */
  call<T>(method: string, params: unknown[]): Promise<T>;
}

/** The endpoint understood the call and refused it. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

/** The code of a node that is behind, or whose disk is full: it says so of itself, and nothing about the call. */
const NODE_UNHEALTHY = -32005;

/** In bytes: the token accounts of a wallet that holds 70,000. */
export const MAX_ANSWER = 32 << 20;
/** In bytes: all accounts of a program that match, which the keepers and the search for pools read. */
const MAX_LISTING = 128 << 20;

/** No usable answer: unreachable, unhealthy, timed out, throttled, or not JSON-RPC. Whether the call took effect is unknown. */
export class ChainUnavailable extends Outage {
  override readonly name = 'ChainUnavailable';
  constructor(message: string, told?: string) {
    super('CHAIN_UNAVAILABLE', message, { told });
  }
}

interface RpcResponse {
  result?: unknown;
  error?: { code: number; message: string; data?: unknown };
}

interface HttpRpcOptions {
  url: string;
  timeoutMs?: number;
  fetch?: typeof fetch;
}

export function createHttpRpc({ url, timeoutMs = 10_000, fetch: send = fetch }: HttpRpcOptions): Rpc {
  const target = new URL(url);
  const name = target.host;
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  // fetch refuses credentials inside of a URL.
  if (target.username !== '') {
    const [user, password] = [target.username, target.password].map(decodeURIComponent);
    headers.authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    target.username = '';
    target.password = '';
  }
  let nextId = 1;

  async function post(method: string, params: unknown[]): Promise<RpcResponse> {
    try {
      const response = await send(target, {
        method: 'POST',
        headers,
        body: JSON.stringify({ jsonrpc: '2.0', id: nextId++, method, params }),
        signal: AbortSignal.timeout(timeoutMs),
        redirect: 'error',
      });
      if (response.status === 429) throw new ChainUnavailable(`${name} is throttling us (429)`);
      if (response.status >= 500) throw new ChainUnavailable(`${name} answered ${response.status} to ${method}`);
      const most = method === 'getProgramAccounts' ? MAX_LISTING : MAX_ANSWER;
      return JSON.parse(await readBody(response, most)) as RpcResponse;
    } catch (error) {
      if (error instanceof ChainUnavailable) throw error;
      if (error instanceof BodyTooLong) throw new ChainUnavailable(`${name}: ${error.message} to ${method}`);
      // The cause may quote the URL, which may hold a key: only its class is passed on.
      const reason =
        error instanceof Error && error.name === 'TimeoutError' ? `no answer in ${timeoutMs} ms` : 'no usable answer';
      throw new ChainUnavailable(`${name}: ${reason} to ${method}`);
    }
  }

  return {
    name,
    async call<T>(method: string, params: unknown[]): Promise<T> {
      const body = await post(method, params);
      if (body === null || typeof body !== 'object')
        throw new ChainUnavailable(`${name}: not a JSON-RPC answer to ${method}`);
      if (body.error) throw errorOf(name, body.error);
      if (body.result === undefined) throw new ChainUnavailable(`${name}: not a JSON-RPC answer to ${method}`);
      return body.result as T;
    },
  };
}

function errorOf(name: string, { code, message, data }: NonNullable<RpcResponse['error']>): Error {
  if (code === NODE_UNHEALTHY) return new ChainUnavailable(`${name}: ${message}`, `The chain’s node says: ${message}`);
  return new RpcError(code, String(message), data);
}

/**
 * Asks something about the chain; `read` takes what is needed out of the result.
 * @throws ChainUnavailable also if the node refuses to answer, or if `read` throws.
 */
export async function ask<R, T>(rpc: Rpc, method: string, params: unknown[], read: (result: R) => T): Promise<T> {
  try {
    return read(await rpc.call<R>(method, params));
  } catch (error) {
    if (error instanceof ChainUnavailable) throw error;
    const reason = error instanceof RpcError ? `refused: ${error.message}` : 'not a usable answer';
    throw new ChainUnavailable(`${rpc.name}: ${reason} to ${method}`);
  }
}

/** The value, if it is a list with one entry for each requested thing. */
export function listOf<T>(value: T[] | null | undefined, length: number): T[] {
  if (!Array.isArray(value) || value.length !== length) throw new TypeError('a list of another length');
  return value;
}

/** The embedded chain without a socket: `call` reaches it within the process. */
export function createLocalRpc(call: (method: string, params: unknown[]) => Promise<unknown>): Rpc {
  return {
    name: 'embedded',
    async call<T>(method: string, params: unknown[]): Promise<T> {
      try {
        return (await call(method, params)) as T;
      } catch (error) {
        const { code, message, data } = error as { code?: unknown; message?: string; data?: unknown };
        if (typeof code === 'number') throw errorOf('embedded', { code, message: message ?? 'unknown error', data });
        throw new ChainUnavailable(`the embedded chain stopped: ${message ?? 'unknown reason'}`);
      }
    },
  };
}
