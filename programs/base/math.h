// 64-bit arithmetic with 128-bit intermediates: the machine has no 128-bit multiplication or division.
#pragma once
#include "solana.h"

#define U64_MAX (~0UL)

INLINE u128 mul_wide(u64 a, u64 b) {
  u64 a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
  u64 low = a0 * b0, cross = a1 * b0 + (low >> 32);
  u64 middle = a0 * b1 + (cross & 0xffffffff);
  u64 high = a1 * b1 + (cross >> 32) + (middle >> 32);
  return (u128)high << 64 | (middle << 32 | (low & 0xffffffff));
}

// One digit of a long division in base 2^32: (*remainder, digit) / d, where d has its top bit set and *remainder < d.
INLINE u64 divide_digit(u64 *remainder, u64 digit, u64 d) {
  u64 d1 = d >> 32, d0 = d & 0xffffffff;
  u64 q = *remainder / d1, r = *remainder % d1;
  // The guess is at most 2 too high. At most 2^32 + 1, it times d0 fits.
  while (q * d0 > (r << 32 | digit)) {
    q--;
    r += d1;
    if (r >> 32) break;
  }
  *remainder = (*remainder << 32 | digit) - q * d;
  return q;
}

// floor((high * 2^64 + low) / d) for high < d, which is when the quotient has 64 bits.
NOINLINE u64 div_wide(u64 high, u64 low, u64 d, u64 *remainder) {
  if (high == 0) {
    *remainder = low % d;
    return low / d;
  }
  u64 shift = (u64)__builtin_clzl(d), divisor = d << shift;
  u64 r = shift == 0 ? high : high << shift | low >> (64 - shift);
  low <<= shift;
  u64 q1 = divide_digit(&r, low >> 32, divisor);
  u64 q0 = divide_digit(&r, low & 0xffffffff, divisor);
  *remainder = r >> shift;
  return q1 << 32 | q0;
}

// Whether a * b / d is defined and, rounded down, below 2^64.
INLINE bool mul_div_fits(u64 a, u64 b, u64 d) { return (u64)(mul_wide(a, b) >> 64) < d; }

// floor(a * b / d) where mul_div_fits.
INLINE u64 mul_div(u64 a, u64 b, u64 d, u64 *remainder) {
  u128 product = mul_wide(a, b);
  return div_wide((u64)(product >> 64), (u64)product, d, remainder);
}
