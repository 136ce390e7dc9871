// Walks along a curve. Prices are square roots with 64 fractional bits, liquidity has 128; every rounding is in the pool's
// favor. A curve's points say up to which price their liquidity reaches; those that are not used are zero.
#pragma once
#include "interface.h"
#include "wide.h"

INLINE u128 load_u128(const u8 *p) { return (u128)load_u64(p + 8) << 64 | load_u64(p); }
INLINE void store_u128(u8 *p, u128 value) {
  store_u64(p, (u64)value);
  store_u64(p + 8, (u64)(value >> 64));
}

// A part of the curve with one liquidity.
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

// ---- along the points ---------------------------------------------------------------------------------------------

typedef struct {
  const u8 *config;
  u128 price;
  u64 left;      // of what the trader named
  u128 counted;  // of the other side
} Walk;

INLINE const u8 *point(const u8 *config, u64 i) { return config + CONFIG_CURVE + i * POINT_LEN; }
INLINE u128 point_price(const u8 *point) { return load_u128(point); }
INLINE u128 point_liquidity(const u8 *point) { return load_u128(point + POINT_LIQUIDITY); }
INLINE bool is_used(const u8 *point) { return point_price(point) != 0 && point_liquidity(point) != 0; }

INLINE u64 counted(const Walk *walk) {
  CHECK(walk->counted <= U64_MAX, ERROR_MATH_OVERFLOW);
  return 0;
}

// Spends `left` of quote up to the price at which the curve is sold out; the rest stays.
NOINLINE u64 buy_exact_in(Walk *walk) {
  u128 stop = load_u128(walk->config + CONFIG_MIGRATION_PRICE), amount;
  for (u64 i = 0; i < CURVE_POINTS && walk->left != 0; i++) {
    const u8 *p = point(walk->config, i);
    if (!is_used(p)) break;
    Span span = {walk->price, point_price(p) < stop ? point_price(p) : stop, point_liquidity(p)};
    if (span.upper <= span.lower) continue;
    quote_of(&span, true, &amount);
    bool is_last = walk->left < amount;
    if (is_last) TRY(raise_by_quote(&span, walk->left));
    walk->left -= is_last ? walk->left : (u64)amount;
    walk->price = span.upper;
    base_of(&span, false, &amount);
    walk->counted += amount;
    if (span.upper == stop) break;
  }
  return counted(walk);
}

// Spends `left` of base down to the price at which the curve starts; the rest stays.
NOINLINE u64 sell_exact_in(Walk *walk) {
  u128 amount;
  for (u64 i = CURVE_POINTS - 1; i-- > 0 && walk->left != 0;) {
    const u8 *p = point(walk->config, i);
    if (!is_used(p) || point_price(p) >= walk->price) continue;
    Span span = {point_price(p), walk->price, point_liquidity(p + POINT_LEN)};
    base_of(&span, true, &amount);
    bool is_last = walk->left < amount;
    if (is_last) lower_by_base(&span, walk->left);
    walk->left -= is_last ? walk->left : (u64)amount;
    walk->price = span.lower;
    quote_of(&span, false, &amount);
    walk->counted += amount;
  }
  if (walk->left == 0) return counted(walk);
  u128 start = load_u128(walk->config + CONFIG_START_PRICE);
  Span span = {0, walk->price, point_liquidity(point(walk->config, 0))};
  lower_by_base(&span, walk->left);
  bool is_over = span.lower < start;
  if (is_over) {
    span.lower = start;
    base_of(&span, true, &amount);
    CHECK(amount <= walk->left, ERROR_MATH_OVERFLOW);
  }
  walk->left -= is_over ? (u64)amount : walk->left;
  walk->price = span.lower;
  quote_of(&span, false, &amount);
  walk->counted += amount;
  return counted(walk);
}

// Counts the quote that `left` of base costs.
NOINLINE u64 buy_exact_out(Walk *walk) {
  u128 amount;
  for (u64 i = 0; i < CURVE_POINTS && walk->left != 0; i++) {
    const u8 *p = point(walk->config, i);
    if (!is_used(p)) break;
    Span span = {walk->price, point_price(p), point_liquidity(p)};
    if (span.upper <= span.lower) continue;
    base_of(&span, false, &amount);
    bool is_last = walk->left < amount;
    if (is_last) TRY(raise_by_base(&span, walk->left));
    walk->left -= is_last ? walk->left : (u64)amount;
    walk->price = span.upper;
    quote_of(&span, true, &amount);
    walk->counted += amount;
  }
  CHECK(walk->left == 0, ERROR_AMOUNT_LEFT);
  CHECK(walk->price <= load_u128(walk->config + CONFIG_MIGRATION_PRICE), ERROR_INSUFFICIENT_LIQUIDITY);
  return counted(walk);
}

// Counts the base that `left` of quote costs.
NOINLINE u64 sell_exact_out(Walk *walk) {
  u128 amount;
  for (u64 i = CURVE_POINTS - 1; i-- > 0 && walk->left != 0;) {
    const u8 *p = point(walk->config, i);
    if (!is_used(p) || point_price(p) >= walk->price) continue;
    Span span = {point_price(p), walk->price, point_liquidity(p + POINT_LEN)};
    quote_of(&span, false, &amount);
    bool is_last = walk->left < amount;
    if (is_last) TRY(lower_by_quote(&span, walk->left));
    walk->left -= is_last ? walk->left : (u64)amount;
    walk->price = span.lower;
    base_of(&span, true, &amount);
    walk->counted += amount;
  }
  if (walk->left == 0) return counted(walk);
  Span span = {load_u128(walk->config + CONFIG_START_PRICE), walk->price, point_liquidity(point(walk->config, 0))};
  u128 start = span.lower;
  quote_of(&span, false, &amount);
  CHECK(walk->left <= amount, ERROR_INSUFFICIENT_LIQUIDITY);
  TRY(lower_by_quote(&span, walk->left));
  CHECK(span.lower >= start, ERROR_INSUFFICIENT_LIQUIDITY);
  walk->left = 0;
  walk->price = span.lower;
  base_of(&span, true, &amount);
  walk->counted += amount;
  return counted(walk);
}
