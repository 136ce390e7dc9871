/** An amount of the smallest unit as people write it: 1234567n with 6 decimals is "1.234567". None is shown as 0 but 0. */
export function amountText(amount: bigint, decimals: number, most = 6): string {
  const negative = amount < 0n;
  const digits = (negative ? -amount : amount).toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals).replace(/\B(?=(\d{3})+$)/g, ',');
  const fraction = digits.slice(digits.length - decimals);
  const cut = fraction.slice(0, most);
  const shown = (/[1-9]/.test(whole + cut) ? cut : fraction).replace(/0+$/, '');
  return `${negative ? '−' : ''}${whole}${shown === '' ? '' : `.${shown}`}`;
}

/** An amount of a token; one that is not known here has no decimals here, so that its units are said to be that. */
export const tokenText = (
  amount: string,
  mint: string,
  known: { symbol: string; decimals: number } | undefined,
): string =>
  known
    ? `${amountText(BigInt(amount), known.decimals)} ${known.symbol}`
    : `${BigInt(amount).toLocaleString('en-US')} units of ${short(mint)}`;

/** The smallest units of what somebody has typed; undefined for what is no amount above 0. */
export function amountOf(text: string, decimals: number): bigint | undefined {
  const match = /^\s*(\d{1,20})?(?:\.(\d*))?\s*$/.exec(text);
  if (match === null) return undefined;
  const [, whole = '', fraction = ''] = match;
  if (fraction.length > decimals || whole + fraction === '') return undefined;
  const amount = BigInt(`${whole || '0'}${fraction.padEnd(decimals, '0')}`);
  return amount > 0n && amount < 2n ** 64n ? amount : undefined;
}

/** Some write decimals behind a comma, and others thousands: neither is guessed. */
export const commaProblem = (text: string): string | undefined =>
  text.includes(',') ? 'a number without commas, such as 1.5 or 1000' : undefined;

/** What is expected where `amountOf` finds none. */
export const amountProblem = (text: string): string => commaProblem(text) ?? 'an amount above 0, such as 1.5';

/** A price or value in dollars, with as many digits as tell something. */
export function usd(value: number): string {
  const digits = value !== 0 && Math.abs(value) < 1 ? Math.min(12, 3 - Math.floor(Math.log10(Math.abs(value)))) : 2;
  return `$${value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: digits })}`;
}

export const percent = (value: number): string => `${value.toLocaleString('en-US', { maximumFractionDigits: 3 })} %`;

/** "1 account", "2 accounts". */
export const countOf = (count: number, one: string): string =>
  `${count.toLocaleString('en-US')} ${one}${count === 1 ? '' : 's'}`;

/** The two ends of an address or a signature. */
export const short = (text: string): string => (text.length > 12 ? `${text.slice(0, 4)}…${text.slice(-4)}` : text);

export const timeText = (ms: number): string => new Date(ms).toLocaleTimeString('en-GB');

const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}]/gu;
/** A name that somebody else has written: on one line, without signs that turn or hide what stands beside them. */
export function plainName(text: string, most = 32): string {
  const [...letters] = text
    .normalize('NFC')
    .replace(HIDDEN, '')
    .replace(/\p{M}{3,}/gu, '')
    .trim();
  return letters.length > most ? `${letters.slice(0, most - 1).join('')}…` : letters.join('');
}
