// Limit orders: a maker's tokens wait in an account of this program until a taker pays what the order asks for them, the
// maker cancels, or the order's time is over. It follows the public interface of the limit order program.
//
// The order's account is the program address of (ORDER_SEED, maker, unique id). It owns the reserve, the associated token
// account with the tokens, and signs only for a loan that is paid for in the same transaction and for what goes back to
// the maker.
#define MAX_ACCOUNTS 15
#define MAX_CALL_ACCOUNTS 6
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunused-function"  // the base has more than this program needs
#include "native.h"
#pragma clang diagnostic pop
#include "cancel.h"
#include "fill.h"
#include "initialize.h"

u64 entrypoint(u8 *bytes) {
  Input in;
  read_input(bytes, &in);
  CHECK(in.data_len >= sizeof(u64), ERROR_UNKNOWN_DISCRIMINATOR);
  switch (load_u64(in.data)) {
    case INITIALIZE_ORDER: return initialize_order(&in);
    case CANCEL_ORDER: return cancel_order(&in);
    case CANCEL_DUST_ORDER: return cancel_dust_order(&in);
    case PRE_FLASH_FILL_ORDER: return pre_flash_fill_order(&in);
    case FLASH_FILL_ORDER: return flash_fill_order(&in);
    case UPDATE_FEE: return update_fee(&in);
    case WITHDRAW_FEE: return withdraw_fee(&in);
    case EVENT_TAG: return accept_event(&in);
    case FILL_ORDER: return ERROR_UNKNOWN_INSTRUCTION;  // runs only over the hosted service's router
    default: return ERROR_UNKNOWN_DISCRIMINATOR;
  }
}
