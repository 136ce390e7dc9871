import { createHttpPost, type HttpAnswer, type HttpPost } from '../../lib/http-post.js';
import { BodyTooLong, readBody } from '../../lib/read-body.js';

/** More than any answer that is waited for. */
const MOST_BYTES = 64 * 1024;

export interface Outgoing extends Pick<HttpPost, 'method' | 'headers'> {
  url: URL;
  body?: string;
  /** For all of it, from the first connection to the last byte. */
  timeoutMs: number;
}

export interface Incoming extends Pick<HttpAnswer, 'status' | 'headers'> {
  body: string;
}

/** There was no answer. The message is what the network says of it, or that it took too long. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** @throws NoAnswer */
export type Exchange = (outgoing: Outgoing) => Promise<Incoming>;

/** Sends requests to their URL, and nowhere else: no redirect is followed, and no proxy used. */
export function createExchange(): Exchange {
  // Whoever is in the place of AWS KMS is told the seed.
  const send = createHttpPost(undefined, { isVerified: true });
  return async ({ url, body = '', timeoutMs, ...rest }) => {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timeoutMs);
    try {
      const answer = await send(url, { ...rest, body, signal: late.signal });
      return { status: answer.status, headers: answer.headers, body: await readBody(answer, MOST_BYTES) };
    } catch (error) {
      if (late.signal.aborted) throw new NoAnswer('no answer in time');
      if (error instanceof BodyTooLong) throw new NoAnswer('its answer is too long');
      throw new NoAnswer((error as NodeJS.ErrnoException).code ?? 'the connection was lost');
    } finally {
      clearTimeout(timer);
    }
  };
}
