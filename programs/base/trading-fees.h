// How the fee of a trade is taken and shared. A program that includes this has the error ERROR_TYPE_CAST and the numbers
// FEE_WHOLE, PROTOCOL_FEE_PERCENTAGE and REFERRAL_FEE_PERCENTAGE.
#pragma once
#include "math.h"

typedef struct {
  u64 trading, protocol, referral;
} Fees;

INLINE void split_fee(u64 fee, bool has_referral, Fees *fees) {
  u64 rest, protocol = mul_div(fee, PROTOCOL_FEE_PERCENTAGE, 100, &rest);
  fees->trading = fee - protocol;
  fees->referral = has_referral ? mul_div(protocol, REFERRAL_FEE_PERCENTAGE, 100, &rest) : 0;
  fees->protocol = protocol - fees->referral;
}

// Takes the fee from an amount, rounded up.
NOINLINE void take_fee(u64 *amount, u64 rate, bool has_referral, Fees *fees) {
  u64 rest, fee = mul_div(*amount, rate, FEE_WHOLE, &rest);
  if (rest != 0) fee++;
  *amount -= fee;
  split_fee(fee, has_referral, fees);
}

// The least amount that leaves this one after its fee.
NOINLINE u64 add_fee(u64 *amount, u64 rate, bool has_referral, Fees *fees) {
  u64 rest, without = *amount, d = FEE_WHOLE - rate;
  CHECK(mul_div_fits(without, FEE_WHOLE, d), ERROR_TYPE_CAST);
  u64 with = mul_div(without, FEE_WHOLE, d, &rest);
  if (rest != 0) CHECK(++with != 0, ERROR_TYPE_CAST);
  *amount = with;
  split_fee(with - without, has_referral, fees);
  return 0;
}
