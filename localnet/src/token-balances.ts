import { type Address, addressFromBytes } from '@slipway/wire';
import { isTokenAccount } from './accounts-db.js';
import { asBuffer } from './bytes.js';
import type { AccountLookup } from './chain-transaction.js';
import type { Account, TokenBalance } from './types.js';

const OWNER_OFFSET = 32;
const AMOUNT_OFFSET = 64;
const MINT_DECIMALS_OFFSET = 44;

/** The mint of a token account. */
export function mintOf(account: Account): Address {
  return addressFromBytes(account.data, 0);
}

/** The balances of those accounts that hold tokens; of a token whose mint is unknown there is none. */
export function tokenBalances(accounts: (Account | undefined)[], lookup: AccountLookup): TokenBalance[] {
  const balances: TokenBalance[] = [];
  for (const [accountIndex, account] of accounts.entries()) {
    if (!account || !isTokenAccount(account)) continue;
    const mint = mintOf(account);
    const decimals = lookup(mint)?.data[MINT_DECIMALS_OFFSET];
    if (decimals === undefined) continue;
    const amount = asBuffer(account.data).readBigUInt64LE(AMOUNT_OFFSET);
    const owner = addressFromBytes(account.data, OWNER_OFFSET);
    balances.push({ accountIndex, mint, owner, programId: account.owner, amount, decimals });
  }
  return balances;
}
