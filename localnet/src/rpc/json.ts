/**
 * JSON whose integers may go beyond 2^53, as the u64 fields of Solana's JSON-RPC do. They come in and go out as plain
 * JSON integers: `number` inside where that is exact, `bigint` elsewhere.
 */

const MANY_DIGITS = /\d{16}/;
/** A string (skipped over), or a number token. A string without an end is one, too: otherwise each quote in it began another. */
const STRING_OR_NUMBER = /"[^"\\]*(?:\\[\s\S]?[^"\\]*)*(?:"|$)|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const INTEGER = /^-?(?:0|[1-9]\d*)$/;
/** Stands for a big integer between the two steps of `parseJson`; no client has a reason to send such a key. */
const BIG = '\u0000big';

/** Parses JSON text; integers outside of the safe range become bigints. Throws SyntaxError for anything that is no JSON. */
export function parseJson(text: string): unknown {
  if (!MANY_DIGITS.test(text)) return JSON.parse(text);
  const marked = text.replace(STRING_OR_NUMBER, (token) =>
    INTEGER.test(token) && !Number.isSafeInteger(Number(token)) ? `{${JSON.stringify(BIG)}:"${token}"}` : token,
  );
  return JSON.parse(marked, (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null || !(BIG in value)) return value;
    return typeof value[BIG] === 'string' && INTEGER.test(value[BIG]) ? BigInt(value[BIG]) : value;
  });
}

/** JSON text of a plain value; bigints are written as integers, properties that are undefined are left out. */
export function stringifyJson(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(stringifyJson).join(',')}]`;
  const members: string[] = [];
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${stringifyJson(member)}`);
  }
  return `{${members.join(',')}}`;
}

/** The integer as `number` where that is exact, else as it is. */
export function integer(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
