// cancelOrder and cancelDustOrder: everything goes back to the maker.
//
// 0 [signer] the maker; anybody after the order's expiry; the admin for dust
// 1 [writable] maker        3 [writable] reserve                                5 input mint
// 2 [writable] order        4 [writable] maker's account of the input; optional 6 its token program
//
// cancelOrder:      7 event authority, 8 this program
// cancelDustOrder:  7 System program, 8 associated token program, 9 event authority, 10 this program, 11 see check_admin
//
// data of cancelDustOrder: what is worth a dollar, in the input's smallest unit (u64)
#pragma once
#include "admin.h"

enum {
  CANCEL_SIGNER,
  CANCEL_MAKER,
  CANCEL_ORDER_ACCOUNT,
  CANCEL_RESERVE,
  CANCEL_MAKER_INPUT,
  CANCEL_INPUT_MINT,
  CANCEL_EVENT_AUTHORITY = 7,
  CANCEL_ACCOUNTS = 9,
  DUST_EVENT_AUTHORITY = 9,
  DUST_PROGRAM_DATA = 11,
  DUST_ACCOUNTS = 12,
};
#define CANCEL_SIGNERS (1 << CANCEL_SIGNER)
#define CANCEL_WRITABLES (1 << CANCEL_MAKER | 1 << CANCEL_ORDER_ACCOUNT | 1 << CANCEL_RESERVE | 1 << CANCEL_MAKER_INPUT)

NOINLINE u64 check_cancel(const Input *in) {
  Account *const *a = in->accounts;
  const Account *order = a[CANCEL_ORDER_ACCOUNT];
  TRY(check_own_account(in, order, ORDER));
  CHECK(is_of_order(order, ORDER_MAKER, a[CANCEL_MAKER]), ERROR_NOT_RELATED);
  CHECK(is_of_order(order, ORDER_RESERVE, a[CANCEL_RESERVE]), ERROR_NOT_RELATED);
  CHECK(is_of_order(order, ORDER_INPUT_MINT, a[CANCEL_INPUT_MINT]), ERROR_NOT_RELATED);
  CHECK(load_u64(order->data + ORDER_BORROWED) == 0, ERROR_INVALID_BORROW_MAKING_AMOUNT);
  return 0;
}

// All that lies in the reserve, also what strangers have sent there. Wrapped SOL goes to the maker's wallet as SOL where
// no token account is given.
NOINLINE u64 give_back(const Input *in, u64 event_authority, const Slice *event) {
  Account *const *a = in->accounts;
  Account *maker = a[CANCEL_MAKER], *order = a[CANCEL_ORDER_ACCOUNT], *reserve = a[CANCEL_RESERVE];
  Account *mint = a[CANCEL_INPUT_MINT], *to = optional(in, CANCEL_MAKER_INPUT);
  Slice seeds[4] = ORDER_SIGNER_SEEDS(order);
  SignerSeeds signer = {seeds, 4};
  if (to == NULL) {
    CHECK(key_eq(&mint->key, &WRAPPED_SOL), ERROR_INVALID_INPUT_ACCOUNT);
  } else {
    CHECK(holds(to, &reserve->owner, &mint->key), ERROR_INVALID_INPUT_ACCOUNT);
    CHECK(key_eq(token_owner(to), &maker->key), ERROR_INVALID_INPUT_ACCOUNT);
    token_transfer(reserve, mint, to, order, token_amount(reserve), &signer);
  }
  token_close_account(reserve, maker, order, &signer);
  emit(in, event_authority, order->data + ORDER_EVENT_BUMP, event, NULL);
  close_account(order, maker);
  return 0;
}

NOINLINE u64 cancel_order(const Input *in) {
  TRY(check_accounts(in, CANCEL_ACCOUNTS, CANCEL_SIGNERS, CANCEL_WRITABLES));
  TRY(check_cancel(in));
  const Account *order = in->accounts[CANCEL_ORDER_ACCOUNT];
  if (in->accounts[CANCEL_SIGNER] != in->accounts[CANCEL_MAKER]) CHECK(is_expired(order), ERROR_ORDER_NOT_EXPIRED);
  u8 event[EVENT_FIELDS];
  begin_event(event, CANCEL_ORDER_EVENT, order);
  return give_back(in, CANCEL_EVENT_AUTHORITY, &(Slice){event, sizeof event});
}

NOINLINE u64 cancel_dust_order(const Input *in) {
  TRY(check_accounts(in, DUST_ACCOUNTS, CANCEL_SIGNERS, CANCEL_WRITABLES));
  CHECK(in->data_len >= 2 * sizeof(u64), ERROR_INCOMPLETE_DATA);
  TRY(check_admin(in, in->accounts[CANCEL_SIGNER], in->accounts[DUST_PROGRAM_DATA]));
  TRY(check_cancel(in));
  const Account *order = in->accounts[CANCEL_ORDER_ACCOUNT];
  u64 one_usd = load_u64(in->data + sizeof(u64));
  CHECK(load_u64(order->data + ORDER_MAKING) < one_usd, ERROR_INVALID_DUST_ORDER);
  u8 event[EVENT_FIELDS + sizeof(u64)];
  begin_event(event, CANCEL_DUST_ORDER_EVENT, order);
  store_u64(event + EVENT_FIELDS, one_usd);
  return give_back(in, DUST_EVENT_AUTHORITY, &(Slice){event, sizeof event});
}
