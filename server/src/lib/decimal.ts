/** An amount of the smallest unit in whole units, exactly and without trailing zeros: 1500000 of 6 decimals is `1.5`. */
export function decimalString(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, '0');
  const split = digits.length - decimals;
  const fraction = digits.slice(split).replace(/0+$/, '');
  return fraction === '' ? digits.slice(0, split) : `${digits.slice(0, split)}.${fraction}`;
}

const USD_DIGITS = 9;

/** A price or value in USD as it is answered: to 9 significant digits, without what binary fractions add behind them. */
export function roundedUsd(usd: number): number {
  return Number(usd.toPrecision(USD_DIGITS));
}
