import { setTimeout as wait } from 'node:timers/promises';
import { ChainError } from './chain-error.js';

interface UpstreamRpcOptions {
  url: string;
  fetch?: typeof fetch;
  log?: (line: string) => void;
  sleep?: (ms: number) => Promise<unknown>;
}

export interface UpstreamRpc {
  /** Host and port: the only part of the URL that may appear in a message. */
  readonly host: string;
  /** The `result` of one JSON-RPC call. Amounts of lamports that a double cannot hold come as decimal strings. */
  call(method: string, params: unknown[], timeoutMs: number): Promise<unknown>;
}

/** Milliseconds before the second, third and fourth try. */
const BACK_OFF_MS = [250, 1_000, 3_000];
const LONGEST_WAIT_MS = 10_000;
/** Bytes of an answer, such as all accounts of a program. */
const MAX_ANSWER = 128 << 20;

/** JSON-RPC errors of a node that is busy or behind: the same call may succeed a moment later. */
const PASSING_ERROR_CODES = new Set([429, -32429, -32603, -32005]);

/** A try that may go better the next time. `message` holds nothing that came over the wire. */
class PassingFailure extends Error {
  readonly waitMs: number;

  constructor(message: string, waitMs = 0) {
    super(message);
    this.waitMs = waitMs;
  }
}

/**
 * A JSON-RPC client that asks again with growing pauses on 429, 5xx, time-outs, broken connections and half answers,
 * and heeds `Retry-After` up to 10 s. Rejects with a ChainError of the kind `upstream`, which names the host only.
 * Throws a ChainError of the kind `invalid` when `url` is no http(s) URL.
 */
export function createUpstreamRpc(options: UpstreamRpcOptions): UpstreamRpc {
  const { log, sleep = wait } = options;
  const url = parseUrl(options.url);
  const host = url.host;
  const secrets = secretsOf(url);
  const fail = (method: string, reason: string) =>
    new ChainError('upstream', `upstream ${host}: ${method} failed: ${reason}`);

  async function attempt(method: string, params: unknown[], timeoutMs: number): Promise<unknown> {
    const request = { jsonrpc: '2.0', id: 1, method, params };
    const response = await post(options.fetch ?? fetch, url, JSON.stringify(request), timeoutMs);
    if (response.status === 429 || response.status === 408 || response.status >= 500) {
      throw new PassingFailure(`HTTP status ${response.status}`, response.retryAfterMs);
    }
    if (response.status !== 200) throw fail(method, `HTTP status ${response.status}`);
    if (response.text === undefined) throw fail(method, `the answer has more than ${MAX_ANSWER} bytes`);
    const answer = parseAnswer(response.text);
    if (!answer.error) return answer.result;
    const { code, message } = answer.error;
    if (PASSING_ERROR_CODES.has(code)) throw new PassingFailure(`error ${code}`);
    throw fail(method, `error ${code}: ${withoutSecrets(message, secrets)}`);
  }

  async function call(method: string, params: unknown[], timeoutMs: number): Promise<unknown> {
    for (let tries = 1; ; tries++) {
      try {
        return await attempt(method, params, timeoutMs);
      } catch (error) {
        if (!(error instanceof PassingFailure)) throw error;
        const pauseMs = BACK_OFF_MS[tries - 1];
        if (pauseMs === undefined) throw fail(method, `${error.message} (${tries} tries)`);
        const waitMs = Math.min(Math.max(pauseMs, error.waitMs), LONGEST_WAIT_MS);
        log?.(`upstream ${host}: ${method}: ${error.message}, trying again in ${waitMs} ms`);
        await sleep(waitMs);
      }
    }
  }

  return { host, call };
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new ChainError('invalid', 'the URL of the upstream must start with http:// or https://');
  }
  if (url.username || url.password) {
    throw new ChainError('invalid', `the URL of the upstream ${url.host} must not hold a user name or password`);
  }
  return url;
}

async function post(
  send: typeof fetch,
  url: URL,
  body: string,
  timeoutMs: number,
): Promise<{ status: number; text: string | undefined; retryAfterMs: number }> {
  try {
    const response = await send(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      signal: AbortSignal.timeout(timeoutMs),
    });
    const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'));
    return { status: response.status, text: await readText(response), retryAfterMs };
  } catch (error) {
    throw new PassingFailure(describeNetworkError(error, timeoutMs));
  }
}

/** Undefined for more than an answer may have: then the connection is closed. */
async function readText({ body }: Response): Promise<string | undefined> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body ?? []) {
    length += part.length;
    if (length > MAX_ANSWER) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** The text of a network error may hold the URL, so only its kind is told. */
function describeNetworkError(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return 'no connection';
  if (error.name === 'TimeoutError') return `no answer within ${timeoutMs} ms`;
  const code: unknown = error.cause instanceof Error && 'code' in error.cause ? error.cause.code : undefined;
  return typeof code === 'string' && /^\w+$/.test(code) ? `no connection (${code})` : 'the connection broke';
}

/** Milliseconds; both forms of the header, seconds and a date. 0 when there is none. */
function parseRetryAfter(header: string | null): number {
  if (!header) return 0;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : 0;
}

function parseAnswer(text: string): { result?: unknown; error?: { code: number; message: string } } {
  let body: unknown;
  try {
    // Quoted before parsing, because JSON.parse rounds what a double cannot hold. In a string the quote would be escaped.
    body = JSON.parse(text.replace(/"lamports"\s*:\s*(\d{16,})/g, '"lamports":"$1"'));
  } catch {
    throw new PassingFailure('the answer is not JSON');
  }
  if (!isRecord(body)) throw new PassingFailure('the answer is not JSON-RPC');
  if (isRecord(body.error)) {
    return { error: { code: Number(body.error.code), message: String(body.error.message) } };
  }
  if (!('result' in body)) throw new PassingFailure('the answer is not JSON-RPC');
  return { result: body.result };
}

/** The parts of a URL that providers put keys in. */
function secretsOf(url: URL): string[] {
  const parts = [...url.pathname.split('/'), ...url.searchParams.values(), url.search, url.pathname];
  return parts.filter((part) => part.length >= 4).sort((a, b) => b.length - a.length);
}

function withoutSecrets(message: string, secrets: string[]): string {
  return secrets.reduce((text, secret) => text.replaceAll(secret, '***'), message).slice(0, 300);
}

/** Whether `value` is a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
