// What the instructions have in common: the order account, events.
#pragma once
#include "address.h"
#include "interface.h"

INLINE Account *optional(const Input *in, u64 i) {
  return key_eq(&in->accounts[i]->key, in->program_id) ? NULL : in->accounts[i];
}

// ---- the order account --------------------------------------------------------------------------------------------

INLINE u8 *after_expiry(const Account *order) {
  return (u8 *)order->data + (order->data[ORDER_EXPIRES] ? ORDER_EXPIRED_AT + sizeof(i64) : ORDER_EXPIRED_AT);
}

INLINE bool is_expired(const Account *order) {
  return order->data[ORDER_EXPIRES] && now() >= (i64)load_u64(order->data + ORDER_EXPIRED_AT);
}

INLINE bool is_of_order(const Account *order, u64 field, const Account *a) {
  return key_eq(key_at(order->data + field), &a->key);
}

#define ORDER_SIGNER_SEEDS(order)                  \
  {TEXT(ORDER_SEED),                               \
   {(order)->data + ORDER_MAKER, sizeof(Pubkey)},  \
   {(order)->data + ORDER_UNIQUE_ID, sizeof(u64)}, \
   {after_expiry(order) + REST_BUMP, 1}}

// ---- events -------------------------------------------------------------------------------------------------------

INLINE void begin_event(u8 *data, u64 type, const Account *order) {
  store_u64(data, EVENT_TAG);
  store_u64(data + EVENT_TYPE, type);
  store_key(data + EVENT_ORDER, &order->key);
}

enum { PAID_ACCOUNTS = 3 };

// The program calls itself, so that the event stands in the transaction's record whatever becomes of its logs. `paid`: the
// accounts between which the program has moved lamports itself, or NULL. The runtime takes such a change over account by
// account, with the call that an account is given to, so the next call must be given all of them.
NOINLINE void emit(const Input *in, u64 authority, u8 *bump, const Slice *event, Account *const *paid) {
  Slice seeds[2] = {TEXT(EVENT_AUTHORITY_SEED), {bump, 1}};
  SignerSeeds signer = {seeds, 2};
  Call call = {in->program_id, {in->accounts[authority]}, {ROLE_SIGNER}, 1, event->address, event->len};
  if (paid != NULL) {
    for (u64 i = 0; i < PAID_ACCOUNTS; i++) {
      call.accounts[call.n] = paid[i];
      call.roles[call.n++] = ROLE_WRITABLE;
    }
  }
  invoke(&call, &signer);
}

// j1o2qRpjcyUwEvwtcfhEQefh773ZgjxcVRry7LDqg5X
static const Pubkey PUBLIC_PROGRAM = {
    {0x5a7166c1964ac30aUL, 0x0d8a25ca3e23c160UL, 0x5c74e058c81e0bf3UL, 0x224b636662126a73UL}};
// ArsDfE54RTkC3zhtzPdtvTtKw9XSV5w1PCTBFVGiLd52
static const Pubkey PUBLIC_EVENT_AUTHORITY = {
    {0x051043ec876c7f92UL, 0xc20f1e0ec82ed997UL, 0x830f75fcbf8b2ce5UL, 0xe1b233ee57046607UL}};

// At the address of the public clusters the answer is known, which makes every event cheaper.
NOINLINE void find_event_authority(const Pubkey *program, u8 *bump, Pubkey *authority) {
  if (key_eq(program, &PUBLIC_PROGRAM)) {
    *bump = 255;
    *authority = PUBLIC_EVENT_AUTHORITY;
    return;
  }
  Slice seeds[4];
  seeds[0] = (Slice)TEXT(EVENT_AUTHORITY_SEED);
  find_address(seeds, 1, program, bump, authority);
}

// The called side: only the program itself has this signature, so nobody else can write events.
NOINLINE u64 accept_event(const Input *in) {
  TRY(check_accounts(in, 1, 1, 0));
  Pubkey authority;
  u8 bump;
  find_event_authority(in->program_id, &bump, &authority);
  CHECK(key_eq(&in->accounts[0]->key, &authority), ERROR_WRONG_ADDRESS);
  return 0;
}
