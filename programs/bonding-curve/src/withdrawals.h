// What a pool holds beyond what migrates, and who its creator is.
//
// withdrawLeftover: pays the base that was neither sold nor migrated, once, to whom the configuration names. Anybody may
// send it.
// creatorWithdrawSurplus, partnerWithdrawSurplus: pay the creator's, or the operator's, part of the quote that was paid
// beyond the threshold, once.
//
// 0 authority                              5 mint
// 1 configuration                          6 who gets it [signer, but for the leftover]
// 2 [writable] pool                        7 token program
// 3 [writable] gets the tokens             8 event authority
// 4 [writable] vault                       9 this program
#pragma once
#include "program.h"

enum {
  TAKE_AUTHORITY,
  TAKE_CONFIG,
  TAKE_POOL,
  TAKE_ACCOUNT,
  TAKE_VAULT,
  TAKE_MINT,
  TAKE_RECEIVER,
  TAKE_TOKEN_PROGRAM,
  TAKE_EVENTS,
  TAKE_ACCOUNTS = 10,
};
// Of the surplus; the rest is the protocol's.
enum { SURPLUS_PERCENTAGE = 80 };

static const u8 TAKE_KINDS[TAKE_ACCOUNTS] = {
    [TAKE_CONFIG] = IS_CONFIG,
    [TAKE_POOL] = IS_POOL,
    [TAKE_ACCOUNT] = TOKEN_ACCOUNT,
    [TAKE_VAULT] = TOKEN_ACCOUNT,
    [TAKE_MINT] = MINT,
    [TAKE_TOKEN_PROGRAM] = ANY_TOKEN_PROGRAM,
};
static const u8 SURPLUS_KINDS[TAKE_ACCOUNTS] = {
    [TAKE_CONFIG] = IS_CONFIG,
    [TAKE_POOL] = IS_POOL,
    [TAKE_ACCOUNT] = TOKEN_ACCOUNT,
    [TAKE_VAULT] = TOKEN_ACCOUNT,
    [TAKE_MINT] = MINT,
    [TAKE_RECEIVER] = SIGNER,
    [TAKE_TOKEN_PROGRAM] = ANY_TOKEN_PROGRAM,
};

// Pays out of the vault, and tells of it with `who`, if it is anybody.
NOINLINE void pay_out(const Input *in, u64 amount, const Pubkey *who, u64 event_discriminator) {
  Account *const *a = in->accounts;
  AUTHORITY_SIGNS(signer);
  token_transfer(a[TAKE_VAULT], a[TAKE_MINT], a[TAKE_ACCOUNT], a[TAKE_AUTHORITY], amount, &signer);
  u8 event[EVENT_HEAD + 2 * sizeof(Pubkey) + 8];
  u8 *at = put_key(event + EVENT_HEAD, &a[TAKE_POOL]->key);
  if (who) at = put_key(at, who);
  emit(in, TAKE_EVENTS, event, event_discriminator, put_u64(at, amount));
}

// ---- leftover -----------------------------------------------------------------------------------------------------------

NOINLINE u64 check_leftover(const Input *in) {
  TRY(check_kinds(in, 0, TAKE_KINDS, TAKE_ACCOUNTS));
  Account *const *a = in->accounts;
  const u8 *config = a[TAKE_CONFIG]->data, *pool = a[TAKE_POOL]->data;
  CHECK(key_eq(&a[TAKE_AUTHORITY]->key, &AUTHORITY), ERROR_WRONG_SYSVAR);
  CHECK(is_at(config + CONFIG_LEFTOVER_RECEIVER, a[TAKE_RECEIVER]), ERROR_NOT_RELATED);
  TRY(check_writable(a[TAKE_POOL]));
  CHECK(is_at(pool + POOL_BASE_MINT, a[TAKE_MINT]), ERROR_NOT_RELATED);
  CHECK(is_at(pool + POOL_BASE_VAULT, a[TAKE_VAULT]), ERROR_NOT_RELATED);
  CHECK(is_at(pool + POOL_CONFIG, a[TAKE_CONFIG]), ERROR_NOT_RELATED);
  TRY(check_associated(a[TAKE_ACCOUNT], &a[TAKE_RECEIVER]->key, &a[TAKE_TOKEN_PROGRAM]->key, &a[TAKE_MINT]->key));
  TRY(check_vault((Account *[]){a[TAKE_VAULT], a[TAKE_MINT], a[TAKE_TOKEN_PROGRAM]}));
  TRY(check_event_authority(a[TAKE_EVENTS]));
  CHECK(pool[POOL_PROGRESS] == PROGRESS_MIGRATED, ERROR_NOT_PERMITTED);
  CHECK(config[CONFIG_FIXED_SUPPLY] == 1, ERROR_NOT_PERMITTED);
  CHECK(pool[POOL_LEFTOVER_IS_TAKEN] == 0, ERROR_LEFTOVER_IS_TAKEN);
  return 0;
}

NOINLINE u64 withdraw_leftover(const Input *in) {
  TRY(check_leftover(in));
  Account *const *a = in->accounts;
  u8 *pool = a[TAKE_POOL]->data;
  u64 leftover = token_amount(a[TAKE_VAULT]);
  static const u64 OTHERS[4] = {POOL_PROTOCOL_BASE_FEE, POOL_PARTNER_BASE_FEE, POOL_CREATOR_BASE_FEE,
                                POOL_MIGRATION_BASE_FEE};
  for (u64 i = 0; i < 4; i++) {
    u64 fee = load_u64(pool + OTHERS[i]);
    CHECK(leftover >= fee, ERROR_MATH_OVERFLOW);
    leftover -= fee;
  }
  pool[POOL_LEFTOVER_IS_TAKEN] = 1;
  pay_out(in, leftover, &a[TAKE_RECEIVER]->key, WITHDRAW_LEFTOVER_EVENT);
  return 0;
}

// ---- surplus ------------------------------------------------------------------------------------------------------------

NOINLINE u64 check_surplus(const Input *in, const u8 *whom) {
  Account *const *a = in->accounts;
  const u8 *config = a[TAKE_CONFIG]->data, *pool = a[TAKE_POOL]->data;
  CHECK(key_eq(&a[TAKE_AUTHORITY]->key, &AUTHORITY), ERROR_WRONG_SYSVAR);
  CHECK(is_at(config + CONFIG_QUOTE_MINT, a[TAKE_MINT]), ERROR_NOT_RELATED);
  TRY(check_writable(a[TAKE_POOL]));
  CHECK(is_at(pool + POOL_QUOTE_VAULT, a[TAKE_VAULT]), ERROR_NOT_RELATED);
  CHECK(is_at(pool + POOL_CONFIG, a[TAKE_CONFIG]), ERROR_NOT_RELATED);
  TRY(check_writable(a[TAKE_ACCOUNT]));
  TRY(check_vault((Account *[]){a[TAKE_VAULT], a[TAKE_MINT], a[TAKE_TOKEN_PROGRAM]}));
  TRY(check_event_authority(a[TAKE_EVENTS]));
  CHECK(is_at(whom, a[TAKE_RECEIVER]), ERROR_UNAUTHORIZED);
  CHECK(load_u64(pool + POOL_QUOTE_RESERVE) >= load_u64(config + CONFIG_THRESHOLD), ERROR_NOT_PERMITTED);
  return 0;
}

NOINLINE u64 withdraw_surplus(const Input *in, bool is_creator) {
  TRY(check_kinds(in, 0, SURPLUS_KINDS, TAKE_ACCOUNTS));
  const u8 *config = in->accounts[TAKE_CONFIG]->data;
  u8 *pool = in->accounts[TAKE_POOL]->data;
  TRY(check_surplus(in, is_creator ? pool + POOL_CREATOR : config + CONFIG_FEE_CLAIMER));
  u8 *is_taken = pool + (is_creator ? POOL_CREATOR_SURPLUS_IS_TAKEN : POOL_PARTNER_SURPLUS_IS_TAKEN);
  CHECK(*is_taken == 0, ERROR_SURPLUS_IS_TAKEN);
  *is_taken = 1;
  u64 rest, surplus = load_u64(pool + POOL_QUOTE_RESERVE) - load_u64(config + CONFIG_THRESHOLD);
  u64 both = mul_div(surplus, SURPLUS_PERCENTAGE, 100, &rest);
  u64 creators = mul_div(both, config[CONFIG_CREATOR_FEE_PERCENTAGE], 100, &rest);
  pay_out(in, is_creator ? creators : both - creators, NULL,
          is_creator ? CREATOR_SURPLUS_EVENT : PARTNER_SURPLUS_EVENT);
  return 0;
}

// ---- creator ------------------------------------------------------------------------------------------------------------

// transferPoolCreator: makes somebody else the creator, before the curve is sold out and after it has migrated.
//
// 0 [writable] pool     2 [signer] creator    4 event authority
// 1 configuration       3 the next creator    5 this program
enum { GIVE_POOL, GIVE_CONFIG, GIVE_CREATOR, GIVE_NEXT, GIVE_EVENTS, GIVE_ACCOUNTS = 6 };

static const u8 GIVE_KINDS[GIVE_ACCOUNTS] = {
    [GIVE_POOL] = IS_POOL,
    [GIVE_CONFIG] = IS_CONFIG,
    [GIVE_CREATOR] = SIGNER,
};

NOINLINE u64 transfer_creator(const Input *in) {
  TRY(check_kinds(in, 0, GIVE_KINDS, GIVE_ACCOUNTS));
  Account *const *a = in->accounts;
  u8 *pool = a[GIVE_POOL]->data;
  TRY(check_writable(a[GIVE_POOL]));
  CHECK(is_at(pool + POOL_CONFIG, a[GIVE_CONFIG]), ERROR_NOT_RELATED);
  CHECK(a[GIVE_NEXT] != a[GIVE_CREATOR], ERROR_INVALID_NEW_CREATOR);
  TRY(check_event_authority(a[GIVE_EVENTS]));
  CHECK(is_at(pool + POOL_CREATOR, a[GIVE_CREATOR]), ERROR_UNAUTHORIZED);
  CHECK(pool[POOL_PROGRESS] == PROGRESS_TRADING || pool[POOL_PROGRESS] == PROGRESS_MIGRATED, ERROR_NOT_PERMITTED);
  store_key(pool + POOL_CREATOR, &a[GIVE_NEXT]->key);
  u8 event[EVENT_HEAD + 3 * sizeof(Pubkey)];
  u8 *at = put_key(event + EVENT_HEAD, &a[GIVE_POOL]->key);
  at = put_key(put_key(at, &a[GIVE_CREATOR]->key), &a[GIVE_NEXT]->key);
  emit(in, GIVE_EVENTS, event, UPDATE_CREATOR_EVENT, at);
  return 0;
}
