// initializeVirtualPoolWithSplToken: makes the mint, all of its supply, its metadata and the pool that sells it.
//
//  0 configuration              6 [writable] base vault     11 token program of the quote
//  1 authority                  7 [writable] quote vault    12 SPL Token
//  2 [signer] creator           8 [writable] metadata       13 System program
//  3 [signer, writable] mint    9 metadata program          14 event authority
//  4 quote mint                10 [signer, writable] payer  15 this program
//  5 [writable] pool
//
// data: name, symbol, uri; each is a text after its length (u32).
#pragma once
#include "program.h"

enum {
  LAUNCH_CONFIG,
  LAUNCH_AUTHORITY,
  LAUNCH_CREATOR,
  LAUNCH_MINT,
  LAUNCH_QUOTE,
  LAUNCH_POOL,
  LAUNCH_BASE_VAULT,
  LAUNCH_QUOTE_VAULT,
  LAUNCH_METADATA,
  LAUNCH_METADATA_PROGRAM,
  LAUNCH_PAYER,
  LAUNCH_QUOTE_PROGRAM,
  LAUNCH_TOKEN_PROGRAM,
  LAUNCH_SYSTEM,
  LAUNCH_EVENTS,
  LAUNCH_ACCOUNTS = 16,
};
enum { INITIALIZE_MINT_2 = 20, SET_AUTHORITY = 6 };
enum { CREATE_METADATA_3 = 33, UPDATE_METADATA_2 = 15 };
enum { MOST_TEXT = 1024 };

NOINLINE u64 read_texts(const Input *in, Slice *texts) {
  const u8 *at = in->data + sizeof(u64), *end = in->data + in->data_len;
  texts->address = at;
  for (u64 i = 0; i < 3; i++) {
    CHECK((u64)(end - at) >= sizeof(u32), ERROR_INCOMPLETE_DATA);
    u64 len = load_u32(at);
    at += sizeof(u32);
    CHECK((u64)(end - at) >= len, ERROR_INCOMPLETE_DATA);
    at += len;
  }
  texts->len = (u64)(at - (const u8 *)texts->address);
  CHECK(texts->len <= MOST_TEXT, ERROR_INVALID_INPUT);
  return 0;
}

// The two mints in the order in which the pool's address has them: the greater one, byte by byte, first.
INLINE bool is_greater(const Pubkey *a, const Pubkey *b) {
  for (u64 i = 0; i < 4; i++) {
    u64 one = __builtin_bswap64(a->w[i]), other = __builtin_bswap64(b->w[i]);
    if (one != other) return one > other;
  }
  return false;
}

NOINLINE u64 create_pool(const Input *in) {
  Account *const *a = in->accounts;
  Pubkey *base = &a[LAUNCH_MINT]->key, *quote = &a[LAUNCH_QUOTE]->key, derived;
  u8 bump;
  bool base_first = is_greater(base, quote);
  Slice seeds[7] = {TEXT(POOL_SEED), KEY(&a[LAUNCH_CONFIG]->key), KEY(base_first ? base : quote),
                    KEY(base_first ? quote : base)};
  find_address(seeds, 4, in->program_id, &bump, &derived);
  CHECK(key_eq(&a[LAUNCH_POOL]->key, &derived), ERROR_WRONG_ADDRESS);
  SignerSeeds signer = {seeds, 5};
  return create_for((Account *[]){a[LAUNCH_PAYER], a[LAUNCH_POOL]}, POOL_LEN, in->program_id, &signer);
}

// Of the token program that stands in the list; it refuses a mint that is not its own.
NOINLINE u64 create_vault(const Input *in, u64 vault, u64 mint, u64 token_program) {
  Account *const *a = in->accounts;
  Pubkey derived, *program = &a[token_program]->key;
  u8 bump;
  Slice seeds[6] = {TEXT(VAULT_SEED), KEY(&a[mint]->key), KEY(&a[LAUNCH_POOL]->key)};
  find_address(seeds, 3, in->program_id, &bump, &derived);
  CHECK(key_eq(&a[vault]->key, &derived), ERROR_WRONG_ADDRESS);
  SignerSeeds signer = {seeds, 4};
  TRY(create_for((Account *[]){a[LAUNCH_PAYER], a[vault]}, TOKEN_ACCOUNT_LEN, program, &signer));
  u8 data[33] = {TOKEN_INITIALIZE_ACCOUNT_3};
  store_key(data + 1, &AUTHORITY);
  Call call = {program, {a[vault], a[mint]}, {ROLE_WRITABLE, ROLE_READONLY}, 2, data, sizeof data};
  invoke(&call, NULL);
  return 0;
}

NOINLINE u64 create_mint(const Input *in, u8 decimals) {
  Account *const *a = in->accounts;
  TRY(create_for((Account *[]){a[LAUNCH_PAYER], a[LAUNCH_MINT]}, MINT_LEN, &TOKEN_PROGRAM, NULL));
  u8 data[35] = {INITIALIZE_MINT_2, decimals};
  store_key(data + 2, &AUTHORITY);
  data[34] = 0;  // no freeze authority
  Call call = {&TOKEN_PROGRAM, {a[LAUNCH_MINT]}, {ROLE_WRITABLE}, 1, data, sizeof data};
  invoke(&call, NULL);
  return 0;
}

// Metadata that nobody can change.
NOINLINE void create_metadata(const Input *in, const Slice *texts) {
  Account *const *a = in->accounts;
  AUTHORITY_SIGNS(signer);
  u8 data[1 + MOST_TEXT + sizeof(u64)];
  data[0] = CREATE_METADATA_3;
  // No fee, creators, collection, uses, change, nor details of a collection.
  u8 *end = put_u64(put_bytes(data + 1, texts->address, texts->len), 0) - 1;
  Call create = {&METADATA_PROGRAM,
                 {a[LAUNCH_METADATA], a[LAUNCH_MINT], a[LAUNCH_AUTHORITY], a[LAUNCH_PAYER], a[LAUNCH_AUTHORITY],
                  a[LAUNCH_SYSTEM]},
                 {ROLE_WRITABLE, ROLE_READONLY, ROLE_SIGNER, ROLE_WRITABLE | ROLE_SIGNER, ROLE_SIGNER},
                 6,
                 data,
                 (u64)(end - data)};
  invoke(&create, &signer);
  u8 update_data[37] = {UPDATE_METADATA_2, 0, 1};  // the data stays; the authority becomes the address of zeros
  Call update = {&METADATA_PROGRAM, {a[LAUNCH_METADATA], a[LAUNCH_AUTHORITY]}, {ROLE_WRITABLE, ROLE_SIGNER}, 2,
                 update_data, sizeof update_data};
  invoke(&update, &signer);
}

NOINLINE void mint_supply_once(const Input *in, u64 supply) {
  Account *const *a = in->accounts;
  AUTHORITY_SIGNS(signer);
  token_mint_to(a[LAUNCH_MINT], a[LAUNCH_BASE_VAULT], a[LAUNCH_AUTHORITY], supply, &signer);
  u8 data[3] = {SET_AUTHORITY, 0, 0};  // of minting, to nobody
  Call call = {&TOKEN_PROGRAM, {a[LAUNCH_MINT], a[LAUNCH_AUTHORITY]}, {ROLE_WRITABLE, ROLE_SIGNER}, 2, data,
               sizeof data};
  invoke(&call, &signer);
}

NOINLINE void write_pool(const Input *in, u64 activation) {
  Account *const *a = in->accounts;
  const u8 *config = a[LAUNCH_CONFIG]->data;
  u8 *p = a[LAUNCH_POOL]->data;
  store_u64(p, POOL);
  store_key(p + POOL_CONFIG, &a[LAUNCH_CONFIG]->key);
  store_key(p + POOL_CREATOR, &a[LAUNCH_CREATOR]->key);
  store_key(p + POOL_BASE_MINT, &a[LAUNCH_MINT]->key);
  store_key(p + POOL_BASE_VAULT, &a[LAUNCH_BASE_VAULT]->key);
  store_key(p + POOL_QUOTE_VAULT, &a[LAUNCH_QUOTE_VAULT]->key);
  store_u64(p + POOL_BASE_RESERVE, load_u64(config + CONFIG_SUPPLY_BEFORE));
  store_u128(p + POOL_PRICE, load_u128(config + CONFIG_START_PRICE));
  store_u64(p + POOL_ACTIVATION, activation);
  store_u16(p + POOL_MIGRATION_FEE_BPS, PROTOCOL_MIGRATION_FEE_BPS);
}

NOINLINE void emit_initialized(const Input *in, u64 activation) {
  Account *const *a = in->accounts;
  u8 event[EVENT_HEAD + 4 * sizeof(Pubkey) + 9];
  u8 *at = put_key(event + EVENT_HEAD, &a[LAUNCH_POOL]->key);
  at = put_key(at, &a[LAUNCH_CONFIG]->key);
  at = put_key(at, &a[LAUNCH_CREATOR]->key);
  at = put_key(at, &a[LAUNCH_MINT]->key);
  *at++ = 0;  // of SPL Token
  emit(in, LAUNCH_EVENTS, event, INITIALIZE_POOL_EVENT, put_u64(at, activation));
}

static const u8 LAUNCH_KINDS[LAUNCH_ACCOUNTS] = {
    [LAUNCH_CONFIG] = IS_CONFIG,
    [LAUNCH_CREATOR] = SIGNER,
    [LAUNCH_QUOTE] = MINT,
    [LAUNCH_PAYER] = SIGNER,
    [LAUNCH_QUOTE_PROGRAM] = ANY_TOKEN_PROGRAM,
    [LAUNCH_TOKEN_PROGRAM] = SPL_TOKEN_PROGRAM,
    [LAUNCH_SYSTEM] = IS_SYSTEM_PROGRAM,
};

NOINLINE u64 check_launch(const Input *in) {
  Account *const *a = in->accounts;
  CHECK(is_at(a[LAUNCH_CONFIG]->data + CONFIG_QUOTE_MINT, a[LAUNCH_QUOTE]), ERROR_NOT_RELATED);
  CHECK(key_eq(&a[LAUNCH_AUTHORITY]->key, &AUTHORITY), ERROR_WRONG_SYSVAR);
  CHECK(key_eq(&a[LAUNCH_QUOTE]->owner, &a[LAUNCH_QUOTE_PROGRAM]->key), ERROR_WRONG_TOKEN_PROGRAM);
  TRY(check_writable(a[LAUNCH_METADATA]));
  CHECK(key_eq(&a[LAUNCH_METADATA_PROGRAM]->key, &METADATA_PROGRAM), ERROR_WRONG_SYSVAR);
  TRY(check_writable(a[LAUNCH_PAYER]));
  return check_event_authority(a[LAUNCH_EVENTS]);
}

NOINLINE u64 initialize_pool(const Input *in) {
  Account *const *a = in->accounts;
  const u8 *config = a[LAUNCH_CONFIG]->data;
  Slice texts;
  TRY(read_texts(in, &texts));
  TRY(check_kinds(in, 0, LAUNCH_KINDS, LAUNCH_ACCOUNTS));
  TRY(create_mint(in, config[CONFIG_TOKEN_DECIMAL]));
  TRY(create_pool(in));
  TRY(create_vault(in, LAUNCH_BASE_VAULT, LAUNCH_MINT, LAUNCH_TOKEN_PROGRAM));
  TRY(create_vault(in, LAUNCH_QUOTE_VAULT, LAUNCH_QUOTE, LAUNCH_QUOTE_PROGRAM));
  TRY(check_launch(in));
  create_metadata(in, &texts);
  mint_supply_once(in, load_u64(config + CONFIG_SUPPLY_BEFORE));
  Clock clock;
  sol_get_clock_sysvar(&clock);
  u64 activation = point_in_time(config, &clock);
  write_pool(in, activation);
  emit_initialized(in, activation);
  return 0;
}
