// The public interface: discriminators, the layout of the accounts, error numbers.
#pragma once
#include "framework.h"

#define INITIALIZE_ORDER BYTES(0x856e4aaf709ff59f)
#define CANCEL_ORDER BYTES(0x5f81edf00831df84)
#define CANCEL_DUST_ORDER BYTES(0xc570bda44f3017f6)
#define PRE_FLASH_FILL_ORDER BYTES(0xf02f99440dbee12a)
#define FLASH_FILL_ORDER BYTES(0xfc681286a44e128c)
#define FILL_ORDER BYTES(0xe87a7319c78f88a2)
#define UPDATE_FEE BYTES(0xe8fdc3f794d449de)
#define WITHDRAW_FEE BYTES(0x0e7ae7da1feedf96)

// Events are instructions of the program to itself: this tag, the event's discriminator, its fields.
#define EVENT_TAG BYTES(0xe445a52e51cb9a1d)
#define CREATE_ORDER_EVENT BYTES(0x318e48a6e61d5454)
#define CANCEL_ORDER_EVENT BYTES(0xae428d1104e0a24d)
#define CANCEL_DUST_ORDER_EVENT BYTES(0x7cbe4a1cb128c8dc)
#define TRADE_EVENT BYTES(0xbddb7fd34ee661ee)
enum { EVENT_TYPE = 8, EVENT_ORDER = 16, EVENT_FIELDS = 48 };

#define ORDER_SEED "order"
#define FEE_SEED "fee"
#define EVENT_AUTHORITY_SEED "__event_authority"

// ---- accounts -----------------------------------------------------------------------------------------------------

#define ORDER BYTES(0x86addfb94d561c33)
enum {
  ORDER_MAKER = 8,
  ORDER_INPUT_MINT = 40,
  ORDER_OUTPUT_MINT = 72,
  ORDER_INPUT_PROGRAM = 104,
  ORDER_OUTPUT_PROGRAM = 136,
  ORDER_RESERVE = 168,
  ORDER_UNIQUE_ID = 200,
  ORDER_ALL_MAKING = 208,
  ORDER_ALL_TAKING = 216,
  ORDER_MAKING = 224,  // what is left
  ORDER_TAKING = 232,
  ORDER_BORROWED = 240,
  ORDER_EXPIRES = 248,  // 1 when the time follows, and then the rest stands 8 bytes later: see after_expiry
  ORDER_EXPIRED_AT = 249,
  // At the end of the account, where the interface has nothing, we keep a number that is dear to find.
  ORDER_EVENT_BUMP = 371,
  ORDER_LEN = 372,
};
// From after_expiry on.
enum {
  REST_FEE_BPS = 0,
  REST_FEE_ACCOUNT = 2,
  REST_CREATED_AT = 34,
  REST_UPDATED_AT = 42,
  REST_BUMP = 50,
  REST_SLIPPAGE_BPS = 51,
};

// The one account at the address of FEE_SEED.
#define FEE BYTES(0x183796faa81b65b2)
enum { FEE_NORMAL_BPS = 8, FEE_STABLE_BPS = 10, FEE_LEN = 12 };

#define ALL_BPS 10000UL

// ---- errors, beside those of the framework ------------------------------------------------------------------------

enum {
  ERROR_INVALID_MAKING_AMOUNT = 6000,
  ERROR_INVALID_TAKING_AMOUNT = 6001,
  ERROR_INVALID_MAX_TAKING_AMOUNT = 6002,
  ERROR_INVALID_INPUT_ACCOUNT = 6003,
  ERROR_INVALID_MAKER_OUTPUT_ACCOUNT = 6004,
  ERROR_INVALID_TAKER_OUTPUT_ACCOUNT = 6005,
  ERROR_INVALID_PAIR = 6006,
  ERROR_ORDER_EXPIRED = 6007,
  ERROR_ORDER_NOT_EXPIRED = 6008,
  ERROR_INVALID_ADMIN = 6009,
  ERROR_PROGRAM_MISMATCH = 6012,
  ERROR_UNKNOWN_INSTRUCTION = 6013,
  ERROR_MISSING_REPAY_INSTRUCTIONS = 6014,
  ERROR_INVALID_ORDER = 6015,
  ERROR_INVALID_BORROW_MAKING_AMOUNT = 6016,
  ERROR_INVALID_EXPIRED_DATE = 6017,
  ERROR_FEE_BPS_TOO_LOW = 6018,
  ERROR_FEE_BPS_TOO_HIGH = 6019,
  ERROR_TRANSFER_TAX_MINT = 6020,
  ERROR_INVALID_OUTPUT_MINT = 6021,
  ERROR_INVALID_MIN_TAKING_AMOUNT = 6022,
  ERROR_INVALID_DUST_ORDER = 6026,
  ERROR_UNSUPPORTED_MINT = 6027,
};
