import { useSyncExternalStore } from 'react';
import { untilLost } from '../lib/patience.js';

/** What the page knows of its login: the session itself stands in a cookie that no script can read. */
export interface Session {
  expiresAt: string;
  /** Shown with every act, to say that it comes from this page. */
  proof: string;
}

export class AdminError extends Error {
  override readonly name = 'AdminError';
  constructor(
    message: string,
    readonly status: number,
    readonly requestId: string | undefined,
  ) {
    super(message);
  }
}

/** `undefined` until the service has been asked. */
let session: Session | null | undefined;
const listeners = new Set<() => void>();
function set(next: Session | null): void {
  session = next;
  for (const listener of listeners) listener();
}

export function useSession(): Session | null | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => session,
  );
}

const BASE = '/admin/v1';
const REQUEST_ID = 'x-api-gateway-request-id';

async function call<T>(method: string, path: string, headers: Record<string, string>, body?: unknown): Promise<T> {
  let response: Response;
  try {
    response = await fetch(`${BASE}${path}`, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(method === 'GET' && { signal: untilLost() }),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  } catch {
    throw new AdminError('The service does not answer: is it running?', 0, undefined);
  }
  const answer = (await response.json().catch(() => ({}))) as { error?: string; message?: string };
  if (response.ok) return answer as T;
  const message = answer.message ?? answer.error ?? `the service answered ${response.status}`;
  throw new AdminError(message, response.status, response.headers.get(REQUEST_ID) ?? undefined);
}

/** Reads; what the service says without a session ends it here. */
export async function read<T>(path: string): Promise<T> {
  try {
    return await call<T>('GET', path, {});
  } catch (error) {
    if (error instanceof AdminError && error.status === 401) set(null);
    throw error;
  }
}

/** Does what changes something. */
export async function act<T>(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<T> {
  try {
    return await call<T>(method, path, { 'x-slipway-csrf': session?.proof ?? '' }, body);
  } catch (error) {
    if (error instanceof AdminError && error.status === 401) set(null);
    throw error;
  }
}

/** Whether this browser has a session already. */
export async function resume(): Promise<void> {
  try {
    set(await call<Session>('GET', '/session', {}));
  } catch (error) {
    if (error instanceof AdminError && error.status !== 0) set(null);
    else throw error;
  }
}

/** Exchanges the admin token, which is kept nowhere. @throws AdminError */
export async function signIn(token: string): Promise<void> {
  set(await call<Session>('POST', '/session', { authorization: `Bearer ${token}` }));
}

export async function signOut(): Promise<void> {
  await act('DELETE', '/session');
  set(null);
}
