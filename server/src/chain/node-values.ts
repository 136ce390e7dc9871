const MOST_DIGITS = 20;

/**
 * The bytes of a text in base64. A node that lies may send an object in its place: of that, Node makes as many bytes as its
 * `length` says, however short the answer.
 */
export function bytesIn(text: unknown): Buffer {
  if (typeof text !== 'string') throw new TypeError('no base64');
  return Buffer.from(text, 'base64');
}

/** A whole number. `BigInt` also reads a text, of however many digits, and takes an empty list for 0. */
export function wholeIn(value: unknown): bigint {
  if (typeof value !== 'number' && typeof value !== 'bigint') throw new TypeError('no number');
  return BigInt(value);
}

/** An amount of tokens, which nodes write as text. */
export function amountIn(text: unknown): bigint {
  if (typeof text !== 'string' || text.length > MOST_DIGITS || !/^\d+$/.test(text)) throw new TypeError('no amount');
  return BigInt(text);
}
