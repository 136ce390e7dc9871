import { type Address, decodeMint, decodeTokenAccount, type Mint } from '@slipway/wire';
import type { Chain } from '../../chain.js';
import type { AddressedAccount } from '../../types.js';
import { invalidParam, RPC_CODE, RpcError } from '../errors.js';
import { readAddress, readConfig, readObject } from '../params.js';
import { decimalsOfMints, isTokenProgram, readAccountView, renderKeyedAccounts } from '../render.js';
import { uiTokenAmount } from '../token-amount.js';
import { type Methods, withContext } from './method.js';

const LARGEST_ACCOUNTS = 20;

/** Reads of SPL Token and Token-2022 accounts. */
export const tokenMethods: Methods = {
  getTokenAccountsByOwner: (chain, params) =>
    tokenAccountsOf(chain, params, 'owner', (owner) => chain.tokenAccountsByOwner(owner)),

  getTokenAccountsByDelegate: (chain, params) =>
    tokenAccountsOf(chain, params, 'delegate', (delegate) => chain.tokenAccountsByDelegate(delegate)),

  getTokenAccountBalance: async (chain, params) => {
    const address = readAddress(params[0], 'pubkey');
    readConfig(params[1], chain.slot);
    const account = await chain.account(address);
    if (!account) throw new RpcError(RPC_CODE.invalidParams, 'Invalid param: could not find account');
    const state = isTokenProgram(account.owner) ? decodeTokenAccount(account.data) : undefined;
    if (!state) throw new RpcError(RPC_CODE.invalidParams, 'Invalid param: not a Token account');
    const decimals = (await decimalsOfMints(chain, [account]))(state.mint);
    if (decimals === undefined) throw new RpcError(RPC_CODE.invalidParams, 'Invalid param: could not find mint');
    return withContext(chain, uiTokenAmount(state.amount, decimals));
  },

  getTokenSupply: async (chain, params) => {
    const address = readAddress(params[0], 'mint');
    readConfig(params[1], chain.slot);
    const mint = await readMint(chain, address);
    return withContext(chain, uiTokenAmount(mint.supply, mint.decimals));
  },

  getTokenLargestAccounts: async (chain, params) => {
    const address = readAddress(params[0], 'mint');
    readConfig(params[1], chain.slot);
    const { decimals } = await readMint(chain, address);
    const holders = (await chain.tokenAccountsByMint(address)).flatMap((holder) => {
      const state = decodeTokenAccount(holder.account.data);
      return state ? [{ address: holder.address, amount: state.amount }] : [];
    });
    holders.sort((a, b) => (a.amount === b.amount ? (a.address < b.address ? -1 : 1) : a.amount < b.amount ? 1 : -1));
    const largest = holders.slice(0, LARGEST_ACCOUNTS);
    return withContext(
      chain,
      largest.map((holder) => ({ address: holder.address, ...uiTokenAmount(holder.amount, decimals) })),
    );
  },
};

async function tokenAccountsOf(
  chain: Chain,
  params: unknown[],
  name: string,
  find: (address: Address) => Promise<AddressedAccount[]>,
): Promise<unknown> {
  const address = readAddress(params[0], name);
  const wanted = await readTokenFilter(chain, params[1]);
  const view = readAccountView(readConfig(params[2], chain.slot));
  const found = (await find(address)).filter(wanted);
  return withContext(chain, await renderKeyedAccounts(chain, found, view));
}

/** `{mint}` or `{programId}`: one of them is required. */
async function readTokenFilter(chain: Chain, value: unknown): Promise<(account: AddressedAccount) => boolean> {
  const filter = readObject(value, 'filter');
  if (filter.mint !== undefined) {
    const mint = readAddress(filter.mint, 'filter.mint');
    await readMint(chain, mint, 'could not find mint');
    return ({ account }) => decodeTokenAccount(account.data)?.mint === mint;
  }
  if (filter.programId === undefined) throw invalidParam('filter', 'expected an object with mint or programId');
  const program = readAddress(filter.programId, 'filter.programId');
  if (!isTokenProgram(program)) {
    throw new RpcError(RPC_CODE.invalidParams, 'Invalid param: unrecognized Token program id');
  }
  return ({ account }) => account.owner === program;
}

async function readMint(chain: Chain, address: Address, missing = 'could not find account'): Promise<Mint> {
  const account = await chain.account(address);
  if (!account) throw new RpcError(RPC_CODE.invalidParams, `Invalid param: ${missing}`);
  const mint = isTokenProgram(account.owner) ? decodeMint(account.data) : undefined;
  if (!mint) throw new RpcError(RPC_CODE.invalidParams, 'Invalid param: not a Token mint');
  return mint;
}
