import { type Address, decodeTokenAccount, type Instruction, tokenRevoke, tokenTransferChecked } from '@slipway/wire';
import type { Chain } from '../../chain/index.js';
import type { Token } from '../router.js';

interface Guarded {
  token: Token;
  account: Address;
  owner: Address;
  /** What the account must have gained at least, in the smallest unit; negative where it may lose. */
  change: bigint;
}

/**
 * Instructions after a trade by which the chain itself refuses another change of the account, whatever the company's
 * program does with the owner's signature: the token program transfers from an account to itself only if the amount is
 * there and its owner signs. A delegate could stand in for the owner and take the rest later, so the program must leave
 * none behind. Nothing for an account that is made in the same transaction to be emptied; undefined if the account has
 * a delegate already, who would lose his right.
 */
export async function guardsOf(
  { account: read }: Pick<Chain, 'account'>,
  { token, account, owner, change }: Guarded,
): Promise<Instruction[] | undefined> {
  const found = await read(account);
  if (!found && change < 0n) return [];
  const held = found && decodeTokenAccount(found.data);
  if (held?.delegate !== undefined) return undefined;
  const least = (held?.amount ?? 0n) + change;
  const { tokenProgram } = token;
  return [
    tokenRevoke({ account, authority: owner, tokenProgram }),
    tokenTransferChecked({
      ...token,
      source: account,
      destination: account,
      authority: owner,
      amount: least > 0n ? least : 0n,
    }),
  ];
}
