// Between two prices of a pool. Prices are square roots with 64 fractional bits, liquidity has 128; every rounding is in
// the pool's favor. A program that includes this has the errors ERROR_MATH_OVERFLOW and ERROR_TYPE_CAST, and the lowest
// price, LEAST_PRICE.
#pragma once
#include "wide.h"

// A part of a curve with one liquidity.
typedef struct {
  u128 lower, upper, liquidity;
} Span;

// L (upper - lower) / (lower upper): below 2^128, because no price is below LEAST_PRICE.
NOINLINE void base_of(const Span *span, bool up, u128 *base) {
  Wide value, divisor;
  wide_multiply(span->liquidity, span->upper - span->lower, &value);
  wide_multiply(span->lower, span->upper, &divisor);
  wide_divide(&value, &divisor, up);
  *base = low_u128(&value);
}

// L (upper - lower) / 2^128
NOINLINE void quote_of(const Span *span, bool up, u128 *quote) {
  Wide value;
  wide_multiply(span->liquidity, span->upper - span->lower, &value);
  bool has_rest = (value.w[0] | value.w[1]) != 0;
  *quote = ((u128)value.w[3] << 64 | value.w[2]) + (up && has_rest);
}

// The upper price after so much quote has come in: from below.
NOINLINE u64 raise_by_quote(Span *span, u64 amount) {
  Wide value = wide_shifted(amount), liquidity = wide(span->liquidity), price = wide(span->lower);
  wide_divide(&value, &liquidity, false);
  wide_add(&value, &price);
  CHECK(fits_u128(&value), ERROR_TYPE_CAST);
  span->upper = low_u128(&value);
  return 0;
}

// The upper price after so much base has gone out, rounded up.
NOINLINE u64 raise_by_base(Span *span, u64 amount) {
  Wide taken, divisor = wide(span->liquidity), value;
  wide_multiply(span->lower, amount, &taken);
  CHECK(wide_subtract(&divisor, &taken), ERROR_MATH_OVERFLOW);
  wide_multiply(span->liquidity, span->lower, &value);
  CHECK((divisor.w[0] | divisor.w[1] | divisor.w[2] | divisor.w[3]) != 0, ERROR_MATH_OVERFLOW);
  wide_divide(&value, &divisor, true);
  CHECK(fits_u128(&value), ERROR_TYPE_CAST);
  span->upper = low_u128(&value);
  return 0;
}

// The lower price after so much base has come in, rounded up.
NOINLINE void lower_by_base(Span *span, u64 amount) {
  Wide divisor, liquidity = wide(span->liquidity), value;
  wide_multiply(span->upper, amount, &divisor);
  wide_add(&divisor, &liquidity);
  wide_multiply(span->liquidity, span->upper, &value);
  wide_divide(&value, &divisor, true);
  span->lower = low_u128(&value);
}

// The lower price after so much quote has gone out, rounded down.
NOINLINE u64 lower_by_quote(Span *span, u64 amount) {
  Wide value = wide_shifted(amount), liquidity = wide(span->liquidity), price = wide(span->upper);
  wide_divide(&value, &liquidity, true);
  CHECK(wide_subtract(&price, &value), ERROR_MATH_OVERFLOW);
  span->lower = low_u128(&price);
  return 0;
}
