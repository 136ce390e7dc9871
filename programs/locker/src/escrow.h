// The tokens of a lock.
#pragma once
#include "interface.h"
#include "stand-in.h"

// The associated token account of the lock.
NOINLINE u64 check_tokens_of_lock(const Account *escrow, const Account *tokens, const Pubkey *program,
                                  const Pubkey *mint) {
  CHECK(key_eq(&tokens->owner, program), ERROR_WRONG_ASSOCIATED_PROGRAM);
  CHECK(key_eq(token_owner(tokens), &escrow->key), ERROR_WRONG_TOKEN_OWNER);
  Pubkey derived;
  u8 bump;
  Slice seeds[6] = {KEY(&escrow->key), KEY(program), KEY(mint)};
  find_address(seeds, 3, &ASSOCIATED_TOKEN_PROGRAM, &bump, &derived);
  CHECK(key_eq(&tokens->key, &derived), ERROR_WRONG_ASSOCIATED_ACCOUNT);
  return check_writable(tokens);
}
