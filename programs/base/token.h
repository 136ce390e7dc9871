// Accounts and instructions of SPL Token and Token-2022.
#pragma once
#include "invoke.h"

// TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA
static const Pubkey TOKEN_PROGRAM = {
    {0x93a165d7e1f6dd06UL, 0xac79ebce46e1cbd9UL, 0x91375b5fed85b41cUL, 0xa900ff7e85f58c3aUL}};
// TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb
static const Pubkey TOKEN_2022_PROGRAM = {
    {0xde8f75eee1f6dd06UL, 0xdacd6ce4bc5d4218UL, 0x270db9834dfc1ab6UL, 0xfc8ba1d828f9bdfeUL}};
// ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL
static const Pubkey ASSOCIATED_TOKEN_PROGRAM = {
    {0xf189244e8f25978cUL, 0x830d8e1429103dbbUL, 0x8410ffda99135a0bUL, 0x59f8e9dbd87b8e04UL}};
enum { ASSOCIATED_CREATE_IDEMPOTENT = 1 };

enum {
  TOKEN_ACCOUNT_LEN = 165,
  TOKEN_MINT = 0,
  TOKEN_OWNER = 32,
  TOKEN_AMOUNT = 64,
  TOKEN_HAS_DELEGATE = 72,
  TOKEN_STATE = 108,
  TOKEN_HAS_CLOSE_AUTHORITY = 129,

  MULTISIG_LEN = 355,

  MINT_LEN = 82,
  MINT_HAS_AUTHORITY = 0,
  MINT_AUTHORITY = 4,
  MINT_SUPPLY = 36,
  MINT_DECIMALS = 44,
  MINT_IS_INITIALIZED = 45,
  MINT_HAS_FREEZE_AUTHORITY = 46,

  // Token-2022 tells an extended mint from an extended account by the byte after an account's length.
  KIND = 165,
  KIND_MINT = 1,
  KIND_ACCOUNT = 2,
  EXTENSIONS = 166,
};
enum { TOKEN_STATE_INITIALIZED = 1 };
enum {
  INSTRUCTION_TRANSFER = 3,
  INSTRUCTION_MINT_TO = 7,
  INSTRUCTION_BURN = 8,
  INSTRUCTION_TRANSFER_CHECKED = 12,
};

INLINE const Pubkey *token_mint(const Account *a) { return key_at(a->data + TOKEN_MINT); }
INLINE const Pubkey *token_owner(const Account *a) { return key_at(a->data + TOKEN_OWNER); }
INLINE u64 token_amount(const Account *a) { return load_u64(a->data + TOKEN_AMOUNT); }
INLINE u64 mint_supply(const Account *a) { return load_u64(a->data + MINT_SUPPLY); }

INLINE bool is_token_program(const Pubkey *key) {
  return key_eq(key, &TOKEN_PROGRAM) || key_eq(key, &TOKEN_2022_PROGRAM);
}

// A multisig, all of whose bytes but three are free to choose, has a length that Token-2022 gives to nothing else.
INLINE bool is_extended(const Account *a, u8 kind) {
  return a->data_len >= EXTENSIONS && a->data_len != MULTISIG_LEN && a->data[KIND] == kind;
}

// Whether an account that belongs to a token program is a token account, initialized and not frozen.
NOINLINE bool is_token_account(const Account *a) {
  return (a->data_len == TOKEN_ACCOUNT_LEN || is_extended(a, KIND_ACCOUNT)) &&
         a->data[TOKEN_STATE] == TOKEN_STATE_INITIALIZED;
}

// Whether an account that belongs to a token program is a mint.
NOINLINE bool is_mint(const Account *a) {
  return (a->data_len == MINT_LEN || is_extended(a, KIND_MINT)) && a->data[MINT_IS_INITIALIZED] == 1;
}

// Whether the Token-2022 extensions of a mint or account are all of the kinds in `allowed`, a set of bits.
NOINLINE bool has_only_extensions(const Account *a, u64 allowed) {
  u64 at = EXTENSIONS;
  while (at + 4 <= a->data_len) {
    u16 kind = load_u16(a->data + at), len = load_u16(a->data + at + 2);
    if (kind == 0) return true;  // the rest is unused
    if (kind >= 64 || (allowed >> kind & 1) == 0) return false;
    at += 4 + (u64)len;
  }
  return true;
}

// ---- instructions: the token programs check owners, mints and balances, and that nothing is frozen ------------------

INLINE void token_transfer_by(const Pubkey *program, Account *source, Account *mint, Account *destination,
                              Account *authority, u64 amount, const SignerSeeds *signer) {
  u8 data[10] = {INSTRUCTION_TRANSFER_CHECKED};
  store_u64(data + 1, amount);
  data[9] = mint->data[MINT_DECIMALS];
  Call call = {program,
               {source, mint, destination, authority},
               {ROLE_WRITABLE, ROLE_READONLY, ROLE_WRITABLE, ROLE_SIGNER},
               4,
               data,
               sizeof data};
  invoke(&call, signer);
}

// Between accounts of one token program, which is the source's owner.
INLINE void token_transfer(Account *source, Account *mint, Account *destination, Account *authority, u64 amount,
                           const SignerSeeds *signer) {
  token_transfer_by(&source->owner, source, mint, destination, authority, amount, signer);
}

INLINE void token_mint_to(Account *mint, Account *destination, Account *authority, u64 amount,
                          const SignerSeeds *signer) {
  u8 data[9] = {INSTRUCTION_MINT_TO};
  store_u64(data + 1, amount);
  Call call = {&mint->owner, {mint, destination, authority}, {ROLE_WRITABLE, ROLE_WRITABLE, ROLE_SIGNER}, 3, data,
               sizeof data};
  invoke(&call, signer);
}

INLINE void token_burn(Account *source, Account *mint, Account *authority, u64 amount, const SignerSeeds *signer) {
  u8 data[9] = {INSTRUCTION_BURN};
  store_u64(data + 1, amount);
  Call call = {&mint->owner, {source, mint, authority}, {ROLE_WRITABLE, ROLE_WRITABLE, ROLE_SIGNER}, 3, data,
               sizeof data};
  invoke(&call, signer);
}
