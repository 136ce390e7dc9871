import type { paths } from './api-types.js';
import { errorOf, SlipwayError } from './errors.js';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
/** The paths that have this method. */
export type PathOf<M extends Method> = {
  [Path in keyof paths]: paths[Path][M] extends object ? Path : never;
}[keyof paths];
type OperationOf<M extends Method, P extends PathOf<M>> = NonNullable<paths[P][M]>;

/** What the operation answers with 200. */
export type Answer<M extends Method, P extends PathOf<M>> =
  OperationOf<M, P> extends { responses: { 200: { content: { 'application/json': infer Body } } } } ? Body : unknown;

type Part<T, Name extends string, Key extends string> = T extends { [N in Key]: infer V }
  ? [V] extends [never]
    ? object
    : { [N in Name]: V }
  : T extends { [N in Key]?: infer V }
    ? [Exclude<V, undefined>] extends [never]
      ? object
      : { [N in Name]?: V }
    : object;
type Body<T> = T extends { requestBody: { content: { 'application/json': infer B } } }
  ? { body: B }
  : T extends { requestBody: { content: { 'multipart/form-data': unknown } } }
    ? { form: FormData }
    : T extends { requestBody?: { content: { 'application/json': infer B } } }
      ? { body?: B }
      : object;
type Asked<T> = T extends { parameters: infer P }
  ? Part<P, 'query', 'query'> & Part<P, 'path', 'path'> & Body<T>
  : Body<T>;

export interface CallOptions {
  signal?: AbortSignal | undefined;
}

interface CallExtras extends CallOptions {
  /** The login token of a wallet, for what its vault is asked. */
  token?: string | undefined;
  /** Asking twice is as good as asking once: always so for a GET, and for the execution of the same signed bytes. */
  repeatable?: boolean | undefined;
}

type Arguments<T> = object extends Asked<T> ? [asked?: Asked<T> & CallExtras] : [asked: Asked<T> & CallExtras];

/** Each operation of the API document, typed by it. */
export interface Api {
  get<P extends PathOf<'get'>>(path: P, ...args: Arguments<OperationOf<'get', P>>): Promise<Answer<'get', P>>;
  post<P extends PathOf<'post'>>(path: P, ...args: Arguments<OperationOf<'post', P>>): Promise<Answer<'post', P>>;
  put<P extends PathOf<'put'>>(path: P, ...args: Arguments<OperationOf<'put', P>>): Promise<Answer<'put', P>>;
  patch<P extends PathOf<'patch'>>(path: P, ...args: Arguments<OperationOf<'patch', P>>): Promise<Answer<'patch', P>>;
  delete<P extends PathOf<'delete'>>(
    path: P,
    ...args: Arguments<OperationOf<'delete', P>>
  ): Promise<Answer<'delete', P>>;
}

export interface ApiOptions {
  /** Where the service is, such as `http://127.0.0.1:8080`. */
  url: string;
  apiKey?: string | undefined;
  /** In place of the global one. */
  fetch?: typeof fetch | undefined;
  /** How often a call that may be repeated is made at most; 4 by default. */
  attempts?: number | undefined;
  /** Told why a call has failed that is made again, and in how many ms: up to 30 s where the operator has stopped the service. */
  onRetry?: ((error: SlipwayError, pauseMs: number) => void) | undefined;
  /** The longest answer that is read, in bytes: 16 MiB by default. */
  maxAnswerBytes?: number | undefined;
}

interface Request extends CallExtras {
  headers?: Record<string, string>;
  query?: Record<string, unknown>;
  path?: Record<string, unknown>;
  body?: unknown;
  form?: FormData;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;
/** What a timer takes at most: it ends at once for more. */
const LONGEST_SLEEP_MS = 2 ** 31 - 1;
const MOST_ANSWER_BYTES = 16 * 1024 * 1024;

/** The typed calls, without anything on top of them. */
export function createApi(options: ApiOptions): Api {
  const on =
    (method: Method) =>
    (path: string, asked: Request = {}) =>
      call(options, method, path, asked);
  const api = { get: on('get'), post: on('post'), put: on('put'), patch: on('patch'), delete: on('delete') };
  return api as unknown as Api;
}

async function call(options: ApiOptions, method: Method, path: string, asked: Request): Promise<unknown> {
  const most = asked.repeatable === true || method === 'get' ? (options.attempts ?? 4) : 1;
  // Of a POST that may have been heard. Where it is refused later because there were too many calls, it may have been all the same.
  let lost: SlipwayError | undefined;
  for (let attempt = 1; ; attempt++) {
    try {
      return await once(options, method, path, asked);
    } catch (error) {
      if (!(error instanceof SlipwayError)) throw error;
      if (!error.retryable) {
        // Who is refused now, for a login that has ended for instance, may have been heard before.
        if (lost) error.cause ??= lost;
        throw error;
      }
      if (method !== 'get' && error.status !== 429 && error.status !== 400) lost = error;
      const pause = error.retryAfterMs ?? pauseAfter(attempt);
      if (attempt >= most || pause > LONGEST_PAUSE_MS) throw lost ?? error;
      options.onRetry?.(error, pause);
      await sleep(pause, asked.signal);
    }
  }
}

/** How long to wait, in ms, after so many failures in a row. */
export function pauseAfter(failures: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS) * (0.5 + Math.random());
}

async function once(options: ApiOptions, method: Method, path: string, asked: Request) {
  const response = await send(options, method, path, asked);
  const answer = await answerOf(response, options, asked);
  if (!response.ok) throw errorOf(response, answer);
  if (answer === undefined)
    throw new SlipwayError('not_slipway', `${options.url} answered with something else than JSON`);
  return answer;
}

/** Asks for a stream, which the service goes on writing. */
export type OpenStream = (path: string, asked: Request) => Promise<ReadableStream<Uint8Array>>;

export function createOpenStream(options: ApiOptions): OpenStream {
  return async (path, asked) => {
    const response = await send(options, 'get', path, asked);
    const { ok, body, headers } = response;
    if (!ok) throw errorOf(response, await answerOf(response, options, asked));
    if (body && headers.get('content-type')?.startsWith('text/event-stream')) return body;
    throw new SlipwayError('not_slipway', `${options.url} answered with something else than a stream`);
  };
}

async function answerOf(response: Response, options: ApiOptions, asked: Request): Promise<unknown> {
  return parsed(
    await readText(response, options.maxAnswerBytes).catch((cause: unknown) => lost(options, asked, cause)),
  );
}

/**
 * The whole body as text. A few kilobytes can unpack to more than a process holds, which would end it.
 * @throws SlipwayError not_slipway for one that is longer than `most` bytes, of which no more is read
 */
export async function readText(response: Response, most = MOST_ANSWER_BYTES): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return response.text();
  const decoder = new TextDecoder();
  let [bytes, text] = [0, ''];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.length;
    if (bytes > most) {
      reader.cancel().catch(() => {});
      throw new SlipwayError('not_slipway', `an answer has more than ${most} bytes (maxAnswerBytes)`);
    }
    text += decoder.decode(value, { stream: true });
  }
}

function lost({ url }: ApiOptions, { signal }: Request, cause: unknown): never {
  signal?.throwIfAborted();
  if (cause instanceof SlipwayError) throw cause;
  throw new SlipwayError('network', `no answer from ${url}`, { retryable: true, cause });
}

async function send(options: ApiOptions, method: Method, path: string, asked: Request): Promise<Response> {
  const { url, apiKey } = options;
  const { signal, token, body, form } = asked;
  const headers: Record<string, string> = {
    ...asked.headers,
    ...(apiKey !== undefined && { 'x-api-key': apiKey }),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  const sent = body === undefined ? form : JSON.stringify(body, bigintsAsText);
  const doFetch = options.fetch ?? fetch;
  try {
    return await doFetch(`${url.replace(/\/+$/, '')}${filled(path, asked)}`, {
      method: method.toUpperCase(),
      headers,
      // A redirect to another host would take the key along.
      redirect: 'error',
      ...(sent !== undefined && { body: sent }),
      ...(signal && { signal }),
    });
  } catch (cause) {
    return lost(options, asked, cause);
  }
}

function filled(path: string, { path: values = {}, query = {} }: Request): string {
  const place = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? place : `${place}?${text}`;
}

const bigintsAsText = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : value);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Waits, and rejects with the signal's reason if that comes first. */
export function sleep(ms: number, signal?: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      },
      Math.min(ms, LONGEST_SLEEP_MS),
    );
    signal?.addEventListener('abort', stop, { once: true });
  });
}
