/** Bytes or parts that are no valid Solana message or transaction. The text is safe to show to a caller. */
export class WireError extends Error {
  override readonly name = 'WireError';
}

/** A message whose fee payer is a program that it calls. */
export class CalledFeePayer extends WireError {
  /** In base58. */
  readonly feePayer: string;

  constructor(feePayer: string) {
    super('the fee payer cannot be a called program');
    this.feePayer = feePayer;
  }
}
