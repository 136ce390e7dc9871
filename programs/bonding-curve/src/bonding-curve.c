// Launches on a bonding curve, for sandboxes: a stand-in for Meteora's Dynamic Bonding Curve with its public interface, as
// far as this service uses it. What it does not do it refuses, and says so in the log.
//
// One address of the program, the authority, owns all vaults. It signs only for what a trade pays out, for a claim or a
// withdrawal by who may have it, for making a token, and for the migration of a curve that is sold out.
#define MAX_ACCOUNTS 26
#define MAX_CALL_ACCOUNTS 20
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunused-function"  // the base has more than this program needs
#include "address.h"
#include "framework.h"
#include "math.h"
#pragma clang diagnostic pop
#include "claims.h"
#include "config.h"
#include "launch.h"
#include "locker.h"
#include "migration.h"
#include "swap.h"
#include "withdrawals.h"

u64 entrypoint(u8 *bytes) {
  Input in;
  read_input(bytes, &in);
  CHECK(in.data_len >= sizeof(u64), ERROR_UNKNOWN_DISCRIMINATOR);
  switch (load_u64(in.data)) {
    case CREATE_CONFIG: return create_config(&in);
    case INITIALIZE_POOL: return initialize_pool(&in);
    case SWAP: return swap(&in, false);
    case SWAP_2: return swap(&in, true);
    case CLAIM_CREATOR_FEE: return claim_creator_fee(&in);
    case CREATE_LOCKER: return create_locker(&in);
    case MIGRATE: return migrate(&in);
    case CLAIM_PARTNER_FEE: return claim_partner_fee(&in);
    case WITHDRAW_LEFTOVER: return withdraw_leftover(&in);
    case CREATOR_SURPLUS: return withdraw_surplus(&in, true);
    case PARTNER_SURPLUS: return withdraw_surplus(&in, false);
    case TRANSFER_CREATOR: return transfer_creator(&in);
    case EVENT_TAG: return accept_event(&in);
    default: REFUSE("stand-in: no such instruction here");
  }
}
