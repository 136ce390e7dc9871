import { type Address, decodeTokenAccount, holdsSol, type TokenAccount, token2022Extensions } from '@slipway/wire';

/** As `ExtensionType` of the Token-2022 program numbers them; the first byte of each says whether it is on. */
const MEMO_TRANSFER = 8;
const CPI_GUARD = 11;

/** The program's error for a transfer without a memo right before it to an account that `requiresMemo`. */
export const NO_MEMO = 36;
/** Its error for a program that moves tokens out of an account that `hasCpiGuard`. */
export const CPI_GUARDED = 42;

/**
 * Whether each transfer to this token account needs a memo right before it. A program that transfers adds one itself, or fails:
 * some venues do, our programs do not.
 */
export function requiresMemo(data: Uint8Array): boolean {
  return isOn(data, MEMO_TRANSFER);
}

/** Whether no program moves tokens out of it by its owner's signature. A transfer that the transaction itself makes goes through. */
export function hasCpiGuard(data: Uint8Array): boolean {
  return isOn(data, CPI_GUARD);
}

/** Who may close a token account in place of its owner, who cannot take that back: while it is empty, or at any time if it is of SOL. */
export function closerOf({
  owner,
  closeAuthority,
}: Pick<TokenAccount, 'owner' | 'closeAuthority'>): Address | undefined {
  return closeAuthority === owner ? undefined : closeAuthority;
}

/** Whether it is an account of SOL that somebody else may close, which pays out all that is in it. */
export function givesAwaySol(data: Uint8Array): boolean {
  const held = decodeTokenAccount(data);
  return held !== undefined && holdsSol(held.mint) && closerOf(held) !== undefined;
}

function isOn(data: Uint8Array, extension: number): boolean {
  return token2022Extensions(data).some(({ type, data: [on] }) => type === extension && on !== 0);
}
