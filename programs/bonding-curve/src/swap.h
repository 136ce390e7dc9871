// swap, swap2: a trade on the curve. The direction follows from the account that pays.
//
//  0 authority                  5 [writable] base vault    10 token program of the base
//  1 configuration              6 [writable] quote vault   11 token program of the quote
//  2 [writable] pool            7 base mint                12 [writable] account of a referrer; optional
//  3 [writable] pays            8 quote mint               13 event authority
//  4 [writable] gets            9 [signer] trader          14 this program
//
// data: two amounts (u64) and, in swap2, a mode (u8). The first amount is what the trader names: what to spend or, in the
// mode EXACT_OUT, what to get. The second is the least to get, or the most to spend.
#pragma once
#include "fees.h"
#include "program.h"

enum {
  SWAP_AUTHORITY,
  SWAP_CONFIG,
  SWAP_POOL,
  SWAP_INPUT,
  SWAP_OUTPUT,
  SWAP_BASE_VAULT,
  SWAP_QUOTE_VAULT,
  SWAP_BASE_MINT,
  SWAP_QUOTE_MINT,
  SWAP_TRADER,
  SWAP_BASE_PROGRAM,
  SWAP_QUOTE_PROGRAM,
  SWAP_REFERRAL,
  SWAP_EVENTS,
  SWAP_ACCOUNTS = 15,
};
enum { EXACT_IN = 0, PARTIAL_FILL = 1, EXACT_OUT = 2 };

typedef struct {
  u64 amount, limit;
  u8 mode;
  bool is_buy, has_referral;
  u64 rate, rate_error;  // there is no rate where the error is not 0
  // What comes of it.
  u64 paid, paid_without_fee, left, received;
  u128 price;
  Fees fees;
} Trade;

static const u8 SWAP_KINDS[SWAP_ACCOUNTS] = {
    [SWAP_CONFIG] = IS_CONFIG,
    [SWAP_POOL] = IS_POOL,
    [SWAP_INPUT] = TOKEN_ACCOUNT,
    [SWAP_OUTPUT] = TOKEN_ACCOUNT,
    [SWAP_BASE_VAULT] = TOKEN_ACCOUNT,
    [SWAP_QUOTE_VAULT] = TOKEN_ACCOUNT,
    [SWAP_BASE_MINT] = MINT,
    [SWAP_QUOTE_MINT] = MINT,
    [SWAP_TRADER] = SIGNER,
    [SWAP_BASE_PROGRAM] = ANY_TOKEN_PROGRAM,
    [SWAP_QUOTE_PROGRAM] = ANY_TOKEN_PROGRAM,
    [SWAP_REFERRAL] = OPTIONAL_TOKEN_ACCOUNT,
};

NOINLINE u64 check_swap(const Input *in) {
  Account *const *a = in->accounts;
  TRY(check_kinds(in, 0, SWAP_KINDS, SWAP_ACCOUNTS));
  const u8 *pool = a[SWAP_POOL]->data;
  CHECK(key_eq(&a[SWAP_AUTHORITY]->key, &AUTHORITY), ERROR_WRONG_SYSVAR);
  TRY(check_writable(a[SWAP_POOL]));
  CHECK(is_at(pool + POOL_BASE_VAULT, a[SWAP_BASE_VAULT]), ERROR_NOT_RELATED);
  CHECK(is_at(pool + POOL_QUOTE_VAULT, a[SWAP_QUOTE_VAULT]), ERROR_NOT_RELATED);
  CHECK(is_at(pool + POOL_CONFIG, a[SWAP_CONFIG]), ERROR_NOT_RELATED);
  TRY(check_writable(a[SWAP_INPUT]));
  TRY(check_writable(a[SWAP_OUTPUT]));
  TRY(check_vault((Account *[]){a[SWAP_BASE_VAULT], a[SWAP_BASE_MINT], a[SWAP_BASE_PROGRAM]}));
  TRY(check_vault((Account *[]){a[SWAP_QUOTE_VAULT], a[SWAP_QUOTE_MINT], a[SWAP_QUOTE_PROGRAM]}));
  if (!key_eq(&a[SWAP_REFERRAL]->key, in->program_id)) TRY(check_writable(a[SWAP_REFERRAL]));
  return check_event_authority(a[SWAP_EVENTS]);
}

NOINLINE u64 spend(Trade *trade, Walk *walk) {
  TRY(trade->rate_error);
  trade->paid = trade->amount;
  if (trade->is_buy) take_fee(&walk->left, trade->rate, trade->has_referral, &trade->fees);
  trade->paid_without_fee = walk->left;
  TRY(trade->is_buy ? buy_exact_in(walk) : sell_exact_in(walk));
  trade->left = walk->left;
  trade->received = (u64)walk->counted;
  if (walk->left != 0) {
    CHECK(trade->mode == PARTIAL_FILL, ERROR_INSUFFICIENT_LIQUIDITY);
    trade->paid = trade->paid_without_fee -= walk->left;
    if (trade->is_buy) TRY(add_fee(&trade->paid, trade->rate, trade->has_referral, &trade->fees));
  }
  if (!trade->is_buy) take_fee(&trade->received, trade->rate, trade->has_referral, &trade->fees);
  return 0;
}

NOINLINE u64 get_exactly(Trade *trade, Walk *walk) {
  trade->received = trade->amount;
  trade->left = 0;
  if (!trade->is_buy) {
    TRY(trade->rate_error);
    TRY(add_fee(&walk->left, trade->rate, trade->has_referral, &trade->fees));
  }
  TRY(trade->is_buy ? buy_exact_out(walk) : sell_exact_out(walk));
  TRY(trade->rate_error);
  trade->paid = trade->paid_without_fee = (u64)walk->counted;
  if (trade->is_buy) TRY(add_fee(&trade->paid, trade->rate, trade->has_referral, &trade->fees));
  return 0;
}

NOINLINE u64 compute_trade(const u8 *config, const u8 *pool, u64 at, Trade *trade) {
  trade->rate_error = current_fee(config, load_u64(pool + POOL_ACTIVATION), at, &trade->rate);
  Walk walk = {config, load_u128(pool + POOL_PRICE), trade->amount, 0};
  if (trade->mode == EXACT_OUT) {
    TRY(get_exactly(trade, &walk));
    CHECK(trade->paid <= trade->limit, ERROR_EXCEEDED_SLIPPAGE);
  } else {
    TRY(spend(trade, &walk));
    CHECK(trade->received >= trade->limit, ERROR_EXCEEDED_SLIPPAGE);
  }
  trade->price = walk.price;
  return 0;
}

NOINLINE u64 write_trade(const Input *in, const Trade *trade, const Clock *clock) {
  u8 *pool = in->accounts[SWAP_POOL]->data;
  const u8 *config = in->accounts[SWAP_CONFIG]->data;
  const Fees *fees = &trade->fees;
  u64 rest, creators = mul_div(fees->trading, config[CONFIG_CREATOR_FEE_PERCENTAGE], 100, &rest);
  u64 all_fees = fees->trading + fees->protocol + fees->referral;
  if (trade->is_buy) {
    TRY(add_to(pool + POOL_QUOTE_RESERVE, trade->paid_without_fee));
    TRY(take_from(pool + POOL_BASE_RESERVE, trade->received));
  } else {
    TRY(add_to(pool + POOL_BASE_RESERVE, trade->paid));
    TRY(take_from(pool + POOL_QUOTE_RESERVE, trade->received + all_fees));
  }
  TRY(add_to(pool + POOL_PROTOCOL_QUOTE_FEE, fees->protocol));
  TRY(add_to(pool + POOL_PARTNER_QUOTE_FEE, fees->trading - creators));
  TRY(add_to(pool + POOL_CREATOR_QUOTE_FEE, creators));
  TRY(add_to(pool + POOL_ALL_PROTOCOL_QUOTE_FEE, fees->protocol));
  TRY(add_to(pool + POOL_ALL_TRADING_QUOTE_FEE, fees->trading));
  store_u128(pool + POOL_PRICE, trade->price);
  pool[POOL_HAS_SWAP] = 1;
  if (load_u64(pool + POOL_QUOTE_RESERVE) >= load_u64(config + CONFIG_THRESHOLD)) {
    bool has_vesting = load_u64(config + CONFIG_VESTING) != 0 || load_u64(config + CONFIG_VESTING + 32) != 0;
    pool[POOL_PROGRESS] = has_vesting ? PROGRESS_SOLD_OUT : PROGRESS_VESTING_LOCKED;
    store_u64(pool + POOL_FINISHED_AT, (u64)clock->unix_timestamp);
  }
  return 0;
}

NOINLINE void move_tokens(const Input *in, const Trade *trade) {
  Account *const *a = in->accounts;
  AUTHORITY_SIGNS(signer);
  Account *base = a[SWAP_BASE_MINT], *quote = a[SWAP_QUOTE_MINT];
  Account *base_vault = a[SWAP_BASE_VAULT], *quote_vault = a[SWAP_QUOTE_VAULT];
  const Pubkey *program = &a[trade->is_buy ? SWAP_QUOTE_PROGRAM : SWAP_BASE_PROGRAM]->key;
  token_transfer_by(program, a[SWAP_INPUT], trade->is_buy ? quote : base, trade->is_buy ? quote_vault : base_vault,
                    a[SWAP_TRADER], trade->paid, NULL);
  token_transfer(trade->is_buy ? base_vault : quote_vault, trade->is_buy ? base : quote, a[SWAP_OUTPUT],
                 a[SWAP_AUTHORITY], trade->received, &signer);
  if (trade->has_referral)
    token_transfer(quote_vault, quote, a[SWAP_REFERRAL], a[SWAP_AUTHORITY], trade->fees.referral, &signer);
}

// ---- events -------------------------------------------------------------------------------------------------------

INLINE u8 *put_swap_head(const Input *in, u8 *event, const Trade *trade) {
  u8 *at = put_key(event + EVENT_HEAD, &in->accounts[SWAP_POOL]->key);
  at = put_key(at, &in->accounts[SWAP_CONFIG]->key);
  *at++ = trade->is_buy;
  *at++ = trade->has_referral;
  return at;
}

INLINE u8 *put_result(u8 *at, const Trade *trade) {
  at = put_u64(at, trade->received);
  at = put_u128(at, trade->price);
  at = put_u64(at, trade->fees.trading);
  at = put_u64(at, trade->fees.protocol);
  return put_u64(at, trade->fees.referral);
}

NOINLINE void emit_swap(const Input *in, const Trade *trade, u64 time) {
  u8 event[176];
  bool is_exact = trade->mode == EXACT_IN;
  u8 *at = put_swap_head(in, event, trade);
  at = put_u64(at, is_exact ? trade->amount : trade->paid);
  at = put_u64(at, is_exact ? trade->limit : trade->received);
  at = put_result(put_u64(at, trade->paid_without_fee), trade);
  emit(in, SWAP_EVENTS, event, SWAP_EVENT, put_u64(put_u64(at, trade->paid), time));
}

NOINLINE void emit_swap_2(const Input *in, const Trade *trade, u64 time) {
  u8 event[200];
  u8 *at = put_swap_head(in, event, trade);
  at = put_u64(put_u64(at, trade->amount), trade->limit);
  *at++ = trade->mode;
  at = put_u64(put_u64(at, trade->paid), trade->paid_without_fee);
  at = put_result(put_u64(at, trade->left), trade);
  at = put_u64(at, load_u64(in->accounts[SWAP_POOL]->data + POOL_QUOTE_RESERVE));
  at = put_u64(at, load_u64(in->accounts[SWAP_CONFIG]->data + CONFIG_THRESHOLD));
  emit(in, SWAP_EVENTS, event, SWAP_2_EVENT, put_u64(at, time));
}

NOINLINE void emit_complete(const Input *in) {
  const u8 *pool = in->accounts[SWAP_POOL]->data;
  u8 event[EVENT_HEAD + 2 * sizeof(Pubkey) + 16];
  u8 *at = put_key(event + EVENT_HEAD, &in->accounts[SWAP_POOL]->key);
  at = put_key(at, &in->accounts[SWAP_CONFIG]->key);
  at = put_u64(at, load_u64(pool + POOL_BASE_RESERVE));
  emit(in, SWAP_EVENTS, event, CURVE_COMPLETE_EVENT, put_u64(at, load_u64(pool + POOL_QUOTE_RESERVE)));
}

NOINLINE u64 swap(const Input *in, bool has_mode) {
  CHECK(in->data_len >= (has_mode ? 25 : 24), ERROR_INCOMPLETE_DATA);
  TRY(check_swap(in));
  Account *const *a = in->accounts;
  const u8 *config = a[SWAP_CONFIG]->data, *pool = a[SWAP_POOL]->data;
  Trade trade = {.amount = load_u64(in->data + 8), .limit = load_u64(in->data + 16)};
  trade.mode = has_mode ? in->data[24] : EXACT_IN;
  trade.is_buy = !key_eq(token_mint(a[SWAP_INPUT]), &a[SWAP_BASE_MINT]->key);
  trade.has_referral = !key_eq(&a[SWAP_REFERRAL]->key, in->program_id);
  CHECK(trade.mode <= EXACT_OUT, ERROR_TYPE_CAST);
  CHECK(trade.amount != 0, ERROR_AMOUNT_IS_ZERO);
  CHECK(load_u64(pool + POOL_QUOTE_RESERVE) < load_u64(config + CONFIG_THRESHOLD), ERROR_POOL_IS_COMPLETED);
  Clock clock;
  sol_get_clock_sysvar(&clock);
  TRY(compute_trade(config, pool, point_in_time(config, &clock), &trade));
  TRY(write_trade(in, &trade, &clock));
  move_tokens(in, &trade);
  emit_swap(in, &trade, (u64)clock.unix_timestamp);
  emit_swap_2(in, &trade, (u64)clock.unix_timestamp);
  if (load_u64(pool + POOL_QUOTE_RESERVE) >= load_u64(config + CONFIG_THRESHOLD)) emit_complete(in);
  return 0;
}
