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

const TOKEN_PROGRAMS: readonly Address[] = [TOKEN_PROGRAM, TOKEN_2022_PROGRAM];

interface KeyedAccount {
  pubkey: string;
  account: { data: [string, 'base64'] };
}

/**
 * Everything that a vault holds, read from the chain alone. `known`: what it may have is looked at one by one, too, because a node may
 * leave it out of the list; of two answers, the one with more counts.
 */
export async function vaultHoldings(
  chain: Chain,
  vault: Address,
  known: readonly Address[] = [],
): Promise<VaultHoldings> {
  const [own, looked, ...listed] = await Promise.all([
    chain.account(vault),
    Promise.all(known.map((account) => vaultTokens(chain, vault, account))),
    ...TOKEN_PROGRAMS.map((tokenProgram) => tokenAccounts(chain, vault, tokenProgram)),
  ]);
  const accounts = new Map(listed.flat().map((held) => [held.account, held]));
  for (const held of looked) {
    if (!held) continue;
    const other = accounts.get(held.account);
    if (!other || other.tokens.amount < held.tokens.amount) accounts.set(held.account, held);
  }
  return { lamports: own?.lamports ?? 0n, accounts: [...accounts.values()] };
}

/**
 * The token account of a vault at this address. One that the node calls another program's is none: whoever moved it by that program
 * would give it the vault's signature.
 */
export async function vaultTokens(
  chain: Pick<Chain, 'account'>,
  vault: string,
  account: Address,
): Promise<VaultTokens | undefined> {
  const found = await chain.account(account);
  if (!found || !TOKEN_PROGRAMS.includes(found.owner)) return undefined;
  const tokens = decodeTokenAccount(found.data);
  return tokens?.owner === vault ? { account, tokenProgram: found.owner, tokens } : undefined;
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
