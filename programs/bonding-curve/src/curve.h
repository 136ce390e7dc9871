// Walks along a curve. Its points say up to which price their liquidity reaches; those that are not used are zero.
#pragma once
#include "interface.h"
#include "prices.h"

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
