// Calls to other programs.
#pragma once
#include "solana.h"

#ifndef MAX_CALL_ACCOUNTS
#define MAX_CALL_ACCOUNTS 4
#endif

enum { ROLE_READONLY = 0, ROLE_WRITABLE = 1, ROLE_SIGNER = 2 };

typedef struct {
  const Pubkey *program;
  Account *accounts[MAX_CALL_ACCOUNTS];  // the called program itself need not be among them
  u8 roles[MAX_CALL_ACCOUNTS];
  u64 n;
  const void *data;
  u64 data_len;
} Call;

// Fills the lists of a call's accounts. The pointers must be those of the input: the runtime compares them. It does not read
// the rent epoch. (As a function it would cost an instruction more or less in every program.)
#define LAY_OUT(call, infos, metas)                                                                             \
  for (u64 i = 0; i < (call)->n; i++) {                                                                         \
    Account *a = (call)->accounts[i];                                                                           \
    infos[i] = (AccountInfo){.key = &a->key,                                                                    \
                             .lamports = &a->lamports,                                                          \
                             .data_len = a->data_len,                                                           \
                             .data = a->data,                                                                   \
                             .owner = &a->owner,                                                                \
                             .is_signer = a->is_signer,                                                         \
                             .is_writable = a->is_writable,                                                     \
                             .executable = a->executable};                                                      \
    metas[i] = (AccountMeta){&a->key, (call)->roles[i] & ROLE_WRITABLE, ((call)->roles[i] & ROLE_SIGNER) != 0}; \
  }

// Calls the program; `signer` may be NULL. There is no result: a call that fails ends the whole transaction.
NOINLINE void invoke(const Call *call, const SignerSeeds *signer) {
  AccountInfo infos[MAX_CALL_ACCOUNTS];
  AccountMeta metas[MAX_CALL_ACCOUNTS];
  LAY_OUT(call, infos, metas)
  Instruction instruction = {call->program, metas, call->n, call->data, call->data_len};
  sol_invoke_signed_c(&instruction, infos, call->n, signer, signer != NULL);
}
