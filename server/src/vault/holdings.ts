import {
  type Address,
  address,
  decodeTokenAccount,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  type TokenAccount,
} from '@slipway/wire';
import type { Chain } from '../chain/index.js';
import { ask, bytesIn } from '../chain/index.js';

/** One token account of a vault, such as an order's. */
export interface VaultTokens {
  account: Address;
  tokenProgram: Address;
  tokens: TokenAccount;
}

interface VaultHoldings {
  /** The balance of the vault's own account. */
  lamports: bigint;
  accounts: VaultTokens[];
}

interface KeyedAccount {
  pubkey: string;
  account: { data: [string, 'base64'] };
}

/** Everything that a vault holds, read from the chain alone. */
export async function vaultHoldings(chain: Chain, vault: Address): Promise<VaultHoldings> {
  const [own, ...accounts] = await Promise.all([
    chain.account(vault),
    ...[TOKEN_PROGRAM, TOKEN_2022_PROGRAM].map((tokenProgram) => tokenAccounts(chain, vault, tokenProgram)),
  ]);
  return { lamports: own?.lamports ?? 0n, accounts: accounts.flat() };
}

function tokenAccounts(chain: Chain, vault: Address, tokenProgram: Address): Promise<VaultTokens[]> {
  const params = [vault, { programId: tokenProgram }, { encoding: 'base64', commitment: 'confirmed' }];
  return ask(chain.rpc, 'getTokenAccountsByOwner', params, ({ value }: { value: KeyedAccount[] }) =>
    value.flatMap(({ pubkey, account }) => {
      const tokens = decodeTokenAccount(bytesIn(account.data[0]));
      return tokens?.owner === vault ? [{ account: address(pubkey), tokenProgram, tokens }] : [];
    }),
  );
}
