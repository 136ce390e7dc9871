import { BodyTooLong, readBody } from './read-body.js';

/** No usable answer. Clients may read the message: it names neither the host nor more of the path than its end. */
export class CallFailure extends Error {
  override readonly name = 'CallFailure';
  constructor(
    /** `unreachable`: the request was not sent. Otherwise it may have been received. */
    readonly kind: 'unreachable' | 'timeout' | 'nonsense',
    message: string,
  ) {
    super(message);
  }
}

export interface JsonAnswer {
  status: number;
  /** Undefined if the answer is not JSON. */
  body: unknown;
}

interface JsonCall {
  headers?: Record<string, string>;
  /** Posted as JSON; without it, a GET request is sent. */
  body?: object;
  timeoutMs: number;
  signal?: AbortSignal;
  /** Bytes of the answer: to parse a megabyte of tiny pieces takes a tenth of a second and more, in which nothing else runs. */
  most: number;
}

const NOT_SENT: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH']);

/**
 * Calls a third-party HTTP API. Redirects are not followed, and a longer answer than expected is a failure.
 * @throws CallFailure
 */
export async function callJson(target: URL, call: JsonCall): Promise<JsonAnswer> {
  const { headers = {}, body, timeoutMs, signal, most } = call;
  const timeout = AbortSignal.timeout(timeoutMs);
  // A key may stand before it.
  const path = `/${target.pathname.split('/').at(-1)}`;
  try {
    const response = await fetch(target, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      redirect: 'error',
    });
    return { status: response.status, body: parse(await readBody(response, most)) };
  } catch (error) {
    if (error instanceof BodyTooLong) throw new CallFailure('nonsense', `${error.message} to ${path}`);
    const { name, cause } = error as { name?: string; cause?: { code?: unknown } };
    if (name === 'TimeoutError' || name === 'AbortError') {
      throw new CallFailure('timeout', `did not answer ${path} in time`);
    }
    const kind = NOT_SENT.has(cause?.code) ? 'unreachable' : 'nonsense';
    throw new CallFailure(kind, `gave no answer to ${path} (${String(cause?.code ?? name)})`);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
