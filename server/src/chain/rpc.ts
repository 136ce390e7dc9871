import { Outage } from '../errors/index.js';
import { createHttpPost, type HttpAnswer, type HttpPost } from '../lib/http-post.js';
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

/** An answer, and the slot that the node was at. */
export interface Contextual<T> {
  context: { slot: number };
  value: T;
}

/** The code of a node that is behind, or whose disk is full: it says so of itself, and nothing about the call. */
const NODE_UNHEALTHY = -32005;

/** In bytes: the token accounts of a wallet that holds 70,000. */
export const MAX_ANSWER = 32 << 20;
/** Of a refusal; one that is longer costs its connection. */
const MAX_REFUSAL = 64 << 10;
/** In bytes: all accounts of a program that match, which the keepers and the search for pools read. */
const MAX_LISTING = 128 << 20;

/** No usable answer: unreachable, unhealthy, timed out, throttled, or not JSON-RPC. Whether the call took effect is unknown. */
export class ChainUnavailable extends Outage {
  override readonly name = 'ChainUnavailable';
  constructor(message: string, told?: string) {
    super('CHAIN_UNAVAILABLE', message, { told });
  }
}

/** The answer was cut off, because it is longer than is read. */
export class AnswerTooLong extends ChainUnavailable {}

/** No answer in time, or a gateway's word for that: it may be this call that takes so long, or the whole node that is away. */
export class Unanswered extends ChainUnavailable {}

/** It has answered, with a refusal or nothing of use: it is there, and may say the same of this call the next time. */
export class Refused extends ChainUnavailable {
  constructor(
    message: string,
    /** The RPC's code, where it is a refusal. */
    readonly refusal?: number,
  ) {
    super(message);
  }
}

/**
 * A node is left alone for no longer than this, whatever it asks for: what would wait longer fails, and comes again all at once, so that one
 * refusal would be the next one's cause.
 */
const MAX_RETRY_AFTER_MS = 2_000;

/** The node asks for fewer calls. The call was not made. */
export class Throttled extends ChainUnavailable {
  /** How long it asks to be left alone, as far as that is heeded; 0 if it does not say. */
  readonly retryAfterMs: number;

  constructor(message: string, askedMs: number) {
    super(message);
    this.retryAfterMs = Math.min(askedMs, MAX_RETRY_AFTER_MS);
  }
}

interface RpcResponse {
  result?: unknown;
  error?: { code: number; message: string; data?: unknown };
}

interface HttpRpcOptions {
  url: string;
  timeoutMs?: number;
  /** For tests. */
  post?: (target: URL, post: HttpPost) => Promise<HttpAnswer>;
}

export function createHttpRpc({ url, timeoutMs = 10_000, post: send = createHttpPost() }: HttpRpcOptions): Rpc {
  const target = new URL(url);
  const name = target.host;
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  // A URL with credentials inside may show up in an error.
  if (target.username !== '') {
    const [user, password] = [target.username, target.password].map(decodeURIComponent);
    headers.authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    target.username = '';
    target.password = '';
  }
  let nextId = 1;

  function jsonIn(body: string, method: string): RpcResponse {
    try {
      return JSON.parse(body) as RpcResponse;
    } catch {
      throw new Refused(`${name}: no usable answer to ${method}`);
    }
  }

  async function post(method: string, params: unknown[]): Promise<RpcResponse> {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const body = JSON.stringify({ jsonrpc: '2.0', id: nextId++, method, params });
      const response = await send(target, { headers, body, signal });
      const { status } = response;
      // What it says besides is of no use, but the connection is free again only when it has been read.
      if (status === 429 || status >= 500 || (status >= 300 && status < 400))
        void readBody(response, MAX_REFUSAL).catch(() => {});
      if (status === 429) {
        throw new Throttled(`${name} is throttling us (429)`, secondsIn(response.headers.get('retry-after')) * 1_000);
      }
      if (status >= 300 && status < 400)
        throw new ChainUnavailable(`${name} sends us elsewhere (${status}): configure where it really is`);
      if (status >= 500) throw new Unanswered(`${name} answered ${status} to ${method}`);
      const most = method === 'getProgramAccounts' ? MAX_LISTING : MAX_ANSWER;
      return jsonIn(await readBody(response, most), method);
    } catch (error) {
      if (error instanceof ChainUnavailable) throw error;
      if (error instanceof BodyTooLong) throw new AnswerTooLong(`${name}: ${error.message} to ${method}`);
      // The cause may quote the URL, which may hold a key: only its class is passed on.
      if (signal.aborted) throw new Unanswered(`${name}: no answer in ${timeoutMs} ms to ${method}`);
      throw new ChainUnavailable(`${name}: no usable answer to ${method}`);
    }
  }

  return {
    name,
    async call<T>(method: string, params: unknown[]): Promise<T> {
      const body = await post(method, params);
      if (body === null || typeof body !== 'object') throw new Refused(`${name}: not a JSON-RPC answer to ${method}`);
      if (body.error) throw errorOf(name, body.error);
      if (body.result === undefined) throw new Refused(`${name}: not a JSON-RPC answer to ${method}`);
      return body.result as T;
    },
  };
}

/** Of Retry-After; 0 where it has a date, or nothing. */
function secondsIn(header: string | null): number {
  return header !== null && /^\d{1,9}$/.test(header.trim()) ? Number(header) : 0;
}

/** As nodes and gateways in front of them say inside of an answer with status 200 that they are called too often. */
const THROTTLING_CODES: ReadonlySet<number> = new Set([429, -32429]);
/** Errors whose text repeats what the call had in it, so that a client could write it. */
const ABOUT_THE_CALL: ReadonlySet<number> = new Set([-32002, -32003, -32602]);
const THROTTLING = /rate limit|request limit|too many requests/i;
/** Characters of what a node says that are passed on, to clients and into the log. */
const MOST_SAID = 1_000;

function errorOf(name: string, { code, message: said, data }: NonNullable<RpcResponse['error']>): Error {
  const message = String(said).slice(0, MOST_SAID);
  if (THROTTLING_CODES.has(code) || (!ABOUT_THE_CALL.has(code) && THROTTLING.test(message))) {
    return new Throttled(`${name} is throttling us: ${message.slice(0, 200)}`, 0);
  }
  if (code === NODE_UNHEALTHY) return new ChainUnavailable(`${name}: ${message}`, `The chain’s node says: ${message}`);
  return new RpcError(code, message, data);
}

/**
 * Asks something about the chain; `read` takes what is needed out of the result.
 * @throws ChainUnavailable; Refused if the node refuses to answer, or if `read` throws.
 */
export async function ask<R, T>(
  rpc: Rpc,
  method: string,
  params: unknown[],
  read: (result: R) => T | Promise<T>,
): Promise<T> {
  try {
    return await read(await rpc.call<R>(method, params));
  } catch (error) {
    if (error instanceof ChainUnavailable) throw error;
    if (!(error instanceof RpcError)) throw new Refused(`${rpc.name}: not a usable answer to ${method}`);
    throw new Refused(`${rpc.name}: refused: ${error.message} to ${method}`, error.code);
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

/** Whether an RPC refused a transaction because it was executed before. */
export function isAlreadyProcessed(error: unknown): boolean {
  if (!(error instanceof RpcError)) return false;
  return (
    (error.data as { err?: unknown } | undefined)?.err === 'AlreadyProcessed' ||
    /already been processed/i.test(error.message)
  );
}
