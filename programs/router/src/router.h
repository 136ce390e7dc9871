// What the router reads from its instruction, what it remembers while venues run, and its errors.
#pragma once
#define MAX_ACCOUNTS 64  // a hop names accounts by 6 bits
#define MAX_CALL_ACCOUNTS 40
#include "math.h"
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunused-function"  // the base has more than the router needs
#include "token.h"
#pragma clang diagnostic pop

enum {
  ROUTER_INVALID_INSTRUCTION = 6000,
  ROUTER_SLIPPAGE_TOLERANCE_EXCEEDED = 6001,  // less than asked arrived in the destination
  ROUTER_TAKER_MUST_SIGN = 6002,
  ROUTER_INVALID_TOKEN_ACCOUNT = 6003,  // no token account, or not the taker's where it must be
  ROUTER_SAME_ACCOUNT = 6004,           // source and destination are one
  ROUTER_INSUFFICIENT_FUNDS = 6005,     // the source holds less than the input
  ROUTER_SELF_CALL = 6006,              // a hop's venue is the router
  ROUTER_FOREIGN_SIGNER = 6007,         // a hop passes on another signature than the taker's
  ROUTER_NOTHING_RECEIVED = 6008,       // a hop paid nothing into the account that it named
  ROUTER_TOKENS_TAKEN = 6009,           // more than the input is gone, or something of another token account
  ROUTER_LAMPORTS_TAKEN = 6010,         // of the taker or of a token account
  ROUTER_ACCOUNT_CHANGED = 6011,        // a token account's owner, delegate or close authority, or the taker's account
};

enum { TAKER = 0, SOURCE = 1, DESTINATION = 2, NAMED_ACCOUNTS = 3 };

// ---- instruction --------------------------------------------------------------------------------------------------

#define ROUTE_TAG 1

typedef struct {
  u8 tag, amount_in[8], min_out[8];
  u8 hops[];
} Route;

// Numbers of accounts are places in the router's own list.
typedef struct {
  u8 program;   // the venue
  u8 from, to;  // token accounts: the taker's that it takes from, and the one that it pays into
  u8 share[2];  // STARTS_SPLIT, and basis points
  u8 accounts_len, before_len, after_len;
  // accounts: a byte each, number | ROLE_… << ROLE_SHIFT
  // the venue's data before the amount (u64), the data after it
  u8 bytes[];
} Hop;
_Static_assert(sizeof(Route) == 17 && sizeof(Hop) == 8, "bytes without padding");

#define MAX_VENUE_DATA (255 + sizeof(u64) + 255)
#define STARTS_SPLIT 0x8000UL
#define ALL_BPS 10000UL
#define ROLE_SHIFT 6
#define NUMBER_MASK 63UL

// ---- memory -------------------------------------------------------------------------------------------------------

enum { TOKEN_IS_NATIVE = 109 };

// A token account as it was before the hops.
typedef struct {
  u64 floor;  // the least balance that must be left
  u64 lamports;
  Pubkey program;
  u8 data[TOKEN_ACCOUNT_LEN];
  bool is_watched;
} Watched;

// One for each of the router's accounts, on the heap, which starts as zeros.
#define WATCHED ((Watched *)0x300000000UL)
_Static_assert(MAX_ACCOUNTS * sizeof(Watched) <= 32768, "the heap's size");

typedef struct {
  u64 lamports, data_len;
  Pubkey program;
} Wallet;

static int (*const sol_memcmp_)(const void *a, const void *b, u64 len, int *result) = (void *)0x5fdcde31UL;
