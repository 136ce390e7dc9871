// claimPositionFee, removeLiquidity, removeAllLiquidity: what the holder of a position's token takes out of the pool.
//
//  0 authority                               7 mint A
//  1 pool, writable where liquidity goes     8 mint B
//  2 [writable] position                     9 token account with the position's token
//  3 [writable] gets A                      10 [signer] its owner
//  4 [writable] gets B                      11 token program of A
//  5 [writable] vault of A                  12 token program of B
//  6 [writable] vault of B                  13 event authority
//                                           14 this program
//
// data of removeLiquidity: the liquidity (u128); of it and of removeAllLiquidity: the least A and the least B (u64).
#pragma once
#include "lock.h"

enum {
  TAKE_AUTHORITY,
  TAKE_POOL,
  TAKE_POSITION,
  TAKE_A_ACCOUNT,
  TAKE_B_ACCOUNT,
  TAKE_A_VAULT,
  TAKE_B_VAULT,
  TAKE_A_MINT,
  TAKE_B_MINT,
  TAKE_TOKEN,
  TAKE_OWNER,
  TAKE_A_PROGRAM,
  TAKE_B_PROGRAM,
  TAKE_EVENTS,
  TAKE_ACCOUNTS = 15,
};
enum { LIQUIDITY_REMOVED = 1 };

static const u8 TAKE_KINDS[TAKE_ACCOUNTS] = {
    [TAKE_POOL] = IS_POOL,
    [TAKE_POSITION] = IS_POSITION,
    [TAKE_A_ACCOUNT] = TOKEN_ACCOUNT,
    [TAKE_B_ACCOUNT] = TOKEN_ACCOUNT,
    [TAKE_A_VAULT] = TOKEN_ACCOUNT,
    [TAKE_B_VAULT] = TOKEN_ACCOUNT,
    [TAKE_A_MINT] = MINT,
    [TAKE_B_MINT] = MINT,
    [TAKE_TOKEN] = TOKEN_ACCOUNT,
    [TAKE_OWNER] = SIGNER,
    [TAKE_A_PROGRAM] = ANY_TOKEN_PROGRAM,
    [TAKE_B_PROGRAM] = ANY_TOKEN_PROGRAM,
};

NOINLINE u64 check_take(const Input *in, bool moves_liquidity) {
  TRY(check_kinds(in, 0, TAKE_KINDS, TAKE_ACCOUNTS));
  Account *const *a = in->accounts;
  const u8 *pool = a[TAKE_POOL]->data;
  CHECK(key_eq(&a[TAKE_AUTHORITY]->key, &AUTHORITY), ERROR_WRONG_SYSVAR);
  if (moves_liquidity) TRY(check_writable(a[TAKE_POOL]));
  CHECK(is_at(pool + POOL_A_VAULT, a[TAKE_A_VAULT]), ERROR_NOT_RELATED);
  CHECK(is_at(pool + POOL_B_VAULT, a[TAKE_B_VAULT]), ERROR_NOT_RELATED);
  CHECK(is_at(pool + POOL_A_MINT, a[TAKE_A_MINT]), ERROR_NOT_RELATED);
  CHECK(is_at(pool + POOL_B_MINT, a[TAKE_B_MINT]), ERROR_NOT_RELATED);
  TRY(check_position(a[TAKE_POOL], a[TAKE_POSITION]));
  TRY(check_writable(a[TAKE_A_ACCOUNT]));
  TRY(check_writable(a[TAKE_B_ACCOUNT]));
  TRY(check_vault((Account *[]){a[TAKE_A_VAULT], a[TAKE_A_MINT], a[TAKE_A_PROGRAM]}));
  TRY(check_vault((Account *[]){a[TAKE_B_VAULT], a[TAKE_B_MINT], a[TAKE_B_PROGRAM]}));
  TRY(check_holder(a[TAKE_POSITION], a[TAKE_TOKEN], a[TAKE_OWNER]));
  return check_event_authority(a[TAKE_EVENTS]);
}

// Nothing is moved where there is nothing.
NOINLINE void pay_out(const Input *in, u64 amount_a, u64 amount_b) {
  Account *const *a = in->accounts;
  AUTHORITY_SIGNS(signer);
  if (amount_a != 0)
    token_transfer(a[TAKE_A_VAULT], a[TAKE_A_MINT], a[TAKE_A_ACCOUNT], a[TAKE_AUTHORITY], amount_a, &signer);
  if (amount_b != 0)
    token_transfer(a[TAKE_B_VAULT], a[TAKE_B_MINT], a[TAKE_B_ACCOUNT], a[TAKE_AUTHORITY], amount_b, &signer);
}

INLINE u8 *put_take_head(const Input *in, u8 *event) {
  u8 *at = put_key(event + EVENT_HEAD, &in->accounts[TAKE_POOL]->key);
  at = put_key(at, &in->accounts[TAKE_POSITION]->key);
  return put_key(at, &in->accounts[TAKE_OWNER]->key);
}

NOINLINE u64 claim_fee(const Input *in) {
  TRY(check_take(in, false));
  u8 *position = in->accounts[TAKE_POSITION]->data;
  TRY(count_fees(in->accounts[TAKE_POOL]->data, position));
  u64 fee = load_u64(position + POSITION_B_PENDING);
  store_u64(position + POSITION_B_PENDING, 0);
  TRY(add_to(position + POSITION_CLAIMED_B, fee));
  pay_out(in, 0, fee);
  u8 event[EVENT_HEAD + 3 * sizeof(Pubkey) + 16];
  emit(in, TAKE_EVENTS, event, CLAIM_FEE_EVENT, put_u64(put_u64(put_take_head(in, event), 0), fee));
  return 0;
}

NOINLINE void emit_liquidity(const Input *in, const u64 *amounts, u128 liquidity, const u8 *limits) {
  const u8 *pool = in->accounts[TAKE_POOL]->data;
  u8 event[EVENT_HEAD + 3 * sizeof(Pubkey) + 81];
  u8 *at = put_take_head(in, event);
  at = put_u64(put_u64(at, amounts[0]), amounts[1]);
  at = put_u64(put_u64(at, amounts[0]), amounts[1]);
  at = put_u64(put_u64(at, load_u64(pool + POOL_A_AMOUNT)), load_u64(pool + POOL_B_AMOUNT));
  at = put_bytes(put_u128(at, liquidity), limits, 16);
  *at++ = LIQUIDITY_REMOVED;
  emit(in, TAKE_EVENTS, event, LIQUIDITY_EVENT, at);
}

// What a part of the liquidity is worth now: of A and of B.
NOINLINE u64 worth_of(const u8 *pool, u128 liquidity, u64 *amounts) {
  u128 price = load_u128(pool + POOL_PRICE), amount_a, amount_b;
  Span above = {price, load_u128(pool + POOL_MOST_PRICE), liquidity};
  Span below = {load_u128(pool + POOL_LEAST_PRICE), price, liquidity};
  base_of(&above, false, &amount_a);
  quote_of(&below, false, &amount_b);
  CHECK(amount_a <= U64_MAX && amount_b <= U64_MAX, ERROR_MATH_OVERFLOW);
  amounts[0] = (u64)amount_a;
  amounts[1] = (u64)amount_b;
  return 0;
}

NOINLINE u64 remove_liquidity(const Input *in, bool all) {
  const u8 *limits = in->data + (all ? 8 : 24);
  CHECK(in->data_len >= (all ? 24 : 40), ERROR_INCOMPLETE_DATA);
  TRY(check_take(in, true));
  Account *const *a = in->accounts;
  u8 *pool = a[TAKE_POOL]->data, *position = a[TAKE_POSITION]->data;
  TRY(count_fees(pool, position));
  free_vested(position);
  u128 liquidity = all ? load_u128(position + POSITION_UNLOCKED) : load_u128(in->data + 8);
  CHECK(liquidity != 0, ERROR_INSUFFICIENT_LIQUIDITY);
  TRY(take_unlocked(position, liquidity, ERROR_INSUFFICIENT_LIQUIDITY));
  u64 amounts[2];
  TRY(worth_of(pool, liquidity, amounts));
  CHECK(amounts[0] != 0 || amounts[1] != 0, ERROR_AMOUNT_IS_ZERO);
  CHECK(amounts[0] >= load_u64(limits) && amounts[1] >= load_u64(limits + 8), ERROR_EXCEEDED_SLIPPAGE);
  store_u128(pool + POOL_LIQUIDITY, load_u128(pool + POOL_LIQUIDITY) - liquidity);
  TRY(take_from(pool + POOL_A_AMOUNT, amounts[0]));
  TRY(take_from(pool + POOL_B_AMOUNT, amounts[1]));
  pay_out(in, amounts[0], amounts[1]);
  emit_liquidity(in, amounts, liquidity, limits);
  return 0;
}
