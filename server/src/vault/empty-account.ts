import {
  type Address,
  associatedTokenAddress,
  createAssociatedTokenIdempotent,
  decodeTokenAccount,
  type Instruction,
  tokenCloseAccount,
  tokenTransferChecked,
} from '@slipway/wire';
import type { Chain } from '../chain/index.js';
import type { VaultTokens } from './holdings.js';

/** Closes a token account of a wallet's vault, which must be empty or native. Rent and SOL go to the wallet. */
export function closeToWallet({ account, tokenProgram, tokens: { owner } }: VaultTokens, wallet: Address): Instruction {
  return tokenCloseAccount({ account, destination: wallet, authority: owner, tokenProgram });
}

/** Moves all tokens of a vault's account to the wallet's associated token account, which must exist. */
export function moveToWallet(
  { account, tokenProgram, tokens: { mint, owner, amount } }: VaultTokens,
  wallet: Address,
  decimals: number,
): Instruction {
  const destination = associatedTokenAddress(wallet, mint, tokenProgram);
  return tokenTransferChecked({ source: account, mint, destination, authority: owner, amount, decimals, tokenProgram });
}

/**
 * Alternative instructions that send a token account of a vault to its wallet, the best first. Where `payer` makes the wallet
 * its account, it gets the rent of the closed one for that: anybody can make accounts of the vault, of mints of his own.
 */
export async function waysToWallet(
  chain: Pick<Chain, 'account'>,
  held: VaultTokens,
  { wallet, payer, decimals }: { wallet: Address; payer: Address; decimals: number | undefined },
): Promise<Instruction[][]> {
  const { account, tokenProgram, tokens } = held;
  const { mint, owner } = tokens;
  const close = closeToWallet(held, wallet);
  // Closing a native account pays out all its lamports.
  if (tokens.isNative || tokens.amount === 0n) return [[close]];
  if (decimals === undefined) return [];
  const move = moveToWallet(held, wallet, decimals);
  const own = await chain.account(associatedTokenAddress(wallet, mint, tokenProgram));
  // An account that cannot be closed (for example, one with withheld fees) can still be emptied.
  if (own && decodeTokenAccount(own.data)?.owner === wallet) return [[move, close], [move]];
  // The chain refuses this where the wallet's account has been given to somebody else.
  const make = createAssociatedTokenIdempotent({ payer, owner: wallet, mint, tokenProgram });
  return [[make, move, tokenCloseAccount({ account, destination: payer, authority: owner, tokenProgram })]];
}
