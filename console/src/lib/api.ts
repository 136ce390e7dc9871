import { type Client, createClient, type Signer } from '@slipway/client';
import { API_KEY } from './key.js';
import { patientFetch } from './patience.js';

export const SERVICE = location.origin;

/** One request, as "How was this done?" shows it. */
export interface Call {
  method: string;
  path: string;
  body?: string | undefined;
  status?: number;
  milliseconds?: number;
  authorized: boolean;
}

const KEPT = 12;

/** The requests of a screen, the newest last. A repeated one takes the place of the one before. */
export class Recorder {
  #calls: readonly Call[] = [];
  readonly #listeners = new Set<() => void>();

  readonly list = (): readonly Call[] => this.#calls;
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly fetch: typeof fetch = async (input, init) => {
    const { pathname, search } = new URL(String(input));
    const call: Call = {
      method: init?.method ?? 'GET',
      path: pathname + search,
      body: typeof init?.body === 'string' ? init.body : undefined,
      authorized: new Headers(init?.headers).has('authorization'),
    };
    const begin = performance.now();
    const response = await patientFetch(input, init);
    const ended = { ...call, status: response.status, milliseconds: Math.round(performance.now() - begin) };
    const others = this.#calls.filter(({ method, path }) => method !== call.method || withoutQuery(path) !== pathname);
    this.#calls = [...others, ended].slice(-KEPT);
    for (const listener of this.#listeners) listener();
    return response;
  };
}

const withoutQuery = (path: string): string => path.split('?')[0]!;

/** A client of this service; one for a `signer` and a chain signs. */
export function clientFor(options: { recorder?: Recorder; signer?: Signer; rpcUrl?: string } = {}): Client {
  const { recorder, ...rest } = options;
  return createClient({
    url: SERVICE,
    apiKey: API_KEY,
    sandbox: true,
    fetch: recorder?.fetch ?? patientFetch,
    ...rest,
  });
}

/** The request as a line for a terminal. */
export function curlOf({ method, path, body, authorized }: Call): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(`${SERVICE}${path}`)}`,
    `-H 'x-api-key: ${API_KEY}'`,
    ...(authorized ? ["-H 'authorization: Bearer <token of the login>'"] : []),
    ...(body === undefined ? [] : ["-H 'content-type: application/json'", `-d ${quoted(body)}`]),
  ].join(' \\\n  ');
}
