// initializeOrder: the maker locks tokens in a reserve that belongs to the order's address.
//
//  0 [signer, writable] payer of the rent         8 output mint
//  1 [signer] maker                               9 the input's token program
//  2 [writable] order                            10 the output's token program
//  3 [writable] reserve: associated token account 11 System program
//  4 [writable] maker's account of the input     12 associated token program
//  5 fee account of the program                  13 event authority
//  6 account that the order's fee goes to; optional 14 this program
//  7 input mint
//
// data: unique id, making amount, taking amount (u64), then each after a byte that says whether it is there: expiry
// (i64, unix seconds), fee in basis points (u16), slippage in basis points (u16). What follows is ignored.
#pragma once
#include "order.h"
#include "mints.h"

enum {
  NEW_PAYER,
  NEW_MAKER,
  NEW_ORDER,
  NEW_RESERVE,
  NEW_MAKER_INPUT,
  NEW_FEE,
  NEW_REFERRAL,
  NEW_INPUT_MINT,
  NEW_OUTPUT_MINT,
  NEW_INPUT_PROGRAM,
  NEW_OUTPUT_PROGRAM,
  NEW_SYSTEM,
  NEW_ASSOCIATED,
  NEW_EVENT_AUTHORITY,
  NEW_ACCOUNTS = 15,
};

typedef struct {
  u64 unique_id, making, taking;
  bool expires, has_fee_bps, has_slippage_bps;
  u64 expired_at, fee_bps, slippage_bps;
} Terms;

typedef struct {
  const u8 *at, *end;
} Reader;

// A number after a byte that says whether it is there; 0 where it is not.
NOINLINE u64 read_option(Reader *r, u64 len, bool *is_there, u64 *value) {
  CHECK(r->at < r->end, ERROR_INCOMPLETE_DATA);
  u8 tag = *r->at++;
  CHECK(tag <= 1, ERROR_INCOMPLETE_DATA);
  *is_there = tag;
  *value = 0;
  if (!tag) return 0;
  CHECK((u64)(r->end - r->at) >= len, ERROR_INCOMPLETE_DATA);
  *value = len == sizeof(u64) ? load_u64(r->at) : load_u16(r->at);
  r->at += len;
  return 0;
}

// Where the data ends before the amounts do, they are read from what follows it, the program's id, and refused after.
NOINLINE u64 read_terms(const Input *in, Terms *t) {
  const u8 *data = in->data + sizeof(u64);
  Reader r = {data + 3 * sizeof(u64), in->data + in->data_len};
  t->unique_id = load_u64(data);
  t->making = load_u64(data + 8);
  t->taking = load_u64(data + 16);
  TRY(read_option(&r, sizeof(u64), &t->expires, &t->expired_at));
  TRY(read_option(&r, sizeof(u16), &t->has_fee_bps, &t->fee_bps));
  return read_option(&r, sizeof(u16), &t->has_slippage_bps, &t->slippage_bps);
}

NOINLINE u64 check_terms(const Input *in, Terms *t, i64 time) {
  CHECK(t->making != 0, ERROR_INVALID_MAKING_AMOUNT);
  CHECK(t->taking != 0, ERROR_INVALID_TAKING_AMOUNT);
  if (t->expires) CHECK((i64)t->expired_at > time, ERROR_INVALID_EXPIRED_DATE);
  // An order that accepts nothing would be a gift.
  CHECK(t->slippage_bps < ALL_BPS, ERROR_INVALID_MIN_TAKING_AMOUNT);

  // Only updateFee makes accounts of this type, at the one address.
  const Account *fee = in->accounts[NEW_FEE];
  TRY(check_own_account(in, fee, FEE));
  if (!t->has_fee_bps) t->fee_bps = load_u16(fee->data + FEE_NORMAL_BPS);
  CHECK(t->fee_bps >= load_u16(fee->data + FEE_STABLE_BPS), ERROR_FEE_BPS_TOO_LOW);
  CHECK(t->fee_bps <= ALL_BPS, ERROR_FEE_BPS_TOO_HIGH);
  return 0;
}

NOINLINE u64 check_new_order(const Input *in) {
  Account *const *a = in->accounts;
  CHECK(a[NEW_INPUT_MINT] != a[NEW_OUTPUT_MINT], ERROR_INVALID_PAIR);
  TRY(check_mint(a[NEW_INPUT_MINT], a[NEW_INPUT_PROGRAM]));
  TRY(check_mint(a[NEW_OUTPUT_MINT], a[NEW_OUTPUT_PROGRAM]));
  const Account *input = a[NEW_MAKER_INPUT], *referral = optional(in, NEW_REFERRAL);
  CHECK(holds(input, &a[NEW_INPUT_PROGRAM]->key, &a[NEW_INPUT_MINT]->key), ERROR_INVALID_INPUT_ACCOUNT);
  CHECK(key_eq(token_owner(input), &a[NEW_MAKER]->key), ERROR_INVALID_INPUT_ACCOUNT);
  if (referral != NULL) {
    CHECK(holds(referral, &a[NEW_OUTPUT_PROGRAM]->key, &a[NEW_OUTPUT_MINT]->key), ERROR_WRONG_MINT);
  }
  return 0;
}

// Where the order's fee goes: to the referral, or else to the associated token account of the program's fee account.
NOINLINE void find_fee_account(const Input *in, Pubkey *address) {
  const Account *referral = optional(in, NEW_REFERRAL);
  if (referral != NULL) {
    *address = referral->key;
    return;
  }
  u8 bump;
  Slice seeds[6] = {KEY(&in->accounts[NEW_FEE]->key), KEY(&in->accounts[NEW_OUTPUT_PROGRAM]->key),
                    KEY(&in->accounts[NEW_OUTPUT_MINT]->key)};
  find_address(seeds, 3, &ASSOCIATED_TOKEN_PROGRAM, &bump, address);
}

NOINLINE void write_order(const Input *in, const Terms *t, i64 time, u8 bump) {
  Account *const *a = in->accounts;
  Account *order = a[NEW_ORDER];
  u8 *data = order->data;
  store_u64(data, ORDER);
  store_key(data + ORDER_MAKER, &a[NEW_MAKER]->key);
  store_key(data + ORDER_INPUT_MINT, &a[NEW_INPUT_MINT]->key);
  store_key(data + ORDER_OUTPUT_MINT, &a[NEW_OUTPUT_MINT]->key);
  store_key(data + ORDER_INPUT_PROGRAM, &a[NEW_INPUT_PROGRAM]->key);
  store_key(data + ORDER_OUTPUT_PROGRAM, &a[NEW_OUTPUT_PROGRAM]->key);
  store_key(data + ORDER_RESERVE, &a[NEW_RESERVE]->key);
  store_u64(data + ORDER_UNIQUE_ID, t->unique_id);
  store_u64(data + ORDER_ALL_MAKING, t->making);
  store_u64(data + ORDER_ALL_TAKING, t->taking);
  store_u64(data + ORDER_MAKING, t->making);
  store_u64(data + ORDER_TAKING, t->taking);
  data[ORDER_EXPIRES] = t->expires;
  store_u64(data + ORDER_EXPIRED_AT, t->expired_at);  // where there is none, the rest is written over it
  u8 *rest = after_expiry(order);
  store_u16(rest + REST_FEE_BPS, (u16)t->fee_bps);
  find_fee_account(in, (Pubkey *)(rest + REST_FEE_ACCOUNT));
  store_u64(rest + REST_CREATED_AT, (u64)time);
  store_u64(rest + REST_UPDATED_AT, (u64)time);
  rest[REST_BUMP] = bump;
  store_u16(rest + REST_SLIPPAGE_BPS, (u16)t->slippage_bps);
}

// It may be there already, made by anybody.
NOINLINE void create_reserve(const Input *in) {
  associated_create(in->accounts, NEW_PAYER, NEW_RESERVE, NEW_ORDER, NEW_INPUT_MINT, NEW_SYSTEM, NEW_INPUT_PROGRAM);
}

#define CREATE_ORDER_EVENT_LEN 269  // with an expiry, without the 8 bytes of one less

INLINE u8 *append(u8 *at, const u8 *from, u64 len) {
  sol_memcpy_(at, from, len);
  return at + len;
}

NOINLINE void emit_created(const Input *in) {
  Account *order = in->accounts[NEW_ORDER];
  const u8 *expiry = order->data + ORDER_EXPIRES, *rest = after_expiry(order);
  u8 event[CREATE_ORDER_EVENT_LEN];
  begin_event(event, CREATE_ORDER_EVENT, order);
  // Event and account have the same fields in the same order: maker to output program; amounts; expiry to fee account.
  u8 *at = append(event + EVENT_FIELDS, order->data + ORDER_MAKER, ORDER_RESERVE - ORDER_MAKER);
  at = append(at, order->data + ORDER_MAKING, 2 * sizeof(u64));
  at = append(at, expiry, (u64)(rest + REST_CREATED_AT - expiry));
  at = append(at, rest + REST_SLIPPAGE_BPS, sizeof(u16));
  emit(in, NEW_EVENT_AUTHORITY, order->data + ORDER_EVENT_BUMP, &(Slice){event, (u64)(at - event)}, NULL);
}

NOINLINE u64 initialize_order(const Input *in) {
  Account *const *a = in->accounts;
  Terms terms;
  TRY(check_accounts(in, NEW_ACCOUNTS, 1 << NEW_PAYER | 1 << NEW_MAKER,
                     1 << NEW_PAYER | 1 << NEW_ORDER | 1 << NEW_RESERVE | 1 << NEW_MAKER_INPUT));
  TRY(read_terms(in, &terms));
  i64 time = now();
  TRY(check_terms(in, &terms, time));
  TRY(check_new_order(in));

  Account *order = a[NEW_ORDER];
  Pubkey derived;
  u8 bump;
  Slice seeds[6] = {TEXT(ORDER_SEED), KEY(&a[NEW_MAKER]->key), {&terms.unique_id, sizeof(u64)}};
  find_address(seeds, 3, in->program_id, &bump, &derived);
  CHECK(key_eq(&order->key, &derived), ERROR_WRONG_ADDRESS);
  SignerSeeds signer = {seeds, 4};
  create_account(a[NEW_PAYER], order, ORDER_LEN, in->program_id, &signer);
  write_order(in, &terms, time, bump);
  find_event_authority(in->program_id, order->data + ORDER_EVENT_BUMP, &derived);

  create_reserve(in);
  token_transfer(a[NEW_MAKER_INPUT], a[NEW_INPUT_MINT], a[NEW_RESERVE], a[NEW_MAKER], terms.making, NULL);
  emit_created(in);
  return 0;
}
