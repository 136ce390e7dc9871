// The runtime's interface: types, syscalls, the input of an instruction, error numbers.
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;
typedef long i64;
typedef unsigned __int128 u128;
typedef _Bool bool;
#define true 1
#define false 0
#define NULL ((void *)0)
#define INLINE static inline __attribute__((always_inline))
#define NOINLINE static __attribute__((noinline))
_Static_assert(sizeof(void *) == 8 && sizeof(u64) == 8, "64-bit pointers and words");

typedef struct {
  u64 w[4];
} Pubkey;

INLINE bool key_eq(const Pubkey *a, const Pubkey *b) {
  return a->w[0] == b->w[0] && a->w[1] == b->w[1] && a->w[2] == b->w[2] && a->w[3] == b->w[3];
}

// ---- errors -------------------------------------------------------------------------------------------------------

// A number below 2^32 is an error of the program's own; the runtime's have their number in the upper half.
#define RUNTIME_ERROR(n) ((u64)(n) << 32)
#define ERROR_INVALID_ARGUMENT RUNTIME_ERROR(2)
#define ERROR_INVALID_INSTRUCTION_DATA RUNTIME_ERROR(3)
#define ERROR_INVALID_ACCOUNT_DATA RUNTIME_ERROR(4)
#define ERROR_INCORRECT_PROGRAM_ID RUNTIME_ERROR(7)
#define ERROR_MISSING_SIGNATURE RUNTIME_ERROR(8)
#define ERROR_UNINITIALIZED_ACCOUNT RUNTIME_ERROR(10)
#define ERROR_NOT_ENOUGH_ACCOUNTS RUNTIME_ERROR(11)

// Every function that can refuse returns 0 or an error number.
#define CHECK(condition, error)     \
  do {                              \
    if (!(condition)) return error; \
  } while (0)
#define TRY(expression)             \
  do {                              \
    u64 error_ = (expression);      \
    if (error_ != 0) return error_; \
  } while (0)

// ---- input --------------------------------------------------------------------------------------------------------

// One account as the loader lays it out. The data is followed by space to grow into, padding to 8 and the rent epoch.
typedef struct {
  u8 duplicate_of;  // NOT_DUPLICATE, or the index of the account that this one repeats
  u8 is_signer, is_writable, executable;
  u32 original_data_len;
  Pubkey key, owner;
  u64 lamports;
  u64 data_len;
  u8 data[];
} Account;
_Static_assert(sizeof(Account) == 88, "the loader's layout");
#define NOT_DUPLICATE 0xff
#define MAX_GROWTH 10240

#ifndef MAX_ACCOUNTS
#define MAX_ACCOUNTS 16
#endif

typedef struct {
  Account *accounts[MAX_ACCOUNTS];  // a repeated account is the same pointer again
  u64 n;                            // how many of them are there, at most MAX_ACCOUNTS
  const u8 *data;
  u64 data_len;
  const Pubkey *program_id;
} Input;

// Reads the input; accounts after the first MAX_ACCOUNTS are stepped over.
NOINLINE void read_input(u8 *p, Input *input) {
  u64 count = *(u64 *)p;
  p += 8;
  for (u64 i = 0; i < count; i++) {
    Account *account = (Account *)p;
    bool is_first = account->duplicate_of == NOT_DUPLICATE;
    if (i < MAX_ACCOUNTS) input->accounts[i] = is_first ? account : input->accounts[account->duplicate_of];
    if (is_first) {
      u64 end = (u64)account->data + account->data_len + MAX_GROWTH;
      p = (u8 *)((end + 7) & ~7UL) + sizeof(u64);
    } else {
      p += 8;
    }
  }
  input->n = count < MAX_ACCOUNTS ? count : MAX_ACCOUNTS;
  input->data_len = *(u64 *)p;
  input->data = p + 8;
  input->program_id = (const Pubkey *)(input->data + input->data_len);
}

// Loads and stores need no alignment on this machine.
INLINE u64 load_u64(const u8 *p) { return *(const u64 *)p; }
INLINE u32 load_u32(const u8 *p) { return *(const u32 *)p; }
INLINE u16 load_u16(const u8 *p) { return *(const u16 *)p; }
INLINE void store_u64(u8 *p, u64 value) { *(u64 *)p = value; }
INLINE void store_u16(u8 *p, u16 value) { *(u16 *)p = value; }
INLINE const Pubkey *key_at(const u8 *p) { return (const Pubkey *)p; }
INLINE void store_key(u8 *p, const Pubkey *key) { *(Pubkey *)p = *key; }

// ---- syscalls -----------------------------------------------------------------------------------------------------

typedef struct {
  const void *address;
  u64 len;
} Slice;
typedef struct {
  const Slice *seeds;
  u64 len;
} SignerSeeds;
typedef struct {
  const Pubkey *key;
  u64 *lamports;
  u64 data_len;
  u8 *data;
  const Pubkey *owner;
  u64 rent_epoch;
  u8 is_signer, is_writable, executable;
} AccountInfo;
typedef struct {
  const Pubkey *key;
  u8 is_writable, is_signer;
} AccountMeta;
typedef struct {
  const Pubkey *program_id;
  const AccountMeta *accounts;
  u64 accounts_len;
  const void *data;
  u64 data_len;
} Instruction;
_Static_assert(sizeof(AccountInfo) == 56 && sizeof(AccountMeta) == 16 && sizeof(Instruction) == 40,
               "the call's layout");

// SBPF v3 calls a syscall by the Murmur3 hash of its name; tools/check.mjs knows the same list.
static u64 (*const sol_log_)(const char *text, u64 len) = (void *)0x207559bdUL;
static u64 (*const sol_log_data)(const Slice *fields, u64 n) = (void *)0x7317b434UL;
static u64 (*const sol_log_64_)(u64, u64, u64, u64, u64) = (void *)0x5c2a3178UL;
static u64 (*const sol_memcpy_)(void *to, const void *from, u64 len) = (void *)0x717cc4a3UL;
static u64 (*const sol_invoke_signed_c)(const Instruction *, const AccountInfo *, u64 n, const SignerSeeds *,
                                        u64 signers) = (void *)0xa22b9c85UL;
static u64 (*const sol_try_find_program_address)(const Slice *seeds, u64 n, const Pubkey *program, Pubkey *out,
                                                 u8 *bump) = (void *)0x48504a38UL;
