import { decodeInviteInfo, decodeInviteInfoToken } from '@slipway/programs';
import { type Address, decodeTokenAccount } from '@slipway/wire';
import type { Chain } from '../../chain/index.js';

/** An invite that the program holds now. */
export interface OpenInvite {
  sender: Address;
  /** Unix seconds from which on it cannot be claimed. */
  expiry: bigint;
  /** Missing for SOL. */
  token?: { mint: Address; tokenProgram: Address };
}

/** The open invite at an address; undefined if there is none. @throws ChainUnavailable */
export async function readInvite(chain: Chain, program: Address, invitePda: Address): Promise<OpenInvite | undefined> {
  const account = await chain.account(invitePda);
  if (account?.owner !== program) return undefined;
  const sol = decodeInviteInfo(account.data);
  if (sol) return { sender: sol.sender, expiry: sol.expiry };
  const info = decodeInviteInfoToken(account.data);
  const escrow = info && (await chain.account(info.escrowTokenAccount));
  const held = escrow && decodeTokenAccount(escrow.data);
  // It may have ended between the two reads.
  if (!info || !held) return undefined;
  return { sender: info.sender, expiry: info.expiry, token: { mint: held.mint, tokenProgram: escrow.owner } };
}
