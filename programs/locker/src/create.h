// createVestingEscrowV2: takes tokens from the sender and locks them for the recipient.
//
// 0 [signer, writable] the lock's key   4 [signer, writable] sender    8 System program
// 1 [writable] lock                     5 [writable] pays the tokens   9 event authority
// 2 mint                                6 recipient                   10 this program
// 3 [writable] the lock's tokens        7 token program
//
// data: when the lock begins, when the cliff is, seconds of a period, tokens at the cliff, tokens of a period, how many
// periods (u64), who may change the recipient, who may cancel (u8), an option of more accounts, which is refused.
#pragma once

enum {
  NEW_BASE,
  NEW_ESCROW,
  NEW_MINT,
  NEW_TOKEN,
  NEW_SENDER,
  NEW_SENDER_TOKEN,
  NEW_RECIPIENT,
  NEW_TOKEN_PROGRAM,
  NEW_SYSTEM,
  NEW_EVENTS,
  NEW_ACCOUNTS = 11,
};
enum {
  TERMS_START_TIME = 8,
  TERMS_CLIFF_TIME = 16,
  TERMS_FREQUENCY = 24,
  TERMS_AT_CLIFF = 32,
  TERMS_EACH = 40,
  TERMS_PERIODS = 48,
  TERMS_UPDATE_MODE = 56,
  TERMS_CANCEL_MODE = 57,
  TERMS_HAS_MORE = 58,
  TERMS_END = 59,
};
enum { MOST_MODE = 3 };

static const u8 NEW_KINDS[NEW_ACCOUNTS] = {
    [NEW_BASE] = SIGNER,
    [NEW_MINT] = MINT,
    [NEW_TOKEN] = TOKEN_ACCOUNT,
    [NEW_SENDER] = SIGNER,
    [NEW_SENDER_TOKEN] = TOKEN_ACCOUNT,
    [NEW_TOKEN_PROGRAM] = ANY_TOKEN_PROGRAM,
    [NEW_SYSTEM] = IS_SYSTEM_PROGRAM,
};

NOINLINE u64 create_account_of_lock(const Input *in, u8 *bump) {
  Account *const *a = in->accounts;
  Pubkey derived;
  Slice seeds[5] = {TEXT(ESCROW_SEED), KEY(&a[NEW_BASE]->key)};
  find_address(seeds, 2, in->program_id, bump, &derived);
  CHECK(key_eq(&a[NEW_ESCROW]->key, &derived), ERROR_WRONG_ADDRESS);
  SignerSeeds signer = {seeds, 3};
  return create_for((Account *[]){a[NEW_SENDER], a[NEW_ESCROW]}, ESCROW_LEN, in->program_id, &signer);
}

NOINLINE u64 check_new(const Input *in) {
  Account *const *a = in->accounts;
  TRY(check_writable(a[NEW_BASE]));
  TRY(check_associated(a[NEW_TOKEN], &a[NEW_ESCROW]->key, &a[NEW_TOKEN_PROGRAM]->key, &a[NEW_MINT]->key));
  TRY(check_writable(a[NEW_SENDER]));
  TRY(check_writable(a[NEW_SENDER_TOKEN]));
  return check_event_authority(a[NEW_EVENTS]);
}

NOINLINE u64 check_terms(const u8 *terms, u64 *all) {
  u64 at_cliff = load_u64(terms + TERMS_AT_CLIFF);
  u128 in_parts = mul_wide(load_u64(terms + TERMS_EACH), load_u64(terms + TERMS_PERIODS));
  CHECK(load_u64(terms + TERMS_CLIFF_TIME) >= load_u64(terms + TERMS_START_TIME), ERROR_INVALID_VESTING_START_TIME);
  CHECK(load_u64(terms + TERMS_FREQUENCY) != 0, ERROR_FREQUENCY_IS_ZERO);
  CHECK(terms[TERMS_UPDATE_MODE] <= MOST_MODE, ERROR_INVALID_UPDATE_RECIPIENT_MODE);
  CHECK(terms[TERMS_CANCEL_MODE] <= MOST_MODE, ERROR_INVALID_CANCEL_MODE);
  CHECK(in_parts <= U64_MAX, ERROR_MATH_OVERFLOW);
  *all = at_cliff + (u64)in_parts;
  CHECK(*all >= at_cliff, ERROR_MATH_OVERFLOW);
  return 0;
}

NOINLINE void write_escrow(const Input *in, u8 bump) {
  Account *const *a = in->accounts;
  const u8 *terms = in->data;
  u8 *e = a[NEW_ESCROW]->data;
  store_u64(e, ESCROW);
  store_key(e + ESCROW_RECIPIENT, &a[NEW_RECIPIENT]->key);
  store_key(e + ESCROW_MINT, &a[NEW_MINT]->key);
  store_key(e + ESCROW_CREATOR, &a[NEW_SENDER]->key);
  store_key(e + ESCROW_BASE, &a[NEW_BASE]->key);
  e[ESCROW_BUMP] = bump;
  e[ESCROW_UPDATE_MODE] = terms[TERMS_UPDATE_MODE];
  e[ESCROW_CANCEL_MODE] = terms[TERMS_CANCEL_MODE];
  put_bytes(e + ESCROW_CLIFF_TIME, terms + TERMS_CLIFF_TIME, TERMS_UPDATE_MODE - TERMS_CLIFF_TIME);
  store_u64(e + ESCROW_START_TIME, load_u64(terms + TERMS_START_TIME));
}

NOINLINE void emit_created(const Input *in) {
  Account *const *a = in->accounts;
  u8 event[EVENT_HEAD + TERMS_HAS_MORE + 2 * sizeof(Pubkey)];
  u8 *at = put_bytes(event + EVENT_HEAD, in->data + TERMS_START_TIME, TERMS_HAS_MORE - TERMS_START_TIME);
  at = put_key(put_key(at, &a[NEW_RECIPIENT]->key), &a[NEW_ESCROW]->key);
  emit(in, NEW_EVENTS, event, CREATE_ESCROW_EVENT, at);
}

NOINLINE u64 create_escrow(const Input *in) {
  CHECK(in->data_len >= TERMS_END, ERROR_INCOMPLETE_DATA);
  SUPPORT(in->data[TERMS_HAS_MORE] == 0, "stand-in: no further accounts");
  Account *const *a = in->accounts;
  u64 all;
  u8 bump;
  TRY(check_kinds(in, 0, NEW_KINDS, NEW_ACCOUNTS));
  TRY(create_account_of_lock(in, &bump));
  TRY(check_new(in));
  SUPPORT(key_eq(&a[NEW_MINT]->owner, &TOKEN_PROGRAM), "stand-in: the token must be of SPL Token");
  TRY(check_terms(in->data, &all));
  write_escrow(in, bump);
  token_transfer(a[NEW_SENDER_TOKEN], a[NEW_MINT], a[NEW_TOKEN], a[NEW_SENDER], all, NULL);
  emit_created(in);
  return 0;
}
