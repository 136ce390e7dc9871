// claimCreatorTradingFee, claimTradingFee: pay what the creator, or the operator, has not claimed of the trading fees.
//
//  0 authority                         7 base mint
//    configuration (operator only)     8 quote mint
//  1 [writable] pool                   9 [signer] who may claim
//  2 [writable] gets base             10 token program of the base
//  3 [writable] gets quote            11 token program of the quote
//  4 [writable] base vault            12 event authority
//  5 [writable] quote vault           13 this program
//
// data: the most base and the most quote to pay (u64).
#pragma once
#include "program.h"

// Without the configuration; with it, all after the authority stand one place later.
enum {
  CLAIM_AUTHORITY,
  CLAIM_POOL,
  CLAIM_BASE_ACCOUNT,
  CLAIM_QUOTE_ACCOUNT,
  CLAIM_BASE_VAULT,
  CLAIM_QUOTE_VAULT,
  CLAIM_BASE_MINT,
  CLAIM_QUOTE_MINT,
  CLAIM_CLAIMER,
  CLAIM_BASE_PROGRAM,
  CLAIM_QUOTE_PROGRAM,
  CLAIM_EVENTS,
  CLAIM_ACCOUNTS = 13,
};
enum { CLAIM_CONFIG = 1 };

static const u8 CLAIM_KINDS[CLAIM_ACCOUNTS + 1] = {
    [CLAIM_CONFIG] = IS_CONFIG,
    [1 + CLAIM_POOL] = IS_POOL,
    [1 + CLAIM_BASE_ACCOUNT] = TOKEN_ACCOUNT,
    [1 + CLAIM_QUOTE_ACCOUNT] = TOKEN_ACCOUNT,
    [1 + CLAIM_BASE_VAULT] = TOKEN_ACCOUNT,
    [1 + CLAIM_QUOTE_VAULT] = TOKEN_ACCOUNT,
    [1 + CLAIM_BASE_MINT] = MINT,
    [1 + CLAIM_QUOTE_MINT] = MINT,
    [1 + CLAIM_CLAIMER] = SIGNER,
    [1 + CLAIM_BASE_PROGRAM] = ANY_TOKEN_PROGRAM,
    [1 + CLAIM_QUOTE_PROGRAM] = ANY_TOKEN_PROGRAM,
};

// `a` are the accounts without the configuration.
NOINLINE u64 check_claim(const Input *in, Account *const *a) {
  const u8 *pool = a[CLAIM_POOL]->data;
  CHECK(key_eq(&in->accounts[CLAIM_AUTHORITY]->key, &AUTHORITY), ERROR_WRONG_SYSVAR);
  TRY(check_writable(a[CLAIM_POOL]));
  CHECK(is_at(pool + POOL_BASE_VAULT, a[CLAIM_BASE_VAULT]), ERROR_NOT_RELATED);
  CHECK(is_at(pool + POOL_QUOTE_VAULT, a[CLAIM_QUOTE_VAULT]), ERROR_NOT_RELATED);
  CHECK(is_at(pool + POOL_BASE_MINT, a[CLAIM_BASE_MINT]), ERROR_NOT_RELATED);
  TRY(check_writable(a[CLAIM_BASE_ACCOUNT]));
  TRY(check_writable(a[CLAIM_QUOTE_ACCOUNT]));
  TRY(check_vault((Account *[]){a[CLAIM_BASE_VAULT], a[CLAIM_BASE_MINT], a[CLAIM_BASE_PROGRAM]}));
  TRY(check_vault((Account *[]){a[CLAIM_QUOTE_VAULT], a[CLAIM_QUOTE_MINT], a[CLAIM_QUOTE_PROGRAM]}));
  return check_event_authority(a[CLAIM_EVENTS]);
}

// The lesser of a field and the most that may be paid, which the field is reduced by.
INLINE u64 take_at_most(u8 *field, u64 most) {
  u64 there = load_u64(field), taken = there < most ? there : most;
  store_u64(field, there - taken);
  return taken;
}

// Pays out of the fields at `base_fee` and the one after it. `a` are the accounts without the configuration.
NOINLINE void pay_claim(const Input *in, Account *const *a, u64 base_fee, u64 event_discriminator) {
  AUTHORITY_SIGNS(signer);
  Account *authority = in->accounts[CLAIM_AUTHORITY];
  u8 *pool = a[CLAIM_POOL]->data, event[EVENT_HEAD + sizeof(Pubkey) + 16];
  u64 base = take_at_most(pool + base_fee, load_u64(in->data + 8));
  u64 quote = take_at_most(pool + base_fee + sizeof(u64), load_u64(in->data + 16));
  token_transfer(a[CLAIM_BASE_VAULT], a[CLAIM_BASE_MINT], a[CLAIM_BASE_ACCOUNT], authority, base, &signer);
  token_transfer(a[CLAIM_QUOTE_VAULT], a[CLAIM_QUOTE_MINT], a[CLAIM_QUOTE_ACCOUNT], authority, quote, &signer);
  u8 *at = put_u64(put_u64(put_key(event + EVENT_HEAD, &a[CLAIM_POOL]->key), base), quote);
  emit(in, (u64)(a - in->accounts) + CLAIM_EVENTS, event, event_discriminator, at);
}

NOINLINE u64 claim_creator_fee(const Input *in) {
  CHECK(in->data_len >= 24, ERROR_INCOMPLETE_DATA);
  TRY(check_kinds(in, CLAIM_POOL, CLAIM_KINDS + 1 + CLAIM_POOL, CLAIM_ACCOUNTS - CLAIM_POOL));
  Account *const *a = in->accounts;
  TRY(check_claim(in, a));
  CHECK(is_at(a[CLAIM_POOL]->data + POOL_CREATOR, a[CLAIM_CLAIMER]), ERROR_UNAUTHORIZED);
  pay_claim(in, a, POOL_CREATOR_BASE_FEE, CLAIM_CREATOR_FEE_EVENT);
  return 0;
}

NOINLINE u64 claim_partner_fee(const Input *in) {
  CHECK(in->data_len >= 24, ERROR_INCOMPLETE_DATA);
  TRY(check_kinds(in, 0, CLAIM_KINDS, CLAIM_ACCOUNTS + 1));
  Account *const *a = in->accounts + 1;
  const Account *config = in->accounts[CLAIM_CONFIG];
  CHECK(is_at(config->data + CONFIG_QUOTE_MINT, a[CLAIM_QUOTE_MINT]), ERROR_NOT_RELATED);
  CHECK(is_at(a[CLAIM_POOL]->data + POOL_CONFIG, config), ERROR_NOT_RELATED);
  TRY(check_claim(in, a));
  CHECK(is_at(config->data + CONFIG_FEE_CLAIMER, a[CLAIM_CLAIMER]), ERROR_UNAUTHORIZED);
  pay_claim(in, a, POOL_PARTNER_BASE_FEE, CLAIM_PARTNER_FEE_EVENT);
  return 0;
}
