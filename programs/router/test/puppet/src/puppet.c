// A venue for tests that does whatever its instruction says, with every signature that it is given and its own.
//
// data: amount (u64), the bump of its own address (seed "puppet"), steps:
//   0 call: program, numbers of accounts and of bytes, accounts (a byte each, number | ROLE_… << 6), data
//   1 write into an account of its own: account, offset, number of bytes, bytes
//   2 compare: two numbers (u64), of which the router may have written one; other than equal they are an error
//   other numbers: nothing
#define MAX_ACCOUNTS 40
#define MAX_CALL_ACCOUNTS 40
#include "invoke.h"

enum { CALL = 0, WRITE = 1, COMPARE = 2 };

NOINLINE u64 call(const Input *in, const u8 *step) {
  u64 n = step[2], len = step[3];
  const u8 *accounts = step + 4;
  Call inner;
  inner.program = &in->accounts[step[1]]->key;
  for (u64 i = 0; i < n; i++) {
    inner.accounts[i] = in->accounts[accounts[i] & 63];
    inner.roles[i] = accounts[i] >> 6;
  }
  inner.n = n;
  inner.data = accounts + n;
  inner.data_len = len;
  Slice seeds[2] = {{"puppet", 6}, {in->data + 8, 1}};
  SignerSeeds signer = {seeds, 2};
  invoke(&inner, &signer);
  return 4 + n + len;
}

NOINLINE u64 write(const Input *in, const u8 *step) {
  sol_memcpy_(in->accounts[step[1]]->data + step[2], step + 4, step[3]);
  return 4 + (u64)step[3];
}

u64 entrypoint(u8 *bytes) {
  Input in;
  read_input(bytes, &in);
  const u8 *step = in.data + 9, *end = in.data + in.data_len;
  while (step < end) {
    switch (step[0]) {
      case CALL: step += call(&in, step); break;
      case WRITE: step += write(&in, step); break;
      case COMPARE:
        CHECK(load_u64(step + 1) == load_u64(step + 9), ERROR_INVALID_INSTRUCTION_DATA);
        step += 17;
        break;
      default: step++;
    }
  }
  return 0;
}
