// Invites of tokens: they lie in the escrow, the associated token account of the invite's account.
#pragma once
#include "invite.h"
#include "mints.h"

enum { NEW_SENDER_TOKENS = 4, NEW_ESCROW, NEW_TOKEN_PROGRAM, NEW_MINT, NEW_ACCOUNTS = 9 };

// 0 [signer, writable] sender     3 System program                    6 token program
// 1 [signer] invite               4 [writable] sender's tokens        7 mint
// 2 [writable] invite's account   5 [writable] escrow                 8 associated token program
// data: expiry (i64, unix seconds), amount in the mint's smallest unit (u64). What follows is ignored.
NOINLINE u64 initialize_token(const Input *in) {
  Account *const *a = in->accounts;
  Account *from = a[NEW_SENDER_TOKENS], *escrow = a[NEW_ESCROW], *mint = a[NEW_MINT];
  Terms terms;
  u8 bump;
  TRY(check_accounts(in, NEW_ACCOUNTS, 1 << NEW_SENDER | 1 << NEW_INVITE,
                     1 << NEW_SENDER | 1 << NEW_INFO | 1 << NEW_SENDER_TOKENS | 1 << NEW_ESCROW));
  TRY(read_terms(in, &terms));
  TRY(check_mint(mint, a[NEW_TOKEN_PROGRAM]));
  CHECK(holds(from, &a[NEW_TOKEN_PROGRAM]->key, &mint->key), ERROR_WRONG_MINT);
  TRY(create_info(in, TOKEN_INFO, TOKEN_INFO_LEN, &bump));
  u8 *data = a[NEW_INFO]->data;
  store_key(data + TOKEN_INFO_INVITE, &a[NEW_INVITE]->key);
  store_key(data + TOKEN_INFO_ESCROW, &escrow->key);
  store_u64(data + TOKEN_INFO_EXPIRY, (u64)terms.expiry);
  data[TOKEN_INFO_BUMP] = bump;
  associated_create(a, NEW_SENDER, NEW_ESCROW, NEW_INFO, NEW_MINT, NEW_SYSTEM, NEW_TOKEN_PROGRAM);
  token_transfer(from, mint, escrow, a[NEW_SENDER], terms.amount, NULL);
  Event event;
  begin_new_event(&event, in, &terms, INITIALIZE_TOKEN_EVENT);
  put_key(&event, &mint->key);
  emit(&event);
  return 0;
}

// Where an end has its accounts: who gets the tokens, into which account, and who pays for that where it is not there.
typedef struct {
  u8 wallet, tokens, payer, escrow, token_program, system, mint;
} Places;

// A wallet that signs can name any of its token accounts; for one that does not, it is the associated one.
NOINLINE void open_tokens(const Input *in, const Places *at) {
  Account *const *a = in->accounts;
  const Account *wallet = a[at->wallet], *tokens = a[at->tokens];
  if (wallet->is_signer && holds(tokens, &a[at->token_program]->key, &a[at->mint]->key) &&
      key_eq(token_owner(tokens), &wallet->key)) {
    return;
  }
  associated_create(a, at->payer, at->tokens, at->wallet, at->mint, at->system, at->token_program);
}

// Gives all tokens to the wallet, also what strangers have sent to the escrow. The rents pay for the token account that
// the payer had to make; what is left of them goes to the wallet, too.
NOINLINE u64 pay_out(const Input *in, const Places *at, u64 *amount) {
  Account *const *a = in->accounts;
  Account *info = a[END_INFO], *escrow = a[at->escrow], *mint = a[at->mint], *payer = a[at->payer];
  CHECK(key_eq(key_at(info->data + TOKEN_INFO_ESCROW), &escrow->key), ERROR_NOT_RELATED);
  CHECK(key_eq(&escrow->owner, &a[at->token_program]->key), ERROR_WRONG_TOKEN_PROGRAM);
  CHECK(key_eq(token_mint(escrow), &mint->key), ERROR_WRONG_MINT);
  u64 spent = payer->lamports;
  open_tokens(in, at);
  spent -= payer->lamports;

  *amount = token_amount(escrow);
  Slice seeds[3] = {
      TEXT(INVITE_SEED), {info->data + TOKEN_INFO_INVITE, sizeof(Pubkey)}, {info->data + TOKEN_INFO_BUMP, 1}};
  SignerSeeds signer = {seeds, 3};
  token_transfer(escrow, mint, a[at->tokens], info, *amount, &signer);
  token_close_account(escrow, info, info, &signer);
  CHECK(info->lamports >= spent, ERROR_MATH_OVERFLOW);
  info->lamports -= spent;
  payer->lamports += spent;
  return 0;
}

// 0 [writable] invite's account   4 [signer, writable] keeper     7 token program
// 1 [signer] invite               5 [writable] claimer's tokens   8 mint
// 2 [writable] claimer            6 [writable] escrow             9 associated token program
// 3 System program
static const Places CLAIM_PLACES = {
    .wallet = END_CLAIMER, .tokens = 5, .payer = 4, .escrow = 6, .token_program = 7, .system = 3, .mint = 8};

NOINLINE u64 claim_token(const Input *in) {
  Account *info = in->accounts[END_INFO];
  TRY(check_accounts(in, 10, 1 << END_INVITE | 1 << 4, 1 << END_INFO | 1 << END_CLAIMER | 1 << 4 | 1 << 5 | 1 << 6));
  TRY(check_own_account(in, info, TOKEN_INFO));
  CHECK(key_eq(key_at(info->data + TOKEN_INFO_INVITE), &in->accounts[END_INVITE]->key), ERROR_WRONG_ADDRESS);
  TRY(check_open(info, TOKEN_INFO_EXPIRY));
  u64 amount;
  TRY(pay_out(in, &CLAIM_PLACES, &amount));
  Event event;
  begin_claim_event(&event, in, CLAIM_TOKEN_EVENT, amount);
  put_key(&event, &in->accounts[CLAIM_PLACES.mint]->key);
  emit(&event);
  close_account(info, in->accounts[END_CLAIMER]);
  return 0;
}

// 0 [writable] invite's account     3 [writable] escrow        6 System program
// 1 [signer, writable] sender       4 token program            7 mint
// 2 [writable] sender's tokens      5 associated token program
static const Places CLAWBACK_PLACES = {
    .wallet = END_SENDER, .tokens = 2, .payer = END_SENDER, .escrow = 3, .token_program = 4, .system = 6, .mint = 7};

NOINLINE u64 clawback_token(const Input *in) {
  Account *info = in->accounts[END_INFO];
  TRY(check_accounts(in, 8, 1 << END_SENDER, 1 << END_INFO | 1 << END_SENDER | 1 << 2 | 1 << 3));
  TRY(check_sender(in, TOKEN_INFO));
  u64 amount;
  TRY(pay_out(in, &CLAWBACK_PLACES, &amount));
  Event event;
  begin_return_event(&event, in, CLAWBACK_TOKEN_EVENT, amount);
  put_key(&event, &in->accounts[CLAWBACK_PLACES.mint]->key);
  emit(&event);
  close_account(info, in->accounts[END_SENDER]);
  return 0;
}

// The same accounts, but that the sender does not sign, and 8 [signer, writable] keeper
static const Places EXPIRE_PLACES = {
    .wallet = END_SENDER, .tokens = 2, .payer = 8, .escrow = 3, .token_program = 4, .system = 6, .mint = 7};

NOINLINE u64 expire_token(const Input *in) {
  Account *info = in->accounts[END_INFO];
  TRY(check_accounts(in, 9, 1 << 8, 1 << END_INFO | 1 << END_SENDER | 1 << 2 | 1 << 3 | 1 << 8));
  TRY(check_sender(in, TOKEN_INFO));
  TRY(check_expired(info, TOKEN_INFO_EXPIRY));
  u64 amount;
  TRY(pay_out(in, &EXPIRE_PLACES, &amount));
  Event event;
  begin_return_event(&event, in, EXPIRE_TOKEN_EVENT, amount);
  put_key(&event, &in->accounts[EXPIRE_PLACES.mint]->key);
  put_u64(&event, (u64)expiry_of(info, TOKEN_INFO_EXPIRY));
  emit(&event);
  close_account(info, in->accounts[END_SENDER]);
  return 0;
}
