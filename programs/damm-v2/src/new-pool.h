// initializePool: makes a pool with its vaults, and the position that owns its liquidity. Only the launch program does.
//
//  0 who gets the position                  7 [writable] position     14 token program of A
//  1 [signer, writable] position's mint     8 mint A                  15 token program of B
//  2 [writable] its token account           9 mint B                  16 Token-2022
//  3 [signer, writable] payer              10 [writable] vault of A   17 System program
//  4 configuration                         11 [writable] vault of B   18 event authority
//  5 authority                             12 [writable] pays A       19 this program
//  6 [writable] pool                       13 [writable] pays B
//
// data: liquidity, price (u128), whether there is a time of activation (u8; there is none).
#pragma once
#include "position.h"

enum {
  NEW_CREATOR,
  NEW_MINT,
  NEW_TOKEN,
  NEW_PAYER,
  NEW_CONFIG,
  NEW_AUTHORITY,
  NEW_POOL,
  NEW_POSITION,
  NEW_A_MINT,
  NEW_B_MINT,
  NEW_A_VAULT,
  NEW_B_VAULT,
  NEW_A_ACCOUNT,
  NEW_B_ACCOUNT,
  NEW_A_PROGRAM,
  NEW_B_PROGRAM,
  NEW_TOKEN_2022,
  NEW_SYSTEM,
  NEW_EVENTS,
  NEW_ACCOUNTS = 20,
};
enum { NEW_LIQUIDITY = 8, NEW_PRICE = 24, NEW_HAS_ACTIVATION = 40, NEW_DATA_LEN = 41 };

// ---- the position's mint, of Token-2022: nobody but the pool's authority may close it or change its texts ------------

enum { METADATA_POINTER = 39, CLOSE_AUTHORITY = 25, INITIALIZE_MINT_2 = 20 };
#define INITIALIZE_METADATA BYTES(0xd2e11ea258b84d8d)
#define POSITION_NAME "Meteora Position NFT"
#define POSITION_SYMBOL "MPN"
#define POSITION_URI "https://raw.githubusercontent.com/MeteoraAg/token-metadata/main/meteora_position_nft.png"
enum { POSITION_MINT_LEN = 270, POSITION_MINT_GROWTH = 195 };

INLINE void call_token_2022(Account *mint, const u8 *data, u64 len) {
  Call call = {&TOKEN_2022_PROGRAM, {mint}, {ROLE_WRITABLE}, 1, data, len};
  invoke(&call, NULL);
}

NOINLINE void initialize_mint(const Input *in) {
  Account *mint = in->accounts[NEW_MINT];
  u8 pointer[66] = {METADATA_POINTER, 0};
  store_key(pointer + 2, &AUTHORITY);
  store_key(pointer + 34, &mint->key);
  call_token_2022(mint, pointer, sizeof pointer);
  u8 close[34] = {CLOSE_AUTHORITY, 1};
  store_key(close + 2, &AUTHORITY);
  call_token_2022(mint, close, sizeof close);
  u8 data[67] = {INITIALIZE_MINT_2, 0};  // without decimals
  store_key(data + 2, &AUTHORITY);
  data[34] = 1;  // the pool may freeze
  store_key(data + 35, &in->accounts[NEW_POOL]->key);
  call_token_2022(mint, data, sizeof data);
}

INLINE u8 *put_text(u8 *at, const char *text, u64 len) {
  *(u32 *)at = (u32)len;
  return put_bytes(at + sizeof(u32), (const u8 *)text, len);
}

NOINLINE void write_texts(const Input *in) {
  Account *const *a = in->accounts;
  Account *mint = a[NEW_MINT], *authority = a[NEW_AUTHORITY];
  AUTHORITY_SIGNS(signer);
  u8 data[8 + 3 * 4 + sizeof POSITION_NAME + sizeof POSITION_SYMBOL + sizeof POSITION_URI];
  store_u64(data, INITIALIZE_METADATA);
  u8 *at = put_text(data + 8, POSITION_NAME, sizeof POSITION_NAME - 1);
  at = put_text(at, POSITION_SYMBOL, sizeof POSITION_SYMBOL - 1);
  at = put_text(at, POSITION_URI, sizeof POSITION_URI - 1);
  Call call = {&TOKEN_2022_PROGRAM,
               {mint, authority, mint, authority},
               {ROLE_WRITABLE, ROLE_READONLY, ROLE_READONLY, ROLE_SIGNER},
               4,
               data,
               (u64)(at - data)};
  invoke(&call, &signer);
  system_transfer(a[NEW_PAYER], mint, rent_exempt(POSITION_MINT_LEN + POSITION_MINT_GROWTH) - rent_exempt(POSITION_MINT_LEN));
  token_mint_to(mint, a[NEW_TOKEN], authority, 1, &signer);
}

// ---- accounts at addresses of the program ------------------------------------------------------------------------------

INLINE void initialize_token_account(Account *account, Account *mint, const Pubkey *owner) {
  u8 data[33] = {TOKEN_INITIALIZE_ACCOUNT_3};
  store_key(data + 1, owner);
  Call call = {&mint->owner, {account, mint}, {ROLE_WRITABLE, ROLE_READONLY}, 2, data, sizeof data};
  invoke(&call, NULL);
}

// Seeds of an address, in a list with space for 3 more.
typedef struct {
  Slice *seeds;
  u64 n;
} Place;

NOINLINE u64 create_at(const Input *in, u64 account, const Place *place, u64 len, const Pubkey *owner) {
  Account *const *a = in->accounts;
  Pubkey derived;
  u8 bump;
  find_address(place->seeds, place->n, in->program_id, &bump, &derived);
  CHECK(key_eq(&a[account]->key, &derived), ERROR_WRONG_ADDRESS);
  SignerSeeds signer = {place->seeds, place->n + 1};
  return create_for((Account *[]){a[NEW_PAYER], a[account]}, len, owner, &signer);
}

INLINE bool is_greater(const Pubkey *a, const Pubkey *b) {
  for (u64 i = 0; i < 4; i++) {
    u64 one = __builtin_bswap64(a->w[i]), other = __builtin_bswap64(b->w[i]);
    if (one != other) return one > other;
  }
  return false;
}

NOINLINE u64 create_position_token(const Input *in) {
  Account *const *a = in->accounts;
  TRY(create_for((Account *[]){a[NEW_PAYER], a[NEW_MINT]}, POSITION_MINT_LEN, &TOKEN_2022_PROGRAM, NULL));
  initialize_mint(in);
  Slice seeds[5] = {TEXT(POSITION_ACCOUNT_SEED), KEY(&a[NEW_MINT]->key)};
  TRY(create_at(in, NEW_TOKEN, &(Place){seeds, 2}, TOKEN_ACCOUNT_LEN, &TOKEN_2022_PROGRAM));
  initialize_token_account(a[NEW_TOKEN], a[NEW_MINT], &a[NEW_CREATOR]->key);
  return 0;
}

NOINLINE u64 create_pool_account(const Input *in) {
  Account *const *a = in->accounts;
  Pubkey *mint_a = &a[NEW_A_MINT]->key, *mint_b = &a[NEW_B_MINT]->key;
  bool a_first = is_greater(mint_a, mint_b);
  Slice seeds[7] = {TEXT(POOL_SEED), KEY(&a[NEW_CONFIG]->key), KEY(a_first ? mint_a : mint_b),
                    KEY(a_first ? mint_b : mint_a)};
  return create_at(in, NEW_POOL, &(Place){seeds, 4}, POOL_LEN, in->program_id);
}

NOINLINE u64 create_position(const Input *in) {
  Slice seeds[5] = {TEXT(POSITION_SEED), KEY(&in->accounts[NEW_MINT]->key)};
  return create_at(in, NEW_POSITION, &(Place){seeds, 2}, POSITION_LEN, in->program_id);
}

NOINLINE u64 create_vault(const Input *in, u64 vault, u64 mint) {
  Account *const *a = in->accounts;
  Slice seeds[6] = {TEXT(VAULT_SEED), KEY(&a[mint]->key), KEY(&a[NEW_POOL]->key)};
  TRY(create_at(in, vault, &(Place){seeds, 3}, TOKEN_ACCOUNT_LEN, &a[mint]->owner));
  initialize_token_account(a[vault], a[mint], &AUTHORITY);
  return 0;
}

// ---- what is written ---------------------------------------------------------------------------------------------------

NOINLINE void write_pool(const Input *in, const u64 *amounts) {
  Account *const *a = in->accounts;
  const u8 *config = a[NEW_CONFIG]->data;
  u8 *p = a[NEW_POOL]->data;
  store_u64(p, POOL);
  store_u64(p + POOL_FEE, load_u64(config + CONFIG_FEE));
  p[POOL_PROTOCOL_PERCENTAGE] = PROTOCOL_FEE_PERCENTAGE;
  p[POOL_REFERRAL_PERCENTAGE] = REFERRAL_FEE_PERCENTAGE;
  store_u128(p + POOL_FIRST_PRICE, load_u128(in->data + NEW_PRICE));
  for (u64 i = 0; i < 2; i++) {
    store_key(p + POOL_A_MINT + i * sizeof(Pubkey), &a[NEW_A_MINT + i]->key);
    store_key(p + POOL_A_VAULT + i * sizeof(Pubkey), &a[NEW_A_VAULT + i]->key);
    store_u64(p + POOL_A_AMOUNT + i * sizeof(u64), amounts[i]);
  }
  store_u128(p + POOL_LIQUIDITY, load_u128(in->data + NEW_LIQUIDITY));
  store_u128(p + POOL_LEAST_PRICE, load_u128(config + CONFIG_LEAST_PRICE));
  store_u128(p + POOL_MOST_PRICE, load_u128(config + CONFIG_MOST_PRICE));
  store_u128(p + POOL_PRICE, load_u128(in->data + NEW_PRICE));
  p[POOL_ACTIVATION_TYPE] = ACTIVATED_BY_TIME;
  store_u64(p + POOL_ACTIVATION, (u64)now());
  p[POOL_COLLECT_FEE_MODE] = FEES_IN_B;
  p[POOL_FEE_VERSION] = 1;
  p[POOL_POSITIONS] = 1;
  store_key(p + POOL_CREATOR, &a[NEW_CREATOR]->key);
  p[POOL_LAYOUT_VERSION] = 1;
}

NOINLINE void write_position(const Input *in) {
  Account *const *a = in->accounts;
  u8 *p = a[NEW_POSITION]->data;
  store_u64(p, POSITION);
  store_key(p + POSITION_POOL, &a[NEW_POOL]->key);
  store_key(p + POSITION_MINT, &a[NEW_MINT]->key);
  store_u128(p + POSITION_UNLOCKED, load_u128(in->data + NEW_LIQUIDITY));
}

NOINLINE void emit_position(const Input *in) {
  Account *const *a = in->accounts;
  u8 event[EVENT_HEAD + 4 * sizeof(Pubkey)];
  u8 *at = put_key(event + EVENT_HEAD, &a[NEW_POOL]->key);
  at = put_key(at, &a[NEW_CREATOR]->key);
  at = put_key(at, &a[NEW_POSITION]->key);
  emit(in, NEW_EVENTS, event, CREATE_POSITION_EVENT, put_key(at, &a[NEW_MINT]->key));
}

NOINLINE void emit_pool(const Input *in, const u64 *amounts) {
  Account *const *a = in->accounts;
  const u8 *pool = a[NEW_POOL]->data;
  u8 event[EVENT_HEAD + 345] = {0};
  u8 *at = put_key(event + EVENT_HEAD, &a[NEW_POOL]->key);
  at = put_key(put_key(at, &a[NEW_A_MINT]->key), &a[NEW_B_MINT]->key);
  at = put_key(put_key(at, &a[NEW_CREATOR]->key), &a[NEW_PAYER]->key);
  at += sizeof(Pubkey);  // no vault of early buyers
  // The fee does not change, none stays in the pool, and none follows the price.
  at = put_u64(at, load_u64(pool + POOL_FEE)) + 27 - sizeof(u64) + 4;
  at = put_bytes(at, pool + POOL_LEAST_PRICE, 2 * sizeof(u128));
  *at++ = ACTIVATED_BY_TIME;
  *at++ = FEES_IN_B;
  at = put_bytes(at, in->data + NEW_LIQUIDITY, 2 * sizeof(u128));
  at = put_u64(at, load_u64(pool + POOL_ACTIVATION)) + 2;  // both tokens are of SPL Token
  at = put_u64(put_u64(at, amounts[0]), amounts[1]);
  at = put_u64(put_u64(at, amounts[0]), amounts[1]) + 1;  // made with a configuration
  emit(in, NEW_EVENTS, event, INITIALIZE_POOL_EVENT, at);
}

// ---- checks ------------------------------------------------------------------------------------------------------------

INLINE bool are_zero(const u8 *bytes, u64 len) {
  for (u64 i = 0; i < len; i++)
    if (bytes[i] != 0) return false;
  return true;
}

NOINLINE u64 check_config(const u8 *c) {
  SUPPORT(key_eq(key_at(c + CONFIG_POOL_CREATOR), &LAUNCH_AUTHORITY), "stand-in: pools are of the launch program");
  SUPPORT(are_zero(c + CONFIG_FEE_SCHEDULE, CONFIG_PROTOCOL_PERCENTAGE - CONFIG_FEE_SCHEDULE), "stand-in: the fee is fixed");
  SUPPORT(c[CONFIG_PROTOCOL_PERCENTAGE] == PROTOCOL_FEE_PERCENTAGE, "stand-in: a fifth is the protocol's");
  SUPPORT(c[CONFIG_REFERRAL_PERCENTAGE] == REFERRAL_FEE_PERCENTAGE, "stand-in: a fifth of that is the referrer's");
  SUPPORT(load_u16(c + CONFIG_COMPOUNDING) == 0, "stand-in: no fee is compounded");
  SUPPORT(c[CONFIG_ACTIVATION_TYPE] == ACTIVATED_BY_TIME, "stand-in: pools count in seconds");
  SUPPORT(c[CONFIG_COLLECT_FEE_MODE] == FEES_IN_B, "stand-in: fees are of the second token");
  SUPPORT(c[CONFIG_TYPE] == 0, "stand-in: the configuration has all terms");
  return 0;
}

static const u8 NEW_KINDS[NEW_ACCOUNTS] = {
    [NEW_MINT] = SIGNER,
    [NEW_PAYER] = SIGNER,
    [NEW_CONFIG] = IS_CONFIG,
    [NEW_A_MINT] = MINT,
    [NEW_B_MINT] = MINT,
    [NEW_A_ACCOUNT] = TOKEN_ACCOUNT,
    [NEW_B_ACCOUNT] = TOKEN_ACCOUNT,
    [NEW_A_PROGRAM] = SPL_TOKEN_PROGRAM,
    [NEW_B_PROGRAM] = SPL_TOKEN_PROGRAM,
    [NEW_SYSTEM] = IS_SYSTEM_PROGRAM,
};

NOINLINE u64 check_new(const Input *in) {
  TRY(check_kinds(in, 0, NEW_KINDS, NEW_ACCOUNTS));
  Account *const *a = in->accounts;
  TRY(check_config(a[NEW_CONFIG]->data));
  SUPPORT(in->data[NEW_HAS_ACTIVATION] == 0, "stand-in: pools trade at once");
  CHECK(key_eq(&a[NEW_PAYER]->key, &LAUNCH_AUTHORITY), ERROR_INVALID_POOL_CREATOR);
  CHECK(key_eq(&a[NEW_AUTHORITY]->key, &AUTHORITY), ERROR_WRONG_SYSVAR);
  CHECK(key_eq(&a[NEW_TOKEN_2022]->key, &TOKEN_2022_PROGRAM), ERROR_NO_TOKEN_PROGRAM);
  for (u64 i = 0; i < 2; i++) CHECK(key_eq(&a[NEW_A_MINT + i]->owner, &TOKEN_PROGRAM), ERROR_WRONG_TOKEN_PROGRAM);
  return check_event_authority(a[NEW_EVENTS]);
}

// What the liquidity takes of both tokens, in favor of the pool.
NOINLINE u64 find_amounts(const Input *in, u64 *amounts) {
  const u8 *config = in->accounts[NEW_CONFIG]->data;
  u128 price = load_u128(in->data + NEW_PRICE), liquidity = load_u128(in->data + NEW_LIQUIDITY), amount_a, amount_b;
  Span above = {price, load_u128(config + CONFIG_MOST_PRICE), liquidity};
  Span below = {load_u128(config + CONFIG_LEAST_PRICE), price, liquidity};
  CHECK(below.lower <= price && price <= above.upper && liquidity != 0, ERROR_PRICE_RANGE);
  base_of(&above, true, &amount_a);
  quote_of(&below, true, &amount_b);
  CHECK(amount_a <= U64_MAX && amount_b <= U64_MAX, ERROR_MATH_OVERFLOW);
  amounts[0] = (u64)amount_a;
  amounts[1] = (u64)amount_b;
  return 0;
}

NOINLINE u64 initialize_pool(const Input *in) {
  CHECK(in->data_len >= NEW_DATA_LEN, ERROR_INCOMPLETE_DATA);
  TRY(check_new(in));
  u64 amounts[2];
  TRY(find_amounts(in, amounts));
  TRY(create_position_token(in));
  TRY(create_pool_account(in));
  TRY(create_position(in));
  TRY(create_vault(in, NEW_A_VAULT, NEW_A_MINT));
  TRY(create_vault(in, NEW_B_VAULT, NEW_B_MINT));
  write_texts(in);
  write_pool(in, amounts);
  write_position(in);
  emit_position(in);
  Account *const *a = in->accounts;
  token_transfer(a[NEW_A_ACCOUNT], a[NEW_A_MINT], a[NEW_A_VAULT], a[NEW_PAYER], amounts[0], NULL);
  token_transfer(a[NEW_B_ACCOUNT], a[NEW_B_MINT], a[NEW_B_VAULT], a[NEW_PAYER], amounts[1], NULL);
  emit_pool(in, amounts);
  return 0;
}
