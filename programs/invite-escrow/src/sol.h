// Invites of SOL: what is sent lies on the invite's account, beside its rent. All of it goes to whoever gets the invite's
// end: the claimer, or the sender.
#pragma once
#include "invite.h"

// 0 [signer, writable] sender   1 [signer] invite   2 [writable] invite's account   3 System program
// data: expiry (i64, unix seconds), amount in lamports (u64). What follows is ignored.
NOINLINE u64 initialize(const Input *in) {
  Account *const *a = in->accounts;
  Terms terms;
  u8 bump;
  TRY(check_accounts(in, 4, 1 << NEW_SENDER | 1 << NEW_INVITE, 1 << NEW_SENDER | 1 << NEW_INFO));
  TRY(read_terms(in, &terms));
  // Less than a wallet can hold by itself.
  CHECK(terms.amount >= rent_exempt(0), ERROR_AMOUNT_BELOW_MINIMUM_LAMPORTS);
  TRY(create_info(in, INFO, INFO_LEN, &bump));
  store_u64(a[NEW_INFO]->data + INFO_EXPIRY, (u64)terms.expiry);
  system_transfer(a[NEW_SENDER], a[NEW_INFO], terms.amount);
  Event event;
  begin_new_event(&event, in, &terms, INITIALIZE_EVENT);
  emit(&event);
  return 0;
}

// What lies on the invite's account beside its rent.
NOINLINE u64 amount_in(const Account *info) {
  u64 rent = rent_exempt(INFO_LEN);
  return info->lamports > rent ? info->lamports - rent : 0;
}

// 0 [writable] invite's account   1 [signer] invite   2 [writable] claimer   3 System program   4 [signer] keeper
NOINLINE u64 claim(const Input *in) {
  Account *info = in->accounts[END_INFO];
  Slice seeds[5];
  u8 bump;
  TRY(check_accounts(in, 5, 1 << END_INVITE | 1 << 4, 1 << END_INFO | 1 << END_CLAIMER));
  TRY(check_own_account(in, info, INFO));
  TRY(check_address(in, info, in->accounts[END_INVITE], seeds, &bump));
  TRY(check_open(info, INFO_EXPIRY));
  Event event;
  begin_claim_event(&event, in, CLAIM_EVENT, amount_in(info));
  emit(&event);
  close_account(info, in->accounts[END_CLAIMER]);
  return 0;
}

// 0 [writable] invite's account   1 [signer, writable] sender
NOINLINE u64 clawback(const Input *in) {
  Account *info = in->accounts[END_INFO];
  TRY(check_accounts(in, 2, 1 << END_SENDER, 1 << END_INFO | 1 << END_SENDER));
  TRY(check_sender(in, INFO));
  Event event;
  begin_return_event(&event, in, CLAWBACK_EVENT, amount_in(info));
  emit(&event);
  close_account(info, in->accounts[END_SENDER]);
  return 0;
}

// 0 [writable] invite's account   1 [writable] sender   2 [signer] keeper
NOINLINE u64 expire(const Input *in) {
  Account *info = in->accounts[END_INFO];
  TRY(check_accounts(in, 3, 1 << 2, 1 << END_INFO | 1 << END_SENDER));
  TRY(check_sender(in, INFO));
  TRY(check_expired(info, INFO_EXPIRY));
  Event event;
  begin_return_event(&event, in, EXPIRE_EVENT, amount_in(info));
  put_u64(&event, (u64)expiry_of(info, INFO_EXPIRY));
  emit(&event);
  close_account(info, in->accounts[END_SENDER]);
  return 0;
}
