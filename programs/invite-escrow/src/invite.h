// What the instructions have in common: how an invite begins, who may end it, events.
#pragma once
#include "address.h"
#include "interface.h"

// ---- events -------------------------------------------------------------------------------------------------------

// A line in the transaction's log: the event's discriminator, its fields.
typedef struct {
  u8 bytes[144];
  u64 len;
} Event;

INLINE void begin_event(Event *event, u64 type) {
  store_u64(event->bytes, type);
  event->len = sizeof(u64);
}

INLINE void put_u64(Event *event, u64 value) {
  store_u64(event->bytes + event->len, value);
  event->len += sizeof(u64);
}

INLINE void put_key(Event *event, const Pubkey *key) {
  store_key(event->bytes + event->len, key);
  event->len += sizeof(Pubkey);
}

INLINE void emit(const Event *event) {
  Slice data = {event->bytes, event->len};
  sol_log_data(&data, 1);
}

// ---- the beginning --------------------------------------------------------------------------------------------------

// Both kinds begin with these accounts. The invite's key signs, so that nobody can take its address before.
enum { NEW_SENDER, NEW_INVITE, NEW_INFO, NEW_SYSTEM };

typedef struct {
  i64 expiry;
  u64 amount;
} Terms;

NOINLINE u64 read_terms(const Input *in, Terms *t) {
  CHECK(in->data_len >= 3 * sizeof(u64), ERROR_INCOMPLETE_DATA);
  t->expiry = (i64)load_u64(in->data + 8);
  t->amount = load_u64(in->data + 16);
  CHECK(t->amount != 0, ERROR_ZERO_AMOUNT);
  CHECK(t->expiry > now(), ERROR_EXPIRED);
  return 0;
}

// Whether the account is at the address of this invite. `seeds` has space for 5 slices; then 3 of them sign for it.
NOINLINE u64 check_address(const Input *in, const Account *info, const Account *invite, Slice *seeds, u8 *bump) {
  Pubkey derived;
  seeds[0] = (Slice)TEXT(INVITE_SEED);
  seeds[1] = (Slice)KEY(&invite->key);
  find_address(seeds, 2, in->program_id, bump, &derived);
  CHECK(key_eq(&info->key, &derived), ERROR_WRONG_ADDRESS);
  return 0;
}

// The System program refuses the account of an invite that is still open.
NOINLINE u64 create_info(const Input *in, u64 discriminator, u64 len, u8 *bump) {
  Account *sender = in->accounts[NEW_SENDER], *info = in->accounts[NEW_INFO];
  Slice seeds[5];
  TRY(check_address(in, info, in->accounts[NEW_INVITE], seeds, bump));
  SignerSeeds signer = {seeds, 3};
  create_account(sender, info, len, in->program_id, &signer);
  store_u64(info->data, discriminator);
  store_key(info->data + INFO_SENDER, &sender->key);
  return 0;
}

INLINE void begin_new_event(Event *event, const Input *in, const Terms *t, u64 type) {
  begin_event(event, type);
  put_key(event, &in->accounts[NEW_SENDER]->key);
  put_key(event, &in->accounts[NEW_INVITE]->key);
  put_u64(event, t->amount);
  put_u64(event, (u64)t->expiry);
}

// ---- the end --------------------------------------------------------------------------------------------------------

// Every end begins with these accounts: the invite's, and the invite's key or the sender. A claim goes to the third.
enum { END_INFO, END_INVITE, END_CLAIMER, END_SENDER = END_INVITE };

INLINE i64 expiry_of(const Account *info, u64 at) { return (i64)load_u64(info->data + at); }

INLINE u64 check_sender(const Input *in, u64 discriminator) {
  const Account *info = in->accounts[END_INFO];
  TRY(check_own_account(in, info, discriminator));
  CHECK(key_eq(key_at(info->data + INFO_SENDER), &in->accounts[END_SENDER]->key), ERROR_NOT_RELATED);
  return 0;
}

// A claim ends when the time of the expiry begins: at no time are both possible, or neither.
INLINE u64 check_open(const Account *info, u64 expiry_at) {
  CHECK(now() < expiry_of(info, expiry_at), ERROR_EXPIRED);
  return 0;
}

INLINE u64 check_expired(const Account *info, u64 expiry_at) {
  CHECK(now() >= expiry_of(info, expiry_at), ERROR_NOT_YET_EXPIRED);
  return 0;
}

INLINE void begin_claim_event(Event *event, const Input *in, u64 type, u64 amount) {
  begin_event(event, type);
  put_key(event, &in->accounts[END_CLAIMER]->key);
  put_key(event, key_at(in->accounts[END_INFO]->data + INFO_SENDER));
  put_key(event, &in->accounts[END_INVITE]->key);
  put_u64(event, amount);
}

INLINE void begin_return_event(Event *event, const Input *in, u64 type, u64 amount) {
  begin_event(event, type);
  put_key(event, &in->accounts[END_SENDER]->key);
  put_u64(event, amount);
}
