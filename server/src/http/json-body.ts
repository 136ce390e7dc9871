import type { FastifyInstance } from 'fastify';
import { AppError, invalidField } from '../errors/index.js';
import { whyTooManyPieces } from '../lib/json-pieces.js';

/** Bytes of a request body where a route does not set its own `bodyLimit`. */
export const BODY_LIMIT = 16 * 1024;

type Done = (error: Error | null, body?: unknown) => void;

/** NUL, and half of a surrogate pair: PostgreSQL stores neither. */
const UNSTORABLE = /\0|\p{Cs}/u;
/** What a client is told of the names that it wrote. */
const NAME = /^\w{1,64}$/;

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
    const field = error ? undefined : unstorableIn(body, '');
    if (field === undefined) done(error, body);
    else done(invalidField(field, 'expected text without NUL characters and half surrogate pairs'));
  };
}

/** The first field that could not be stored, as far as its name can be said; `path` is that of `value`. */
function unstorableIn(value: unknown, path: string): string | undefined {
  if (typeof value === 'string') return UNSTORABLE.test(value) ? path || 'body' : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const isNamed = !Array.isArray(value) && NAME.test(key);
    const found = UNSTORABLE.test(key)
      ? path || 'body'
      : unstorableIn(member, isNamed ? `${path === '' ? '' : `${path}.`}${key}` : path);
    if (found !== undefined) return found;
  }
  return undefined;
}

function refusal(expected: string): AppError {
  return new AppError('INVALID_REQUEST', { message: `body: expected ${expected}` });
}
