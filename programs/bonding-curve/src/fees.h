// The fee of a trade: of a schedule that falls, in the quote token.
#pragma once
#include "curve.h"
#include "trading-fees.h"

enum { FEE_LINEAR = 0, FEE_EXPONENTIAL = 1 };

// factor^exponent, both with 64 fractional bits, for a factor below 1 and an exponent above 0.
INLINE u64 power(u64 factor, u64 exponent) {
  u64 result = U64_MAX;
  bool has_result = false;
  for (; exponent != 0; exponent >>= 1) {
    if (exponent & 1) {
      result = has_result ? (u64)(mul_wide(result, factor) >> 64) : factor;
      has_result = true;
    }
    factor = (u64)(mul_wide(factor, factor) >> 64);
  }
  return result;
}

// The schedule's fee after so many periods, of FEE_WHOLE.
NOINLINE u64 scheduled_fee(const u8 *config, u64 periods, u64 *fee) {
  u64 start = load_u64(config + CONFIG_FEE_START), reduction = load_u64(config + CONFIG_FEE_REDUCTION);
  if (config[CONFIG_FEE_MODE] == FEE_LINEAR) {
    u128 fallen = mul_wide(reduction, periods);
    CHECK(fallen <= start, ERROR_MATH_OVERFLOW);
    *fee = start - (u64)fallen;
    return 0;
  }
  *fee = start;
  if (periods == 0) return 0;
  CHECK(reduction < ALL_BPS, ERROR_MATH_OVERFLOW);
  u64 rest, factor = power(0 - div_wide(reduction, 0, ALL_BPS, &rest), periods);
  CHECK(factor != 0, ERROR_MATH_OVERFLOW);
  *fee = (u64)(mul_wide(start, factor) >> 64);
  return 0;
}

// The fee of a trade now. `at` is the slot, or the time, in which the pool's activation is counted.
NOINLINE u64 current_fee(const u8 *config, u64 activation, u64 at, u64 *fee) {
  u64 frequency = load_u64(config + CONFIG_FEE_FREQUENCY), most = load_u16(config + CONFIG_FEE_PERIODS);
  *fee = load_u64(config + CONFIG_FEE_START);
  if (frequency != 0) {
    CHECK(at >= activation, ERROR_MATH_OVERFLOW);
    u64 periods = (at - activation) / frequency;
    TRY(scheduled_fee(config, periods < most ? periods : most, fee));
  }
  return 0;
}
