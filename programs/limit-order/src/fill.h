// preFlashFillOrder lends tokens of an order to a taker; flashFillOrder, later in the same transaction, takes the payment
// for them. What happens between the two is the taker's business.
#pragma once
#include "math.h"
#include "order.h"

// Sysvar1nstructions1111111111111111111111111
static const Pubkey INSTRUCTIONS_SYSVAR = {
    {0x66d17b1817d5a706UL, 0xc0c2fd5504d4da35UL, 0xa57556218fc624c1UL, 0x000000085fcbbadbUL}};
static u64 (*const sol_get_stack_height)(void) = (void *)0x85532d94UL;
#define TOP_LEVEL 1

// ---- preFlashFillOrder --------------------------------------------------------------------------------------------
//
// 0 [signer] taker            3 [writable] account that receives the tokens   5 its token program
// 1 [writable] order          4 input mint                                    6 instructions sysvar
// 2 [writable] reserve
//
// data: making amount (u64)

enum { LEND_TAKER, LEND_ORDER, LEND_RESERVE, LEND_RECEIVER, LEND_INPUT_MINT, LEND_INPUT_PROGRAM, LEND_SYSVAR };
enum { LEND_ACCOUNTS = 7 };

// One instruction in the sysvar: how many accounts (u16), each with its flags (u8) and key, program, length of the data
// (u16), data.
enum { SYSVAR_ACCOUNTS = 2, SYSVAR_ACCOUNT_LEN = 33, SYSVAR_ACCOUNT_KEY = 1 };
enum { FILL_ORDER_AT = 2 };  // the order's place among flashFillOrder's accounts

// The next instruction of this program in the transaction must be the payment for this order. The sysvar lists what the
// transaction itself holds, so that instruction will run, and on its own level; if it fails, nothing was lent.
NOINLINE u64 check_repayment(const Input *in, const Account *sysvar, const Account *order) {
  CHECK(key_eq(&sysvar->key, &INSTRUCTIONS_SYSVAR), ERROR_WRONG_SYSVAR);
  const u8 *data = sysvar->data;
  u64 n = load_u16(data), i = load_u16(data + sysvar->data_len - sizeof(u16));  // at the end: this instruction's number
  for (i++; i < n; i++) {
    const u8 *instruction = data + load_u16(data + sizeof(u16) * (i + 1));
    const u8 *accounts = instruction + SYSVAR_ACCOUNTS;
    u64 accounts_len = load_u16(instruction);
    const u8 *program = accounts + SYSVAR_ACCOUNT_LEN * accounts_len;
    if (!key_eq(key_at(program), in->program_id)) continue;
    const u8 *len = program + sizeof(Pubkey);
    CHECK(load_u16(len) >= sizeof(u64), ERROR_MISSING_REPAY_INSTRUCTIONS);
    CHECK(load_u64(len + sizeof(u16)) == FLASH_FILL_ORDER, ERROR_MISSING_REPAY_INSTRUCTIONS);
    CHECK(accounts_len > FILL_ORDER_AT, ERROR_INVALID_ORDER);
    const u8 *key = accounts + SYSVAR_ACCOUNT_LEN * FILL_ORDER_AT + SYSVAR_ACCOUNT_KEY;
    CHECK(key_eq(key_at(key), &order->key), ERROR_INVALID_ORDER);
    return 0;
  }
  return ERROR_MISSING_REPAY_INSTRUCTIONS;
}

NOINLINE u64 pre_flash_fill_order(const Input *in) {
  TRY(check_accounts(in, LEND_ACCOUNTS, 1 << LEND_TAKER, 1 << LEND_ORDER | 1 << LEND_RESERVE | 1 << LEND_RECEIVER));
  CHECK(in->data_len >= 2 * sizeof(u64), ERROR_INCOMPLETE_DATA);
  CHECK(sol_get_stack_height() == TOP_LEVEL, ERROR_PROGRAM_MISMATCH);
  Account *const *a = in->accounts;
  Account *order = a[LEND_ORDER], *reserve = a[LEND_RESERVE];
  TRY(check_own_account(in, order, ORDER));
  CHECK(is_of_order(order, ORDER_RESERVE, reserve), ERROR_NOT_RELATED);
  CHECK(is_of_order(order, ORDER_INPUT_MINT, a[LEND_INPUT_MINT]), ERROR_NOT_RELATED);
  CHECK(!is_expired(order), ERROR_ORDER_EXPIRED);
  u64 making = load_u64(in->data + sizeof(u64)), left = load_u64(order->data + ORDER_MAKING);
  CHECK(making != 0, ERROR_INVALID_MAKING_AMOUNT);
  CHECK(making <= left, ERROR_INVALID_MAKING_AMOUNT);
  TRY(check_repayment(in, a[LEND_SYSVAR], order));
  store_u64(order->data + ORDER_BORROWED, making);

  // The last taker gets also what strangers have sent to the reserve: they could otherwise keep it from being closed.
  u64 held = token_amount(reserve), amount = making == left && held > making ? held : making;
  Slice seeds[4] = ORDER_SIGNER_SEEDS(order);
  SignerSeeds signer = {seeds, 4};
  token_transfer(reserve, a[LEND_INPUT_MINT], a[LEND_RECEIVER], order, amount, &signer);
  return 0;
}

// ---- flashFillOrder -----------------------------------------------------------------------------------------------
//
// 0 [signer, writable] taker              7 the input's token program
// 1 [writable] maker                      8 output mint
// 2 [writable] order                      9 its token program
// 3 [writable] reserve                   10 System program
// 4 [writable] maker's account of the output; optional   11 event authority
// 5 [writable] taker's account of the output; optional   12 this program
// 6 [writable] account that the order's fee goes to
//
// data: the most that the taker pays, fee included (u64)
//
// Where the output is wrapped SOL, an account may be absent: then the wallet itself gives or receives SOL.

enum {
  FILL_TAKER,
  FILL_MAKER,
  FILL_ORDER_ACCOUNT,
  FILL_RESERVE,
  FILL_MAKER_OUTPUT,
  FILL_TAKER_OUTPUT,
  FILL_FEE_ACCOUNT,
  FILL_INPUT_PROGRAM,
  FILL_OUTPUT_MINT,
  FILL_OUTPUT_PROGRAM,
  FILL_SYSTEM,
  FILL_EVENT_AUTHORITY,
  FILL_ACCOUNTS = 13,
};
_Static_assert(FILL_ORDER_ACCOUNT == FILL_ORDER_AT, "check_repayment looks there");

typedef struct {
  u64 asked;      // the order's price for what was lent, rounded up
  u64 paid, fee;  // what the taker pays, to the maker and on top
} Price;

// floor(amount * part / whole) for part <= whole < 2^32: as exact as a long division, and much cheaper.
INLINE u64 share_of(u64 amount, u64 part, u64 whole) { return amount / whole * part + amount % whole * part / whole; }

// The price is that of the whole order for each part of it. A maker who accepts slippage gets as much as `most` pays for.
NOINLINE u64 find_price(const Account *order, u64 lent, u64 most, Price *price) {
  const u8 *rest = after_expiry(order);
  u64 bps = load_u16(rest + REST_FEE_BPS), slippage_bps = load_u16(rest + REST_SLIPPAGE_BPS), remainder;
  u64 asked =
      mul_div(lent, load_u64(order->data + ORDER_ALL_TAKING), load_u64(order->data + ORDER_ALL_MAKING), &remainder);
  if (remainder != 0) asked++;
  price->asked = price->paid = asked;
  price->fee = share_of(asked, bps, ALL_BPS);
  if (asked <= most && price->fee <= most - asked) return 0;
  CHECK(slippage_bps != 0, ERROR_INVALID_MAX_TAKING_AMOUNT);
  u64 paid = share_of(most, ALL_BPS, ALL_BPS + bps);
  // Both fees are rounded down, so one more may be paid for too.
  if (paid < most && share_of(paid + 1, bps, ALL_BPS) <= most - paid - 1) paid++;
  CHECK(paid >= asked - share_of(asked, slippage_bps, ALL_BPS), ERROR_INVALID_MIN_TAKING_AMOUNT);
  price->paid = paid;
  price->fee = share_of(paid, bps, ALL_BPS);
  return 0;
}

NOINLINE u64 check_fill(const Input *in) {
  Account *const *a = in->accounts;
  const Account *order = a[FILL_ORDER_ACCOUNT], *to = optional(in, FILL_MAKER_OUTPUT);
  const Account *from = optional(in, FILL_TAKER_OUTPUT), *mint = a[FILL_OUTPUT_MINT];
  TRY(check_own_account(in, order, ORDER));
  CHECK(is_of_order(order, ORDER_MAKER, a[FILL_MAKER]), ERROR_NOT_RELATED);
  CHECK(is_of_order(order, ORDER_RESERVE, a[FILL_RESERVE]), ERROR_NOT_RELATED);
  CHECK(is_of_order(order, ORDER_OUTPUT_MINT, mint), ERROR_INVALID_OUTPUT_MINT);
  CHECK(key_eq(key_at(after_expiry(order) + REST_FEE_ACCOUNT), &a[FILL_FEE_ACCOUNT]->key), ERROR_NOT_RELATED);
  bool is_sol = key_eq(&mint->key, &WRAPPED_SOL);
  const Pubkey *token_program = key_at(order->data + ORDER_OUTPUT_PROGRAM);
  if (to == NULL) {
    CHECK(is_sol, ERROR_INVALID_MAKER_OUTPUT_ACCOUNT);
  } else {
    CHECK(holds(to, token_program, &mint->key), ERROR_INVALID_MAKER_OUTPUT_ACCOUNT);
    CHECK(key_eq(token_owner(to), &a[FILL_MAKER]->key), ERROR_INVALID_MAKER_OUTPUT_ACCOUNT);
  }
  if (from == NULL) {
    CHECK(is_sol, ERROR_INVALID_TAKER_OUTPUT_ACCOUNT);
  } else {
    CHECK(holds(from, token_program, &mint->key), ERROR_INVALID_TAKER_OUTPUT_ACCOUNT);
    CHECK(from != to && from != a[FILL_FEE_ACCOUNT], ERROR_INVALID_TAKER_OUTPUT_ACCOUNT);
  }
  return 0;
}

enum { PAID_BY_WAY_OF, PAID_MAKER, PAID_FEE };

// Between token accounts. A mint that taxes transfers since the order was made lets less arrive.
NOINLINE u64 pay_tokens(const Input *in, Account *to, u64 amount) {
  Account *const *a = in->accounts;
  u64 before = token_amount(to);
  token_transfer(a[FILL_TAKER_OUTPUT], a[FILL_OUTPUT_MINT], to, a[FILL_TAKER], amount, NULL);
  CHECK(token_amount(to) - before == amount, ERROR_TRANSFER_TAX_MINT);
  return 0;
}

// From the taker's wallet, in one call: by way of the order's account, whose lamports the program may move itself.
NOINLINE void pay_lamports(const Input *in, const Price *price, Account *const *paid) {
  Account *order = paid[PAID_BY_WAY_OF];
  u64 all = price->paid + price->fee;
  system_transfer(in->accounts[FILL_TAKER], order, all);
  order->lamports -= all;
  paid[PAID_MAKER]->lamports += price->paid;
  paid[PAID_FEE]->lamports += price->fee;
}

NOINLINE u64 pay(const Input *in, const Price *price) {
  Account *const *a = in->accounts;
  Account *to = optional(in, FILL_MAKER_OUTPUT);
  if (to == NULL) {
    system_transfer(a[FILL_TAKER], a[FILL_MAKER], price->paid);
  } else {
    TRY(pay_tokens(in, to, price->paid));
  }
  if (price->fee == 0) return 0;
  return pay_tokens(in, a[FILL_FEE_ACCOUNT], price->fee);
}

NOINLINE void emit_trade(const Input *in, u64 lent, const Price *price, Account *const *paid) {
  Account *order = in->accounts[FILL_ORDER_ACCOUNT];
  u8 data[EVENT_FIELDS + sizeof(Pubkey) + 4 * sizeof(u64)];
  u8 *at = data + EVENT_FIELDS;
  begin_event(data, TRADE_EVENT, order);
  store_key(at, &in->accounts[FILL_TAKER]->key);
  store_u64(at + 32, load_u64(order->data + ORDER_MAKING));
  store_u64(at + 40, load_u64(order->data + ORDER_TAKING));
  store_u64(at + 48, lent);
  store_u64(at + 56, price->paid);
  emit(in, FILL_EVENT_AUTHORITY, order->data + ORDER_EVENT_BUMP, &(Slice){data, sizeof data}, paid);
}

// Pays, and says so in an event.
NOINLINE u64 settle(const Input *in, u64 lent, const Price *price) {
  Account *const *a = in->accounts;
  if (optional(in, FILL_TAKER_OUTPUT) != NULL) {
    TRY(pay(in, price));
    emit_trade(in, lent, price, NULL);
    return 0;
  }
  Account *to = optional(in, FILL_MAKER_OUTPUT), *fee = a[FILL_FEE_ACCOUNT];
  Account *paid[PAID_ACCOUNTS] = {a[FILL_ORDER_ACCOUNT], to == NULL ? a[FILL_MAKER] : to, fee};
  pay_lamports(in, price, paid);
  emit_trade(in, lent, price, paid);
  // What token accounts of wrapped SOL were sent counts only after this.
  if (to != NULL) token_sync_native(to);
  if (price->fee != 0) token_sync_native(fee);
  return 0;
}

NOINLINE u64 flash_fill_order(const Input *in) {
  TRY(check_accounts(in, FILL_ACCOUNTS, 1 << FILL_TAKER,
                     1 << FILL_TAKER | 1 << FILL_MAKER | 1 << FILL_ORDER_ACCOUNT | 1 << FILL_RESERVE |
                         1 << FILL_MAKER_OUTPUT | 1 << FILL_TAKER_OUTPUT | 1 << FILL_FEE_ACCOUNT));
  CHECK(in->data_len >= 2 * sizeof(u64), ERROR_INCOMPLETE_DATA);
  CHECK(sol_get_stack_height() == TOP_LEVEL, ERROR_PROGRAM_MISMATCH);
  TRY(check_fill(in));
  Account *const *a = in->accounts;
  Account *order = a[FILL_ORDER_ACCOUNT], *maker = a[FILL_MAKER], *reserve = a[FILL_RESERVE];
  u8 *data = order->data;
  u64 lent = load_u64(data + ORDER_BORROWED), taking = load_u64(data + ORDER_TAKING);
  CHECK(lent != 0, ERROR_INVALID_BORROW_MAKING_AMOUNT);
  Price price;
  TRY(find_price(order, lent, load_u64(in->data + sizeof(u64)), &price));
  u64 left = load_u64(data + ORDER_MAKING) - lent;
  store_u64(data + ORDER_MAKING, left);
  // Each part is rounded up, so that the last one may cost more than is left of the sum.
  store_u64(data + ORDER_TAKING, price.asked < taking ? taking - price.asked : 0);
  store_u64(data + ORDER_BORROWED, 0);
  store_u64(after_expiry(order) + REST_UPDATED_AT, (u64)now());

  TRY(settle(in, lent, &price));
  if (left == 0) {
    Slice seeds[4] = ORDER_SIGNER_SEEDS(order);
    SignerSeeds signer = {seeds, 4};
    token_close_account(reserve, maker, order, &signer);
    close_account(order, maker);
  }
  return 0;
}
