import {
  type Address,
  associatedTokenAddress,
  type Instruction,
  tokenCloseAccount,
  tokenTransferChecked,
} from '@slipway/wire';
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
