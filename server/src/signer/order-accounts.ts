import { type Address, createAddressWithSeed, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@slipway/wire/formats';

/** An order's token account, derived from its vault and the request id of its deposit. */
export function orderAccount(vault: Address, requestId: string, side: 'in' | 'out', tokenProgram: Address): Address {
  return createAddressWithSeed(vault, orderSeed(requestId, side), tokenProgram);
}

/**
 * All accounts that an order of this vault may have on these sides, by the request id of its deposit; none for a text that
 * is no id.
 */
export function orderAccounts(
  vault: Address,
  requestId: string,
  sides: readonly ('in' | 'out')[] = ['in', 'out'],
): Address[] {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(requestId)) return [];
  return sides.flatMap((side) =>
    [TOKEN_PROGRAM, TOKEN_2022_PROGRAM].map((program) => orderAccount(vault, requestId, side, program)),
  );
}

/** At most 26 of the 32 bytes that a seed may have. */
export function orderSeed(requestId: string, side: 'in' | 'out'): string {
  return `${side}-${Buffer.from(requestId.replaceAll('-', ''), 'hex').toString('base64url')}`;
}
