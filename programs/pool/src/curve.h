// The constant-product curve and the fees of SPL Token Swap, with its rounding.
#pragma once
#include "math.h"

// Fractions, in this order in the pool account and in the data of Initialize.
typedef struct {
  u64 numerator, denominator;
} Fee;
typedef struct {
  Fee trade;           // stays in the pool, of the amount that comes in
  Fee owner_trade;     // stays in the pool too; its worth in pool tokens is minted to the fee account
  Fee owner_withdraw;  // in pool tokens, to the fee account
  Fee host;            // the host's share of the pool tokens minted for owner_trade
} Fees;

// Neither, or below one.
INLINE bool is_valid_fee(const Fee *fee) {
  return fee->numerator < fee->denominator || (fee->numerator | fee->denominator) == 0;
}

// Rounded down, but at least 1 of an amount that is not zero.
NOINLINE u64 fee_of(const Fee *fee, u64 amount) {
  u64 remainder;
  if (fee->numerator == 0 || amount == 0) return 0;
  u64 part = mul_div(amount, fee->numerator, fee->denominator, &remainder);
  return part == 0 ? 1 : part;
}

typedef struct {
  u64 paid;       // what leaves the trader, fees included; never more than offered
  u64 received;   // what the trader gets
  u64 owner_fee;  // the part of `paid` that is owed to the fee account
} Trade;

// Trades at most `offered` against a pool that holds `in` of the token that comes and `out` of the one that goes.
// False where nothing would come out. The product of the balances never falls: `out` is left rounded up, and of the
// offer only so much is taken as that needs. Expects that in + offered fits.
NOINLINE bool trade(const Fees *fees, u64 offered, u64 in, u64 out, Trade *result) {
  u64 trade_fee = fee_of(&fees->trade, offered), owner_fee = fee_of(&fees->owner_trade, offered);
  if (owner_fee > offered - trade_fee) return false;
  u64 all_fees = trade_fee + owner_fee;
  u64 new_in = in + (offered - all_fees), remainder;
  if (new_in == 0) return false;
  u64 new_out = mul_div(in, out, new_in, &remainder);
  if (new_out == 0) return false;
  if (remainder != 0) {
    new_out++;
    new_in = mul_div(in, out, new_out, &remainder);
    if (remainder != 0) new_in++;
  }
  if (new_out == out) return false;
  *result = (Trade){new_in - in + all_fees, out - new_out, owner_fee};
  return true;
}

// ---- the owner's fee in pool tokens -------------------------------------------------------------------------------

#define ONE 1000000000000UL  // of the fixed-point numbers below

// sqrt of a number in (0, 1] by Newton's method, with the interface's start, steps and end.
NOINLINE u64 fixed_sqrt(u64 x) {
  u64 guess = (x + ONE) / 2, moved, remainder;
  u128 square = mul_wide(x, ONE) + ONE / 2;
  do {
    u64 next = (guess + div_wide((u64)(square >> 64), (u64)square, guess, &remainder)) / 2;
    moved = next < guess ? guess - next : next - guess;
    guess = next;
  } while (moved >= 100);
  return guess;
}

// How many pool tokens are worth `amount` of a balance that is now `balance`, which is more:
// supply * (1 - sqrt(1 - amount / balance)).
NOINLINE u64 pool_tokens_for(u64 amount, u64 balance, u64 supply) {
  u64 remainder;
  u64 ratio = mul_div(amount, ONE, balance, &remainder);
  return mul_div(supply, ONE - fixed_sqrt(ONE - ratio), ONE, &remainder);
}
