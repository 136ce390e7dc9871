// Addresses of programs.
#pragma once
#include "solana.h"

static u64 (*const sol_sha256)(const Slice *parts, u64 n, Pubkey *hash) = (void *)0x11f49d86UL;
static u64 (*const sol_curve_validate_point)(u64 curve, const Pubkey *point, void *unused) = (void *)0xaa2607caUL;

#define CURVE_EDWARDS 0
#define ADDRESS_MARKER "ProgramDerivedAddress"

// A slice of a text without the zero at its end.
#define TEXT(text) {text, sizeof text - 1}
#define KEY(key) {key, sizeof(Pubkey)}

// What sol_try_find_program_address finds, at a fifth of its price of 1,500 units a try. `seeds` has n seeds and space
// for 3 slices; then n + 1 of them, with the bump, sign for the address.
NOINLINE void find_address(Slice *seeds, u64 n, const Pubkey *program, u8 *bump, Pubkey *address) {
  seeds[n] = (Slice){bump, 1};
  seeds[n + 1] = (Slice)KEY(program);
  seeds[n + 2] = (Slice)TEXT(ADDRESS_MARKER);
  *bump = 255;
  sol_sha256(seeds, n + 3, address);
  // A point of the curve could be somebody's public key.
  while (sol_curve_validate_point(CURVE_EDWARDS, address, NULL) == 0) {
    (*bump)--;
    sol_sha256(seeds, n + 3, address);
  }
}
