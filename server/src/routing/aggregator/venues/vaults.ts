import {
  type Address,
  decodeTokenAccount,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  type TokenAccount,
  token2022Extensions,
} from '@slipway/wire';
import type { ChainAccount } from '../../../chain/index.js';
import type { PoolToken } from '../venue.js';
import { readOnce } from './anchor.js';

/** The extension that every associated token account of Token-2022 has; any other may change what a transfer does. */
const IMMUTABLE_OWNER = 7;

export interface Vault {
  vault: TokenAccount;
  tokenProgram: Address;
}

/** A pool's token account of a mint, which plain transfers go in and out of; or why it is not one. */
export function openVault(account: ChainAccount | undefined, mint: Address, mayBeEmpty = false): Vault | string {
  if (!account) return 'there is no account';
  const opened = readVault(account);
  if (typeof opened === 'string') return opened;
  if (opened.vault.mint !== mint) return 'a token account of another mint';
  return opened.vault.amount === 0n && !mayBeEmpty ? 'empty' : opened;
}

/** The balances of the vaults of a pool that may have run out of a token; or why one of them cannot be traded with. */
export function vaultBalances(
  tokens: readonly [PoolToken, PoolToken],
  accounts: readonly (ChainAccount | undefined)[],
): [bigint, bigint] | string {
  const [a, b] = tokens.map(({ mint, tokenProgram }, side) => {
    const opened = openVault(accounts[side], mint, true);
    if (typeof opened === 'string') return `vault ${side}: ${opened}`;
    return opened.tokenProgram === tokenProgram ? opened.vault.amount : `vault ${side}: a token of another program`;
  });
  if (typeof a === 'string') return a;
  if (typeof b === 'string') return b;
  return [a!, b!];
}

const readVault = readOnce(({ owner: tokenProgram, data }: ChainAccount): Vault | string => {
  if (tokenProgram !== TOKEN_PROGRAM && tokenProgram !== TOKEN_2022_PROGRAM) return 'no token account';
  const vault = decodeTokenAccount(data);
  if (!vault) return 'no token account';
  if (vault.state !== 'initialized') return vault.state;
  return hasPlainTransfers(data) ? { vault, tokenProgram } : 'a token with an extension';
});

function hasPlainTransfers(data: Uint8Array): boolean {
  try {
    return token2022Extensions(data).every(({ type }) => type === IMMUTABLE_OWNER);
  } catch {
    return false;
  }
}
