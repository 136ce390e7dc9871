/** Bytes or parts that are no valid Solana message or transaction. The text is safe to show to a caller. */
export class WireError extends Error {
  override readonly name = 'WireError';
}
