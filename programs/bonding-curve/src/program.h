// What the instructions have in common.
#pragma once
#include "curve.h"
#include "stand-in.h"

// Slots or seconds, whichever the configuration counts in.
INLINE u64 point_in_time(const u8 *config, const Clock *clock) {
  return config[CONFIG_ACTIVATION_TYPE] == 0 ? clock->slot : (u64)clock->unix_timestamp;
}
