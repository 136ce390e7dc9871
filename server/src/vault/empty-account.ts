import {
  type Address,
  associatedTokenAddress,
  createAssociatedToken,
  createAssociatedTokenIdempotent,
  decodeTokenAccount,
  holdsSol,
  type Instruction,
  tokenCloseAccount,
  tokenTransferChecked,
  tokenWithdrawExcessLamports,
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
 * Alternative instructions that send a token account of a vault to its wallet, the best first, which closes it. Where `payer` makes
 * the wallet its account, it gets the rent of the closed one for that: anybody can make accounts of the vault, of mints of his own.
 * Whatever a node says, nothing else goes elsewhere: the chain looks whether the wallet has an account, and what the rent is.
 */
export async function waysToWallet(
  chain: Pick<Chain, 'account'>,
  held: VaultTokens,
  { wallet, payer, decimals }: { wallet: Address; payer: Address; decimals: number | undefined },
): Promise<Instruction[][]> {
  const { account, tokenProgram, tokens } = held;
  const { mint, owner } = tokens;
  const close = closeToWallet(held, wallet);
  // Closing an account of SOL pays out all its lamports.
  if (holdsSol(mint) || tokens.amount === 0n) return [[close]];
  if (decimals === undefined) return [];
  const move = moveToWallet(held, wallet, decimals);
  const theirs = associatedTokenAddress(wallet, mint, tokenProgram);
  const own = await chain.account(theirs);
  if (own && decodeTokenAccount(own.data)?.owner === wallet) {
    // The chain refuses this where the wallet's account has been given to somebody else; the vault has nothing to make another.
    const isOwn = createAssociatedTokenIdempotent({ payer: owner, owner: wallet, mint, tokenProgram });
    // An account that cannot be closed (for example, one with withheld fees) can still be emptied.
    return [
      [isOwn, move, close],
      [isOwn, move],
    ];
  }
  const make = createAssociatedToken({ payer, owner: wallet, mint, tokenProgram });
  const closeForRent = tokenCloseAccount({ account, destination: payer, authority: owner, tokenProgram });
  // A wallet that has no SOL at all cannot be sent a few lamports.
  return [wallet, theirs].map((destination) => [
    make,
    move,
    tokenWithdrawExcessLamports({ source: account, destination, authority: owner, tokenProgram }),
    closeForRent,
  ]);
}
