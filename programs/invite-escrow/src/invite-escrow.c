// Invites: SOL or tokens for somebody who has no wallet yet. They wait in an account of this program until the holder of
// the invite's key names a wallet to claim them, until the sender takes them back, or until they expire and anybody sends
// them back. It follows the public interface of the invite program.
//
// The invite's account is the program address of (INVITE_SEED, invite's key). It owns the escrow of tokens, and signs
// only for what goes to the claimer or back to the sender.
#define MAX_ACCOUNTS 10
#define MAX_CALL_ACCOUNTS 6
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunused-function"  // the base has more than this program needs
#include "framework.h"
#pragma clang diagnostic pop
#include "sol.h"
#include "tokens.h"

u64 entrypoint(u8 *bytes) {
  Input in;
  read_input(bytes, &in);
  CHECK(in.data_len >= sizeof(u64), ERROR_UNKNOWN_DISCRIMINATOR);
  switch (load_u64(in.data)) {
    case INITIALIZE: return initialize(&in);
    case CLAIM: return claim(&in);
    case CLAWBACK: return clawback(&in);
    case EXPIRE: return expire(&in);
    case INITIALIZE_TOKEN: return initialize_token(&in);
    case CLAIM_TOKEN: return claim_token(&in);
    case CLAWBACK_TOKEN: return clawback_token(&in);
    case EXPIRE_TOKEN: return expire_token(&in);
    default: return ERROR_UNKNOWN_DISCRIMINATOR;
  }
}
