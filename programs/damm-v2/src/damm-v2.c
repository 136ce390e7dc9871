// Pools of migrated launches, for sandboxes: a stand-in for Meteora's DAMM v2 with its public interface, as far as a
// migration and what comes after it use it. What it does not do it refuses, and says so in the log.
//
// One address of the program, the authority, owns all vaults. It signs only for what a trade pays out, for fees and free
// liquidity of who holds the token of a position, and for making that token.
#define MAX_ACCOUNTS 20
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunused-function"  // the base has more than this program needs
#include "interface.h"
#include "stand-in.h"
#pragma clang diagnostic pop
#include "liquidity.h"
#include "lock.h"
#include "new-pool.h"
#include "swap.h"

u64 entrypoint(u8 *bytes) {
  Input in;
  read_input(bytes, &in);
  CHECK(in.data_len >= sizeof(u64), ERROR_UNKNOWN_DISCRIMINATOR);
  switch (load_u64(in.data)) {
    case INITIALIZE_POOL: return initialize_pool(&in);
    case SWAP: return swap(&in, false);
    case SWAP_2: return swap(&in, true);
    case PERMANENT_LOCK: return permanent_lock(&in);
    case LOCK_INNER: return lock_inner(&in);
    case REFRESH_VESTING: return refresh_vesting(&in);
    case CLAIM_FEE: return claim_fee(&in);
    case REMOVE_LIQUIDITY: return remove_liquidity(&in, false);
    case REMOVE_ALL_LIQUIDITY: return remove_liquidity(&in, true);
    case EVENT_TAG: return accept_event(&in);
    default: REFUSE("stand-in: no such instruction here");
  }
}
