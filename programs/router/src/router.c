// Runs the hops of a swap route over any venue programs, in one instruction.
//
//   0 [signer] taker
//   1 [writable] source: a token account of the taker
//   2 [writable] destination: a token account, the taker's or somebody else's
//   … whatever the hops name: venues, their accounts, intermediate token accounts of the taker
//
// data: 1, input (u64), least that arrives in the destination (u64), hops (see Hop) up to the end.
//
// What a hop may spend is what has come into its `from` since the instruction began (into the source: the stated input),
// measured by the account's balance; what lay there before stays there. Its share is of what there was to spend when the
// last hop with STARTS_SPLIT began; the share of 10000 is all that is left. A hop of nothing is left out. A fee is a hop
// over the token program: a split of its own, which leaves the rest to the next one.
//
// A venue may be hostile, and it has the taker's signature. When all have run, therefore: the source has lost no more
// than the input; no other token account of the taker in the list has lost tokens; none of them has lost lamports, has
// another owner, delegate or close authority, or was closed; and the taker's own account has lost no lamports and is no
// other program's. No other signature is passed on. What the router cannot watch are the taker's powers over other
// things (mints, stake, nonces, tokens delegated to the taker): a client does not put them in the list.
//
// It keeps nothing between calls and has no authority.
#include "router.h"

// Whether an account is a token account, in whatever state.
NOINLINE bool is_holding(const Account *a) {
  return is_token_program(&a->owner) && (a->data_len == TOKEN_ACCOUNT_LEN || is_extended(a, KIND_ACCOUNT));
}

INLINE bool is_native(const Account *a) { return load_u32(a->data + TOKEN_IS_NATIVE) != 0; }

// Of wrapped SOL the lamports: SyncNative, open to anybody, counts those that lay in the account as if they had come in.
INLINE u64 balance(const Account *a) { return is_native(a) ? a->lamports : token_amount(a); }

// ---- what must be left --------------------------------------------------------------------------------------------

NOINLINE void watch(const Input *in) {
  const Pubkey *taker = &in->accounts[TAKER]->key;
  for (u64 i = SOURCE; i < in->n; i++) {
    const Account *a = in->accounts[i];
    if (!is_holding(a)) continue;
    if (i != DESTINATION && !key_eq(token_owner(a), taker)) continue;
    Watched *watched = WATCHED + i;
    watched->floor = balance(a);
    watched->lamports = a->lamports;
    watched->program = a->owner;
    sol_memcpy_(watched->data, a->data, TOKEN_ACCOUNT_LEN);
    watched->is_watched = true;
  }
}

NOINLINE bool same_bytes(const Account *a, const Watched *watched, u64 from, u64 to) {
  int difference;
  sol_memcmp_(a->data + from, watched->data + from, to - from, &difference);
  return difference == 0;
}

// Of a closed account all bytes are zero, and so is the owner of its tokens.
NOINLINE u64 check_watched(const Account *a, const Watched *watched) {
  CHECK(key_eq(&a->owner, &watched->program), ROUTER_ACCOUNT_CHANGED);
  CHECK(same_bytes(a, watched, TOKEN_MINT, TOKEN_AMOUNT), ROUTER_ACCOUNT_CHANGED);
  CHECK(same_bytes(a, watched, TOKEN_HAS_DELEGATE, TOKEN_ACCOUNT_LEN), ROUTER_ACCOUNT_CHANGED);
  CHECK(balance(a) >= watched->floor, ROUTER_TOKENS_TAKEN);
  CHECK(is_native(a) || a->lamports >= watched->lamports, ROUTER_LAMPORTS_TAKEN);
  return 0;
}

NOINLINE u64 check_taker(const Account *taker, const Wallet *before) {
  CHECK(taker->lamports >= before->lamports, ROUTER_LAMPORTS_TAKEN);
  CHECK(taker->data_len == before->data_len, ROUTER_ACCOUNT_CHANGED);
  CHECK(key_eq(&taker->owner, &before->program), ROUTER_ACCOUNT_CHANGED);
  return 0;
}

// ---- hops ---------------------------------------------------------------------------------------------------------

// What a hop is given; `split` is what the present split began with.
NOINLINE u64 amount_of(const Input *in, const Hop *hop, u64 *split, u64 *amount) {
  CHECK(hop->from < in->n, ERROR_NOT_ENOUGH_ACCOUNTS);
  const Watched *from = WATCHED + hop->from;
  CHECK(from->is_watched, ROUTER_INVALID_TOKEN_ACCOUNT);
  u64 has = balance(in->accounts[hop->from]);
  CHECK(has >= from->floor, ROUTER_TOKENS_TAKEN);
  u64 available = has - from->floor, share = load_u16(hop->share), remainder;
  if (share >= STARTS_SPLIT) {
    *split = available;
    share -= STARTS_SPLIT;
  }
  CHECK(share <= ALL_BPS, ROUTER_INVALID_INSTRUCTION);
  *amount = share == ALL_BPS ? available : mul_div(*split, share, ALL_BPS, &remainder);
  return 0;
}

NOINLINE u64 call_venue(const Input *in, const Hop *hop, u64 amount) {
  CHECK(hop->program < in->n, ERROR_NOT_ENOUGH_ACCOUNTS);
  CHECK(hop->accounts_len <= MAX_CALL_ACCOUNTS, ROUTER_INVALID_INSTRUCTION);
  u8 data[MAX_VENUE_DATA];
  const u8 *before = hop->bytes + hop->accounts_len;
  sol_memcpy_(data, before, hop->before_len);
  store_u64(data + hop->before_len, amount);
  sol_memcpy_(data + hop->before_len + sizeof(u64), before + hop->before_len, hop->after_len);

  Call call;
  call.program = &in->accounts[hop->program]->key;
  // Calls in a circle over another program are refused by the runtime.
  CHECK(!key_eq(call.program, in->program_id), ROUTER_SELF_CALL);
  for (u64 i = 0; i < hop->accounts_len; i++) {
    u64 number = hop->bytes[i] & NUMBER_MASK;
    u8 role = hop->bytes[i] >> ROLE_SHIFT;
    CHECK(number < in->n, ERROR_NOT_ENOUGH_ACCOUNTS);
    CHECK(role < ROLE_SIGNER || number == TAKER, ROUTER_FOREIGN_SIGNER);
    call.accounts[i] = in->accounts[number];
    call.roles[i] = role;
  }
  call.n = hop->accounts_len;
  call.data = data;
  call.data_len = hop->before_len + sizeof(u64) + hop->after_len;
  invoke(&call, NULL);
  return 0;
}

NOINLINE u64 run_hop(const Input *in, const Hop *hop, u64 *split) {
  u64 amount;
  TRY(amount_of(in, hop, split, &amount));
  if (amount == 0) return 0;
  CHECK(hop->to < in->n, ERROR_NOT_ENOUGH_ACCOUNTS);
  const Account *to = in->accounts[hop->to];
  CHECK(is_holding(to), ROUTER_INVALID_TOKEN_ACCOUNT);
  u64 before = balance(to);
  TRY(call_venue(in, hop, amount));
  CHECK(balance(to) > before, ROUTER_NOTHING_RECEIVED);
  return 0;
}

NOINLINE u64 run_hops(const Input *in) {
  const u8 *at = ((const Route *)in->data)->hops, *end = in->data + in->data_len;
  u64 split = 0;
  while (at != end) {
    // Where the data ends too early for its lengths, they are read from what follows it, the program's id.
    const Hop *hop = (const Hop *)at;
    u64 len = sizeof(Hop) + hop->accounts_len + hop->before_len + hop->after_len;
    CHECK((u64)(end - at) >= len, ROUTER_INVALID_INSTRUCTION);
    TRY(run_hop(in, hop, &split));
    at += len;
  }
  return 0;
}

// -------------------------------------------------------------------------------------------------------------------

NOINLINE u64 check_input(const Input *in) {
  CHECK(in->n >= NAMED_ACCOUNTS, ERROR_NOT_ENOUGH_ACCOUNTS);
  CHECK(in->data_len >= sizeof(Route), ROUTER_INVALID_INSTRUCTION);
  CHECK(in->data[0] == ROUTE_TAG, ROUTER_INVALID_INSTRUCTION);
  CHECK(in->accounts[TAKER]->is_signer, ROUTER_TAKER_MUST_SIGN);
  CHECK(in->accounts[SOURCE] != in->accounts[DESTINATION], ROUTER_SAME_ACCOUNT);
  return 0;
}

u64 entrypoint(u8 *bytes) {
  Input in;
  read_input(bytes, &in);
  TRY(check_input(&in));
  const Route *route = (const Route *)in.data;
  u64 amount_in = load_u64(route->amount_in);
  const Account *taker = in.accounts[TAKER], *destination = in.accounts[DESTINATION];
  Wallet wallet = {taker->lamports, taker->data_len, taker->owner};
  watch(&in);
  CHECK(WATCHED[SOURCE].is_watched, ROUTER_INVALID_TOKEN_ACCOUNT);
  CHECK(WATCHED[DESTINATION].is_watched, ROUTER_INVALID_TOKEN_ACCOUNT);
  CHECK(WATCHED[SOURCE].floor >= amount_in, ROUTER_INSUFFICIENT_FUNDS);
  WATCHED[SOURCE].floor -= amount_in;

  TRY(run_hops(&in));

  for (u64 i = SOURCE; i < in.n; i++) {
    if (WATCHED[i].is_watched) TRY(check_watched(in.accounts[i], WATCHED + i));
  }
  TRY(check_taker(taker, &wallet));
  u64 arrived = balance(destination) - WATCHED[DESTINATION].floor;
  CHECK(arrived >= load_u64(route->min_out), ROUTER_SLIPPAGE_TOLERANCE_EXCEEDED);
  return 0;
}
