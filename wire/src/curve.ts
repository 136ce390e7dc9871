/**
 * Whether 32 bytes are a point of ed25519. A program address must not be one, so that nobody holds a key for it.
 *
 * y is on the curve when x^2 = (y^2 - 1) / (d y^2 + 1) has a root, that is when (y^2 - 1)(d y^2 + 1) is a square
 * modulo p. The Jacobi symbol answers that some ten times faster than an exponentiation. It is computed with the
 * variant of Bernstein and Yang's divsteps that keeps f and g positive ("posdivsteps" in libsecp256k1), in batches of
 * 26 steps on the low bits alone, each then applied to the whole numbers as a 2x2 matrix.
 */
const P = 2n ** 255n - 19n;
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;
const MASK_255 = 2n ** 255n - 1n;

const LIMB_BITS = 26;
const LIMB_BASE = 2 ** LIMB_BITS;
const LIMB_INVERSE = 2 ** -LIMB_BITS;
const LIMBS = 10;
// Some 25 batches are usual. No bound is proven for this variant, hence the other way out in isSquare.
const MAX_BATCHES = 80;

// `2 ** n` with a variable n is a slow call into pow.
const POWERS_OF_TWO = Float64Array.from({ length: 33 }, (_, exponent) => 2 ** exponent);

/** -1/f modulo 256 for odd f, at index (f - 1) / 2. */
const NEGATED_INVERSES = new Uint8Array(128);
for (let i = 0; i < 128; i++) {
  const f = 2 * i + 1;
  let inverse = f;
  for (let round = 0; round < 4; round++) inverse = (inverse * (2 - f * inverse)) & 255;
  NEGATED_INVERSES[i] = -inverse & 255;
}

const P_LIMBS = new Float64Array(LIMBS);
setLimbs(P_LIMBS, P);

// Scratch space: one call uses it from begin to end.
const f = new Float64Array(LIMBS);
const g = new Float64Array(LIMBS);
const matrix = new Float64Array(4);

/** Whether the 32 bytes at `offset` decode to a curve point. Throws RangeError when there are fewer. */
export function isOnCurve(bytes: Uint8Array, offset = 0): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset, Math.min(32, bytes.length - offset));
  let y = view.getBigUint64(0, true) | (view.getBigUint64(8, true) << 64n);
  y |= (view.getBigUint64(16, true) << 128n) | (view.getBigUint64(24, true) << 192n);
  // The highest bit is the sign of x. Validators take y from p on as well, modulo p.
  y &= MASK_255;
  const ySquared = reduce(y * y);
  const numerator = ySquared === 0n ? P - 1n : ySquared - 1n;
  const product = reduce(reduce(D * ySquared + 1n) * numerator);
  return isSquare(product >= P ? product - P : product);
}

/** x modulo p or that plus p, for x below some 2^510: 2^255 is 19 modulo p. */
function reduce(x: bigint): bigint {
  const once = (x & MASK_255) + 19n * (x >> 255n);
  return (once & MASK_255) + 19n * (once >> 255n);
}

/** Whether a, in [0, p), is a square modulo p (zero is one). */
function isSquare(a: bigint): boolean {
  return a === 0n || (jacobi(a) ?? euler(a)) === 1;
}

/** The Jacobi symbol (a/p) by Euler's criterion. */
export function euler(a: bigint): 1 | -1 {
  let result = 1n;
  let power = a;
  for (let exponent = (P - 1n) / 2n; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) result = (result * power) % P;
    power = (power * power) % P;
  }
  return result === 1n ? 1 : -1;
}

/** The Jacobi symbol (a/p) for a in (0, p); undefined when it has not shown after MAX_BATCHES. */
export function jacobi(a: bigint): 1 | -1 | undefined {
  f.set(P_LIMBS);
  setLimbs(g, a);
  let eta = -1;
  let sign = 0;
  let length = LIMBS;
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const packed = divsteps(eta);
    eta = packed >> 1;
    sign ^= packed & 1;
    applyMatrix(length);
    while (length > 1 && f[length - 1] === 0 && g[length - 1] === 0) length--;
    // p is prime and a is not zero, so f ends at one.
    if (isOne(f, length)) return sign === 0 ? 1 : -1;
  }
  return undefined;
}

/**
 * 26 steps on the low 32 bits of f and g. Leaves the transition in `matrix`, and returns eta (the difference of the
 * bit sizes so far) shifted left by one, with the parity of the sign changes in the lowest bit.
 */
function divsteps(etaBefore: number): number {
  let eta = etaBefore;
  let sign = 0;
  let [u, v, q, r] = [1, 0, 0, 1];
  let lowF = f[0]! | ((f[1]! & 63) << LIMB_BITS);
  let lowG = g[0]! | ((g[1]! & 63) << LIMB_BITS);
  for (let left = LIMB_BITS; ; ) {
    const sentinel = lowG | (-1 << left);
    const zeros = 31 - Math.clz32(sentinel & -sentinel);
    lowG >>>= zeros;
    u *= POWERS_OF_TWO[zeros]!;
    v *= POWERS_OF_TWO[zeros]!;
    eta -= zeros;
    left -= zeros;
    // (2/f) is -1 when f is 3 or 5 modulo 8.
    sign ^= zeros & ((lowF >>> 1) ^ (lowF >>> 2));
    if (left === 0) break;
    if (eta < 0) {
      // Quadratic reciprocity: swapping changes the sign when both are 3 modulo 4.
      eta = -eta;
      sign ^= (lowF & lowG) >>> 1;
      [lowF, lowG] = [lowG, lowF];
      [u, q] = [q, u];
      [v, r] = [r, v];
    }
    // Add the multiple of f that clears as many low bits of g as are known and allowed, eight at most.
    const limit = Math.min(eta + 1, left);
    const mask = limit >= 8 ? 255 : (1 << limit) - 1;
    const w = Math.imul(lowG & 255, NEGATED_INVERSES[(lowF >>> 1) & 127]!) & mask;
    lowG = (lowG + Math.imul(lowF, w)) | 0;
    q += u * w;
    r += v * w;
  }
  matrix[0] = u;
  matrix[1] = v;
  matrix[2] = q;
  matrix[3] = r;
  return (eta << 1) | (sign & 1);
}

/** (f, g) = matrix * (f, g) / 2^26; the division is exact. */
function applyMatrix(length: number): void {
  const u = matrix[0]!;
  const v = matrix[1]!;
  const q = matrix[2]!;
  const r = matrix[3]!;
  let carryF = (u * f[0]! + v * g[0]!) * LIMB_INVERSE;
  let carryG = (q * f[0]! + r * g[0]!) * LIMB_INVERSE;
  for (let k = 1; k < length; k++) {
    const x = u * f[k]! + v * g[k]! + carryF;
    const y = q * f[k]! + r * g[k]! + carryG;
    carryF = Math.floor(x * LIMB_INVERSE);
    carryG = Math.floor(y * LIMB_INVERSE);
    f[k - 1] = x - carryF * LIMB_BASE;
    g[k - 1] = y - carryG * LIMB_BASE;
  }
  f[length - 1] = carryF;
  g[length - 1] = carryG;
}

function isOne(limbs: Float64Array, length: number): boolean {
  if (limbs[0] !== 1) return false;
  for (let k = 1; k < length; k++) if (limbs[k] !== 0) return false;
  return true;
}

function setLimbs(limbs: Float64Array, value: bigint): void {
  let rest = value;
  for (let k = 0; k < LIMBS; k += 2) {
    const pair = Number(BigInt.asUintN(2 * LIMB_BITS, rest));
    rest >>= 52n;
    limbs[k + 1] = Math.floor(pair * LIMB_INVERSE);
    limbs[k] = pair - limbs[k + 1]! * LIMB_BASE;
  }
}
