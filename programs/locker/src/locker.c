// Tokens that come later, for sandboxes: a stand-in for the Lock program with its public interface, as far as a launch uses
// it. What it does not do it refuses, and says so in the log.
//
// The address of a lock owns its tokens. It signs only for what is due to the recipient.
#define MAX_ACCOUNTS 11
#define MAX_CALL_ACCOUNTS 4
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunused-function"  // the base has more than this program needs
#include "interface.h"
#include "stand-in.h"
#pragma clang diagnostic pop
#include "claim.h"
#include "create.h"

u64 entrypoint(u8 *bytes) {
  Input in;
  read_input(bytes, &in);
  CHECK(in.data_len >= sizeof(u64), ERROR_MISSING_DISCRIMINATOR);
  switch (load_u64(in.data)) {
    case CREATE_ESCROW: return create_escrow(&in);
    case CLAIM: return claim(&in);
    case CLAIM_2: return claim_2(&in);
    case EVENT_TAG: return accept_event(&in);
    default: REFUSE("stand-in: no such instruction here");
  }
}
