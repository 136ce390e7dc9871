const BPS = 10_000n;

/** This many basis points of an amount, rounded down. */
export function feeFrom(amount: bigint, bps: number): bigint {
  return (amount * BigInt(bps)) / BPS;
}

/** The least amount that leaves `net` after the fee, which is rounded down. */
export function grossOf(net: bigint, bps: number): bigint {
  return ((net - 1n) * BPS) / (BPS - BigInt(bps)) + 1n;
}
