// A position: its owner, and what a pool's fees have earned it.
#pragma once
#include "interface.h"
#include "prices.h"
#include "stand-in.h"

// The holder of the one token of a position's mint.
NOINLINE u64 check_holder(const Account *position, const Account *token_account, const Account *holder) {
  CHECK(key_eq(token_mint(token_account), key_at(position->data + POSITION_MINT)), ERROR_CONSTRAINT);
  CHECK(token_amount(token_account) == 1, ERROR_CONSTRAINT);
  CHECK(key_eq(token_owner(token_account), &holder->key), ERROR_WRONG_TOKEN_OWNER);
  return 0;
}

// A position of this pool.
INLINE u64 check_position(const Account *pool, const Account *position) {
  TRY(check_writable(position));
  CHECK(is_at(position->data + POSITION_POOL, pool), ERROR_NOT_RELATED);
  return 0;
}

INLINE Wide load_wide(const u8 *p) {
  return (Wide){{load_u64(p), load_u64(p + 8), load_u64(p + 16), load_u64(p + 24)}};
}
INLINE void store_wide(u8 *p, const Wide *value) {
  for (u64 i = 0; i < 4; i++) store_u64(p + 8 * i, value->w[i]);
}

// Counts the fees since the last time.
NOINLINE u64 count_fees(const u8 *pool, u8 *position) {
  Wide all = load_wide(pool + POOL_B_FEE_PER_LIQUIDITY), since = all, earned;
  Wide before = load_wide(position + POSITION_B_CHECKPOINT);
  CHECK(wide_subtract(&since, &before) && fits_u128(&since), ERROR_MATH_OVERFLOW);
  u128 liquidity = load_u128(position + POSITION_UNLOCKED) + load_u128(position + POSITION_VESTED) +
                   load_u128(position + POSITION_LOCKED);
  wide_multiply(liquidity, low_u128(&since), &earned);
  CHECK(earned.w[3] == 0, ERROR_MATH_OVERFLOW);
  TRY(add_to(position + POSITION_B_PENDING, earned.w[2]));
  store_wide(position + POSITION_B_CHECKPOINT, &all);
  return 0;
}

// Frees what has waited long enough.
INLINE void free_vested(u8 *position) {
  u128 waiting = load_u128(position + POSITION_VESTING_AMOUNT);
  if (waiting == 0 || (u64)now() < load_u64(position + POSITION_VESTING_END)) return;
  store_u128(position + POSITION_UNLOCKED, load_u128(position + POSITION_UNLOCKED) + waiting);
  store_u128(position + POSITION_VESTED, load_u128(position + POSITION_VESTED) - waiting);
  store_u64(position + POSITION_VESTING_END, 0);
  store_u128(position + POSITION_VESTING_AMOUNT, 0);
}
