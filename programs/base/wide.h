// 256-bit arithmetic: a product of two 128-bit numbers, and a division of it.
#pragma once
#include "math.h"

INLINE u128 load_u128(const u8 *p) { return (u128)load_u64(p + 8) << 64 | load_u64(p); }
INLINE void store_u128(u8 *p, u128 value) {
  store_u64(p, (u64)value);
  store_u64(p + 8, (u64)(value >> 64));
}

typedef struct {
  u64 w[4];  // the least first
} Wide;

enum { WIDE_DIGITS = 8 };  // of 32 bits

INLINE Wide wide(u128 value) { return (Wide){{(u64)value, (u64)(value >> 64)}}; }
INLINE bool fits_u128(const Wide *a) { return a->w[2] == 0 && a->w[3] == 0; }
INLINE u128 low_u128(const Wide *a) { return (u128)a->w[1] << 64 | a->w[0]; }
// value * 2^128
INLINE Wide wide_shifted(u64 value) { return (Wide){{0, 0, value}}; }

NOINLINE void wide_multiply(u128 a, u128 b, Wide *product) {
  u128 low = mul_wide((u64)a, (u64)b), high = mul_wide((u64)(a >> 64), (u64)(b >> 64));
  u128 one = mul_wide((u64)(a >> 64), (u64)b), other = mul_wide((u64)a, (u64)(b >> 64));
  u128 middle = (low >> 64) + (u64)one + (u64)other;
  high += (one >> 64) + (other >> 64) + (middle >> 64);
  *product = (Wide){{(u64)low, (u64)middle, (u64)high, (u64)(high >> 64)}};
}

// The sum must fit.
INLINE void wide_add(Wide *a, const Wide *b) {
  u64 carry = 0;
#pragma unroll
  for (u64 i = 0; i < 4; i++) {
    u128 sum = (u128)a->w[i] + b->w[i] + carry;
    a->w[i] = (u64)sum;
    carry = (u64)(sum >> 64);
  }
}

// a - b for b <= a; false where b is more.
INLINE bool wide_subtract(Wide *a, const Wide *b) {
  u64 borrow = 0;
#pragma unroll
  for (u64 i = 0; i < 4; i++) {
    u128 difference = (u128)a->w[i] - b->w[i] - borrow;
    a->w[i] = (u64)difference;
    borrow = (u64)(difference >> 64) & 1;
  }
  return borrow == 0;
}

INLINE void wide_digits(const Wide *a, u64 shift, u64 *digits) {
  u64 carry = 0;
  for (u64 i = 0; i < 4; i++) {
    u64 shifted = a->w[i] << shift | carry;
    carry = shift == 0 ? 0 : a->w[i] >> (64 - shift);
    digits[2 * i] = shifted & 0xffffffff;
    digits[2 * i + 1] = shifted >> 32;
  }
  digits[WIDE_DIGITS] = carry;
}

INLINE u64 count_digits(const u64 *digits) {
  u64 n = WIDE_DIGITS + 1;
  while (n > 0 && digits[n - 1] == 0) n--;
  return n;
}

// Takes digit * d from the n + 1 digits at `a`; false where they were less, and stay as they are modulo 2^(32 (n + 1)).
INLINE bool subtract_product(u64 *a, const u64 *d, u64 n, u64 digit) {
  u64 carry = 0, borrow = 0;
  for (u64 i = 0; i <= n; i++) {
    u64 product = (i < n ? digit * d[i] : 0) + carry;
    carry = product >> 32;
    u64 difference = a[i] - (product & 0xffffffff) - borrow;
    a[i] = difference & 0xffffffff;
    borrow = difference >> 63;
  }
  return borrow == 0;
}

INLINE void add_back(u64 *a, const u64 *d, u64 n) {
  u64 carry = 0;
  for (u64 i = 0; i <= n; i++) {
    u64 sum = a[i] + (i < n ? d[i] : 0) + carry;
    a[i] = sum & 0xffffffff;
    carry = sum >> 32;
  }
}

// *value becomes floor(*value / d) or, rounded up, the ceiling. d is not 0. Long division in base 2^32 (Knuth's D).
NOINLINE void wide_divide(Wide *value, const Wide *d, bool up) {
  u64 divisor[WIDE_DIGITS + 1], rest[WIDE_DIGITS + 2], quotient[WIDE_DIGITS + 1] = {0};
  wide_digits(d, 0, divisor);
  u64 n = count_digits(divisor);
  // The divisor's first digit gets its top bit, which makes each guess at most 2 too high.
  u64 shift = (u64)__builtin_clzl(divisor[n - 1]) - 32;
  wide_digits(d, shift, divisor);
  wide_digits(value, shift, rest);
  rest[WIDE_DIGITS + 1] = 0;
  u64 first = divisor[n - 1], second = n > 1 ? divisor[n - 2] : 0;
  for (u64 j = WIDE_DIGITS + 1 - n + 1; j-- > 0;) {
    u64 head = rest[j + n] << 32 | rest[j + n - 1];
    if (head == 0 && n > 1) continue;
    u64 guess = head / first, left = head % first;
    while (guess >> 32 || (n > 1 && guess * second > (left << 32 | rest[j + n - 2]))) {
      guess--;
      left += first;
      if (left >> 32) break;
    }
    if (!subtract_product(rest + j, divisor, n, guess)) {
      guess--;
      add_back(rest + j, divisor, n);
    }
    if (j < WIDE_DIGITS) quotient[j] = guess;
  }
  for (u64 i = 0; i < 4; i++) value->w[i] = quotient[2 * i + 1] << 32 | quotient[2 * i];
  if (up && count_digits(rest) > 0) wide_add(value, &(Wide){{1}});
}
