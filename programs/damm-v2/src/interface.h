// The public interface: discriminators, layouts of the accounts, error numbers.
#pragma once
#include "framework.h"

#define INITIALIZE_POOL BYTES(0x5fb40aac54aee828)
#define SWAP BYTES(0xf8c69e91e17587c8)
#define SWAP_2 BYTES(0x414b3f4ceb5b5b88)
#define PERMANENT_LOCK BYTES(0xa5b07d06e7abbad5)
#define LOCK_INNER BYTES(0x481331cc127a175a)
#define REFRESH_VESTING BYTES(0x095ed80e74ccf700)
#define CLAIM_FEE BYTES(0xb4269a118521a2d3)
#define REMOVE_LIQUIDITY BYTES(0x5055d14818ceb16c)
#define REMOVE_ALL_LIQUIDITY BYTES(0x0a333d2370691855)

// Events are instructions of the program to itself: this tag, the event's discriminator, its fields.
#define EVENT_TAG BYTES(0xe445a52e51cb9a1d)
#define CREATE_POSITION_EVENT BYTES(0x9c0f77c61db5dd37)
#define INITIALIZE_POOL_EVENT BYTES(0xe432f655cb428625)
#define SWAP_2_EVENT BYTES(0xbd4233a826507599)
#define PERMANENT_LOCK_EVENT BYTES(0x918fa2dada50430b)
#define LOCK_EVENT BYTES(0xa83f6c53db5202c8)
#define CLAIM_FEE_EVENT BYTES(0xc6b6b734610c3138)
#define LIQUIDITY_EVENT BYTES(0xc5ab4e7fe0d3570d)
enum { EVENT_HEAD = 16 };

// ---- accounts -----------------------------------------------------------------------------------------------------

#define CONFIG BYTES(0x9b0caae01efacc82)
enum {
  CONFIG_POOL_CREATOR = 40,
  CONFIG_FEE = 72,  // of 10^9
  CONFIG_FEE_SCHEDULE = 80,
  CONFIG_PROTOCOL_PERCENTAGE = 152,
  CONFIG_REFERRAL_PERCENTAGE = 154,
  CONFIG_COMPOUNDING = 158,
  CONFIG_ACTIVATION_TYPE = 200,
  CONFIG_COLLECT_FEE_MODE = 201,
  CONFIG_TYPE = 202,
  CONFIG_LEAST_PRICE = 216,
  CONFIG_MOST_PRICE = 232,
};

#define POOL BYTES(0xf19a6d0411b16dbc)
enum {
  POOL_FEE = 8,
  POOL_PROTOCOL_PERCENTAGE = 48,
  POOL_REFERRAL_PERCENTAGE = 50,
  POOL_FIRST_PRICE = 152,
  POOL_A_MINT = 168,
  POOL_B_MINT = 200,
  POOL_A_VAULT = 232,
  POOL_B_VAULT = 264,
  POOL_LIQUIDITY = 360,
  POOL_PROTOCOL_B_FEE = 400,
  POOL_LEAST_PRICE = 424,
  POOL_MOST_PRICE = 440,
  POOL_PRICE = 456,
  POOL_ACTIVATION = 472,
  POOL_ACTIVATION_TYPE = 480,
  POOL_COLLECT_FEE_MODE = 484,
  POOL_FEE_VERSION = 486,
  POOL_B_FEE_PER_LIQUIDITY = 520,  // of 256 bits, 128 of them fractional
  POOL_LOCKED_LIQUIDITY = 552,
  POOL_ALL_LP_B_FEE = 584,  // of 128 bits
  POOL_ALL_PROTOCOL_B_FEE = 608,
  POOL_POSITIONS = 632,
  POOL_CREATOR = 648,
  POOL_A_AMOUNT = 680,
  POOL_B_AMOUNT = 688,
  POOL_LAYOUT_VERSION = 696,
  POOL_LEN = 1112,
};
enum { ACTIVATED_BY_TIME = 1, FEES_IN_B = 1 };

#define POSITION BYTES(0xaabc8fe47a40f7d0)
enum {
  POSITION_POOL = 8,
  POSITION_MINT = 40,
  POSITION_B_CHECKPOINT = 104,
  POSITION_B_PENDING = 144,
  POSITION_UNLOCKED = 152,
  POSITION_VESTED = 168,
  POSITION_LOCKED = 184,
  POSITION_CLAIMED_B = 208,
  POSITION_VESTING_END = 312,
  POSITION_VESTING_AMOUNT = 328,
  POSITION_LEN = 408,
};

enum { FIRST_OWN_KIND = 32, IS_CONFIG = FIRST_OWN_KIND, IS_POOL, IS_POSITION };
INLINE u64 discriminator_of(u8 kind) { return kind == IS_CONFIG ? CONFIG : kind == IS_POOL ? POOL : POSITION; }

#define POOL_SEED "pool"
#define VAULT_SEED "token_vault"
#define POSITION_SEED "position"
#define POSITION_ACCOUNT_SEED "position_nft_account"
#define AUTHORITY_SEED "pool_authority"
#define EVENT_AUTHORITY_SEED "__event_authority"

// Addresses of the program at cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG: it works at no other.
// HLnpSz9h2S4hiLQ43rnSD9XkcUThA7B8hQMKmDaiTLcC
static const Pubkey AUTHORITY = {
    {0x73f1a5ac35d5ccf2UL, 0xd9e47307dd22c86aUL, 0x500394b2598abd2fUL, 0xe5a9731c01a99502UL}};
// 3rmHSu74h1ZcmAisVcWerTCiRDQbUrBKmcwptYGjHfet
static const Pubkey EVENT_AUTHORITY = {
    {0x1c0a6444b3e7762aUL, 0x91a0d0ca8b4c59fcUL, 0x83bf56d17dac1c01UL, 0xad77eb0822fb33a8UL}};
enum { AUTHORITY_BUMP = 254, EVENT_AUTHORITY_BUMP = 255 };
// FhVo3mqL8PW5pH5U2CN4XE33DokiyZnUwuGpH2hmHLuM: the authority of the launch program
static const Pubkey LAUNCH_AUTHORITY = {
    {0xc8bc86721f6863daUL, 0x01a2502b2c9e7106UL, 0x15b16896fc3b2457UL, 0x08dbdc3e8453bc20UL}};

// ---- numbers ------------------------------------------------------------------------------------------------------

#define FEE_WHOLE 1000000000UL
enum { PROTOCOL_FEE_PERCENTAGE = 20, REFERRAL_FEE_PERCENTAGE = 20 };
// Two years.
#define LONGEST_LOCK 63072000UL
#define LEAST_PRICE 4295048016UL

// ---- errors, beside those of the framework that others use, too -----------------------------------------------------

enum {
  ERROR_CONSTRAINT = 2003,
  ERROR_NOT_MUTABLE = 3006,
  ERROR_MATH_OVERFLOW = 6000,
  ERROR_EXCEEDED_SLIPPAGE = 6002,
  ERROR_POOL_DISABLED = 6003,
  ERROR_AMOUNT_IS_ZERO = 6006,
  ERROR_TYPE_CAST = 6007,
  ERROR_PRICE_RANGE = 6015,
  ERROR_INVALID_INPUT = 6018,
  ERROR_INVALID_VESTING = 6022,
  ERROR_INSUFFICIENT_LIQUIDITY = 6023,
  ERROR_INVALID_VESTING_ACCOUNT = 6024,
  ERROR_INVALID_POOL_CREATOR = 6042,
};
