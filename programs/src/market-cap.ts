const DECIMAL_NUMBER = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/;

/**
 * The market cap of a launch in the quote's smallest unit: 1.5 with 6 decimals is 1500000. Exact for the number as it is
 * written, so that a client and its service come to the same; undefined if it has more decimal places than that.
 */
export function marketCap(value: number, decimals: number): bigint | undefined {
  const [, whole, fraction = '', exponent = '0'] = DECIMAL_NUMBER.exec(String(value)) ?? [];
  if (whole === undefined) return undefined;
  const digits = BigInt(whole + fraction);
  const shift = Number(exponent) - fraction.length + decimals;
  if (shift >= 0) return digits * 10n ** BigInt(shift);
  const unit = 10n ** BigInt(-shift);
  return digits % unit === 0n ? digits / unit : undefined;
}
