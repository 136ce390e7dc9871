// permanentLockPosition, lockInnerPosition: the owner of a position locks its liquidity for good, or until a time.
//
//  0 pool, writable in the first   2 token account with the position's token   4 event authority
//  1 [writable] position           3 [signer] its owner                        5 this program
//
// data of the first: the liquidity (u128). Of the second: whether there is an end (u8), and when; how often, how much at
// the end, how much each time (u128), and how many times (u16). Only an end is here.
//
// refreshVesting: frees what has waited long enough. Anybody may send it.
//
//  0 pool   1 [writable] position   2 token account with the position's token   3 its owner
#pragma once
#include "position.h"

enum { LOCK_POOL, LOCK_POSITION, LOCK_TOKEN, LOCK_OWNER, LOCK_EVENTS, LOCK_ACCOUNTS = 6, REFRESH_ACCOUNTS = 4 };
static const u8 LOCK_KINDS[LOCK_ACCOUNTS] = {
    [LOCK_POOL] = IS_POOL, [LOCK_POSITION] = IS_POSITION, [LOCK_TOKEN] = TOKEN_ACCOUNT, [LOCK_OWNER] = SIGNER};
static const u8 REFRESH_KINDS[REFRESH_ACCOUNTS] = {
    [LOCK_POOL] = IS_POOL, [LOCK_POSITION] = IS_POSITION, [LOCK_TOKEN] = TOKEN_ACCOUNT};
// Places in the data of lockInnerPosition where there is an end.
enum { LOCK_END = 9, LOCK_FREQUENCY = 17, LOCK_AMOUNT = 25, LOCK_EACH = 41, LOCK_TIMES = 57, LOCK_DATA_LEN = 59 };

INLINE u64 check_lock(Account *const *a) {
  TRY(check_position(a[LOCK_POOL], a[LOCK_POSITION]));
  return check_holder(a[LOCK_POSITION], a[LOCK_TOKEN], a[LOCK_OWNER]);
}

INLINE u8 *put_position(const Input *in, u8 *event) {
  u8 *at = put_key(event + EVENT_HEAD, &in->accounts[LOCK_POOL]->key);
  return put_key(at, &in->accounts[LOCK_POSITION]->key);
}

// Takes liquidity from what is unlocked.
INLINE u64 take_unlocked(u8 *position, u128 amount, u64 error) {
  u128 unlocked = load_u128(position + POSITION_UNLOCKED);
  CHECK(amount <= unlocked, error);
  store_u128(position + POSITION_UNLOCKED, unlocked - amount);
  return 0;
}

NOINLINE u64 permanent_lock(const Input *in) {
  CHECK(in->data_len >= 24, ERROR_INCOMPLETE_DATA);
  TRY(check_kinds(in, 0, LOCK_KINDS, LOCK_ACCOUNTS));
  Account *const *a = in->accounts;
  TRY(check_writable(a[LOCK_POOL]));
  TRY(check_lock(a));
  TRY(check_event_authority(a[LOCK_EVENTS]));
  u8 *pool = a[LOCK_POOL]->data, *position = a[LOCK_POSITION]->data;
  u128 amount = load_u128(in->data + 8);
  free_vested(position);
  TRY(take_unlocked(position, amount, ERROR_INSUFFICIENT_LIQUIDITY));
  store_u128(position + POSITION_LOCKED, load_u128(position + POSITION_LOCKED) + amount);
  u128 all = load_u128(pool + POOL_LOCKED_LIQUIDITY) + amount;
  store_u128(pool + POOL_LOCKED_LIQUIDITY, all);
  u8 event[EVENT_HEAD + 2 * sizeof(Pubkey) + 32];
  emit(in, LOCK_EVENTS, event, PERMANENT_LOCK_EVENT, put_u128(put_u128(put_position(in, event), amount), all));
  return 0;
}

NOINLINE void emit_lock(const Input *in, u64 end, u128 amount) {
  u8 event[EVENT_HEAD + 4 * sizeof(Pubkey) + 50];
  u8 *at = put_key(put_position(in, event), &in->accounts[LOCK_OWNER]->key);
  at = put_key(at, &in->accounts[LOCK_POSITION]->key);
  at = put_u128(put_u64(put_u64(at, end), 0), amount);
  at = put_u128(at, 0);
  store_u16(at, 0);
  emit(in, LOCK_EVENTS, event, LOCK_EVENT, at + sizeof(u16));
}

NOINLINE u64 lock_inner(const Input *in) {
  const u8 *data = in->data;
  CHECK(in->data_len > 8, ERROR_INCOMPLETE_DATA);
  SUPPORT(data[8] == 1, "stand-in: vesting liquidity needs an end");
  CHECK(in->data_len >= LOCK_DATA_LEN, ERROR_INCOMPLETE_DATA);
  TRY(check_kinds(in, 0, LOCK_KINDS, LOCK_ACCOUNTS));
  Account *const *a = in->accounts;
  TRY(check_lock(a));
  TRY(check_event_authority(a[LOCK_EVENTS]));
  SUPPORT(load_u64(data + LOCK_FREQUENCY) == 0 && load_u128(data + LOCK_EACH) == 0 && load_u16(data + LOCK_TIMES) == 0,
          "stand-in: vesting liquidity is free all at once");
  u8 *position = a[LOCK_POSITION]->data;
  u64 end = load_u64(data + LOCK_END), today = (u64)now();
  u128 amount = load_u128(data + LOCK_AMOUNT);
  free_vested(position);
  CHECK(load_u128(position + POSITION_VESTING_AMOUNT) == 0, ERROR_INVALID_VESTING_ACCOUNT);
  CHECK(end > today && end - today <= LONGEST_LOCK && amount != 0, ERROR_INVALID_VESTING);
  TRY(take_unlocked(position, amount, ERROR_INSUFFICIENT_LIQUIDITY));
  store_u128(position + POSITION_VESTED, load_u128(position + POSITION_VESTED) + amount);
  store_u64(position + POSITION_VESTING_END, end);
  store_u128(position + POSITION_VESTING_AMOUNT, amount);
  emit_lock(in, end, amount);
  return 0;
}

NOINLINE u64 refresh_vesting(const Input *in) {
  TRY(check_kinds(in, 0, REFRESH_KINDS, REFRESH_ACCOUNTS));
  Account *const *a = in->accounts;
  TRY(check_lock(a));
  free_vested(a[LOCK_POSITION]->data);
  return 0;
}
