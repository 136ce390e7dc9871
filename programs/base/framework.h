// What programs with the interface of the Anchor framework have in common: its error numbers, accounts that start with a
// discriminator.
#pragma once
#include "native.h"

// A discriminator is written as its bytes stand in the data.
#define BYTES(number) __builtin_bswap64(number##UL)

// ---- errors -------------------------------------------------------------------------------------------------------

enum {
  ERROR_UNKNOWN_DISCRIMINATOR = 101,
  ERROR_INCOMPLETE_DATA = 102,
  ERROR_NOT_WRITABLE = 2000,
  ERROR_NOT_RELATED = 2001,
  ERROR_WRONG_ADDRESS = 2006,
  ERROR_WRONG_SYSVAR = 2012,
  ERROR_WRONG_MINT = 2014,
  ERROR_WRONG_TOKEN_PROGRAM = 2022,
  ERROR_WRONG_ACCOUNT_TYPE = 3002,
  ERROR_TOO_FEW_ACCOUNTS = 3005,
  ERROR_WRONG_ACCOUNT_OWNER = 3007,
  ERROR_NO_TOKEN_PROGRAM = 3008,
  ERROR_NOT_SIGNER = 3010,
  ERROR_NO_ACCOUNT = 3012,
};

// ---- accounts -----------------------------------------------------------------------------------------------------

// Checks how many accounts there are and what they are allowed to do; `signers` and `writables` are sets of bits. An
// optional account is absent where the program's own address stands.
INLINE u64 check_accounts(const Input *in, u64 n, u64 signers, u64 writables) {
  CHECK(in->n >= n, ERROR_TOO_FEW_ACCOUNTS);
#pragma unroll  // the sets are constants: without the loop this costs a fifth
  for (u64 i = 0; i < n; i++) {
    const Account *a = in->accounts[i];
    if (signers >> i & 1) CHECK(a->is_signer, ERROR_NOT_SIGNER);
    if (writables >> i & 1) CHECK(a->is_writable || key_eq(&a->key, in->program_id), ERROR_NOT_WRITABLE);
  }
  return 0;
}

// Whether the account is one that this program has made, of the type of this discriminator.
NOINLINE u64 check_own_account(const Input *in, const Account *a, u64 discriminator) {
  CHECK(key_eq(&a->owner, in->program_id), a->lamports == 0 ? ERROR_NO_ACCOUNT : ERROR_WRONG_ACCOUNT_OWNER);
  CHECK(load_u64(a->data) == discriminator, ERROR_WRONG_ACCOUNT_TYPE);
  return 0;
}

// Its lamports go to `to`; nothing of it is left.
INLINE void close_account(Account *account, Account *to) {
  to->lamports += account->lamports;
  account->lamports = 0;
  account->data_len = 0;
  account->owner = SYSTEM_PROGRAM;
}

// Whether it is a token account of this mint, in use.
NOINLINE bool holds(const Account *a, const Pubkey *token_program, const Pubkey *mint) {
  return key_eq(&a->owner, token_program) && is_token_account(a) && key_eq(token_mint(a), mint);
}

// ---- time ---------------------------------------------------------------------------------------------------------

INLINE i64 now(void) {
  Clock clock;
  sol_get_clock_sysvar(&clock);
  return clock.unix_timestamp;
}
