// The public interface: discriminators, layout of the account, error numbers.
#pragma once
#include "framework.h"

#define CREATE_ESCROW BYTES(0xb59b68b7b680232f)
#define CLAIM BYTES(0x3ec6d6c1d59f6cd2)
#define CLAIM_2 BYTES(0xe5572ea2159de772)

// Events are instructions of the program to itself: this tag, the event's discriminator, its fields.
#define EVENT_TAG BYTES(0xe445a52e51cb9a1d)
#define CREATE_ESCROW_EVENT BYTES(0xf8de593daad08375)
#define CLAIM_EVENT BYTES(0xab9001bd78c8260b)
enum { EVENT_HEAD = 16 };

// ---- the account ------------------------------------------------------------------------------------------------------

#define ESCROW BYTES(0xf477b704497487c3)
enum {
  ESCROW_RECIPIENT = 8,
  ESCROW_MINT = 40,
  ESCROW_CREATOR = 72,
  ESCROW_BASE = 104,
  ESCROW_BUMP = 136,
  ESCROW_UPDATE_MODE = 137,
  ESCROW_CANCEL_MODE = 138,
  ESCROW_CLIFF_TIME = 144,
  ESCROW_FREQUENCY = 152,
  ESCROW_AT_CLIFF = 160,
  ESCROW_EACH = 168,
  ESCROW_PERIODS = 176,
  ESCROW_CLAIMED = 184,
  ESCROW_START_TIME = 192,
  ESCROW_CANCELLED_AT = 200,
  ESCROW_LEN = 296,
};

enum { FIRST_OWN_KIND = 32, IS_ESCROW = FIRST_OWN_KIND };
INLINE u64 discriminator_of(u8 kind) { return (void)kind, ESCROW; }

#define ESCROW_SEED "escrow"
#define EVENT_AUTHORITY_SEED "__event_authority"

// Of the program at LocpQgucEQHbqNABEYvBvwoxCPsSbG91A1QaQhQQqjn: it works at no other.
// AqUDk3wybxjZujrNbKmjr2YTUZ8RA1a1nyGgs1zSmvTG
static const Pubkey EVENT_AUTHORITY = {
    {0x4dd7801cadd62392UL, 0x75f8b2ef17a05f39UL, 0x63c88ab94a0d9f29UL, 0x77968c4c492c54f4UL}};
enum { EVENT_AUTHORITY_BUMP = 253 };
// MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr
static const Pubkey MEMO_PROGRAM = {
    {0x062129995a534a05UL, 0x7c38da6071e8244dUL, 0x81bb92bcddb5357cUL, 0x8d44054140a81fe4UL}};

// ---- errors, beside those of the framework that others use, too -----------------------------------------------------

enum {
  ERROR_MISSING_DISCRIMINATOR = 100,
  ERROR_MATH_OVERFLOW = 6000,
  ERROR_FREQUENCY_IS_ZERO = 6001,
  ERROR_INVALID_UPDATE_RECIPIENT_MODE = 6003,
  ERROR_INVALID_CANCEL_MODE = 6004,
  ERROR_INVALID_RECIPIENT_ACCOUNT = 6006,
  ERROR_INVALID_VESTING_START_TIME = 6009,
};
