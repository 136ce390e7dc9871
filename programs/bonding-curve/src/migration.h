// migrationDammV2: moves what a sold-out curve holds into a pool of DAMM v2, and gives the creator its liquidity, locked
// as the terms say. Anybody may send it.
//
//  0 [writable] pool                            13 [writable] base mint
//  1 an account that older versions needed      14 [writable] quote mint
//  2 configuration                              15 [writable] vault of the base, of DAMM v2
//  3 [writable] authority                       16 [writable] vault of the quote, of DAMM v2
//  4 [writable] pool of DAMM v2                 17 [writable] base vault
//  5 [signer, writable] position's mint         18 [writable] quote vault
//  6 [writable] its token account               19 [signer, writable] payer
//  7 [writable] position                        20 token program of the base
//  8, 9, 10 the same of a second position       21 token program of the quote
// 11 authority of DAMM v2                       22 Token-2022
// 12 DAMM v2                                    23 event authority of DAMM v2
//                                               24 System program
//                                               25 configuration of DAMM v2
#pragma once
#include "launch.h"

enum {
  MOVE_POOL,
  MOVE_METADATA,
  MOVE_CONFIG,
  MOVE_AUTHORITY,
  MOVE_DAMM_POOL,
  MOVE_POSITION_MINT,
  MOVE_POSITION_TOKEN,
  MOVE_POSITION,
  MOVE_SECOND_MINT,
  MOVE_DAMM_AUTHORITY = 11,
  MOVE_DAMM,
  MOVE_BASE_MINT,
  MOVE_QUOTE_MINT,
  MOVE_DAMM_BASE_VAULT,
  MOVE_DAMM_QUOTE_VAULT,
  MOVE_BASE_VAULT,
  MOVE_QUOTE_VAULT,
  MOVE_PAYER,
  MOVE_BASE_PROGRAM,
  MOVE_QUOTE_PROGRAM,
  MOVE_TOKEN_2022,
  MOVE_DAMM_EVENTS,
  MOVE_SYSTEM,
  MOVE_ACCOUNTS,
  MOVE_DAMM_CONFIG = MOVE_ACCOUNTS,
};

// The program that it calls.
#define DAMM_INITIALIZE_POOL BYTES(0x5fb40aac54aee828)
#define DAMM_PERMANENT_LOCK BYTES(0xa5b07d06e7abbad5)
#define DAMM_LOCK_INNER BYTES(0x481331cc127a175a)
#define DAMM_CONFIG BYTES(0x9b0caae01efacc82)
enum { DAMM_CONFIG_POOL_CREATOR = 40, DAMM_CONFIG_FEE = 72 };
// cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG
static const Pubkey DAMM_PROGRAM = {
    {0x9c157a6535212d09UL, 0x8edb706ab6d4872bUL, 0x20af6af79f385297UL, 0xed5af9383a06ed6cUL}};
enum { ACCOUNT_OWNER = 2 };

// Of liquidity; the three are all.
typedef struct {
  u128 liquidity, locked, vesting;
} Shares;

static const u8 MOVE_KINDS[MOVE_ACCOUNTS] = {
    [MOVE_POOL] = IS_POOL,
    [MOVE_CONFIG] = IS_CONFIG,
    [MOVE_POSITION_MINT] = SIGNER,
    [MOVE_SECOND_MINT] = OPTIONAL_SIGNER,
    [MOVE_BASE_VAULT] = TOKEN_ACCOUNT,
    [MOVE_QUOTE_VAULT] = TOKEN_ACCOUNT,
    [MOVE_PAYER] = SIGNER,
    [MOVE_BASE_PROGRAM] = ANY_TOKEN_PROGRAM,
    [MOVE_QUOTE_PROGRAM] = ANY_TOKEN_PROGRAM,
    [MOVE_TOKEN_2022] = ANY_TOKEN_PROGRAM,
    [MOVE_SYSTEM] = IS_SYSTEM_PROGRAM,
};

INLINE u64 fee_of_option(u8 option) {
  switch (option) {
    case 0: return 25;
    case 1: return 30;
    case 2: return 100;
    case 3: return 200;
    case 4: return 400;
    default: return 600;
  }
}

NOINLINE u64 check_damm_config(const Account *config, u8 option) {
  CHECK(key_eq(&config->owner, &DAMM_PROGRAM), ERROR_WRONG_ACCOUNT_OWNER);
  CHECK(load_u64(config->data) == DAMM_CONFIG, ERROR_WRONG_ACCOUNT_TYPE);
  CHECK(key_eq(key_at(config->data + DAMM_CONFIG_POOL_CREATOR), &AUTHORITY), ERROR_INVALID_CONFIG);
  u64 fee = fee_of_option(option) * (FEE_WHOLE / ALL_BPS);
  CHECK(load_u64(config->data + DAMM_CONFIG_FEE) == fee, ERROR_INVALID_MIGRATION_FEE_OPTION);
  return 0;
}

NOINLINE u64 check_move(const Input *in) {
  TRY(check_kinds(in, 0, MOVE_KINDS, MOVE_ACCOUNTS));
  Account *const *a = in->accounts;
  const u8 *pool = a[MOVE_POOL]->data, *config = a[MOVE_CONFIG]->data;
  TRY(check_writable(a[MOVE_POOL]));
  CHECK(is_at(pool + POOL_BASE_VAULT, a[MOVE_BASE_VAULT]), ERROR_NOT_RELATED);
  CHECK(is_at(pool + POOL_QUOTE_VAULT, a[MOVE_QUOTE_VAULT]), ERROR_NOT_RELATED);
  CHECK(is_at(pool + POOL_CONFIG, a[MOVE_CONFIG]), ERROR_NOT_RELATED);
  TRY(check_writable(a[MOVE_AUTHORITY]));
  CHECK(key_eq(&a[MOVE_AUTHORITY]->key, &AUTHORITY), ERROR_WRONG_SYSVAR);
  for (u64 i = MOVE_DAMM_POOL; i <= MOVE_POSITION; i++) TRY(check_writable(a[i]));
  for (u64 i = MOVE_SECOND_MINT; i < MOVE_DAMM_AUTHORITY; i++)
    if (!key_eq(&a[i]->key, in->program_id)) TRY(check_writable(a[i]));
  CHECK(a[MOVE_SECOND_MINT] != a[MOVE_POSITION_MINT], ERROR_CONSTRAINT);
  CHECK(key_eq(&a[MOVE_DAMM]->key, &DAMM_PROGRAM), ERROR_WRONG_SYSVAR);
  for (u64 i = MOVE_BASE_MINT; i <= MOVE_PAYER; i++) TRY(check_writable(a[i]));
  TRY(check_vault((Account *[]){a[MOVE_BASE_VAULT], a[MOVE_BASE_MINT], a[MOVE_BASE_PROGRAM]}));
  TRY(check_vault((Account *[]){a[MOVE_QUOTE_VAULT], a[MOVE_QUOTE_MINT], a[MOVE_QUOTE_PROGRAM]}));
  CHECK(in->n > MOVE_DAMM_CONFIG, ERROR_MISSING_POOL_CONFIG);
  TRY(check_damm_config(a[MOVE_DAMM_CONFIG], config[CONFIG_MIGRATION_FEE_OPTION]));
  CHECK(pool[POOL_PROGRESS] == PROGRESS_VESTING_LOCKED, ERROR_NOT_PERMITTED);
  SUPPORT(config[CONFIG_PARTNER_LOCKED] == 0 && config[CONFIG_PARTNER_LIQUIDITY] == 0,
          "stand-in: all liquidity must be the creator's");
  return 0;
}

// ---- what moves ------------------------------------------------------------------------------------------------------

// A full-range pool's liquidity, of which this is the quote.
NOINLINE u64 liquidity_of(u64 quote, u128 price, u128 *liquidity) {
  Wide value = wide_shifted(quote), range = wide(price - LEAST_PRICE);
  wide_divide(&value, &range, false);
  CHECK(fits_u128(&value), ERROR_TYPE_CAST);
  *liquidity = low_u128(&value);
  return 0;
}

INLINE u128 percent_of(u128 amount, u64 percentage) {
  Wide value, whole = wide(100);
  wide_multiply(amount, percentage, &value);
  wide_divide(&value, &whole, false);
  return low_u128(&value);
}

// Takes the protocol's part of both tokens, and shares the rest.
NOINLINE u64 find_shares(const u8 *config, u8 *pool, Shares *shares) {
  u64 rest, quote = load_u64(config + CONFIG_THRESHOLD);
  u64 fee = mul_div(quote, load_u16(pool + POOL_MIGRATION_FEE_BPS), ALL_BPS, &rest);
  u128 price = load_u128(config + CONFIG_MIGRATION_PRICE), whole, base_fee;
  TRY(liquidity_of(quote, price, &whole));
  TRY(liquidity_of(quote - fee, price, &shares->liquidity));
  Span span = {price, MOST_PRICE, whole - shares->liquidity};
  base_of(&span, false, &base_fee);
  store_u64(pool + POOL_MIGRATION_BASE_FEE, (u64)base_fee);
  store_u64(pool + POOL_MIGRATION_QUOTE_FEE, fee);
  shares->locked = percent_of(shares->liquidity, config[CONFIG_CREATOR_LOCKED]);
  shares->vesting = percent_of(shares->liquidity, config[CONFIG_CREATOR_VESTING + VESTING_PERCENTAGE]);
  return 0;
}

// ---- calls -----------------------------------------------------------------------------------------------------------

// Makes the pool. The authority pays for its accounts, and gets that back from the payer.
NOINLINE void create_damm_pool(const Input *in, u128 liquidity) {
  Account *const *a = in->accounts;
  Account *authority = a[MOVE_AUTHORITY];
  AUTHORITY_SIGNS(signer);
  u8 data[41];
  store_u64(data, DAMM_INITIALIZE_POOL);
  store_u128(data + 8, liquidity);
  store_u128(data + 24, load_u128(a[MOVE_CONFIG]->data + CONFIG_MIGRATION_PRICE));
  data[40] = 0;  // trades at once
  u64 before = authority->lamports;
  const u8 writable = ROLE_WRITABLE, signs = ROLE_WRITABLE | ROLE_SIGNER;
  Call call = {&DAMM_PROGRAM,
               {authority, a[MOVE_POSITION_MINT], a[MOVE_POSITION_TOKEN], authority, a[MOVE_DAMM_CONFIG],
                a[MOVE_DAMM_AUTHORITY], a[MOVE_DAMM_POOL], a[MOVE_POSITION], a[MOVE_BASE_MINT], a[MOVE_QUOTE_MINT],
                a[MOVE_DAMM_BASE_VAULT], a[MOVE_DAMM_QUOTE_VAULT], a[MOVE_BASE_VAULT], a[MOVE_QUOTE_VAULT],
                a[MOVE_BASE_PROGRAM], a[MOVE_QUOTE_PROGRAM], a[MOVE_TOKEN_2022], a[MOVE_SYSTEM], a[MOVE_DAMM_EVENTS],
                a[MOVE_DAMM]},
               {ROLE_READONLY, signs, writable, signs, ROLE_READONLY, ROLE_READONLY, writable, writable, ROLE_READONLY,
                ROLE_READONLY, writable, writable, writable, writable},
               20,
               data,
               sizeof data};
  invoke(&call, &signer);
  system_transfer(a[MOVE_PAYER], authority, before - authority->lamports);
}

INLINE void call_lock(const Input *in, u8 pool_role, const u8 *data, u64 len) {
  Account *const *a = in->accounts;
  AUTHORITY_SIGNS(signer);
  Call call = {&DAMM_PROGRAM,
               {a[MOVE_DAMM_POOL], a[MOVE_POSITION], a[MOVE_POSITION_TOKEN], a[MOVE_AUTHORITY], a[MOVE_DAMM_EVENTS],
                a[MOVE_DAMM]},
               {pool_role, ROLE_WRITABLE, ROLE_READONLY, ROLE_SIGNER},
               6,
               data,
               len};
  invoke(&call, &signer);
}

NOINLINE void lock_for_good(const Input *in, u128 liquidity) {
  u8 data[24];
  store_u64(data, DAMM_PERMANENT_LOCK);
  store_u128(data + 8, liquidity);
  call_lock(in, ROLE_WRITABLE, data, sizeof data);
}

NOINLINE void lock_for_a_while(const Input *in, u128 liquidity) {
  Clock clock;
  sol_get_clock_sysvar(&clock);
  u64 wait = load_u32(in->accounts[MOVE_CONFIG]->data + CONFIG_CREATOR_VESTING + VESTING_CLIFF);
  u8 data[59] = {0};  // never again after the end
  store_u64(data, DAMM_LOCK_INNER);
  data[8] = 1;
  store_u64(data + 9, (u64)clock.unix_timestamp + wait);
  store_u128(data + 25, liquidity);
  call_lock(in, ROLE_READONLY, data, sizeof data);
}

NOINLINE void give_position(const Input *in) {
  Account *const *a = in->accounts;
  AUTHORITY_SIGNS(signer);
  u8 data[35] = {SET_AUTHORITY, ACCOUNT_OWNER, 1};
  store_key(data + 3, key_at(a[MOVE_POOL]->data + POOL_CREATOR));
  Call call = {&TOKEN_2022_PROGRAM, {a[MOVE_POSITION_TOKEN], a[MOVE_AUTHORITY]}, {ROLE_WRITABLE, ROLE_SIGNER}, 2, data,
               sizeof data};
  invoke(&call, &signer);
}

NOINLINE u64 migrate(const Input *in) {
  TRY(check_move(in));
  u8 *pool = in->accounts[MOVE_POOL]->data;
  Shares shares;
  TRY(find_shares(in->accounts[MOVE_CONFIG]->data, pool, &shares));
  create_damm_pool(in, shares.liquidity);
  if (shares.locked != 0) lock_for_good(in, shares.locked);
  if (shares.vesting != 0) lock_for_a_while(in, shares.vesting);
  give_position(in);
  pool[POOL_IS_MIGRATED] = 1;
  pool[POOL_PROGRESS] = PROGRESS_MIGRATED;
  return 0;
}
