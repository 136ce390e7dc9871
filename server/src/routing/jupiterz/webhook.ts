import type { Clock } from '../../lib/clock.js';

/** A market maker's webhook, as it is registered. */
export interface MakerEndpoint {
  id: string;
  name: string;
  /** http or https; a password in it is the maker's API key. */
  url: string;
}

/** No usable answer. The message is for the log: it names the host, never the URL. */
export class WebhookFailure extends Error {
  override readonly name = 'WebhookFailure';
  constructor(
    /** `unreachable`: the question has not left. Otherwise it may have been heard. */
    readonly kind: 'unreachable' | 'timeout' | 'nonsense',
    message: string,
  ) {
    super(message);
  }
}

export interface WebhookAnswer {
  status: number;
  /** Undefined where the answer is not JSON. */
  body: unknown;
}

export interface WebhookCall {
  path: '/quote' | '/swap' | '/tokens';
  /** Posted as JSON; without it the path is read. */
  body?: object;
  timeoutMs: number;
  signal?: AbortSignal;
}

/** Bytes; a list of tokens is the longest answer. */
const MAX_ANSWER = 1 << 20;
const NOT_SENT: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH']);

/**
 * One call of the public RFQ webhook protocol. Redirects are not followed.
 * @throws WebhookFailure
 */
export async function callWebhook({ url }: MakerEndpoint, call: WebhookCall, clock: Clock): Promise<WebhookAnswer> {
  const { target, headers } = readTarget(url, call.path);
  headers['x-request-start'] = String(clock.now());
  headers['x-request-timeout'] = String(call.timeoutMs);
  if (call.body !== undefined) headers['content-type'] = 'application/json';
  const timeout = AbortSignal.timeout(call.timeoutMs);
  try {
    const response = await fetch(target, {
      method: call.body === undefined ? 'GET' : 'POST',
      headers,
      ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
      signal: call.signal ? AbortSignal.any([call.signal, timeout]) : timeout,
      redirect: 'error',
    });
    return { status: response.status, body: parse(await readText(response)) };
  } catch (error) {
    if (error instanceof WebhookFailure) throw error;
    const { name, cause } = error as { name?: string; cause?: { code?: unknown } };
    if (name === 'TimeoutError' || name === 'AbortError') {
      throw new WebhookFailure('timeout', `${target.host} did not answer ${call.path} in time`);
    }
    const kind = NOT_SENT.has(cause?.code) ? 'unreachable' : 'nonsense';
    throw new WebhookFailure(kind, `${target.host} gave no answer to ${call.path} (${String(cause?.code ?? name)})`);
  }
}

function readTarget(url: string, path: string): { target: URL; headers: Record<string, string> } {
  const target = URL.canParse(url) ? new URL(url) : undefined;
  if (target?.protocol !== 'http:' && target?.protocol !== 'https:') {
    throw new WebhookFailure('unreachable', 'the URL of the market maker is not http or https');
  }
  const headers: Record<string, string> = {};
  // fetch refuses credentials inside of a URL.
  if (target.password !== '') headers['x-api-key'] = decodeURIComponent(target.password);
  target.username = '';
  target.password = '';
  target.pathname = target.pathname.replace(/\/$/, '') + path;
  return { target, headers };
}

async function readText(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > MAX_ANSWER) throw new WebhookFailure('nonsense', 'the answer is too long');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
