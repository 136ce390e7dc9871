// Which mints can be kept for somebody: those whose transfers move exactly what they say, and call nobody. A program that
// includes this has the errors ERROR_TRANSFER_TAX_MINT and ERROR_UNSUPPORTED_MINT.
#pragma once
#include "framework.h"

enum {
  EXTENSION_TRANSFER_FEE_CONFIG = 1,
  EXTENSION_MINT_CLOSE_AUTHORITY = 3,
  EXTENSION_CONFIDENTIAL_TRANSFER = 4,
  EXTENSION_DEFAULT_ACCOUNT_STATE = 6,
  EXTENSION_INTEREST_BEARING = 10,
  EXTENSION_PERMANENT_DELEGATE = 12,
  EXTENSION_TRANSFER_HOOK = 14,
  EXTENSION_CONFIDENTIAL_TRANSFER_FEE = 16,
  EXTENSION_METADATA_POINTER = 18,
  EXTENSION_PAUSABLE = 26,  // and all from the metadata pointer to it: metadata, groups, scaled amounts
};
// Missing are those that never get out again (non-transferable), and those that did not exist yet.
#define SUPPORTED_EXTENSIONS                                                                                  \
  (1UL << EXTENSION_TRANSFER_FEE_CONFIG | 1UL << EXTENSION_MINT_CLOSE_AUTHORITY |                             \
   1UL << EXTENSION_CONFIDENTIAL_TRANSFER | 1UL << EXTENSION_DEFAULT_ACCOUNT_STATE |                          \
   1UL << EXTENSION_INTEREST_BEARING | 1UL << EXTENSION_PERMANENT_DELEGATE | 1UL << EXTENSION_TRANSFER_HOOK | \
   1UL << EXTENSION_CONFIDENTIAL_TRANSFER_FEE | ((2UL << EXTENSION_PAUSABLE) - (1UL << EXTENSION_METADATA_POINTER)))

// The basis points of the two fees, of which one is valid now and the other from some epoch on.
enum { FEE_CONFIG_OLDER_BPS = 88, FEE_CONFIG_NEWER_BPS = 106 };
enum { HOOK_PROGRAM = 32 };

NOINLINE u64 check_extension(u16 kind, const u8 *data) {
  CHECK(kind <= EXTENSION_PAUSABLE, ERROR_UNSUPPORTED_MINT);
  CHECK(SUPPORTED_EXTENSIONS >> kind & 1, ERROR_UNSUPPORTED_MINT);
  if (kind == EXTENSION_TRANSFER_FEE_CONFIG) {
    CHECK(load_u16(data + FEE_CONFIG_OLDER_BPS) == 0, ERROR_TRANSFER_TAX_MINT);
    CHECK(load_u16(data + FEE_CONFIG_NEWER_BPS) == 0, ERROR_TRANSFER_TAX_MINT);
  }
  // A hook would be called with accounts that no instruction of the interface has.
  if (kind == EXTENSION_TRANSFER_HOOK) {
    CHECK(key_eq(key_at(data + HOOK_PROGRAM), &SYSTEM_PROGRAM), ERROR_UNSUPPORTED_MINT);  // zero for none
  }
  return 0;
}

// Whether it is a mint of this token program whose transfers move exactly what they say, and call nobody.
NOINLINE u64 check_mint(const Account *mint, const Account *token_program) {
  CHECK(is_token_program(&token_program->key), ERROR_NO_TOKEN_PROGRAM);
  CHECK(key_eq(&mint->owner, &token_program->key), ERROR_WRONG_TOKEN_PROGRAM);
  CHECK(is_mint(mint), ERROR_UNSUPPORTED_MINT);
  u64 at = EXTENSIONS;
  while (at + 4 <= mint->data_len) {
    u16 kind = load_u16(mint->data + at), len = load_u16(mint->data + at + 2);
    if (kind == 0) return 0;  // the rest is unused
    TRY(check_extension(kind, mint->data + at + 4));
    at += 4 + (u64)len;
  }
  return 0;
}
