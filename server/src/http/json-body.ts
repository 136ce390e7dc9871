import type { FastifyInstance } from 'fastify';
import { AppError } from '../errors/index.js';
import { whyTooManyPieces } from '../lib/json-pieces.js';

/** Bytes of a request body where a route does not set its own `bodyLimit`. */
export const BODY_LIMIT = 16 * 1024;

type Done = (error: Error | null, body?: unknown) => void;

/** NUL, and half of a surrogate pair: PostgreSQL stores neither. */
const UNSTORABLE = /\0|\p{Cs}/u;

/** Takes JSON bodies, and no other content type. */
export function acceptJsonOnly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const json = body as string;
    // Some clients always send the header, even with the empty body of a route that takes none.
    if (json === '') done(null, undefined);
    else {
      const expected = whyTooManyPieces(json);
      if (expected !== undefined) done(refusal(expected));
      else parse(request, json, checkText(json, done));
    }
  });
}

/** Passes a parsed body on, unless a text in it could not be stored. Such characters can only come in as escapes. */
function checkText(json: string, done: Done): Done {
  if (!json.includes('\\u')) return done;
  return (error, body) => {
    if (error || !holdsUnstorable(body)) done(error, body);
    else done(refusal('text without NUL characters and half surrogate pairs'));
  };
}

function holdsUnstorable(value: unknown): boolean {
  if (typeof value === 'string') return UNSTORABLE.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, member]) => UNSTORABLE.test(key) || holdsUnstorable(member));
}

function refusal(expected: string): AppError {
  return new AppError('INVALID_REQUEST', { message: `body: expected ${expected}` });
}
