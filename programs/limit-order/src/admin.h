// updateFee and withdrawFee, and who may: the program's upgrade authority.
#pragma once
#include "order.h"

// BPFLoaderUpgradeab1e11111111111111111111111
static const Pubkey UPGRADEABLE_LOADER = {
    {0xb0a1884e91f6a802UL, 0x2bae63f73e1510e2UL, 0xd224c1163db9c200UL, 0x00008004107a53c0UL}};
// What the loader keeps beside a program's code.
enum { PROGRAM_DATA_TAG = 3, PROGRAM_DATA_HAS_AUTHORITY = 12, PROGRAM_DATA_AUTHORITY = 13 };

// The interface has no place for the account that names the upgrade authority, so it comes after all others: the
// program's data account. A program that nobody can upgrade has no admin.
NOINLINE u64 check_admin(const Input *in, const Account *admin, const Account *program_data) {
  Pubkey derived;
  u8 bump;
  Slice seeds[4] = {KEY(in->program_id)};
  find_address(seeds, 1, &UPGRADEABLE_LOADER, &bump, &derived);
  CHECK(key_eq(&program_data->key, &derived), ERROR_INVALID_ADMIN);
  CHECK(load_u32(program_data->data) == PROGRAM_DATA_TAG, ERROR_INVALID_ADMIN);
  CHECK(program_data->data[PROGRAM_DATA_HAS_AUTHORITY] == 1, ERROR_INVALID_ADMIN);
  CHECK(key_eq(key_at(program_data->data + PROGRAM_DATA_AUTHORITY), &admin->key), ERROR_INVALID_ADMIN);
  return 0;
}

// Expects space for the 3 slices that find_address adds.
NOINLINE u64 check_fee_address(const Input *in, const Account *fee, Slice *seeds, u8 *bump) {
  Pubkey derived;
  seeds[0] = (Slice)TEXT(FEE_SEED);
  find_address(seeds, 1, in->program_id, bump, &derived);
  CHECK(key_eq(&fee->key, &derived), ERROR_WRONG_ADDRESS);
  return 0;
}

// 0 [signer, writable] admin   1 [writable] fee account   2 System program   3 program data
// data: normal fee, stable fee, in basis points (u16). They count for orders made from now on.
NOINLINE u64 update_fee(const Input *in) {
  TRY(check_accounts(in, 4, 1, 3));
  CHECK(in->data_len >= sizeof(u64) + 2 * sizeof(u16), ERROR_INCOMPLETE_DATA);
  Account *admin = in->accounts[0], *fee = in->accounts[1];
  TRY(check_admin(in, admin, in->accounts[3]));
  u16 normal = load_u16(in->data + 8), stable = load_u16(in->data + 10);
  CHECK(normal <= ALL_BPS, ERROR_FEE_BPS_TOO_HIGH);
  CHECK(normal >= stable, ERROR_FEE_BPS_TOO_LOW);
  u8 bump;
  Slice seeds[4];
  TRY(check_fee_address(in, fee, seeds, &bump));
  if (!key_eq(&fee->owner, in->program_id)) {
    SignerSeeds signer = {seeds, 2};
    create_account(admin, fee, FEE_LEN, in->program_id, &signer);
    store_u64(fee->data, FEE);
  }
  store_u16(fee->data + FEE_NORMAL_BPS, normal);
  store_u16(fee->data + FEE_STABLE_BPS, stable);
  return 0;
}

// 0 [signer, writable] admin            3 [writable] account that receives    6 program data
// 1 fee account, which owns 2           4 token program
// 2 [writable] account of collected fees   5 mint
NOINLINE u64 withdraw_fee(const Input *in) {
  TRY(check_accounts(in, 7, 1, 1 | 1 << 2 | 1 << 3));
  Account *const *a = in->accounts;
  TRY(check_admin(in, a[0], a[6]));
  u8 bump;
  Slice seeds[4];
  TRY(check_fee_address(in, a[1], seeds, &bump));
  CHECK(is_token_program(&a[4]->key), ERROR_NO_TOKEN_PROGRAM);
  CHECK(holds(a[2], &a[4]->key, &a[5]->key), ERROR_WRONG_MINT);
  SignerSeeds signer = {seeds, 2};
  token_transfer(a[2], a[5], a[3], a[1], token_amount(a[2]), &signer);
  return 0;
}
