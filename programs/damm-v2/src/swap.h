// swap, swap2: a trade with a pool. The direction follows from the account that pays.
//
//  0 authority                5 [writable] vault of B    10 token program of B
//  1 [writable] pool          6 mint A                   11 [writable] account of a referrer; optional
//  2 [writable] pays          7 mint B                   12 event authority
//  3 [writable] gets          8 [signer] trader          13 this program
//  4 [writable] vault of A    9 token program of A
//
// data: two amounts (u64) and, in swap2, a mode (u8). The first amount is what the trader names: what to spend or, in the
// mode EXACT_OUT, what to get. The second is the least to get, or the most to spend.
#pragma once
#include "position.h"
#include "trading-fees.h"

enum {
  SWAP_AUTHORITY,
  SWAP_POOL,
  SWAP_INPUT,
  SWAP_OUTPUT,
  SWAP_A_VAULT,
  SWAP_B_VAULT,
  SWAP_A_MINT,
  SWAP_B_MINT,
  SWAP_TRADER,
  SWAP_A_PROGRAM,
  SWAP_B_PROGRAM,
  SWAP_REFERRAL,
  SWAP_EVENTS,
  SWAP_ACCOUNTS = 14,
};
enum { EXACT_IN = 0, PARTIAL_FILL = 1, EXACT_OUT = 2 };

typedef struct {
  u64 amount, limit;
  u8 mode;
  bool is_buy, has_referral;  // a purchase takes A out of the pool
  u64 rate;
  // What comes of it.
  u64 paid, paid_without_fee, left, received;
  Span span;  // between the prices before and after it
  Fees fees;
} Trade;

// An account of a token program, which reads it itself.
INLINE u64 check_tokens(const Account *a) {
  CHECK(!key_eq(&a->owner, &SYSTEM_PROGRAM) || a->lamports != 0, ERROR_NO_ACCOUNT);
  CHECK(is_token_program(&a->owner), ERROR_WRONG_ACCOUNT_OWNER);
  return 0;
}

// In another order than elsewhere: the accounts are compared before they are read.
NOINLINE u64 check_swap(const Input *in) {
  CHECK(in->n >= SWAP_ACCOUNTS, ERROR_TOO_FEW_ACCOUNTS);
  Account *const *a = in->accounts;
  const Account *referral = a[SWAP_REFERRAL];
  const u8 *pool = a[SWAP_POOL]->data;
  CHECK(key_eq(&a[SWAP_AUTHORITY]->key, &AUTHORITY), ERROR_WRONG_SYSVAR);
  TRY(check_kind(in, a[SWAP_POOL], IS_POOL));
  CHECK(is_at(pool + POOL_A_VAULT, a[SWAP_A_VAULT]), ERROR_NOT_RELATED);
  CHECK(is_at(pool + POOL_B_VAULT, a[SWAP_B_VAULT]), ERROR_NOT_RELATED);
  for (u64 i = SWAP_POOL; i <= SWAP_B_VAULT; i++) CHECK(a[i]->is_writable, ERROR_NOT_MUTABLE);
  TRY(check_tokens(a[SWAP_INPUT]));
  TRY(check_tokens(a[SWAP_OUTPUT]));
  if (!key_eq(&referral->key, in->program_id)) {
    CHECK(referral->is_writable, ERROR_NOT_MUTABLE);
    TRY(check_tokens(referral));
  }
  TRY(check_vault((Account *[]){a[SWAP_A_VAULT], a[SWAP_A_MINT], a[SWAP_A_PROGRAM]}));
  TRY(check_vault((Account *[]){a[SWAP_B_VAULT], a[SWAP_B_MINT], a[SWAP_B_PROGRAM]}));
  CHECK(a[SWAP_TRADER]->is_signer, ERROR_NOT_SIGNER);
  return check_event_authority(a[SWAP_EVENTS]);
}

// The pool's prices do not reach further.
INLINE u64 check_range(const Span *span, const u8 *pool) {
  CHECK(span->lower >= load_u128(pool + POOL_LEAST_PRICE), ERROR_PRICE_RANGE);
  CHECK(span->upper <= load_u128(pool + POOL_MOST_PRICE), ERROR_PRICE_RANGE);
  return 0;
}

// The other end of the trade for `amount` that comes in, and what comes out.
NOINLINE u64 move_by_input(Trade *trade, const u8 *pool, u64 amount, u128 *out) {
  Span *span = &trade->span;
  if (trade->is_buy) TRY(raise_by_quote(span, amount));
  else lower_by_base(span, amount);
  TRY(check_range(span, pool));
  if (trade->is_buy) base_of(span, false, out);
  else quote_of(span, false, out);
  return 0;
}

// As much as there is room for up to the end of the pool's range.
NOINLINE u64 spend_partly(Trade *trade, const u8 *pool, u64 *amount, u128 *out) {
  Span *span = &trade->span, whole = *span;
  u128 most;
  if (trade->is_buy) whole.upper = load_u128(pool + POOL_MOST_PRICE);
  else whole.lower = load_u128(pool + POOL_LEAST_PRICE);
  if (trade->is_buy) quote_of(&whole, true, &most);
  else base_of(&whole, true, &most);
  if (*amount < most) return move_by_input(trade, pool, *amount, out);
  *span = whole;
  trade->left = *amount - (u64)most;
  *amount = (u64)most;
  if (trade->is_buy) base_of(span, false, out);
  else quote_of(span, false, out);
  return 0;
}

NOINLINE u64 spend(Trade *trade, const u8 *pool) {
  u64 amount = trade->paid = trade->amount;
  u128 out;
  if (trade->is_buy) take_fee(&amount, trade->rate, trade->has_referral, &trade->fees);
  bool is_partial = trade->mode == PARTIAL_FILL;
  TRY(is_partial ? spend_partly(trade, pool, &amount, &out) : move_by_input(trade, pool, amount, &out));
  trade->paid_without_fee = amount;
  if (trade->left != 0) {
    trade->paid = amount;
    if (trade->is_buy) TRY(add_fee(&trade->paid, trade->rate, trade->has_referral, &trade->fees));
  }
  CHECK(out <= U64_MAX, ERROR_MATH_OVERFLOW);
  trade->received = (u64)out;
  if (!trade->is_buy) take_fee(&trade->received, trade->rate, trade->has_referral, &trade->fees);
  return 0;
}

NOINLINE u64 get_exactly(Trade *trade, const u8 *pool) {
  u64 amount = trade->received = trade->amount;
  Span *span = &trade->span;
  u128 in;
  if (!trade->is_buy) TRY(add_fee(&amount, trade->rate, trade->has_referral, &trade->fees));
  TRY(trade->is_buy ? raise_by_base(span, amount) : lower_by_quote(span, amount));
  TRY(check_range(span, pool));
  if (trade->is_buy) quote_of(span, true, &in);
  else base_of(span, true, &in);
  CHECK(in <= U64_MAX, ERROR_MATH_OVERFLOW);
  trade->paid = trade->paid_without_fee = (u64)in;
  if (trade->is_buy) TRY(add_fee(&trade->paid, trade->rate, trade->has_referral, &trade->fees));
  return 0;
}

NOINLINE u64 compute_trade(const u8 *pool, Trade *trade) {
  u128 price = load_u128(pool + POOL_PRICE);
  trade->span = (Span){price, price, load_u128(pool + POOL_LIQUIDITY)};
  // All of it may have been taken out, and nothing can be divided by it.
  CHECK(trade->span.liquidity != 0, ERROR_MATH_OVERFLOW);
  trade->rate = load_u64(pool + POOL_FEE);
  trade->left = 0;
  TRY(trade->mode == EXACT_OUT ? get_exactly(trade, pool) : spend(trade, pool));
  if (trade->mode == EXACT_OUT) CHECK(trade->paid <= trade->limit, ERROR_EXCEEDED_SLIPPAGE);
  else CHECK(trade->received >= trade->limit, ERROR_EXCEEDED_SLIPPAGE);
  return 0;
}

INLINE u128 price_after(const Trade *trade) { return trade->is_buy ? trade->span.upper : trade->span.lower; }

NOINLINE u64 write_trade(u8 *pool, const Trade *trade) {
  const Fees *fees = &trade->fees;
  if (trade->is_buy) {
    TRY(add_to(pool + POOL_B_AMOUNT, trade->paid_without_fee));
    TRY(take_from(pool + POOL_A_AMOUNT, trade->received));
  } else {
    TRY(add_to(pool + POOL_A_AMOUNT, trade->paid));
    TRY(take_from(pool + POOL_B_AMOUNT, trade->received + fees->trading + fees->protocol + fees->referral));
  }
  Wide each = wide_shifted(fees->trading), liquidity = wide(trade->span.liquidity);
  Wide before = load_wide(pool + POOL_B_FEE_PER_LIQUIDITY);
  wide_divide(&each, &liquidity, false);
  wide_add(&each, &before);
  store_wide(pool + POOL_B_FEE_PER_LIQUIDITY, &each);
  TRY(add_to(pool + POOL_PROTOCOL_B_FEE, fees->protocol));
  TRY(add_to(pool + POOL_ALL_PROTOCOL_B_FEE, fees->protocol));
  store_u128(pool + POOL_ALL_LP_B_FEE, load_u128(pool + POOL_ALL_LP_B_FEE) + fees->trading);
  store_u128(pool + POOL_PRICE, price_after(trade));
  return 0;
}

NOINLINE void move_tokens(const Input *in, const Trade *trade) {
  Account *const *a = in->accounts;
  AUTHORITY_SIGNS(signer);
  Account *mint_a = a[SWAP_A_MINT], *mint_b = a[SWAP_B_MINT], *vault_a = a[SWAP_A_VAULT], *vault_b = a[SWAP_B_VAULT];
  const Pubkey *program = &a[trade->is_buy ? SWAP_B_PROGRAM : SWAP_A_PROGRAM]->key;
  token_transfer_by(program, a[SWAP_INPUT], trade->is_buy ? mint_b : mint_a, trade->is_buy ? vault_b : vault_a,
                    a[SWAP_TRADER], trade->paid, NULL);
  token_transfer(trade->is_buy ? vault_a : vault_b, trade->is_buy ? mint_a : mint_b, a[SWAP_OUTPUT],
                 a[SWAP_AUTHORITY], trade->received, &signer);
  if (trade->has_referral)
    token_transfer(vault_b, mint_b, a[SWAP_REFERRAL], a[SWAP_AUTHORITY], trade->fees.referral, &signer);
}

NOINLINE void emit_swap(const Input *in, const Trade *trade) {
  const u8 *pool = in->accounts[SWAP_POOL]->data;
  Clock clock;
  sol_get_clock_sysvar(&clock);
  u8 event[EVENT_HEAD + 180];
  u8 *at = put_key(event + EVENT_HEAD, &in->accounts[SWAP_POOL]->key);
  *at++ = trade->is_buy;
  *at++ = FEES_IN_B;
  *at++ = trade->has_referral;
  at = put_u64(put_u64(at, trade->amount), trade->limit);
  *at++ = trade->mode;
  at = put_u64(put_u64(at, trade->paid), trade->paid_without_fee);
  at = put_u64(put_u64(at, trade->left), trade->received);
  at = put_u64(put_u128(at, price_after(trade)), trade->fees.trading);
  at = put_u64(put_u64(at, trade->fees.protocol), 0);  // nothing stays in the pool
  at = put_u64(at, trade->fees.referral);
  at = put_u64(put_u64(put_u64(at, trade->paid), trade->received), trade->received);
  at = put_u64(at, (u64)clock.unix_timestamp);
  at = put_u64(put_u64(at, load_u64(pool + POOL_A_AMOUNT)), load_u64(pool + POOL_B_AMOUNT));
  emit(in, SWAP_EVENTS, event, SWAP_2_EVENT, at);
}

NOINLINE u64 swap(const Input *in, bool has_mode) {
  CHECK(in->data_len >= (has_mode ? 25 : 24), ERROR_INCOMPLETE_DATA);
  TRY(check_swap(in));
  Account *const *a = in->accounts;
  u8 *pool = a[SWAP_POOL]->data;
  Trade trade = {.amount = load_u64(in->data + 8), .limit = load_u64(in->data + 16)};
  trade.mode = has_mode ? in->data[24] : EXACT_IN;
  trade.is_buy = !key_eq(token_mint(a[SWAP_INPUT]), &a[SWAP_A_MINT]->key);
  trade.has_referral = !key_eq(&a[SWAP_REFERRAL]->key, in->program_id);
  CHECK(trade.mode <= EXACT_OUT, ERROR_INVALID_INPUT);
  CHECK((u64)now() >= load_u64(pool + POOL_ACTIVATION), ERROR_POOL_DISABLED);
  CHECK(trade.amount != 0, ERROR_AMOUNT_IS_ZERO);
  TRY(compute_trade(pool, &trade));
  TRY(write_trade(pool, &trade));
  move_tokens(in, &trade);
  emit_swap(in, &trade);
  return 0;
}
