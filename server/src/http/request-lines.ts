import type { FastifyInstance, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** What the answer says of what happened, for the line in the terminal; empty if it says nothing. */
    outcome: string;
  }
}

/** Takes a line of text for the terminal, about the request with the id. */
export type PrintRequest = (line: string, requestId: string) => void;

const LONGEST_BODY = 64 * 1024;
const LONGEST_PATH = 100;
const LONGEST_OUTCOME = 200;

/**
 * Prints a line for each request of an API route: method, path, status, duration and, where the answer says it, what
 * happened. A query never appears, because of what it may hold. Call it before the first route.
 */
export function printRequests(app: FastifyInstance, print: PrintRequest): void {
  app.decorateRequest('outcome', '');
  app.addHook('onSend', (request, reply, payload, done) => {
    if (typeof payload === 'string' && payload.length <= LONGEST_BODY)
      request.outcome = outcomeOf(reply.statusCode, payload);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    if (isShown(request)) {
      const path = printable(request.url.split('?', 1)[0]!, LONGEST_PATH);
      const line = `${request.method} ${path} ${reply.statusCode} ${Math.round(reply.elapsedTime)} ms`;
      print(request.outcome === '' ? line : `${line}  ${request.outcome}`, request.id);
    }
    done();
  });
}

/** The page's own files and the checks of machines are no news. */
function isShown({ routeOptions }: FastifyRequest): boolean {
  const { hide, tags } = routeOptions.schema ?? {};
  return hide !== true && !routeOptions.config?.isWatched && !tags?.includes('Operations');
}

function outcomeOf(status: number, payload: string): string {
  if (!payload.startsWith('{')) return '';
  let body: Record<string, unknown>;
  try {
    body = JSON.parse(payload) as Record<string, unknown>;
  } catch {
    return '';
  }
  const told =
    status < 400
      ? [body.status, body.errorMessage ?? body.error, body.signature]
      : [
          body.error ?? body.message,
          body.cause,
          ...Object.entries(body.details ?? {}).map((entry) => entry.join(': ')),
        ];
  const words = told.filter((word): word is string => typeof word === 'string' && word !== '');
  return printable(words.join('  '), LONGEST_OUTCOME);
}

/** Clients choose paths, and errors repeat them: nothing of that may steer a terminal. */
function printable(text: string, longest: number): string {
  const clean = text.replace(/[^\x20-\x7e]/g, '?');
  return clean.length > longest ? `${clean.slice(0, longest - 3)}...` : clean;
}
