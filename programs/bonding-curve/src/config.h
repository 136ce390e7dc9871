// createConfig: the terms of a launch, in an account whose own key signs.
//
//  0 [signer, writable] configuration   4 [signer, writable] payer of the rent
//  1 who claims the operator's fees     5 System program
//  2 who gets what is left over         6 event authority
//  3 quote mint                         7 this program
//
// data: see the enum. Each option (of a dynamic fee, of a supply) begins with a byte that says whether it is there.
#pragma once
#include "fees.h"
#include "program.h"

enum {
  NEW_CONFIG,
  NEW_FEE_CLAIMER,
  NEW_LEFTOVER_RECEIVER,
  NEW_CONFIG_QUOTE,
  NEW_CONFIG_PAYER,
  NEW_CONFIG_SYSTEM,
  NEW_CONFIG_EVENTS,
  NEW_CONFIG_ACCOUNTS = 8,
};

// Places in the terms, which follow the discriminator.
enum {
  TERMS_FEE_START = 0,
  TERMS_FEE_PERIODS = 8,
  TERMS_FEE_FREQUENCY = 10,
  TERMS_FEE_REDUCTION = 18,
  TERMS_FEE_MODE = 26,
  TERMS_HAS_DYNAMIC_FEE = 27,
  TERMS_COLLECT_FEE_MODE = 28,
  TERMS_MIGRATION_OPTION = 29,
  TERMS_ACTIVATION_TYPE = 30,
  TERMS_TOKEN_TYPE = 31,
  TERMS_TOKEN_DECIMAL = 32,
  TERMS_PARTNER_LIQUIDITY = 33,
  TERMS_PARTNER_LOCKED = 34,
  TERMS_CREATOR_LIQUIDITY = 35,
  TERMS_CREATOR_LOCKED = 36,
  TERMS_THRESHOLD = 37,
  TERMS_START_PRICE = 45,
  TERMS_VESTING = 61,
  TERMS_MIGRATION_FEE_OPTION = 101,
  TERMS_HAS_SUPPLY = 102,
  TERMS_SUPPLY_BEFORE = 103,
  TERMS_SUPPLY_AFTER = 111,
  TERMS_CREATOR_FEE_PERCENTAGE = 119,
  TERMS_TOKEN_AUTHORITY = 120,
  TERMS_MIGRATION_FEE = 121,
  TERMS_CREATION_FEE = 127,
  TERMS_PARTNER_VESTING = 135,
  TERMS_CREATOR_VESTING = 148,
  TERMS_MIGRATED_FEE_MODE = 161,
  TERMS_CURVE = 183,
  TERMS_POINTS = 187,
};
// Of tokens that the creator gets after the migration.
enum { VESTING_AMOUNT = 0, VESTING_CLIFF_WAIT = 8, VESTING_FREQUENCY = 16, VESTING_PERIODS = 24, VESTING_AT_CLIFF = 32, VESTING_LEN = 40 };
// Of liquidity that is free after a while.
enum { LOCK_PERCENTAGE = 0, LOCK_PARTS = 1, LOCK_CLIFF = 5, LOCK_FREQUENCY = 9, LOCK_LEN = 13 };

typedef struct {
  const u8 *terms;
  u64 len;  // of all terms
  u32 points;
  u64 swap_base, migration_base;
  u128 migration_price;
} NewConfig;

INLINE bool are_zero(const u8 *bytes, u64 len) {
  for (u64 i = 0; i < len; i++)
    if (bytes[i] != 0) return false;
  return true;
}

NOINLINE u64 read_terms(const Input *in, NewConfig *new) {
  const u8 *t = new->terms = in->data + sizeof(u64);
  u64 len = in->data_len - sizeof(u64);
  CHECK(len > TERMS_HAS_DYNAMIC_FEE, ERROR_INCOMPLETE_DATA);
  SUPPORT(t[TERMS_HAS_DYNAMIC_FEE] == 0, "stand-in: no dynamic fee");
  CHECK(len > TERMS_HAS_SUPPLY, ERROR_INCOMPLETE_DATA);
  SUPPORT(t[TERMS_HAS_SUPPLY] == 1, "stand-in: the supply must be fixed");
  CHECK(len >= TERMS_POINTS, ERROR_INCOMPLETE_DATA);
  new->points = load_u32(t + TERMS_CURVE);
  CHECK((len - TERMS_POINTS) / POINT_LEN >= new->points, ERROR_INCOMPLETE_DATA);
  new->len = TERMS_POINTS + new->points * (u64)POINT_LEN;
  return 0;
}

// Beyond what Studio sends.
NOINLINE u64 check_supported(const u8 *t) {
  SUPPORT(t[TERMS_COLLECT_FEE_MODE] == 0, "stand-in: fees must be taken in the quote");
  SUPPORT(t[TERMS_FEE_MODE] <= FEE_EXPONENTIAL, "stand-in: no fee by rate");
  SUPPORT(t[TERMS_MIGRATION_OPTION] == 1, "stand-in: the migration must be to DAMM v2");
  SUPPORT(t[TERMS_TOKEN_TYPE] == 0, "stand-in: the token must be of SPL Token");
  SUPPORT(t[TERMS_TOKEN_AUTHORITY] == 1, "stand-in: nobody may change the token");
  SUPPORT(are_zero(t + TERMS_MIGRATION_FEE, TERMS_PARTNER_VESTING - TERMS_MIGRATION_FEE),
          "stand-in: no fee of migration, migrated pool or creation");
  SUPPORT(are_zero(t + TERMS_PARTNER_VESTING, LOCK_LEN), "stand-in: no vesting liquidity of the partner");
  SUPPORT(are_zero(t + TERMS_MIGRATED_FEE_MODE, TERMS_CURVE - TERMS_MIGRATED_FEE_MODE),
          "stand-in: the migrated pool has a fixed fee");
  const u8 *lock = t + TERMS_CREATOR_VESTING;
  SUPPORT(are_zero(lock + LOCK_PARTS, LOCK_CLIFF - LOCK_PARTS) && load_u32(lock + LOCK_FREQUENCY) == 0,
          "stand-in: vesting liquidity is free all at once");
  bool has_cliff = load_u32(lock + LOCK_CLIFF) != 0;
  SUPPORT((lock[LOCK_PERCENTAGE] != 0) == has_cliff, "stand-in: vesting liquidity needs a cliff");
  return 0;
}

NOINLINE u64 check_fee_schedule(const u8 *t) {
  u64 start = load_u64(t + TERMS_FEE_START), reduction = load_u64(t + TERMS_FEE_REDUCTION), least;
  u64 periods = load_u16(t + TERMS_FEE_PERIODS), frequency = load_u64(t + TERMS_FEE_FREQUENCY);
  bool is_none = periods == 0 && frequency == 0 && reduction == 0;
  CHECK(is_none || (periods != 0 && frequency != 0 && reduction != 0), ERROR_INVALID_FEE_SCHEDULE);
  u8 fees[CONFIG_FEE_MODE + 1];
  store_u64(fees + CONFIG_FEE_START, start);
  store_u64(fees + CONFIG_FEE_REDUCTION, reduction);
  fees[CONFIG_FEE_MODE] = t[TERMS_FEE_MODE];
  TRY(scheduled_fee(fees, periods, &least));
  CHECK(start < FEE_WHOLE, ERROR_INVALID_FEE);
  CHECK(least >= LEAST_FEE && start <= MOST_FEE, ERROR_EXCEEDED_MOST_FEE);
  return 0;
}

// DAMM v2 locks for no longer: a launch with such terms could never migrate.
INLINE u64 check_lock_time(const u8 *lock) {
  CHECK(lock[LOCK_PERCENTAGE] <= 100, ERROR_TYPE_CAST);
  CHECK(load_u32(lock + LOCK_CLIFF) <= LONGEST_LOCK_SECONDS, ERROR_INVALID_VESTING);
  return 0;
}

INLINE u64 check_shares(const u8 *t) {
  u64 locked = t[TERMS_PARTNER_LOCKED] + (u64)t[TERMS_CREATOR_LOCKED];
  u64 vesting = t[TERMS_CREATOR_VESTING + LOCK_PERCENTAGE];
  u64 all = locked + vesting + t[TERMS_PARTNER_LIQUIDITY] + t[TERMS_CREATOR_LIQUIDITY];
  CHECK(all <= 255, ERROR_MATH_OVERFLOW);
  CHECK(all == 100, ERROR_INVALID_FEE_PERCENTAGE);
  return 0;
}

// Enough must stay locked for a day.
INLINE u64 check_locked(const u8 *t) {
  u64 locked = t[TERMS_PARTNER_LOCKED] + (u64)t[TERMS_CREATOR_LOCKED];
  bool is_long = load_u32(t + TERMS_CREATOR_VESTING + LOCK_CLIFF) > DAY_SECONDS;
  u64 vesting = is_long ? t[TERMS_CREATOR_VESTING + LOCK_PERCENTAGE] : 0;
  CHECK((locked + vesting) * (ALL_BPS / 100) >= LEAST_LOCKED_BPS, ERROR_INVALID_LOCKED_LIQUIDITY);
  return 0;
}

NOINLINE u64 check_vesting(const u8 *v, u64 *all) {
  u64 amount = load_u64(v + VESTING_AMOUNT), frequency = load_u64(v + VESTING_FREQUENCY);
  u64 periods = load_u64(v + VESTING_PERIODS), cliff = load_u64(v + VESTING_AT_CLIFF);
  *all = 0;
  if (are_zero(v, VESTING_LEN)) return 0;
  u128 in_parts = mul_wide(amount, periods);
  CHECK(in_parts <= U64_MAX && (u64)in_parts + cliff >= cliff, ERROR_MATH_OVERFLOW);
  *all = (u64)in_parts + cliff;
  CHECK(frequency != 0 && *all != 0, ERROR_INVALID_VESTING);
  return 0;
}

NOINLINE u64 check_curve(const NewConfig *new) {
  const u8 *t = new->terms;
  u128 before = load_u128(t + TERMS_START_PRICE);
  CHECK(before >= LEAST_PRICE && before < MOST_PRICE, ERROR_INVALID_CURVE);
  CHECK(new->points != 0 && new->points <= MOST_POINTS, ERROR_INVALID_CURVE);
  for (u64 i = 0; i < new->points; i++) {
    const u8 *p = t + TERMS_POINTS + i * POINT_LEN;
    CHECK(point_price(p) > before && point_liquidity(p) != 0, ERROR_INVALID_CURVE);
    before = point_price(p);
  }
  CHECK(before <= MOST_PRICE, ERROR_INVALID_CURVE);
  return 0;
}

// ---- what follows from the terms ------------------------------------------------------------------------------------

INLINE Span span_of(const NewConfig *new, u64 i) {
  const u8 *p = new->terms + TERMS_POINTS + i * POINT_LEN;
  return (Span){load_u128(i == 0 ? new->terms + TERMS_START_PRICE : p - POINT_LEN), point_price(p), point_liquidity(p)};
}

// The price at which so much quote has been paid that the pool migrates.
NOINLINE u64 find_migration_price(NewConfig *new) {
  u64 left = load_u64(new->terms + TERMS_THRESHOLD);
  u128 amount;
  for (u64 i = 0; i < new->points; i++) {
    Span span = span_of(new, i);
    quote_of(&span, true, &amount);
    if (amount > left) {
      TRY(raise_by_quote(&span, left));
      new->migration_price = span.upper;
      return 0;
    }
    left -= (u64)amount;
    new->migration_price = span.upper;
  }
  CHECK(left == 0, ERROR_NOT_ENOUGH_LIQUIDITY);
  return 0;
}

// Base that is sold up to a price.
NOINLINE void base_up_to(const NewConfig *new, const u128 *price, u128 *base) {
  u128 amount;
  *base = 0;
  for (u64 i = 0; i < new->points; i++) {
    Span span = span_of(new, i);
    bool is_last = span.upper > *price;
    if (is_last) span.upper = *price;
    base_of(&span, true, &amount);
    *base += amount;
    if (is_last) return;
  }
}

// Base that a full-range pool at the migration's price needs beside what has been paid.
NOINLINE u64 find_migration_base(NewConfig *new) {
  Wide value = wide_shifted(load_u64(new->terms + TERMS_THRESHOLD)), range = wide(new->migration_price - LEAST_PRICE);
  wide_divide(&value, &range, false);
  CHECK(fits_u128(&value), ERROR_TYPE_CAST);
  Span span = {new->migration_price, MOST_PRICE, low_u128(&value)};
  u128 amount;
  base_of(&span, true, &amount);
  CHECK(amount <= U64_MAX, ERROR_MATH_OVERFLOW);
  new->migration_base = (u64)amount;
  return 0;
}

NOINLINE u64 check_supply(const NewConfig *new, u64 vested) {
  u64 rest, before = load_u64(new->terms + TERMS_SUPPLY_BEFORE), after = load_u64(new->terms + TERMS_SUPPLY_AFTER);
  u128 end = MOST_PRICE, most;
  base_up_to(new, &end, &most);
  u64 buffered = new->swap_base + mul_div(new->swap_base, SUPPLY_BUFFER_PERCENTAGE, 100, &rest);
  CHECK(buffered >= new->swap_base, ERROR_MATH_OVERFLOW);
  u128 others = (u128)new->migration_base + vested;
  u128 least = others + new->swap_base, most_needed = others + (buffered < most ? buffered : most);
  CHECK(least <= U64_MAX && most_needed <= U64_MAX, ERROR_MATH_OVERFLOW);
  CHECK(least <= after && after <= before && most_needed <= before, ERROR_INVALID_TOKEN_SUPPLY);
  return 0;
}

// ---- the account --------------------------------------------------------------------------------------------------

NOINLINE void write_fees(u8 *c, const u8 *t) {
  store_u64(c + CONFIG_FEE_START, load_u64(t + TERMS_FEE_START));
  store_u64(c + CONFIG_FEE_FREQUENCY, load_u64(t + TERMS_FEE_FREQUENCY));
  store_u64(c + CONFIG_FEE_REDUCTION, load_u64(t + TERMS_FEE_REDUCTION));
  store_u16(c + CONFIG_FEE_PERIODS, load_u16(t + TERMS_FEE_PERIODS));
  c[CONFIG_FEE_MODE] = t[TERMS_FEE_MODE];
  c[CONFIG_COLLECT_FEE_MODE] = t[TERMS_COLLECT_FEE_MODE];
  c[CONFIG_CREATOR_FEE_PERCENTAGE] = t[TERMS_CREATOR_FEE_PERCENTAGE];
}

NOINLINE void write_migration(u8 *c, const NewConfig *new) {
  const u8 *t = new->terms, *lock = t + TERMS_CREATOR_VESTING;
  if (lock[LOCK_PERCENTAGE] != 0) {
    c[CONFIG_CREATOR_VESTING + VESTING_IS_THERE] = 1;
    c[CONFIG_CREATOR_VESTING + VESTING_PERCENTAGE] = lock[LOCK_PERCENTAGE];
    sol_memcpy_(c + CONFIG_CREATOR_VESTING + VESTING_CLIFF, lock + LOCK_CLIFF, sizeof(u32));
  }
  c[CONFIG_MIGRATION_OPTION] = t[TERMS_MIGRATION_OPTION];
  c[CONFIG_PARTNER_LOCKED] = t[TERMS_PARTNER_LOCKED];
  c[CONFIG_PARTNER_LIQUIDITY] = t[TERMS_PARTNER_LIQUIDITY];
  c[CONFIG_CREATOR_LOCKED] = t[TERMS_CREATOR_LOCKED];
  c[CONFIG_CREATOR_LIQUIDITY] = t[TERMS_CREATOR_LIQUIDITY];
  c[CONFIG_MIGRATION_FEE_OPTION] = t[TERMS_MIGRATION_FEE_OPTION];
  store_u64(c + CONFIG_MIGRATION_BASE, new->migration_base);
  store_u128(c + CONFIG_MIGRATION_PRICE, new->migration_price);
  sol_memcpy_(c + CONFIG_VESTING, t + TERMS_VESTING, VESTING_LEN);
}

NOINLINE void write_config(const Input *in, const NewConfig *new) {
  const u8 *t = new->terms;
  u8 *c = in->accounts[NEW_CONFIG]->data;
  store_u64(c, CONFIG);
  store_key(c + CONFIG_QUOTE_MINT, &in->accounts[NEW_CONFIG_QUOTE]->key);
  store_key(c + CONFIG_FEE_CLAIMER, &in->accounts[NEW_FEE_CLAIMER]->key);
  store_key(c + CONFIG_LEFTOVER_RECEIVER, &in->accounts[NEW_LEFTOVER_RECEIVER]->key);
  write_fees(c, t);
  write_migration(c, new);
  c[CONFIG_ACTIVATION_TYPE] = t[TERMS_ACTIVATION_TYPE];
  c[CONFIG_TOKEN_DECIMAL] = t[TERMS_TOKEN_DECIMAL];
  c[CONFIG_TOKEN_AUTHORITY] = t[TERMS_TOKEN_AUTHORITY];
  c[CONFIG_FIXED_SUPPLY] = 1;
  store_u64(c + CONFIG_SUPPLY_BEFORE, load_u64(t + TERMS_SUPPLY_BEFORE));
  store_u64(c + CONFIG_SUPPLY_AFTER, load_u64(t + TERMS_SUPPLY_AFTER));
  store_u64(c + CONFIG_SWAP_BASE, new->swap_base);
  store_u64(c + CONFIG_THRESHOLD, load_u64(t + TERMS_THRESHOLD));
  store_u128(c + CONFIG_START_PRICE, load_u128(t + TERMS_START_PRICE));
  sol_memcpy_(c + CONFIG_CURVE, t + TERMS_POINTS, new->points * (u64)POINT_LEN);
}

INLINE u8 *put_head(const Input *in, u8 *event, u64 last) {
  u8 *at = put_key(event + EVENT_HEAD, &in->accounts[NEW_CONFIG]->key);
  at = put_key(at, &in->accounts[NEW_CONFIG_QUOTE]->key);
  at = put_key(at, &in->accounts[NEW_FEE_CLAIMER]->key);
  return put_key(at, &in->accounts[last]->key);
}

NOINLINE void emit_config_1(const Input *in, const NewConfig *new) {
  const u8 *t = new->terms;
  u8 event[EVENT_HEAD + 4 * sizeof(Pubkey) + TERMS_POINTS + 8 + MOST_POINTS * POINT_LEN];
  u8 *at = put_bytes(put_head(in, event, NEW_LEFTOVER_RECEIVER), t, TERMS_TOKEN_TYPE);
  *at++ = t[TERMS_TOKEN_DECIMAL];
  *at++ = t[TERMS_TOKEN_TYPE];
  *at++ = t[TERMS_PARTNER_LOCKED];
  *at++ = t[TERMS_PARTNER_LIQUIDITY];
  *at++ = t[TERMS_CREATOR_LOCKED];
  *at++ = t[TERMS_CREATOR_LIQUIDITY];
  at = put_u64(at, new->swap_base);
  at = put_u64(at, load_u64(t + TERMS_THRESHOLD));
  at = put_u64(at, new->migration_base);
  // Start price, vesting, option of the fee, flag and sizes of the supply: as they stand in the terms.
  at = put_bytes(at, t + TERMS_START_PRICE, TERMS_CREATOR_FEE_PERCENTAGE - TERMS_START_PRICE);
  at = put_bytes(at, t + TERMS_CURVE, new->len - TERMS_CURVE);
  emit(in, NEW_CONFIG_EVENTS, event, CREATE_CONFIG_EVENT, at);
}

NOINLINE void emit_config_2(const Input *in, const NewConfig *new) {
  u8 event[EVENT_HEAD + 4 * sizeof(Pubkey) + TERMS_POINTS + MOST_POINTS * POINT_LEN];
  u8 *at = put_bytes(put_head(in, event, NEW_LEFTOVER_RECEIVER), new->terms, new->len);
  emit(in, NEW_CONFIG_EVENTS, event, CREATE_CONFIG_2_EVENT, at);
}

NOINLINE u64 check_terms(NewConfig *new, u64 *vested) {
  const u8 *t = new->terms;
  TRY(check_supported(t));
  TRY(check_fee_schedule(t));
  CHECK(t[TERMS_CREATOR_FEE_PERCENTAGE] <= 100, ERROR_INVALID_CREATOR_FEE_PERCENTAGE);
  CHECK(t[TERMS_ACTIVATION_TYPE] <= 1, ERROR_TYPE_CAST);
  CHECK(t[TERMS_MIGRATION_FEE_OPTION] <= 5, ERROR_INVALID_MIGRATION_FEE_OPTION);
  TRY(check_lock_time(t + TERMS_CREATOR_VESTING));
  CHECK(t[TERMS_TOKEN_DECIMAL] >= 6 && t[TERMS_TOKEN_DECIMAL] <= 9, ERROR_INVALID_TOKEN_DECIMALS);
  TRY(check_shares(t));
  CHECK(load_u64(t + TERMS_THRESHOLD) != 0, ERROR_INVALID_QUOTE_THRESHOLD);
  TRY(check_vesting(t + TERMS_VESTING, vested));
  return check_curve(new);
}

static const u8 NEW_CONFIG_KINDS[NEW_CONFIG_ACCOUNTS] = {
    [NEW_CONFIG_QUOTE] = MINT, [NEW_CONFIG_PAYER] = SIGNER, [NEW_CONFIG_SYSTEM] = IS_SYSTEM_PROGRAM};

NOINLINE u64 create_config(const Input *in) {
  Account *const *a = in->accounts;
  NewConfig new;
  u64 vested;
  TRY(read_terms(in, &new));
  TRY(check_kinds(in, 0, NEW_CONFIG_KINDS, NEW_CONFIG_ACCOUNTS));
  TRY(create_for((Account *[]){a[NEW_CONFIG_PAYER], a[NEW_CONFIG]}, CONFIG_LEN, in->program_id, NULL));
  TRY(check_event_authority(a[NEW_CONFIG_EVENTS]));
  SUPPORT(key_eq(&a[NEW_CONFIG_QUOTE]->owner, &TOKEN_PROGRAM), "stand-in: the quote must be of SPL Token");
  TRY(check_terms(&new, &vested));
  TRY(find_migration_price(&new));
  CHECK(new.migration_price < MOST_PRICE, ERROR_INVALID_CURVE);
  u128 swap_base;
  base_up_to(&new, &new.migration_price, &swap_base);
  CHECK(swap_base <= U64_MAX, ERROR_TYPE_CAST);
  new.swap_base = (u64)swap_base;
  TRY(find_migration_base(&new));
  CHECK(!key_eq(&a[NEW_LEFTOVER_RECEIVER]->key, &SYSTEM_PROGRAM), ERROR_INVALID_LEFTOVER_ADDRESS);
  TRY(check_locked(new.terms));
  TRY(check_supply(&new, vested));
  write_config(in, &new);
  emit_config_1(in, &new);
  emit_config_2(in, &new);
  return 0;
}
