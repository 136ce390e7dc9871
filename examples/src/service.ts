/** The few calls that the examples make; base URL and key as `npm start` prints them, or from the environment. */
const { SLIPWAY_URL, SLIPWAY_HOST, SLIPWAY_PORT, SLIPWAY_API_KEY } = process.env;
const host = SLIPWAY_HOST || '127.0.0.1';
export const url = (SLIPWAY_URL || `http://${host.includes(':') ? `[${host}]` : host}:${SLIPWAY_PORT || 8080}`).replace(
  /\/+$/,
  '',
);
export const apiKey = SLIPWAY_API_KEY || 'sandbox';

// Whoever reads has gone, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

export interface SandboxInfo {
  rpcUrl: string;
  wsUrl: string;
  platformToken: string;
  wallets: { name: string; address: string; secretKey: string }[];
}

/** What the service says no with. */
export interface Refusal {
  status: number;
  reason: string;
}

/** GET when there is no body, else POST. Ends the example with a sentence when the service is not there or says no. */
export async function call<T extends object>(path: string, body?: object, token?: string): Promise<T> {
  const answer = await attempt<T>(path, body, token);
  if ('reason' in answer) return fail(`${path.split('?')[0]} answered ${answer.status}: ${answer.reason}`);
  return answer.body;
}

/** The same where a no is an answer, too. `token`: of a wallet's login. */
export function attempt<T extends object>(path: string, body?: object, token?: string): Promise<{ body: T } | Refusal> {
  return ask(path, {
    headers: {
      'x-api-key': apiKey,
      ...(body && { 'content-type': 'application/json' }),
      ...(token && { authorization: `Bearer ${token}` }),
    },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
}

/** Posts a form, with files in it or none. */
export function post<T extends object>(path: string, form: FormData): Promise<{ body: T } | Refusal> {
  return ask(path, { headers: { 'x-api-key': apiKey }, method: 'POST', body: form });
}

async function ask<T extends object>(path: string, request: RequestInit): Promise<{ body: T } | Refusal> {
  const response = await fetch(`${url}${path}`, request).catch(() =>
    fail(`No service answers at ${url}. Start it in another terminal (npm start), or set SLIPWAY_URL to where it is`),
  );
  const answer = (await response
    .json()
    .catch(() => fail(`Something else than Slipway answers at ${url}: set SLIPWAY_URL to where it is`))) as T & {
    message?: string;
    error?: string;
  };
  if (response.ok) return { body: answer };
  return { status: response.status, reason: answer.message ?? answer.error ?? 'no reason given' };
}

export function fail(sentence: string): never {
  console.error(sentence);
  process.exit(1);
}

export function say(label: string, value: unknown = ''): void {
  console.log(`${label.padEnd(28)} ${value}`.trimEnd());
}
