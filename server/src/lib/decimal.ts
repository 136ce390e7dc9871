/** An amount in whole units, exactly and without trailing zeros: 1500000 with 6 decimals is `1.5`. */
export function decimalString(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, '0');
  const split = digits.length - decimals;
  const fraction = digits.slice(split).replace(/0+$/, '');
  return fraction === '' ? digits.slice(0, split) : `${digits.slice(0, split)}.${fraction}`;
}

/** The value in USD of an amount in the smallest unit, at the price of one whole token. */
export function usdValue(amount: bigint, decimals: number, usd: number): number {
  return (Number(amount) / 10 ** decimals) * usd;
}

const USD_DIGITS = 9;

/** A price or value in USD as shown in answers: rounded to 9 significant digits, which hides binary fraction noise. */
export function roundedUsd(usd: number): number {
  return Number(usd.toPrecision(USD_DIGITS));
}

const DECIMAL_NUMBER = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/;

/**
 * A non-negative number in the smallest unit: 1.5 with 6 decimals is 1500000. Exact for the number as it is written;
 * undefined if it has more decimal places than that.
 */
export function scaledNumber(value: number, decimals: number): bigint | undefined {
  const [, whole, fraction = '', exponent = '0'] = DECIMAL_NUMBER.exec(String(value)) ?? [];
  if (whole === undefined) return undefined;
  const digits = BigInt(whole + fraction);
  const shift = Number(exponent) - fraction.length + decimals;
  if (shift >= 0) return digits * 10n ** BigInt(shift);
  const unit = 10n ** BigInt(-shift);
  return digits % unit === 0n ? digits / unit : undefined;
}

/** What people and settings write in SOL, in lamports. */
export const lamportsOf = (sol: number): bigint => BigInt(Math.round(sol * 1e9));
