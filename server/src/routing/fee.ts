const BPS = 10_000n;

/** So many basis points of an amount, rounded down. */
export function feeFrom(amount: bigint, bps: number): bigint {
  return (amount * BigInt(bps)) / BPS;
}

/** The least amount of which `net` is left when the fee, rounded down, is taken. */
export function grossOf(net: bigint, bps: number): bigint {
  return ((net - 1n) * BPS) / (BPS - BigInt(bps)) + 1n;
}
