import * as plain from 'node:http';
import * as secure from 'node:https';
import type { LookupFunction } from 'node:net';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';

export interface HttpPost {
  /** Another one than POST. */
  method?: 'GET' | 'PUT' | 'DELETE';
  headers: Record<string, string>;
  body: string;
  /** Ends the request, and the reading of its answer. */
  signal: AbortSignal;
}

/** The part of a `Response` that is used. */
export interface HttpAnswer {
  status: number;
  headers: { get(name: string): string | null };
  body: AsyncIterable<Uint8Array> | null;
}

/** As servers close idle connections after five seconds, and a call on one that is just closing fails. */
const IDLE_MS = 4_000;

/**
 * Returns a function that posts on connections that stay open: `fetch` takes three times as much of the processor for
 * it. Redirects are not followed: they are answers like others. `lookup` finds the addresses of host names. With `isAlone` each
 * is on a connection of its own. With `isVerified` a certificate must be trusted, whatever the environment allows others. `idleMs`:
 * how long a connection stays open for the next; for tests.
 */
export function createHttpPost(
  lookup?: LookupFunction,
  { isAlone = false, isVerified = false, idleMs = IDLE_MS } = {},
): (target: URL, post: HttpPost) => Promise<HttpAnswer> {
  const agents = { keepAlive: true, timeout: idleMs };
  const ways = {
    'http:': { request: plain.request, agent: isAlone ? false : new plain.Agent(agents) },
    'https:': { request: secure.request, agent: isAlone ? false : new secure.Agent(agents) },
  } as const;
  return async (target, { method = 'POST', headers, body, signal }) => {
    const { request, agent } = ways[target.protocol as keyof typeof ways];
    const sent = request(target, {
      method,
      agent,
      signal,
      ...(lookup && { lookup }),
      ...(isVerified && { rejectUnauthorized: true }),
      headers: {
        ...headers,
        'accept-encoding': 'gzip',
        ...(method !== 'GET' && { 'content-length': Buffer.byteLength(body) }),
      },
    });
    sent.end(method === 'GET' ? undefined : body);
    const answer = await answerTo(sent);
    return { status: answer.statusCode!, headers: { get: (name) => headerOf(answer, name) }, body: unpacked(answer) };
  };
}

/** Settles whatever comes back: a request that has ended in another way than by an answer must not be waited for. */
function answerTo(sent: plain.ClientRequest): Promise<plain.IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.once('response', resolve);
    sent.once('upgrade', (_, socket) => {
      socket.destroy();
      reject(new Error('switched to another protocol'));
    });
    sent.once('close', () => reject(new Error('closed without an answer')));
    // What breaks off after the answer has begun shows where the body is read.
    sent.on('error', reject);
  });
}

function headerOf({ headers }: plain.IncomingMessage, name: string): string | null {
  const value = headers[name];
  return typeof value === 'string' ? value : null;
}

function unpacked(answer: plain.IncomingMessage): AsyncIterable<Uint8Array> {
  if (answer.headers['content-encoding'] !== 'gzip') return answer;
  const unpacking = createGunzip();
  // Of an answer that is given up before anybody reads it, the pipeline no longer hears how unpacking it ends.
  unpacking.on('error', () => {});
  return pipeline(answer, unpacking, () => {});
}
