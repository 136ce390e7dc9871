// Settles a market maker's quote: the taker gives the maker the input, and the maker gives the taker the output, or
// nothing happens. It follows the public interface of the order engine, keeps no accounts and takes no fee.
//
//  0 [signer, writable] taker                        6 input mint
//  1 [signer, writable] maker                        7 its token program
//  2 [writable] taker's account of the input mint    8 output mint
//  3 [writable] maker's account of the input mint    9 its token program
//  4 [writable] taker's account of the output mint  10 System program
//  5 [writable] maker's account of the output mint  11 [writable] temporary account, see unwrap; where it is needed
//
// data: discriminator, input amount (u64), output amount (u64), expiry (i64, unix seconds); what follows is ignored.
//
// Where the mint is wrapped SOL, an account may be absent, which this program's address in its place says: then the
// wallet itself gives or receives SOL. Tokens are of SPL Token or Token-2022; an amount that would not arrive to the
// unit is refused.
#define MAX_ACCOUNTS 12
#include "errors.h"
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunused-function"  // the base has more than a fill needs
#include "native.h"
#pragma clang diagnostic pop

enum {
  TAKER,
  MAKER,
  TAKER_INPUT,
  MAKER_INPUT,
  TAKER_OUTPUT,
  MAKER_OUTPUT,
  INPUT_MINT,
  INPUT_PROGRAM,
  OUTPUT_MINT,
  OUTPUT_PROGRAM,
  SYSTEM,
  TEMPORARY,
};
enum { DATA_INPUT_AMOUNT = 8, DATA_OUTPUT_AMOUNT = 16, DATA_EXPIRY = 24, DATA_LEN = 32 };

#define FILL 0xa0280a5ca3b760a8UL  // the bytes a860b7a35c0a28a0
#define TEMPORARY_SEED "temporary-wsol-token-account"

enum { EXTENSION_TRANSFER_HOOK = 14, HOOK_LEN = 64, HOOK_PROGRAM = 32 };

// One of the two payments.
typedef struct {
  Account *giver, *receiver;       // wallets
  Account *source, *destination;   // their token accounts; NULL for the wallet itself
  Account *mint, *token_program;
  u64 amount;
} Payment;

// ---- checks -------------------------------------------------------------------------------------------------------

NOINLINE u64 check_order(const Input *in) {
  CHECK(in->data_len >= DATA_LEN, ERROR_INCOMPLETE_DATA);
  CHECK(load_u64(in->data) == FILL, ERROR_UNKNOWN_INSTRUCTION);
  CHECK(in->n > SYSTEM, ERROR_TOO_FEW_ACCOUNTS);
  const Account *taker = in->accounts[TAKER], *maker = in->accounts[MAKER];
  CHECK(taker->is_signer, ERROR_NOT_SIGNER);
  CHECK(maker->is_signer, ERROR_NOT_SIGNER);
  CHECK(taker->is_writable, ERROR_NOT_WRITABLE);
  CHECK(maker->is_writable, ERROR_NOT_WRITABLE);
  CHECK(taker != maker, ERROR_MAKER_IS_TAKER);
  CHECK(in->accounts[INPUT_MINT] != in->accounts[OUTPUT_MINT], ERROR_SAME_MINT);
  CHECK(key_eq(&in->accounts[SYSTEM]->key, &SYSTEM_PROGRAM), ERROR_WRONG_PROGRAM);
  CHECK(load_u64(in->data + DATA_INPUT_AMOUNT) != 0, ERROR_ZERO_AMOUNT);
  CHECK(load_u64(in->data + DATA_OUTPUT_AMOUNT) != 0, ERROR_ZERO_AMOUNT);

  Clock clock;
  sol_get_clock_sysvar(&clock);
  CHECK((i64)load_u64(in->data + DATA_EXPIRY) >= clock.unix_timestamp, ERROR_EXPIRED);
  return 0;
}

NOINLINE u64 check_token_account(const Account *account, const Account *owner, const Account *mint) {
  CHECK(account->is_writable, ERROR_NOT_WRITABLE);
  CHECK(key_eq(&account->owner, &mint->owner), ERROR_WRONG_TOKEN_PROGRAM);
  CHECK(is_token_account(account), ERROR_INVALID_TOKEN_ACCOUNT);
  CHECK(key_eq(token_mint(account), &mint->key), ERROR_WRONG_MINT);
  CHECK(key_eq(token_owner(account), &owner->key), ERROR_WRONG_OWNER);
  return 0;
}

// Whether each transfer calls a program of the mint's choice, whose accounts a fill does not have. Expects a mint.
NOINLINE bool has_hook(const Account *mint) {
  u64 at = EXTENSIONS;
  while (at + 4 + HOOK_LEN <= mint->data_len) {
    const u8 *extension = mint->data + at;
    if (load_u16(extension) == EXTENSION_TRANSFER_HOOK) {
      return !key_eq(key_at(extension + 4 + HOOK_PROGRAM), &SYSTEM_PROGRAM);  // zero for none
    }
    at += 4 + (u64)load_u16(extension + 2);
  }
  return false;
}

NOINLINE u64 check_payment(const Payment *p) {
  CHECK(is_token_program(&p->token_program->key), ERROR_WRONG_PROGRAM);
  CHECK(key_eq(&p->mint->owner, &p->token_program->key), ERROR_INVALID_MINT);
  CHECK(is_mint(p->mint), ERROR_INVALID_MINT);
  CHECK(!has_hook(p->mint), ERROR_UNSUPPORTED_MINT);
  if (p->source == NULL || p->destination == NULL) CHECK(key_eq(&p->mint->key, &WRAPPED_SOL), ERROR_WRONG_ADDRESS);
  if (p->source != NULL) TRY(check_token_account(p->source, p->giver, p->mint));
  if (p->destination != NULL) TRY(check_token_account(p->destination, p->receiver, p->mint));
  return 0;
}

// ---- payments -----------------------------------------------------------------------------------------------------

// A mint can have extensions, also some that are not known today, that let less arrive than was sent.
NOINLINE u64 pay_tokens(const Payment *p) {
  u64 before = token_amount(p->destination);
  token_transfer(p->source, p->mint, p->destination, p->giver, p->amount, NULL);
  CHECK(token_amount(p->destination) - before == p->amount, ERROR_UNSUPPORTED_MINT);
  return 0;
}

NOINLINE u64 pay_sol(const Payment *p) {
  if (p->destination == NULL) {
    system_transfer(p->giver, p->receiver, p->amount);
  } else {
    system_transfer(p->giver, p->destination, p->amount);
    token_sync_native(p->destination);
  }
  return 0;
}

// Wrapped SOL in, SOL out, through an account that lives only here: it is the program address of the seeds
// (TEMPORARY_SEED, maker). The maker advances its rent and gets back all that it holds, also what strangers sent to it.
NOINLINE u64 unwrap(const Payment *p, const Input *in) {
  CHECK(in->n > TEMPORARY, ERROR_MISSING_TEMPORARY_ACCOUNT);
  Account *maker = in->accounts[MAKER], *temporary = in->accounts[TEMPORARY];
  Pubkey derived;
  u8 bump;
  Slice seeds[3] = {{TEMPORARY_SEED, sizeof TEMPORARY_SEED - 1}, {&maker->key, sizeof(Pubkey)}, {&bump, 1}};
  sol_try_find_program_address(seeds, 2, in->program_id, &derived, &bump);
  CHECK(key_eq(&temporary->key, &derived), ERROR_WRONG_ADDRESS);

  SignerSeeds signer = {seeds, 3};
  system_transfer(maker, temporary, rent_exempt(TOKEN_ACCOUNT_LEN));
  system_allocate(temporary, TOKEN_ACCOUNT_LEN, &signer);
  system_assign(temporary, &TOKEN_PROGRAM, &signer);
  token_initialize_account(temporary, p->mint, &maker->key);
  token_transfer(p->source, p->mint, temporary, p->giver, p->amount, NULL);
  token_close_account(temporary, maker, maker, NULL);
  if (p->receiver != maker) system_transfer(maker, p->receiver, p->amount);
  return 0;
}

INLINE u64 pay(const Payment *p, const Input *in) {
  if (p->source == NULL) return pay_sol(p);
  if (p->destination == NULL) return unwrap(p, in);
  return pay_tokens(p);
}

// -------------------------------------------------------------------------------------------------------------------

INLINE Account *optional(const Input *in, u64 i) {
  return key_eq(&in->accounts[i]->key, in->program_id) ? NULL : in->accounts[i];
}

u64 entrypoint(u8 *bytes) {
  Input in;
  read_input(bytes, &in);
  TRY(check_order(&in));
  Account *const *a = in.accounts;
  Payment input = {a[TAKER],      a[MAKER],         optional(&in, TAKER_INPUT),             optional(&in, MAKER_INPUT),
                   a[INPUT_MINT], a[INPUT_PROGRAM], load_u64(in.data + DATA_INPUT_AMOUNT)};
  Payment output = {a[MAKER],       a[TAKER],          optional(&in, MAKER_OUTPUT), optional(&in, TAKER_OUTPUT),
                    a[OUTPUT_MINT], a[OUTPUT_PROGRAM], load_u64(in.data + DATA_OUTPUT_AMOUNT)};
  TRY(check_payment(&input));
  TRY(check_payment(&output));
  TRY(pay(&input, &in));
  return pay(&output, &in);
}
