import type { FastifyInstance } from 'fastify';
import { AppError } from '../errors/index.js';

/** Bytes of a request body where a route does not set its own `bodyLimit`. */
export const BODY_LIMIT = 16 * 1024;
/** How many arrays and objects of a JSON body may stand in each other. No body of the API has more than four. */
export const MAX_NESTING = 16;
/** How many arrays, objects and commas: of 256 KiB of tiny objects, parsing takes as long as of many times as much text. */
export const MAX_PIECES = 4_000;

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
      const refused = refusalOf(json);
      if (refused) done(refused);
      else parse(request, json, checkText(json, done));
    }
  });
}

/** Counts brackets and commas outside of strings, which takes a hundredth of the time that parsing such JSON takes. */
function refusalOf(json: string): AppError | undefined {
  let depth = 0;
  let pieces = 0;
  let inString = false;
  for (let index = 0; index < json.length; index++) {
    const character = json.charCodeAt(index);
    if (character === 0x22 /* " */) inString = !inString;
    else if (inString) index += character === 0x5c /* \ */ ? 1 : 0;
    else if (character === 0x5b /* [ */ || character === 0x7b /* { */) {
      depth += 1;
      pieces += 1;
      if (depth > MAX_NESTING) return refusal(`JSON that is nested at most ${MAX_NESTING} levels deep`);
    } else if (character === 0x2c /* , */) pieces += 1;
    else if (character === 0x5d /* ] */ || character === 0x7d /* } */) depth -= 1;
    if (pieces > MAX_PIECES) return refusal(`JSON of at most ${MAX_PIECES} pieces`);
  }
  return undefined;
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
