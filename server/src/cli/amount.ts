import { CommandError, UsageError } from './context.js';

const MAX_U64 = 2n ** 64n - 1n;
/** A byte of the mint. */
const MOST_DECIMALS = 255;

/** @throws CommandError where a service says of a token what would take minutes to write out */
export function requireDecimals(name: string, decimals: number): void {
  if (Number.isInteger(decimals) && decimals >= 0 && decimals <= MOST_DECIMALS) return;
  throw new CommandError(`the service says that ${name} has ${decimals} decimals, which no token has`);
}

/** An amount in the smallest unit, as a service says it: more digits than the chain knows would take seconds to read. */
export function unitsOf(answer: string): bigint {
  if (!/^\d{1,20}$/.test(answer)) throw new CommandError('the service told an amount that is none');
  return BigInt(answer);
}

/**
 * An amount as people write it (`1.5`) in the smallest unit of a token.
 *
 * @throws UsageError when it is not a plain decimal number above 0, has more places than the token, or passes 2^64 - 1.
 */
export function toSmallestUnit(text: string, decimals: number): bigint {
  const match = /^(\d+)(?:\.(\d+))?$/.exec(text);
  if (match === null) throw new UsageError(`the amount must be a number such as 1.5, not ${JSON.stringify(text)}`);
  const [, whole = '', fraction = ''] = match;
  if (fraction.length > decimals) throw new UsageError(`the amount has more than the token's ${decimals} decimals`);
  return checkAmount(BigInt(whole + fraction.padEnd(decimals, '0')));
}

/** An amount in the smallest unit. Throws UsageError if it is not a whole number above 0. */
export function parseRawAmount(text: string): bigint {
  if (!/^\d+$/.test(text)) throw new UsageError('with --raw the amount must be a whole number of the smallest unit');
  return checkAmount(BigInt(text));
}

function checkAmount(amount: bigint): bigint {
  if (amount === 0n) throw new UsageError('the amount must be above 0');
  if (amount > MAX_U64) throw new UsageError('the amount is more than a token account can hold');
  return amount;
}
