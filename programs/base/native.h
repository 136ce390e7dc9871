// SOL, wrapped SOL and new accounts: the instructions of the System program and of the token programs for them; sysvars.
#pragma once
#include "token.h"

// 11111111111111111111111111111111
static const Pubkey SYSTEM_PROGRAM = {{0, 0, 0, 0}};
// So11111111111111111111111111111111111111112
static const Pubkey WRAPPED_SOL = {
    {0x8481abfe57889b06UL, 0x35c01846637f68fbUL, 0x553beb1adc39c4daUL, 0x0100000000f0a098UL}};

enum { SYSTEM_CREATE_ACCOUNT = 0, SYSTEM_ASSIGN = 1, SYSTEM_TRANSFER = 2, SYSTEM_ALLOCATE = 8 };
enum { TOKEN_CLOSE_ACCOUNT = 9, TOKEN_SYNC_NATIVE = 17, TOKEN_INITIALIZE_ACCOUNT_3 = 18 };

INLINE void system_transfer(Account *from, Account *to, u64 lamports) {
  u8 data[12] = {SYSTEM_TRANSFER};
  store_u64(data + 4, lamports);
  Call call = {&SYSTEM_PROGRAM, {from, to}, {ROLE_WRITABLE | ROLE_SIGNER, ROLE_WRITABLE}, 2, data, sizeof data};
  invoke(&call, NULL);
}

INLINE void system_allocate(Account *account, u64 len, const SignerSeeds *signer) {
  u8 data[12] = {SYSTEM_ALLOCATE};
  store_u64(data + 4, len);
  Call call = {&SYSTEM_PROGRAM, {account}, {ROLE_WRITABLE | ROLE_SIGNER}, 1, data, sizeof data};
  invoke(&call, signer);
}

INLINE void system_assign(Account *account, const Pubkey *owner, const SignerSeeds *signer) {
  u8 data[36] = {SYSTEM_ASSIGN};
  store_key(data + 4, owner);
  Call call = {&SYSTEM_PROGRAM, {account}, {ROLE_WRITABLE | ROLE_SIGNER}, 1, data, sizeof data};
  invoke(&call, signer);
}

INLINE void token_initialize_account(Account *account, Account *mint, const Pubkey *owner) {
  u8 data[33] = {TOKEN_INITIALIZE_ACCOUNT_3};
  store_key(data + 1, owner);
  Call call = {&TOKEN_PROGRAM, {account, mint}, {ROLE_WRITABLE, ROLE_READONLY}, 2, data, sizeof data};
  invoke(&call, NULL);
}

// Counts lamports that an account of wrapped SOL was sent.
INLINE void token_sync_native(Account *account) {
  u8 tag = TOKEN_SYNC_NATIVE;
  Call call = {&TOKEN_PROGRAM, {account}, {ROLE_WRITABLE}, 1, &tag, sizeof tag};
  invoke(&call, NULL);
}

// Sends the lamports of an account without tokens, or of one of wrapped SOL, to `destination`.
INLINE void token_close_account(Account *account, Account *destination, Account *authority, const SignerSeeds *signer) {
  u8 tag = TOKEN_CLOSE_ACCOUNT;
  Call call = {&account->owner, {account, destination, authority}, {ROLE_WRITABLE, ROLE_WRITABLE, ROLE_SIGNER}, 3, &tag,
               sizeof tag};
  invoke(&call, signer);
}

// Makes the wallet's associated token account, where it is not there; checks its address and its owner. The accounts are
// named by their places in `a`; the calling program must allow 6 for a call.
#if MAX_CALL_ACCOUNTS >= 6
INLINE void associated_create(Account *const *a, u64 payer, u64 account, u64 wallet, u64 mint, u64 system,
                              u64 token_program) {
  u8 data = ASSOCIATED_CREATE_IDEMPOTENT;
  Call call = {&ASSOCIATED_TOKEN_PROGRAM,
               {a[payer], a[account], a[wallet], a[mint], a[system], a[token_program]},
               {ROLE_WRITABLE | ROLE_SIGNER, ROLE_WRITABLE},
               6,
               &data,
               sizeof data};
  invoke(&call, NULL);
}
#endif

// ---- sysvars --------------------------------------------------------------------------------------------------------

typedef struct {
  u64 slot;
  i64 epoch_start;
  u64 epoch, leader_schedule_epoch;
  i64 unix_timestamp;
} Clock;
typedef struct {
  u64 lamports_per_byte_year;
  u64 exemption_threshold;  // in years, the bits of a double: 2.0, or ONE_YEAR where the price is that of two
  u8 burn_percent;
} Rent;
_Static_assert(sizeof(Clock) == 40 && sizeof(Rent) == 24, "the sysvars' layout");
#define ONE_YEAR 0x3ff0000000000000UL  // 1.0
#define ACCOUNT_OVERHEAD 128

static u64 (*const sol_get_clock_sysvar)(Clock *) = (void *)0xd56b5fe9UL;
static u64 (*const sol_get_rent_sysvar)(Rent *) = (void *)0xbf7188f6UL;

// What an account must hold to stay.
INLINE u64 rent_exempt(u64 len) {
  Rent rent;
  sol_get_rent_sysvar(&rent);
  return (ACCOUNT_OVERHEAD + len) * rent.lamports_per_byte_year * (rent.exemption_threshold == ONE_YEAR ? 1 : 2);
}

// Makes an account of `len` zeros at an address of the program's, also where somebody has sent lamports before.
NOINLINE void create_account(Account *payer, Account *account, u64 len, const Pubkey *owner,
                             const SignerSeeds *signer) {
  u64 needed = rent_exempt(len);
  if (account->lamports == 0) {
    u8 data[52] = {SYSTEM_CREATE_ACCOUNT};
    store_u64(data + 4, needed);
    store_u64(data + 12, len);
    store_key(data + 20, owner);
    u8 role = ROLE_WRITABLE | ROLE_SIGNER;
    Call call = {&SYSTEM_PROGRAM, {payer, account}, {role, role}, 2, data, sizeof data};
    invoke(&call, signer);
    return;
  }
  if (account->lamports < needed) system_transfer(payer, account, needed - account->lamports);
  system_allocate(account, len, signer);
  system_assign(account, owner, signer);
}
