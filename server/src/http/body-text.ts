import { AppError } from '../errors/index.js';

type Done = (error: Error | null, body?: unknown) => void;

/** NUL, and half of a surrogate pair: PostgreSQL stores neither. */
const UNSTORABLE = /\0|\p{Cs}/u;

/** Passes a parsed body on, unless a text in it could not be stored. Such characters can only come in as escapes. */
export function checkText(json: string, done: Done): Done {
  if (!json.includes('\\u')) return done;
  return (error, body) => {
    if (error || !holdsUnstorable(body)) return done(error, body);
    done(
      new AppError('INVALID_REQUEST', {
        message: 'body: expected text without NUL characters and half surrogate pairs',
      }),
    );
  };
}

/** Iterative, because a body may be nested as deeply as it is long. */
function holdsUnstorable(body: unknown): boolean {
  const pending: unknown[] = [body];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === 'string') {
      if (UNSTORABLE.test(value)) return true;
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) pending.push(key, member);
    }
  }
  return false;
}
