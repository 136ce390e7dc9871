import type { Address } from '@slipway/wire';
import type { Chain } from '../../chain.js';
import type { AddressedAccount } from '../../types.js';
import { type AccountFilter, passesFilters, readFilters, tokenIndexKey } from '../filters.js';
import { integer } from '../json.js';
import { readAddress, readAddresses, readConfig, readFlag } from '../params.js';
import { isTokenProgram, readAccountView, renderAccounts, renderKeyedAccounts } from '../render.js';
import { type Methods, withContext } from './method.js';

const MAX_ACCOUNTS = 100;

/** Reads of accounts, whatever program they belong to. */
export const accountMethods: Methods = {
  getAccountInfo: async (chain, params) => {
    const address = readAddress(params[0], 'pubkey');
    const view = readAccountView(readConfig(params[1], chain.slot));
    const account = await chain.account(address);
    const [value] = await renderAccounts(chain, [{ address, account }], view);
    return withContext(chain, value);
  },

  getMultipleAccounts: async (chain, params) => {
    const addresses = readAddresses(params[0], 'pubkeys', MAX_ACCOUNTS);
    const view = readAccountView(readConfig(params[1], chain.slot));
    const accounts = await chain.accounts(addresses);
    const keyed = addresses.map((address, index) => ({ address, account: accounts[index] }));
    return withContext(chain, await renderAccounts(chain, keyed, view));
  },

  getProgramAccounts: async (chain, params, forkHost) => {
    const program = readAddress(params[0], 'program');
    const config = readConfig(params[1], chain.slot);
    const view = readAccountView(config);
    const filters = readFilters(config.filters);
    // An upstream applies the filters itself; its list by mint would have the largest accounts only.
    const candidates =
      forkHost === null
        ? await candidateAccounts(chain, program, filters)
        : await chain.programAccounts(program, Array.isArray(config.filters) ? config.filters : []);
    const found = candidates.filter(({ account }) => account.owner === program && passesFilters(account, filters));
    const value = await renderKeyedAccounts(chain, found, view);
    return readFlag(config.withContext, 'withContext') ? withContext(chain, value) : value;
  },

  getBalance: async (chain, params) => {
    const address = readAddress(params[0], 'pubkey');
    readConfig(params[1], chain.slot);
    const account = await chain.account(address);
    return withContext(chain, integer(account?.lamports ?? 0n));
  },
};

function candidateAccounts(chain: Chain, program: Address, filters: AccountFilter[]): Promise<AddressedAccount[]> {
  const key = isTokenProgram(program) ? tokenIndexKey(filters) : undefined;
  if (key?.owner) return chain.tokenAccountsByOwner(key.owner);
  if (key?.mint) return chain.tokenAccountsByMint(key.mint);
  return chain.programAccounts(program);
}
