import {
  type Address,
  decodeMint,
  TOKEN_2022_PROGRAM,
  TOKEN_ACCOUNT_SPACE,
  TOKEN_PROGRAM,
  token2022Extensions,
} from '@slipway/wire';
import type { Chain } from '../../chain/index.js';
import { readMintExtensions } from '../../chain/index.js';
import { invalid } from './order-terms.js';
import type { VaultToken } from './vault-transactions.js';

/** Adds the account type byte, and the empty extension that token accounts of a pausable mint have. */
const PAUSABLE_ACCOUNT_SPACE = TOKEN_ACCOUNT_SPACE + 1 + 4;
const PAUSABLE = 26;

/**
 * A token that orders can trade.
 * @throws AppError INVALID_REQUEST that names the field: not a mint, or one whose transfers do not move exactly the
 * stated amount (a fee, a hook), or nothing at all.
 */
export async function requireVaultToken(chain: Chain, field: string, mint: Address): Promise<VaultToken> {
  const [token, account] = await Promise.all([readVaultToken(chain, mint), chain.account(mint)]);
  if (!token || !account) throw invalid(field, 'there is no such mint on the chain');
  const extensions = readMintExtensions(account.data);
  if (!extensions) throw invalid(field, 'the mint has extensions that cannot be read');
  if (extensions.transferFee) throw invalid(field, 'mints with a transfer fee are not supported');
  if (extensions.transferHook) throw invalid(field, 'mints with a transfer hook are not supported');
  if (extensions.nonTransferable || extensions.defaultFrozen) throw invalid(field, 'the mint cannot be transferred');
  return token;
}

/** A token that a vault holds already, whatever its mint's extensions allow; undefined if there is no such mint. */
export async function readVaultToken(chain: Chain, address: Address): Promise<VaultToken | undefined> {
  const account = await chain.account(address);
  const program = account?.owner;
  const mint = account && decodeMint(account.data);
  if (!mint?.initialized || (program !== TOKEN_PROGRAM && program !== TOKEN_2022_PROGRAM)) return undefined;
  const isPausable = extensionsOf(account!.data).includes(PAUSABLE);
  return {
    mint: address,
    tokenProgram: program,
    decimals: mint.decimals,
    accountSpace: isPausable ? PAUSABLE_ACCOUNT_SPACE : TOKEN_ACCOUNT_SPACE,
  };
}

function extensionsOf(data: Uint8Array): number[] {
  try {
    return token2022Extensions(data).map(({ type }) => type);
  } catch {
    return [];
  }
}
