import { SlipwayError } from './errors.js';

/** Turns what a check throws into a refusal. */
export function refusing<T>(check: () => T): T {
  try {
    return check();
  } catch (cause) {
    if (cause instanceof SlipwayError || !(cause instanceof Error)) throw cause;
    throw refusal(cause.message, cause);
  }
}

/** @throws SlipwayError refused_to_sign */
export function expect(truth: unknown, what: string): asserts truth {
  if (!truth) throw refusal(what);
}

function refusal(what: string, cause?: Error): SlipwayError {
  const message = `not signed, because the transaction is not what was asked: ${what}`;
  return new SlipwayError('refused_to_sign', message, { cause });
}
