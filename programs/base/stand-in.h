// What the stand-ins for programs of the framework have in common: checks of accounts, the authority's signature, events. A
// program that includes this has EVENT_AUTHORITY, its bump, the error ERROR_MATH_OVERFLOW, and kinds of its own accounts
// from FIRST_OWN_KIND on, which discriminator_of() tells apart; for AUTHORITY_SIGNS also AUTHORITY and its bump.
#pragma once
#include "address.h"
#include "framework.h"
#include "wide.h"

// ---- errors -------------------------------------------------------------------------------------------------------

enum {
  ERROR_WRONG_ASSOCIATED_ACCOUNT = 2009,
  ERROR_WRONG_TOKEN_OWNER = 2015,
  ERROR_WRONG_VAULT_PROGRAM = 2021,
  ERROR_WRONG_ASSOCIATED_PROGRAM = 2023,
  ERROR_PAYER_IS_NEW = 4101,
  // The published programs have no error of this number: what they do and ours do not.
  ERROR_NOT_HERE = 7000,
};

// Says in the log what this program does not do.
#define REFUSE(text) return sol_log_(text, sizeof text - 1), ERROR_NOT_HERE
#define SUPPORT(condition, text)     \
  do {                               \
    if (!(condition)) REFUSE(text);  \
  } while (0)

// ---- accounts -----------------------------------------------------------------------------------------------------

INLINE bool is_at(const u8 *field, const Account *a) { return key_eq(key_at(field), &a->key); }

// What an account must be, whatever the others are.
enum {
  ANY,
  SIGNER,
  OPTIONAL_SIGNER,
  TOKEN_ACCOUNT,
  OPTIONAL_TOKEN_ACCOUNT,
  SPL_TOKEN_ACCOUNT,
  MINT,
  ANY_TOKEN_PROGRAM,
  SPL_TOKEN_PROGRAM,
  IS_SYSTEM_PROGRAM,
};

NOINLINE u64 check_program_account(const Input *in, const Account *a, u64 discriminator) {
  CHECK(key_eq(&a->owner, in->program_id), ERROR_WRONG_ACCOUNT_OWNER);
  CHECK(load_u64(a->data) == discriminator, ERROR_WRONG_ACCOUNT_TYPE);
  return 0;
}

INLINE u64 check_token_data(const Account *a, u8 kind) {
  CHECK(!key_eq(&a->owner, &SYSTEM_PROGRAM) || a->lamports != 0, ERROR_NO_ACCOUNT);
  CHECK(is_token_program(&a->owner), ERROR_WRONG_ACCOUNT_OWNER);
  if (kind == MINT) {
    CHECK(is_mint(a), ERROR_INVALID_ACCOUNT_DATA);
    return 0;
  }
  CHECK(a->data_len == TOKEN_ACCOUNT_LEN || is_extended(a, KIND_ACCOUNT), ERROR_INVALID_ACCOUNT_DATA);
  CHECK(a->data[TOKEN_STATE] != 0, ERROR_UNINITIALIZED_ACCOUNT);
  return 0;
}

NOINLINE u64 check_kind(const Input *in, const Account *a, u8 kind) {
  switch (kind) {
    case SIGNER: CHECK(a->is_signer, ERROR_NOT_SIGNER); return 0;
    case OPTIONAL_SIGNER: CHECK(a->is_signer || key_eq(&a->key, in->program_id), ERROR_NOT_SIGNER); return 0;
    case OPTIONAL_TOKEN_ACCOUNT:
      if (key_eq(&a->key, in->program_id)) return 0;
      return check_token_data(a, TOKEN_ACCOUNT);
    case SPL_TOKEN_ACCOUNT:
      CHECK(!key_eq(&a->owner, &TOKEN_2022_PROGRAM), ERROR_WRONG_ACCOUNT_OWNER);
      return check_token_data(a, TOKEN_ACCOUNT);
    case TOKEN_ACCOUNT:
    case MINT: return check_token_data(a, kind);
    case ANY_TOKEN_PROGRAM: CHECK(is_token_program(&a->key), ERROR_NO_TOKEN_PROGRAM); return 0;
    case SPL_TOKEN_PROGRAM: CHECK(key_eq(&a->key, &TOKEN_PROGRAM), ERROR_NO_TOKEN_PROGRAM); return 0;
    case IS_SYSTEM_PROGRAM: CHECK(key_eq(&a->key, &SYSTEM_PROGRAM), ERROR_NO_TOKEN_PROGRAM); return 0;
    default: return kind < FIRST_OWN_KIND ? 0 : check_program_account(in, a, discriminator_of(kind));
  }
}

// n accounts from the one at `first` on, in their order, before any is compared with another.
NOINLINE u64 check_kinds(const Input *in, u64 first, const u8 *kinds, u64 n) {
  for (u64 i = 0; i < n; i++) {
    CHECK(first + i < in->n, ERROR_TOO_FEW_ACCOUNTS);
    TRY(check_kind(in, in->accounts[first + i], kinds[i]));
  }
  return 0;
}

// Makes an account that the payer is not. (Of one without lamports the System program says so itself.)
NOINLINE u64 create_for(Account *const *payer_and_account, u64 len, const Pubkey *owner, const SignerSeeds *signer) {
  Account *payer = payer_and_account[0], *account = payer_and_account[1];
  CHECK(payer != account || account->lamports == 0, ERROR_PAYER_IS_NEW);
  create_account(payer, account, len, owner, signer);
  return 0;
}

INLINE u64 check_writable(const Account *a) {
  CHECK(a->is_writable, ERROR_NOT_WRITABLE);
  return 0;
}

// A vault that the pool names, and the mint and the token program that it must be of. `a`: vault, mint, token program.
NOINLINE u64 check_vault(Account *const *a) {
  TRY(check_writable(a[0]));
  CHECK(key_eq(token_mint(a[0]), &a[1]->key), ERROR_WRONG_MINT);
  CHECK(key_eq(&a[0]->owner, &a[2]->key), ERROR_WRONG_VAULT_PROGRAM);
  return 0;
}

// The associated token account of a wallet.
NOINLINE u64 check_associated(const Account *tokens, const Pubkey *wallet, const Pubkey *program, const Pubkey *mint) {
  CHECK(key_eq(&tokens->owner, program), ERROR_WRONG_ASSOCIATED_PROGRAM);
  CHECK(key_eq(token_owner(tokens), wallet), ERROR_WRONG_TOKEN_OWNER);
  Pubkey derived;
  u8 bump;
  Slice seeds[6] = {KEY(wallet), KEY(program), KEY(mint)};
  find_address(seeds, 3, &ASSOCIATED_TOKEN_PROGRAM, &bump, &derived);
  CHECK(key_eq(&tokens->key, &derived), ERROR_WRONG_ASSOCIATED_ACCOUNT);
  return check_writable(tokens);
}

INLINE u64 check_event_authority(const Account *a) {
  CHECK(key_eq(&a->key, &EVENT_AUTHORITY), ERROR_WRONG_ADDRESS);
  return 0;
}

// ---- what the authority signs -------------------------------------------------------------------------------------

#define AUTHORITY_SIGNS(name)                                            \
  u8 name##_bump = AUTHORITY_BUMP;                                       \
  Slice name##_seeds[2] = {TEXT(AUTHORITY_SEED), {&name##_bump, 1}};    \
  SignerSeeds name = {name##_seeds, 2}

// The program calls itself, so that the event stands in the transaction's record whatever becomes of its logs.
NOINLINE void emit(const Input *in, u64 authority, u8 *event, u64 discriminator, const u8 *end) {
  store_u64(event, EVENT_TAG);
  store_u64(event + 8, discriminator);
  u8 bump = EVENT_AUTHORITY_BUMP;
  Slice seeds[2] = {TEXT(EVENT_AUTHORITY_SEED), {&bump, 1}};
  SignerSeeds signer = {seeds, 2};
  Call call = {in->program_id, {in->accounts[authority]}, {ROLE_SIGNER}, 1, event, (u64)(end - event)};
  invoke(&call, &signer);
}

INLINE u8 *put_key(u8 *at, const Pubkey *key) {
  store_key(at, key);
  return at + sizeof(Pubkey);
}
INLINE u8 *put_u64(u8 *at, u64 value) {
  store_u64(at, value);
  return at + sizeof(u64);
}
INLINE u8 *put_u128(u8 *at, u128 value) {
  store_u128(at, value);
  return at + sizeof(u128);
}
INLINE u8 *put_bytes(u8 *at, const u8 *from, u64 len) {
  sol_memcpy_(at, from, len);
  return at + len;
}

// The called side: only the program itself has this signature, so nobody else can write events.
INLINE u64 accept_event(const Input *in) {
  CHECK(in->n >= 1, ERROR_TOO_FEW_ACCOUNTS);
  CHECK(in->accounts[0]->is_signer, ERROR_NOT_SIGNER);
  return check_event_authority(in->accounts[0]);
}

// Counts an amount on top of a field of 64 bits.
INLINE u64 add_to(u8 *field, u64 amount) {
  u64 sum = load_u64(field) + amount;
  CHECK(sum >= amount, ERROR_MATH_OVERFLOW);
  store_u64(field, sum);
  return 0;
}
INLINE u64 take_from(u8 *field, u64 amount) {
  u64 before = load_u64(field);
  CHECK(before >= amount, ERROR_MATH_OVERFLOW);
  store_u64(field, before - amount);
  return 0;
}
