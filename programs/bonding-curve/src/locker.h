// createLocker: hands the tokens that the creator gets later to the lock program, once the curve is sold out. Anybody may
// send it.
//
// 0 [writable] pool         5 [writable] address that stands for the pool   10 token program
// 1 configuration           6 creator                                       11 lock program
// 2 [writable] authority    7 [writable] lock                               12 event authority of the lock program
// 3 [writable] base vault   8 [writable] the lock's tokens                  13 System program
// 4 [writable] base mint    9 [signer, writable] payer
#pragma once
#include "config.h"
#include "launch.h"

enum {
  LOCK_POOL,
  LOCK_CONFIG,
  LOCK_AUTHORITY,
  LOCK_BASE_VAULT,
  LOCK_BASE_MINT,
  LOCK_BASE,
  LOCK_CREATOR,
  LOCK_ESCROW,
  LOCK_TOKEN,
  LOCK_PAYER,
  LOCK_TOKEN_PROGRAM,
  LOCK_PROGRAM,
  LOCK_EVENTS,
  LOCK_SYSTEM,
  LOCK_ACCOUNTS,
};

// The program that it calls.
#define LOCKER_CREATE BYTES(0xb59b68b7b680232f)
#define LOCKER_BASE_SEED "base_locker"
enum { BY_RECIPIENT = 2, BY_CREATOR = 1 };
// LocpQgucEQHbqNABEYvBvwoxCPsSbG91A1QaQhQQqjn
static const Pubkey LOCKER_PROGRAM = {
    {0x715b8f7af9be1205UL, 0xc042edc6d6edf37dUL, 0xee87bee5df124fe2UL, 0xb96c5d3f745eec3fUL}};

static const u8 LOCK_KINDS[LOCK_ACCOUNTS] = {
    [LOCK_POOL] = IS_POOL,
    [LOCK_CONFIG] = IS_CONFIG,
    [LOCK_BASE_VAULT] = TOKEN_ACCOUNT,
    [LOCK_PAYER] = SIGNER,
    [LOCK_TOKEN_PROGRAM] = ANY_TOKEN_PROGRAM,
    [LOCK_SYSTEM] = IS_SYSTEM_PROGRAM,
};

NOINLINE u64 check_lock(const Input *in, const Pubkey *base) {
  Account *const *a = in->accounts;
  const u8 *pool = a[LOCK_POOL]->data;
  TRY(check_writable(a[LOCK_POOL]));
  CHECK(is_at(pool + POOL_CONFIG, a[LOCK_CONFIG]), ERROR_NOT_RELATED);
  CHECK(is_at(pool + POOL_BASE_VAULT, a[LOCK_BASE_VAULT]), ERROR_NOT_RELATED);
  CHECK(is_at(pool + POOL_BASE_MINT, a[LOCK_BASE_MINT]), ERROR_NOT_RELATED);
  CHECK(is_at(pool + POOL_CREATOR, a[LOCK_CREATOR]), ERROR_NOT_RELATED);
  TRY(check_writable(a[LOCK_AUTHORITY]));
  CHECK(key_eq(&a[LOCK_AUTHORITY]->key, &AUTHORITY), ERROR_WRONG_SYSVAR);
  TRY(check_vault((Account *[]){a[LOCK_BASE_VAULT], a[LOCK_BASE_MINT], a[LOCK_TOKEN_PROGRAM]}));
  TRY(check_writable(a[LOCK_BASE_MINT]));
  CHECK(key_eq(&a[LOCK_BASE]->key, base), ERROR_WRONG_ADDRESS);
  TRY(check_writable(a[LOCK_BASE]));
  for (u64 i = LOCK_ESCROW; i <= LOCK_PAYER; i++) TRY(check_writable(a[i]));
  CHECK(key_eq(&a[LOCK_PROGRAM]->key, &LOCKER_PROGRAM), ERROR_WRONG_SYSVAR);
  return 0;
}

// Locks from when the curve was sold out.
NOINLINE void call_locker(const Input *in, const SignerSeeds *signers) {
  Account *const *a = in->accounts;
  const u8 *vesting = a[LOCK_CONFIG]->data + CONFIG_VESTING;
  u64 sold_out_at = load_u64(a[LOCK_POOL]->data + POOL_FINISHED_AT), wait = load_u64(vesting + VESTING_CLIFF_WAIT);
  u8 data[59] = {0};
  store_u64(data, LOCKER_CREATE);
  store_u64(data + 8, sold_out_at);
  // A wait beyond all time is one for good.
  store_u64(data + 16, sold_out_at + wait < wait ? U64_MAX : sold_out_at + wait);
  store_u64(data + 24, load_u64(vesting + VESTING_FREQUENCY));
  store_u64(data + 32, load_u64(vesting + VESTING_AT_CLIFF));
  store_u64(data + 40, load_u64(vesting + VESTING_AMOUNT));
  store_u64(data + 48, load_u64(vesting + VESTING_PERIODS));
  data[56] = BY_RECIPIENT;
  data[57] = BY_CREATOR;
  const u8 writable = ROLE_WRITABLE, signs = ROLE_WRITABLE | ROLE_SIGNER;
  Call call = {&LOCKER_PROGRAM,
               {a[LOCK_BASE], a[LOCK_ESCROW], a[LOCK_BASE_MINT], a[LOCK_TOKEN], a[LOCK_AUTHORITY], a[LOCK_BASE_VAULT],
                a[LOCK_CREATOR], a[LOCK_TOKEN_PROGRAM], a[LOCK_SYSTEM], a[LOCK_EVENTS], a[LOCK_PROGRAM]},
               {signs, writable, ROLE_READONLY, writable, signs, writable},
               11,
               data,
               sizeof data};
  AccountInfo infos[MAX_CALL_ACCOUNTS];
  AccountMeta metas[MAX_CALL_ACCOUNTS];
  LAY_OUT(&call, infos, metas)
  Instruction instruction = {call.program, metas, call.n, call.data, call.data_len};
  sol_invoke_signed_c(&instruction, infos, call.n, signers, 2);
}

NOINLINE u64 create_locker(const Input *in) {
  TRY(check_kinds(in, 0, LOCK_KINDS, LOCK_ACCOUNTS));
  Account *const *a = in->accounts;
  Account *authority = a[LOCK_AUTHORITY];
  u8 *pool = a[LOCK_POOL]->data, bump;
  Pubkey derived;
  Slice base_seeds[5] = {TEXT(LOCKER_BASE_SEED), KEY(&a[LOCK_POOL]->key)};
  find_address(base_seeds, 2, in->program_id, &bump, &derived);
  TRY(check_lock(in, &derived));
  CHECK(pool[POOL_PROGRESS] == PROGRESS_SOLD_OUT, ERROR_NOT_PERMITTED);
  AUTHORITY_SIGNS(signer);
  SignerSeeds signers[2] = {signer, {base_seeds, 3}};
  // The authority pays for the lock, and gets that back from the payer.
  u64 before = authority->lamports;
  call_locker(in, signers);
  system_transfer(a[LOCK_PAYER], authority, before - authority->lamports);
  pool[POOL_PROGRESS] = PROGRESS_VESTING_LOCKED;
  return 0;
}
