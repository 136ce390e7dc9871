// claim, claimV2: pays the recipient what is due and has not been paid, or less.
//
//  0 [writable] lock                3 [writable] gets the tokens   6 this program
//    mint (claimV2 only)              Memo program (claimV2 only)
//  1 [writable] the lock's tokens   4 token program
//  2 [signer, writable] recipient   5 event authority
//
// data: the most to pay (u64); in claimV2 an option of more accounts, which is refused.
#pragma once

enum {
  CLAIM_ESCROW,
  CLAIM_TOKEN,
  CLAIM_RECIPIENT,
  CLAIM_ACCOUNT,
  CLAIM_TOKEN_PROGRAM,
  CLAIM_EVENTS,
  CLAIM_ACCOUNTS = 7,
};
enum {
  CLAIM_2_ESCROW,
  CLAIM_2_MINT,
  CLAIM_2_TOKEN,
  CLAIM_2_RECIPIENT,
  CLAIM_2_ACCOUNT,
  CLAIM_2_MEMO,
  CLAIM_2_TOKEN_PROGRAM,
  CLAIM_2_EVENTS,
  CLAIM_2_ACCOUNTS = 9,
};
enum { CLAIM_MOST = 8, CLAIM_END = 16, CLAIM_2_HAS_MORE = 16, CLAIM_2_END = 17 };

static const u8 CLAIM_KINDS[CLAIM_ACCOUNTS] = {
    [CLAIM_ESCROW] = IS_ESCROW,
    [CLAIM_TOKEN] = SPL_TOKEN_ACCOUNT,
    [CLAIM_RECIPIENT] = SIGNER,
    [CLAIM_ACCOUNT] = SPL_TOKEN_ACCOUNT,
    [CLAIM_TOKEN_PROGRAM] = SPL_TOKEN_PROGRAM,
};
static const u8 CLAIM_2_KINDS[CLAIM_2_ACCOUNTS] = {
    [CLAIM_2_ESCROW] = IS_ESCROW,
    [CLAIM_2_MINT] = MINT,
    [CLAIM_2_TOKEN] = TOKEN_ACCOUNT,
    [CLAIM_2_RECIPIENT] = SIGNER,
    [CLAIM_2_ACCOUNT] = TOKEN_ACCOUNT,
    [CLAIM_2_TOKEN_PROGRAM] = ANY_TOKEN_PROGRAM,
};

// All that has come free until now.
INLINE u64 unlocked(const u8 *escrow, u64 at) {
  u64 cliff = load_u64(escrow + ESCROW_CLIFF_TIME), most = load_u64(escrow + ESCROW_PERIODS);
  if (at < cliff) return 0;
  u64 passed = (at - cliff) / load_u64(escrow + ESCROW_FREQUENCY);
  return load_u64(escrow + ESCROW_AT_CLIFF) + load_u64(escrow + ESCROW_EACH) * (passed < most ? passed : most);
}

// Counts what is paid now.
INLINE u64 take_due(const Input *in, u64 at, u64 *amount) {
  u8 *escrow = in->accounts[CLAIM_ESCROW]->data;
  u64 most = load_u64(in->data + CLAIM_MOST), claimed = load_u64(escrow + ESCROW_CLAIMED);
  u64 all = unlocked(escrow, at);
  CHECK(all >= claimed, ERROR_MATH_OVERFLOW);  // the clock went back
  *amount = all - claimed < most ? all - claimed : most;
  store_u64(escrow + ESCROW_CLAIMED, claimed + *amount);
  return 0;
}

NOINLINE void emit_claim(const Input *in, u64 events, u64 amount, u64 at) {
  u8 event[EVENT_HEAD + 16 + sizeof(Pubkey)];
  u8 *end = put_u64(put_u64(event + EVENT_HEAD, amount), at);
  emit(in, events, event, CLAIM_EVENT, put_key(end, &in->accounts[CLAIM_ESCROW]->key));
}

#define ESCROW_SIGNS(name, escrow)                                                                   \
  Slice name##_seeds[3] = {TEXT(ESCROW_SEED), {(escrow) + ESCROW_BASE, sizeof(Pubkey)}, {(escrow) + ESCROW_BUMP, 1}}; \
  SignerSeeds name = {name##_seeds, 3}

NOINLINE u64 claim(const Input *in) {
  CHECK(in->data_len >= CLAIM_END, ERROR_INCOMPLETE_DATA);
  TRY(check_kinds(in, 0, CLAIM_KINDS, CLAIM_ACCOUNTS));
  Account *const *a = in->accounts;
  u8 *escrow = a[CLAIM_ESCROW]->data;
  TRY(check_writable(a[CLAIM_ESCROW]));
  CHECK(is_at(escrow + ESCROW_RECIPIENT, a[CLAIM_RECIPIENT]), ERROR_NOT_RELATED);
  TRY(check_associated(a[CLAIM_TOKEN], &a[CLAIM_ESCROW]->key, &TOKEN_PROGRAM, key_at(escrow + ESCROW_MINT)));
  TRY(check_writable(a[CLAIM_RECIPIENT]));
  TRY(check_writable(a[CLAIM_ACCOUNT]));
  CHECK(a[CLAIM_ACCOUNT] != a[CLAIM_TOKEN], ERROR_INVALID_RECIPIENT_ACCOUNT);
  TRY(check_event_authority(a[CLAIM_EVENTS]));
  u64 at = (u64)now(), amount;
  TRY(take_due(in, at, &amount));
  ESCROW_SIGNS(signer, escrow);
  u8 data[9] = {INSTRUCTION_TRANSFER};
  store_u64(data + 1, amount);
  Call call = {&TOKEN_PROGRAM, {a[CLAIM_TOKEN], a[CLAIM_ACCOUNT], a[CLAIM_ESCROW]},
               {ROLE_WRITABLE, ROLE_WRITABLE, ROLE_SIGNER}, 3, data, sizeof data};
  invoke(&call, &signer);
  emit_claim(in, CLAIM_EVENTS, amount, at);
  return 0;
}

NOINLINE u64 claim_2(const Input *in) {
  CHECK(in->data_len >= CLAIM_2_END, ERROR_INCOMPLETE_DATA);
  SUPPORT(in->data[CLAIM_2_HAS_MORE] == 0, "stand-in: no further accounts");
  Account *const *a = in->accounts;
  TRY(check_kinds(in, 0, CLAIM_2_KINDS, CLAIM_2_MEMO + 1));
  CHECK(key_eq(&a[CLAIM_2_MEMO]->key, &MEMO_PROGRAM), ERROR_NO_TOKEN_PROGRAM);
  TRY(check_kinds(in, CLAIM_2_TOKEN_PROGRAM, CLAIM_2_KINDS + CLAIM_2_TOKEN_PROGRAM, CLAIM_2_ACCOUNTS - CLAIM_2_TOKEN_PROGRAM));
  u8 *escrow = a[CLAIM_2_ESCROW]->data;
  TRY(check_writable(a[CLAIM_2_ESCROW]));
  CHECK(is_at(escrow + ESCROW_RECIPIENT, a[CLAIM_2_RECIPIENT]), ERROR_NOT_RELATED);
  CHECK(is_at(escrow + ESCROW_MINT, a[CLAIM_2_MINT]), ERROR_NOT_RELATED);
  const Pubkey *mint = &a[CLAIM_2_MINT]->key, *program = &a[CLAIM_2_TOKEN_PROGRAM]->key;
  TRY(check_associated(a[CLAIM_2_TOKEN], &a[CLAIM_2_ESCROW]->key, program, mint));
  TRY(check_writable(a[CLAIM_2_RECIPIENT]));
  TRY(check_writable(a[CLAIM_2_ACCOUNT]));
  CHECK(a[CLAIM_2_ACCOUNT] != a[CLAIM_2_TOKEN], ERROR_INVALID_RECIPIENT_ACCOUNT);
  TRY(check_event_authority(a[CLAIM_2_EVENTS]));
  u64 at = (u64)now(), amount;
  TRY(take_due(in, at, &amount));
  ESCROW_SIGNS(signer, escrow);
  token_transfer(a[CLAIM_2_TOKEN], a[CLAIM_2_MINT], a[CLAIM_2_ACCOUNT], a[CLAIM_2_ESCROW], amount, &signer);
  emit_claim(in, CLAIM_2_EVENTS, amount, at);
  return 0;
}
