// Metadata of tokens, for sandboxes: a stand-in for Metaplex' Token Metadata that does what a launch needs of it. It makes
// the account that wallets and explorers read (createMetadataAccountV3), and gives it another authority or none
// (updateMetadataAccountV2). What else the program of this address does it refuses, and says so in the log.
//
// create: 0 [writable] metadata     3 [signer, writable] payer      update: 0 [writable] metadata
//         1 mint                    4 update authority                      1 [signer] update authority
//         2 [signer] mint authority 5 System program
#define MAX_ACCOUNTS 8
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunused-function"  // the base has more than this program needs
#include "address.h"
#include "native.h"
#pragma clang diagnostic pop

enum { CREATE_METADATA_3 = 33, UPDATE_METADATA_2 = 15, LAST_INSTRUCTION = 56 };
enum { NEW_METADATA, NEW_MINT, NEW_MINT_AUTHORITY, NEW_PAYER, NEW_AUTHORITY, NEW_SYSTEM, NEW_ACCOUNTS };
enum { UPDATED_METADATA, UPDATED_AUTHORITY, UPDATED_ACCOUNTS };

// The account. Each text has its whole room, filled up with zeros.
enum { NAME_ROOM = 32, SYMBOL_ROOM = 10, URI_ROOM = 200 };
enum {
  METADATA_KIND = 0,
  METADATA_AUTHORITY = 1,
  METADATA_MINT = 33,
  METADATA_TEXTS = 65,
  METADATA_AFTER_TEXTS = METADATA_TEXTS + 3 * 4 + NAME_ROOM + SYMBOL_ROOM + URI_ROOM,
  // Seller's fee (u16), creators, sold, changeable, the bump of an edition's address, the standard; each in an option.
  METADATA_IS_MUTABLE = METADATA_AFTER_TEXTS + 4,
  METADATA_EDITION = METADATA_AFTER_TEXTS + 5,
  METADATA_STANDARD = METADATA_AFTER_TEXTS + 7,
  METADATA_FEE_PAID = 678,
  METADATA_LEN = 679,
};
enum { KIND_METADATA = 4, STANDARD_FUNGIBLE_ASSET = 1, STANDARD_FUNGIBLE = 2 };
#define CREATION_FEE 10000000UL
#define METADATA_SEED "metadata"
#define EDITION_SEED "edition"

enum {
  ERROR_UNINITIALIZED = 1,
  ERROR_INVALID_METADATA_KEY = 5,
  ERROR_WRONG_UPDATE_AUTHORITY = 7,
  ERROR_NAME_TOO_LONG = 11,
  ERROR_SYMBOL_TOO_LONG = 12,
  ERROR_URI_TOO_LONG = 13,
  ERROR_WRONG_MINT_AUTHORITY = 15,
  ERROR_NOT_HERE = 7000,
};
#define REFUSE(text) return sol_log_(text, sizeof text - 1), ERROR_NOT_HERE
#define SUPPORT(condition, text)     \
  do {                               \
    if (!(condition)) REFUSE(text);  \
  } while (0)

typedef struct {
  const u8 *at, *end;
} Reader;

// Copies a text into its room, after the room's length.
NOINLINE u64 copy_text(Reader *r, u8 *to, u32 room, u64 too_long) {
  CHECK((u64)(r->end - r->at) >= sizeof(u32), ERROR_INVALID_INSTRUCTION_DATA);
  u32 len = load_u32(r->at);
  r->at += sizeof(u32);
  CHECK((u64)(r->end - r->at) >= len, ERROR_INVALID_INSTRUCTION_DATA);
  CHECK(len <= room, too_long);
  sol_memcpy_(to, &room, sizeof room);
  sol_memcpy_(to + sizeof(u32), r->at, len);
  r->at += len;
  return 0;
}

NOINLINE u64 write_texts(Reader *r, u8 *metadata) {
  u8 *to = metadata + METADATA_TEXTS;
  TRY(copy_text(r, to, NAME_ROOM, ERROR_NAME_TOO_LONG));
  to += sizeof(u32) + NAME_ROOM;
  TRY(copy_text(r, to, SYMBOL_ROOM, ERROR_SYMBOL_TOO_LONG));
  to += sizeof(u32) + SYMBOL_ROOM;
  return copy_text(r, to, URI_ROOM, ERROR_URI_TOO_LONG);
}

// Makes the account at the mint's address, with the rent and the program's fee.
NOINLINE u64 create_at_address(const Input *in) {
  Account *const *a = in->accounts;
  Account *metadata = a[NEW_METADATA];
  Pubkey derived;
  u8 bump;
  Slice seeds[6] = {TEXT(METADATA_SEED), KEY(in->program_id), KEY(&a[NEW_MINT]->key)};
  find_address(seeds, 3, in->program_id, &bump, &derived);
  CHECK(key_eq(&metadata->key, &derived), ERROR_INVALID_METADATA_KEY);
  SignerSeeds signer = {seeds, 4};
  u64 needed = rent_exempt(METADATA_LEN) + CREATION_FEE;
  if (metadata->lamports < needed) system_transfer(a[NEW_PAYER], metadata, needed - metadata->lamports);
  system_allocate(metadata, METADATA_LEN, &signer);
  system_assign(metadata, in->program_id, &signer);
  return 0;
}

// Of the address of an edition of the mint, whether there is one or not.
NOINLINE u8 edition_bump(const Input *in) {
  Pubkey derived;
  u8 bump;
  Slice seeds[7] = {TEXT(METADATA_SEED), KEY(in->program_id), KEY(&in->accounts[NEW_MINT]->key), TEXT(EDITION_SEED)};
  find_address(seeds, 4, in->program_id, &bump, &derived);
  return bump;
}

NOINLINE u64 check_mint_authority(const Input *in) {
  Account *const *a = in->accounts;
  CHECK(is_token_program(&a[NEW_MINT]->owner), ERROR_INCORRECT_PROGRAM_ID);
  CHECK(is_mint(a[NEW_MINT]), ERROR_INVALID_ACCOUNT_DATA);
  CHECK(a[NEW_MINT_AUTHORITY]->is_signer && load_u32(a[NEW_MINT]->data + MINT_HAS_AUTHORITY) == 1 &&
            key_eq(key_at(a[NEW_MINT]->data + MINT_AUTHORITY), &a[NEW_MINT_AUTHORITY]->key),
        ERROR_WRONG_MINT_AUTHORITY);
  return 0;
}

NOINLINE u64 create_metadata(const Input *in) {
  Account *const *a = in->accounts;
  CHECK(in->n >= NEW_ACCOUNTS, ERROR_NOT_ENOUGH_ACCOUNTS);
  TRY(check_mint_authority(in));
  u8 *m = a[NEW_METADATA]->data;
  TRY(create_at_address(in));
  Reader r = {in->data + 1, in->data + in->data_len};
  TRY(write_texts(&r, m));
  CHECK(r.end - r.at >= 7, ERROR_INVALID_INSTRUCTION_DATA);
  SUPPORT(load_u16(r.at) == 0, "stand-in: no fee of sellers");
  SUPPORT(r.at[2] == 0 && r.at[3] == 0 && r.at[4] == 0 && r.at[6] == 0,
          "stand-in: no creators, collection or uses");
  m[METADATA_KIND] = KIND_METADATA;
  store_key(m + METADATA_AUTHORITY, &a[NEW_AUTHORITY]->key);
  store_key(m + METADATA_MINT, &a[NEW_MINT]->key);
  m[METADATA_IS_MUTABLE] = r.at[5] != 0;
  m[METADATA_EDITION] = 1;
  m[METADATA_EDITION + 1] = edition_bump(in);
  m[METADATA_STANDARD] = 1;
  m[METADATA_STANDARD + 1] = a[NEW_MINT]->data[MINT_DECIMALS] == 0 ? STANDARD_FUNGIBLE_ASSET : STANDARD_FUNGIBLE;
  m[METADATA_FEE_PAID] = 1;
  return 0;
}

// data: an option of other texts, of another authority, of a mark that it was sold, of whether it can change.
NOINLINE u64 update_metadata(const Input *in) {
  Account *const *a = in->accounts;
  CHECK(in->n >= UPDATED_ACCOUNTS, ERROR_NOT_ENOUGH_ACCOUNTS);
  CHECK(key_eq(&a[UPDATED_METADATA]->owner, in->program_id), ERROR_INCORRECT_PROGRAM_ID);
  u8 *m = a[UPDATED_METADATA]->data;
  CHECK(a[UPDATED_METADATA]->data_len == METADATA_LEN && m[METADATA_KIND] == KIND_METADATA, ERROR_UNINITIALIZED);
  CHECK(a[UPDATED_AUTHORITY]->is_signer && key_eq(key_at(m + METADATA_AUTHORITY), &a[UPDATED_AUTHORITY]->key),
        ERROR_WRONG_UPDATE_AUTHORITY);
  SUPPORT(in->data_len == 37 && in->data[1] == 0 && in->data[2] == 1 && load_u16(in->data + 35) == 0,
          "stand-in: only the authority can be changed");
  store_key(m + METADATA_AUTHORITY, key_at(in->data + 3));
  return 0;
}

u64 entrypoint(u8 *bytes) {
  Input in;
  read_input(bytes, &in);
  CHECK(in.data_len >= 1, ERROR_INVALID_INSTRUCTION_DATA);
  switch (in.data[0]) {
    case CREATE_METADATA_3: return create_metadata(&in);
    case UPDATE_METADATA_2: return update_metadata(&in);
    default: break;
  }
  CHECK(in.data[0] <= LAST_INSTRUCTION, ERROR_INVALID_INSTRUCTION_DATA);
  REFUSE("stand-in: only createMetadataAccountV3, and updateMetadataAccountV2 of the authority");
}
