import { type Address, decodeMint, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@slipway/wire';
import type { Chain } from '../../chain/index.js';
import { readMint } from '../../routing/aggregator/index.js';
import { invalid } from './order-terms.js';
import type { VaultToken } from './vault-transactions.js';

/**
 * A token that orders can trade: the keeper fills them over the aggregator alone, so that an order for any other token would wait
 * for good.
 * @throws AppError INVALID_REQUEST that names the field: not a mint, or one with an extension that no fill trades (a transfer fee, a
 * hook, a pause, one that is not known).
 */
export async function requireVaultToken(chain: Chain, field: string, mint: Address): Promise<VaultToken> {
  const [token, account] = await Promise.all([readVaultToken(chain, mint), chain.account(mint)]);
  if (!token) throw invalid(field, 'there is no such mint on the chain');
  const unsupported = readMint(account)?.unsupported;
  if (unsupported === undefined) return token;
  throw invalid(field, `no fill could trade it: mints with the extension ${unsupported} are not supported`);
}

/** A token that a vault holds already, whatever its mint's extensions allow; undefined if there is no such mint. */
export async function readVaultToken(chain: Chain, address: Address): Promise<VaultToken | undefined> {
  const account = await chain.account(address);
  const program = account?.owner;
  const mint = account && decodeMint(account.data);
  if (!mint?.initialized || (program !== TOKEN_PROGRAM && program !== TOKEN_2022_PROGRAM)) return undefined;
  return { mint: address, tokenProgram: program, decimals: mint.decimals };
}
