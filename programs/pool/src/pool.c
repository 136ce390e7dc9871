// A constant-product pool with the public interface of SPL Token Swap (version 3).
//
//   0 Initialize   2 DepositAllTokenTypes    4 DepositSingleTokenTypeExactAmountIn    refused
//   1 Swap         3 WithdrawAllTokenTypes   5 WithdrawSingleTokenTypeExactAmountOut  refused
//
// The authority of a pool is the program address of the seed (pool account). It owns both vaults and is the mint
// authority of the pool's tokens, so nobody else can move anything out of them. The traded tokens are of SPL Token or
// Token-2022, the pool's own of SPL Token.
#define MAX_ACCOUNTS 15
#define MAX_CALL_ACCOUNTS 4
#include "state.h"
#include "token.h"

#define INITIAL_SUPPLY 1000000000UL
#define EXTENSION_IMMUTABLE_OWNER 7

// The accounts that the instructions for an existing pool have in common.
typedef struct {
  Account *pool, *authority, *vault_a, *vault_b, *mint_a, *mint_b, *program_a, *program_b, *pool_mint, *pool_program;
} PoolAccounts;

NOINLINE u64 check_initialized(const Input *in) {
  const Account *pool = in->accounts[0];
  CHECK(key_eq(&pool->owner, in->program_id), ERROR_INCORRECT_PROGRAM_ID);
  CHECK(pool->data_len == POOL_LEN && pool->data[POOL_VERSION] == 1, ERROR_UNINITIALIZED_ACCOUNT);
  return 0;
}

// Expects check_initialized.
NOINLINE u64 check_pool_accounts(const PoolAccounts *p) {
  const u8 *pool = p->pool->data;
  CHECK(key_eq(&p->vault_a->key, key_at(pool + POOL_VAULT_A)), POOL_INCORRECT_VAULT);
  CHECK(key_eq(&p->vault_b->key, key_at(pool + POOL_VAULT_B)), POOL_INCORRECT_VAULT);
  // Cheaper than to derive it: Initialize found that it owns the vault, and only the authority could change that.
  CHECK(key_eq(&p->authority->key, token_owner(p->vault_a)), POOL_INVALID_AUTHORITY);
  CHECK(key_eq(&p->mint_a->key, key_at(pool + POOL_MINT_A)), POOL_INCORRECT_TRADED_MINT);
  CHECK(key_eq(&p->mint_b->key, key_at(pool + POOL_MINT_B)), POOL_INCORRECT_TRADED_MINT);
  CHECK(key_eq(&p->program_a->key, &p->vault_a->owner), POOL_INCORRECT_TOKEN_PROGRAM);
  CHECK(key_eq(&p->program_b->key, &p->vault_b->owner), POOL_INCORRECT_TOKEN_PROGRAM);
  CHECK(key_eq(&p->pool_mint->key, key_at(pool + POOL_MINT)), POOL_INCORRECT_MINT);
  CHECK(key_eq(&p->pool_program->key, key_at(pool + POOL_TOKEN_PROGRAM)), POOL_INCORRECT_TOKEN_PROGRAM);
  return 0;
}

// Whether an account can be given pool tokens.
NOINLINE bool takes_pool_tokens(const Account *a, const Account *pool_mint) {
  return key_eq(&a->owner, &TOKEN_PROGRAM) && is_token_account(a) && key_eq(token_mint(a), &pool_mint->key);
}

NOINLINE u64 check_fee_account(const Account *pool, const Account *fee_account) {
  CHECK(key_eq(&fee_account->key, key_at(pool->data + POOL_FEE_ACCOUNT)), POOL_INCORRECT_FEE_ACCOUNT);
  return 0;
}

INLINE const Fees *pool_fees(const Account *pool) { return (const Fees *)(pool->data + POOL_FEES); }

// ---- Initialize ---------------------------------------------------------------------------------------------------
//
// 0 [writable] pool: this program's, 324 bytes of zero    4 [writable] pool mint: no supply, the authority's
// 1 authority                                             5 fee account, of pool tokens
// 2 vault A: funded, the authority's                      6 [writable] receiver of the first pool tokens
// 3 vault B: funded, the authority's                      7 SPL Token program
//
// data: 0, the fees (8 u64), the curve's type (0) and 32 bytes that mean nothing for it.
// To be sent in the transaction that funds the vaults, or somebody else could do it first and take the pool tokens.

NOINLINE u64 check_vault(const Account *vault, const Pubkey *authority) {
  CHECK(is_token_program(&vault->owner), POOL_INCORRECT_TOKEN_PROGRAM);
  CHECK(is_token_account(vault), POOL_EXPECTED_ACCOUNT);
  // A mint that taxes, hooks, pauses or forbids transfers marks all its accounts with an extension.
  CHECK(has_only_extensions(vault, 1UL << EXTENSION_IMMUTABLE_OWNER), POOL_UNSUPPORTED_TOKEN);
  CHECK(key_eq(token_owner(vault), authority), POOL_INVALID_OWNER);
  CHECK(token_amount(vault) != 0, POOL_EMPTY_SUPPLY);
  CHECK(load_u32(vault->data + TOKEN_HAS_DELEGATE) == 0, POOL_INVALID_DELEGATE);
  CHECK(load_u32(vault->data + TOKEN_HAS_CLOSE_AUTHORITY) == 0, POOL_INVALID_CLOSE_AUTHORITY);
  return 0;
}

NOINLINE u64 check_pool_mint(const Account *mint, const Pubkey *authority) {
  CHECK(key_eq(&mint->owner, &TOKEN_PROGRAM), POOL_INCORRECT_TOKEN_PROGRAM);
  CHECK(is_mint(mint), POOL_EXPECTED_MINT);
  CHECK(load_u32(mint->data + MINT_HAS_AUTHORITY) == 1, POOL_INVALID_OWNER);
  CHECK(key_eq(key_at(mint->data + MINT_AUTHORITY), authority), POOL_INVALID_OWNER);
  CHECK(mint_supply(mint) == 0, POOL_INVALID_SUPPLY);
  CHECK(load_u32(mint->data + MINT_HAS_FREEZE_AUTHORITY) == 0, POOL_INVALID_FREEZE_AUTHORITY);
  return 0;
}

NOINLINE u64 check_new_pool(const Input *in) {
  CHECK(in->n >= 8, ERROR_NOT_ENOUGH_ACCOUNTS);
  CHECK(in->data_len == 1 + sizeof(Fees) + 1 + 32, POOL_INVALID_INSTRUCTION);
  const Account *pool = in->accounts[0];
  CHECK(key_eq(&pool->owner, in->program_id), ERROR_INCORRECT_PROGRAM_ID);
  CHECK(pool->data_len == POOL_LEN, ERROR_INVALID_ACCOUNT_DATA);
  CHECK(pool->data[POOL_VERSION] == 0, POOL_ALREADY_IN_USE);

  const Fees *fees = (const Fees *)(in->data + 1);
  CHECK(is_valid_fee(&fees->trade), POOL_INVALID_FEE);
  CHECK(is_valid_fee(&fees->owner_trade), POOL_INVALID_FEE);
  CHECK(is_valid_fee(&fees->owner_withdraw), POOL_INVALID_FEE);
  CHECK(is_valid_fee(&fees->host), POOL_INVALID_FEE);
  CHECK(in->data[1 + sizeof(Fees)] == CURVE_CONSTANT_PRODUCT, POOL_UNSUPPORTED_CURVE);
  return 0;
}

NOINLINE u64 initialize(const Input *in) {
  TRY(check_new_pool(in));
  Account *pool = in->accounts[0], *authority = in->accounts[1], *vault_a = in->accounts[2], *vault_b = in->accounts[3];
  Account *pool_mint = in->accounts[4], *fee_account = in->accounts[5], *receiver = in->accounts[6];
  Pubkey derived;
  u8 bump;
  Slice seeds[2] = {{&pool->key, sizeof(Pubkey)}, {&bump, 1}};
  sol_try_find_program_address(seeds, 1, in->program_id, &derived, &bump);
  CHECK(key_eq(&authority->key, &derived), POOL_INVALID_AUTHORITY);

  TRY(check_vault(vault_a, &derived));
  TRY(check_vault(vault_b, &derived));
  CHECK(!key_eq(token_mint(vault_a), token_mint(vault_b)), POOL_REPEATED_MINT);
  CHECK(key_eq(&in->accounts[7]->key, &TOKEN_PROGRAM), POOL_INCORRECT_TOKEN_PROGRAM);
  TRY(check_pool_mint(pool_mint, &derived));
  CHECK(takes_pool_tokens(fee_account, pool_mint), POOL_INVALID_FEE_ACCOUNT);
  CHECK(!key_eq(token_owner(fee_account), &derived), POOL_INVALID_OUTPUT_OWNER);
  CHECK(takes_pool_tokens(receiver, pool_mint), POOL_INCORRECT_MINT);
  CHECK(!key_eq(token_owner(receiver), &derived), POOL_INVALID_OUTPUT_OWNER);

  SignerSeeds signer = {seeds, 2};
  token_mint_to(pool_mint, receiver, authority, INITIAL_SUPPLY, &signer);

  u8 *data = pool->data;
  data[POOL_VERSION] = 1;
  data[POOL_IS_INITIALIZED] = 1;
  data[POOL_BUMP] = bump;
  store_key(data + POOL_TOKEN_PROGRAM, &TOKEN_PROGRAM);
  store_key(data + POOL_VAULT_A, &vault_a->key);
  store_key(data + POOL_VAULT_B, &vault_b->key);
  store_key(data + POOL_MINT, &pool_mint->key);
  store_key(data + POOL_MINT_A, token_mint(vault_a));
  store_key(data + POOL_MINT_B, token_mint(vault_b));
  store_key(data + POOL_FEE_ACCOUNT, &fee_account->key);
  sol_memcpy_(data + POOL_FEES, in->data + 1, sizeof(Fees));
  return 0;
}

// ---- Swap ---------------------------------------------------------------------------------------------------------
//
// 0 pool                                5 [writable] vault that pays out      10 mint of what goes out
// 1 authority                           6 [writable] trader's account for it  11 token program of 9
// 2 [signer] of the trader's tokens     7 [writable] pool mint                12 token program of 10
// 3 [writable] trader's account to pay  8 [writable] fee account              13 SPL Token program
// 4 [writable] vault that is paid       9 mint of what comes in               14 [writable] host's pool tokens; optional
//
// data: 1, most that is paid (u64), least that is received (u64)

// Mints what the owner's fee is worth, to the host (where there is one) and to the fee account.
NOINLINE u64 mint_owner_fee(const Input *in, u64 owner_fee, u64 new_balance, const SignerSeeds *signer) {
  Account *pool = in->accounts[0], *authority = in->accounts[1], *mint = in->accounts[7];
  Account *fee_account = in->accounts[8];
  u64 amount = pool_tokens_for(owner_fee, new_balance, mint_supply(mint));
  if (in->n > 14) {
    Account *host = in->accounts[14];
    CHECK(takes_pool_tokens(host, mint), POOL_INCORRECT_MINT);
    u64 host_fee = fee_of(&pool_fees(pool)->host, amount);
    token_mint_to(mint, host, authority, host_fee, signer);
    amount -= host_fee;
  }
  // An owner who has closed the account gets nothing; trading goes on.
  if (takes_pool_tokens(fee_account, mint)) token_mint_to(mint, fee_account, authority, amount, signer);
  return 0;
}

NOINLINE u64 swap(const Input *in) {
  CHECK(in->n >= 14, ERROR_NOT_ENOUGH_ACCOUNTS);
  CHECK(in->data_len == 1 + 2 * sizeof(u64), POOL_INVALID_INSTRUCTION);
  TRY(check_initialized(in));
  Account *const *a = in->accounts;
  Account *pool = a[0], *authority = a[1], *trader = a[2], *source = a[3], *vault_in = a[4], *vault_out = a[5];
  Account *target = a[6];
  PoolAccounts p = {pool, authority, vault_in, vault_out, a[9], a[10], a[11], a[12], a[7], a[13]};
  if (!key_eq(&vault_in->key, key_at(pool->data + POOL_VAULT_A))) {
    p = (PoolAccounts){pool, authority, vault_out, vault_in, a[10], a[9], a[12], a[11], a[7], a[13]};
  }
  TRY(check_pool_accounts(&p));
  TRY(check_fee_account(pool, a[8]));
  CHECK(source != vault_in && target != vault_out, POOL_INVALID_INPUT);

  u64 offered = load_u64(in->data + 1), least = load_u64(in->data + 9);
  u64 balance_in = token_amount(vault_in);
  CHECK(offered <= U64_MAX - balance_in, POOL_CONVERSION_FAILURE);
  Trade result;
  CHECK(trade(pool_fees(pool), offered, balance_in, token_amount(vault_out), &result), POOL_ZERO_TRADING_TOKENS);
  CHECK(result.received >= least, POOL_EXCEEDED_SLIPPAGE);

  Slice seeds[2] = {{&pool->key, sizeof(Pubkey)}, {pool->data + POOL_BUMP, 1}};
  SignerSeeds signer = {seeds, 2};
  // By the vault's program: the trader's account can belong to any, which need not have paid.
  token_transfer_by(&vault_in->owner, source, a[9], vault_in, trader, result.paid, NULL);
  if (result.owner_fee != 0) TRY(mint_owner_fee(in, result.owner_fee, balance_in + result.paid, &signer));
  token_transfer(vault_out, a[10], target, authority, result.received, &signer);
  return 0;
}

// ---- DepositAllTokenTypes -----------------------------------------------------------------------------------------
//
// 0 pool                                5 [writable] vault A                            10 mint B
// 1 authority                           6 [writable] vault B                            11 token program of A
// 2 [signer] of the depositor's tokens  7 [writable] pool mint                          12 token program of B
// 3 [writable] depositor's account A    8 [writable] account for the pool tokens        13 SPL Token program
// 4 [writable] depositor's account B    9 mint A
//
// data: 2, pool tokens to mint (u64), most that is paid of A (u64) and of B (u64)

// What a new depositor pays for `pool_tokens`, rounded up. Less than 1 is nothing: to round that up would be robbery.
NOINLINE u64 deposit_share(u64 pool_tokens, u64 supply, u64 balance, u64 most, u64 *share) {
  CHECK(mul_div_fits(pool_tokens, balance, supply), POOL_CONVERSION_FAILURE);
  u64 remainder;
  *share = mul_div(pool_tokens, balance, supply, &remainder);
  CHECK(*share != 0, POOL_ZERO_TRADING_TOKENS);
  if (remainder != 0) (*share)++;
  CHECK(*share <= most, POOL_EXCEEDED_SLIPPAGE);
  return 0;
}

NOINLINE u64 deposit_all(const Input *in) {
  CHECK(in->n >= 14, ERROR_NOT_ENOUGH_ACCOUNTS);
  CHECK(in->data_len == 1 + 3 * sizeof(u64), POOL_INVALID_INSTRUCTION);
  TRY(check_initialized(in));
  Account *const *a = in->accounts;
  Account *pool = a[0], *authority = a[1], *depositor = a[2], *source_a = a[3], *source_b = a[4], *vault_a = a[5];
  Account *vault_b = a[6];
  Account *pool_mint = a[7], *target = a[8];
  PoolAccounts p = {pool, authority, vault_a, vault_b, a[9], a[10], a[11], a[12], pool_mint, a[13]};
  TRY(check_pool_accounts(&p));
  CHECK(source_a != vault_a && source_b != vault_b, POOL_INVALID_INPUT);

  u64 pool_tokens = load_u64(in->data + 1), supply = mint_supply(pool_mint), share_a, share_b;
  if (supply == 0) pool_tokens = supply = INITIAL_SUPPLY;
  TRY(deposit_share(pool_tokens, supply, token_amount(vault_a), load_u64(in->data + 9), &share_a));
  TRY(deposit_share(pool_tokens, supply, token_amount(vault_b), load_u64(in->data + 17), &share_b));

  Slice seeds[2] = {{&pool->key, sizeof(Pubkey)}, {pool->data + POOL_BUMP, 1}};
  SignerSeeds signer = {seeds, 2};
  // As in a swap.
  token_transfer_by(&vault_a->owner, source_a, a[9], vault_a, depositor, share_a, NULL);
  token_transfer_by(&vault_b->owner, source_b, a[10], vault_b, depositor, share_b, NULL);
  token_mint_to(pool_mint, target, authority, pool_tokens, &signer);
  return 0;
}

// ---- WithdrawAllTokenTypes ----------------------------------------------------------------------------------------
//
// 0 pool                                4 [writable] account of the pool tokens         9 [writable] fee account
// 1 authority                           5 [writable] vault A                            10 mint A
// 2 [signer] of the pool tokens         6 [writable] vault B                            11 mint B
// 3 [writable] pool mint                7 [writable] account for A                      12 SPL Token program
//                                       8 [writable] account for B                      13, 14 token programs of A and B
//
// data: 3, pool tokens to give (u64), least that is received of A (u64) and of B (u64)

// What `pool_tokens` are worth, rounded down.
NOINLINE u64 withdraw_share(u64 pool_tokens, u64 supply, u64 balance, u64 least, u64 *share) {
  CHECK(mul_div_fits(pool_tokens, balance, supply), POOL_CONVERSION_FAILURE);
  u64 remainder;
  *share = mul_div(pool_tokens, balance, supply, &remainder);
  CHECK(*share != 0, POOL_ZERO_TRADING_TOKENS);
  CHECK(*share >= least, POOL_EXCEEDED_SLIPPAGE);
  return 0;
}

NOINLINE u64 withdraw_all(const Input *in) {
  CHECK(in->n >= 15, ERROR_NOT_ENOUGH_ACCOUNTS);
  CHECK(in->data_len == 1 + 3 * sizeof(u64), POOL_INVALID_INSTRUCTION);
  TRY(check_initialized(in));
  Account *const *a = in->accounts;
  Account *pool = a[0], *authority = a[1], *owner = a[2], *pool_mint = a[3], *source = a[4], *vault_a = a[5];
  Account *vault_b = a[6];
  Account *target_a = a[7], *target_b = a[8], *fee_account = a[9];
  PoolAccounts p = {pool, authority, vault_a, vault_b, a[10], a[11], a[13], a[14], pool_mint, a[12]};
  TRY(check_pool_accounts(&p));
  TRY(check_fee_account(pool, fee_account));
  CHECK(target_a != vault_a && target_b != vault_b, POOL_INVALID_INPUT);

  u64 given = load_u64(in->data + 1), fee = 0, share_a, share_b;
  if (source != fee_account && takes_pool_tokens(fee_account, pool_mint))
    fee = fee_of(&pool_fees(pool)->owner_withdraw, given);
  u64 burned = given - fee, supply = mint_supply(pool_mint);
  TRY(withdraw_share(burned, supply, token_amount(vault_a), load_u64(in->data + 9), &share_a));
  TRY(withdraw_share(burned, supply, token_amount(vault_b), load_u64(in->data + 17), &share_b));

  Slice seeds[2] = {{&pool->key, sizeof(Pubkey)}, {pool->data + POOL_BUMP, 1}};
  SignerSeeds signer = {seeds, 2};
  if (fee != 0) token_transfer(source, pool_mint, fee_account, owner, fee, NULL);
  token_burn(source, pool_mint, owner, burned, NULL);
  token_transfer(vault_a, a[10], target_a, authority, share_a, &signer);
  token_transfer(vault_b, a[11], target_b, authority, share_b, &signer);
  return 0;
}

// -------------------------------------------------------------------------------------------------------------------

u64 entrypoint(u8 *bytes) {
  Input in;
  read_input(bytes, &in);
  CHECK(in.data_len != 0, POOL_INVALID_INSTRUCTION);
  switch (in.data[0]) {
    case 0: return initialize(&in);
    case 1: return swap(&in);
    case 2: return deposit_all(&in);
    case 3: return withdraw_all(&in);
    case 4:
    case 5: return POOL_UNSUPPORTED_OPERATION;
    default: return POOL_INVALID_INSTRUCTION;
  }
}
