import { useSyncExternalStore } from 'react';
import { untilLost } from '../lib/patience.js';

/** What the page knows of its login: the session itself stands in a cookie that no script can read. */
export interface Session {
  /** Of the admin who has logged in. */
  name: string;
  expiresAt: string;
  /** Shown with every act, to say that it comes from this page. */
  proof: string;
  /** The service knows it no longer. What was typed and shown in it waits for the next one. */
  isOver?: boolean;
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

/** A call in the session; what the service says without one ends it here. */
async function callInSession<T>(method: string, path: string, body?: unknown): Promise<T> {
  if (session?.isOver) throw new AdminError('The session is over: log in again', 401, undefined);
  try {
    const proof: Record<string, string> = method === 'GET' ? {} : { 'x-slipway-csrf': session?.proof ?? '' };
    return await call<T>(method, path, proof, body);
  } catch (error) {
    if (error instanceof AdminError && error.status === 401) set(session ? { ...session, isOver: true } : null);
    throw error;
  }
}

export const read = <T>(path: string): Promise<T> => callInSession<T>('GET', path);

/** Does what changes something. Where another tab has logged in anew since, it is done in that session, if it is the same admin's. */
export async function act<T>(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<T> {
  const asked = session;
  try {
    return await callInSession<T>(method, path, body);
  } catch (error) {
    if (!(error instanceof AdminError && error.status === 403)) throw error;
    const now = await read<Session>('/session');
    if (now.proof === asked?.proof) throw error;
    set(now);
    if (now.name === asked?.name) return callInSession<T>(method, path, body);
    const message = `Nothing was done: another tab has logged in as ${now.name}. Do it again to do it as ${now.name}`;
    throw new AdminError(message, 403, undefined);
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
export async function signIn(token: string): Promise<Session> {
  const begun = await call<Session>('POST', '/session', { authorization: `Bearer ${token}` });
  set(begun);
  return begun;
}

export async function signOut(): Promise<void> {
  await act('DELETE', '/session');
  set(null);
}
