// The public interface: discriminators, the layout of the accounts, error numbers.
#pragma once
#include "framework.h"

#define INITIALIZE BYTES(0xafaf6d1f0d989bed)
#define CLAIM BYTES(0x3ec6d6c1d59f6cd2)
#define CLAWBACK BYTES(0x6f5c8e4f21ea521b)
#define EXPIRE BYTES(0xf353cd3a39c9f792)
#define INITIALIZE_TOKEN BYTES(0x26d19632be751036)
#define CLAIM_TOKEN BYTES(0x74ce1bbfa6130049)
#define CLAWBACK_TOKEN BYTES(0xf64a82e28959889a)
#define EXPIRE_TOKEN BYTES(0x5ad0bd8248fccc0b)

#define INITIALIZE_EVENT BYTES(0x12e9320561bea7d1)
#define CLAIM_EVENT BYTES(0x856209ee85cfbf71)
#define CLAWBACK_EVENT BYTES(0xef901e45503b8e40)
#define EXPIRE_EVENT BYTES(0xeaff264aa3e10394)
#define INITIALIZE_TOKEN_EVENT BYTES(0xae53958bb9e18980)
#define CLAIM_TOKEN_EVENT BYTES(0xc1833bd25b91c6ff)
#define CLAWBACK_TOKEN_EVENT BYTES(0x57a8c2995d4a65f0)
#define EXPIRE_TOKEN_EVENT BYTES(0xdab99720e3cfb662)

// An invite's account is at the address of this and of the invite's key.
#define INVITE_SEED "invite"

// An invite of SOL: its account holds what is sent.
#define INFO BYTES(0xdd10cf74168ff4d3)
enum { INFO_SENDER = 8, INFO_EXPIRY = 40, INFO_LEN = 48 };

// An invite of tokens: they lie in the associated token account of its account.
#define TOKEN_INFO BYTES(0xea3b8d48076bfdd0)
enum {
  TOKEN_INFO_SENDER = INFO_SENDER,
  TOKEN_INFO_INVITE = 40,
  TOKEN_INFO_ESCROW = 72,
  TOKEN_INFO_EXPIRY = 104,
  TOKEN_INFO_BUMP = 112,
  TOKEN_INFO_LEN = 120,
};

// Errors, beside those of the framework.
enum {
  ERROR_MATH_OVERFLOW = 6000,
  ERROR_AMOUNT_BELOW_MINIMUM_LAMPORTS = 6001,
  ERROR_NOT_YET_EXPIRED = 6002,
  ERROR_EXPIRED = 6003,
  ERROR_ZERO_AMOUNT = 6004,
  // The interface has no number for a mint that is refused.
  ERROR_TRANSFER_TAX_MINT = ERROR_WRONG_MINT,
  ERROR_UNSUPPORTED_MINT = ERROR_WRONG_MINT,
};
