/**
 * Base58 in the Bitcoin alphabet. Keys (32 bytes) are decoded and encoded on every request, so the core works on
 * 24-bit limbs and groups of four digits: every product stays below 2^53 and plain doubles are exact.
 */
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const ZERO_DIGIT = ALPHABET.charCodeAt(0);
const DIGITS_PER_GROUP = 4;
const GROUP_BASE = 58 ** DIGITS_PER_GROUP;
const PAIR_BASE = 58 ** 2;
const BYTES_PER_LIMB = 3;
const LIMB_BASE = 2 ** 24;

const KEY_LENGTH = 32;
const KEY_MIN_TEXT = 32;
const KEY_MAX_TEXT = 44;
// 32 bytes are ten limbs and two bytes; 44 digits are eleven groups.
const KEY_LIMBS = 11;
const KEY_TOP_LIMB_MAX = 0xffff;

/** Longer texts are refused, because the cost grows with the square of the length. Enough for 4 KiB of bytes. */
const MAX_TEXT = 6000;

const DIGIT_OF_CHAR = new Int8Array(128).fill(-1);
for (let digit = 0; digit < ALPHABET.length; digit++) DIGIT_OF_CHAR[ALPHABET.charCodeAt(digit)] = digit;

const PAIRS: string[] = [];
for (const high of ALPHABET) for (const low of ALPHABET) PAIRS.push(high + low);

// Scratch space of the two key functions, which never call out while they use it.
const keyLimbs = new Float64Array(KEY_LIMBS);
const keyGroups = new Float64Array(KEY_LIMBS);

/**
 * Decodes base58 text of exactly 32 bytes into `out` at `offset`. Returns false, with `out` undefined in that range,
 * when the text is anything else. Throws RangeError when `out` has no room for 32 bytes at `offset`.
 */
export function decodeKey(text: string, out: Uint8Array, offset = 0): boolean {
  requireKeyRange(out, offset);
  if (text.length < KEY_MIN_TEXT || text.length > KEY_MAX_TEXT) return false;
  const used = toLimbs(text, keyLimbs);
  if (used < 0 || (used === KEY_LIMBS && keyLimbs[KEY_LIMBS - 1]! > KEY_TOP_LIMB_MAX)) return false;
  keyLimbs.fill(0, used);
  writeLimbs(keyLimbs, out, offset, offset + KEY_LENGTH);
  return countZeroBytes(out, offset, offset + KEY_LENGTH) === countZeroDigits(text);
}

/** Base58 of the 32 bytes at `offset`. Throws RangeError when there are fewer. */
export function encodeKey(bytes: Uint8Array, offset = 0): string {
  requireKeyRange(bytes, offset);
  const end = offset + KEY_LENGTH;
  const used = toGroups(bytes, offset, end, keyGroups);
  return textOf(keyGroups, used, countZeroBytes(bytes, offset, end));
}

/** Base58 of any number of bytes. The cost grows with the square of the length. */
export function base58Encode(bytes: Uint8Array): string {
  // Three bytes are 4.1 digits; one group for each limb and one more in sixteen is always enough.
  const limbs = Math.ceil(bytes.length / BYTES_PER_LIMB);
  const groups = new Float64Array(limbs + Math.ceil(limbs / 16) + 1);
  const used = toGroups(bytes, 0, bytes.length, groups);
  return textOf(groups, used, countZeroBytes(bytes, 0, bytes.length));
}

/** The bytes of a base58 text of up to 6000 digits; undefined when it has another character or is longer. */
export function base58Decode(text: string): Uint8Array | undefined {
  if (text.length > MAX_TEXT) return undefined;
  const limbs = new Float64Array(Math.ceil(text.length / DIGITS_PER_GROUP) + 1);
  const used = toLimbs(text, limbs);
  if (used < 0) return undefined;
  const zeros = countZeroDigits(text);
  const out = new Uint8Array(zeros + significantBytes(limbs, used));
  writeLimbs(limbs, out, zeros, out.length);
  return out;
}

function requireKeyRange(bytes: Uint8Array, offset: number): void {
  if (!(offset >= 0 && offset + KEY_LENGTH <= bytes.length)) {
    throw new RangeError(`no 32 bytes at offset ${offset} of ${bytes.length}`);
  }
}

/** Reads digits into limbs, lowest first; the number of limbs used, or -1 for a bad character or too large a value. */
function toLimbs(text: string, limbs: Float64Array): number {
  let used = 0;
  for (let start = 0, end = text.length % DIGITS_PER_GROUP || DIGITS_PER_GROUP; start < text.length; ) {
    let carry = 0;
    for (let i = start; i < end; i++) {
      const char = text.charCodeAt(i);
      const digit = char < 128 ? DIGIT_OF_CHAR[char]! : -1;
      if (digit < 0) return -1;
      carry = carry * 58 + digit;
    }
    for (let k = 0; k < used; k++) {
      const value = limbs[k]! * GROUP_BASE + carry;
      carry = Math.floor(value / LIMB_BASE);
      limbs[k] = value - carry * LIMB_BASE;
    }
    if (carry > 0) {
      if (used === limbs.length) return -1;
      limbs[used++] = carry;
    }
    start = end;
    end += DIGITS_PER_GROUP;
  }
  return used;
}

/** Reads bytes into groups of four digits, lowest first; the number of groups used. */
function toGroups(bytes: Uint8Array, from: number, to: number, groups: Float64Array): number {
  let used = 0;
  for (let start = from, end = from + ((to - from) % BYTES_PER_LIMB || BYTES_PER_LIMB); start < to; ) {
    let carry = 0;
    for (let i = start; i < end; i++) carry = (carry << 8) | bytes[i]!;
    for (let k = 0; k < used; k++) {
      const value = groups[k]! * LIMB_BASE + carry;
      carry = Math.floor(value / GROUP_BASE);
      groups[k] = value - carry * GROUP_BASE;
    }
    while (carry > 0) {
      const high = Math.floor(carry / GROUP_BASE);
      groups[used++] = carry - high * GROUP_BASE;
      carry = high;
    }
    start = end;
    end += BYTES_PER_LIMB;
  }
  return used;
}

function textOf(groups: Float64Array, used: number, zeros: number): string {
  let text = '';
  for (let k = used - 1; k >= 0; k--) {
    const high = Math.floor(groups[k]! / PAIR_BASE);
    text += PAIRS[high]! + PAIRS[groups[k]! - high * PAIR_BASE]!;
  }
  // The highest group is padded to four digits.
  const digits = text.slice(countZeroDigits(text));
  return zeros > 0 ? ALPHABET.charAt(0).repeat(zeros) + digits : digits;
}

function writeLimbs(limbs: Float64Array, out: Uint8Array, from: number, to: number): void {
  let position = to - 1;
  for (let k = 0; position >= from; k++) {
    const limb = limbs[k]!;
    out[position--] = limb & 255;
    if (position < from) return;
    out[position--] = (limb >>> 8) & 255;
    if (position < from) return;
    out[position--] = (limb >>> 16) & 255;
  }
}

function significantBytes(limbs: Float64Array, used: number): number {
  if (used === 0) return 0;
  const top = limbs[used - 1]!;
  const topBytes = top > 0xffff ? 3 : top > 0xff ? 2 : 1;
  return (used - 1) * BYTES_PER_LIMB + topBytes;
}

function countZeroBytes(bytes: Uint8Array, from: number, to: number): number {
  let position = from;
  while (position < to && bytes[position] === 0) position++;
  return position - from;
}

function countZeroDigits(text: string): number {
  let count = 0;
  while (count < text.length && text.charCodeAt(count) === ZERO_DIGIT) count++;
  return count;
}
