/** An amount in whole units, exactly and without trailing zeros: 1500000 with 6 decimals is `1.5`. */
export function decimalString(amount: bigint, decimals: number): string {
  if (amount < 0n) return `-${decimalString(-amount, decimals)}`;
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

/** What people and settings write in SOL, in lamports. */
export const lamportsOf = (sol: number): bigint => BigInt(Math.round(sol * 1e9));
